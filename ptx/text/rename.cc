#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/cat.h"
#include "ptx/text/printer.h"
#include "ptx/text/scopes.h"

namespace tilesim::ptx {
namespace {

// %b32_ for `.reg .b32`, %v2_f32_ for `.reg .v2 .f32`: the type is in the name,
// because ptxas tells registers of one width and different types apart.
std::string PrefixOf(const Variable& v) {
  std::string vector = v.vector.empty() ? "" : ir::Cat(v.vector.substr(1), "_");
  return ir::Cat("%", vector, v.type.substr(1), "_");
}

class Renamer {
 public:
  void Body(std::vector<Statement>& body) {
    ir::Span first = body.empty() ? ir::Span() : body[0].span;
    for (Statement& s : body) OneStatement(s);
    std::erase_if(body, [](const Statement& s) { return IsRegisters(s); });
    std::vector<Statement> declared;
    for (const auto& [prefix, one] : classes_) {
      Statement s;
      s.kind = Statement::Kind::kVariable;
      s.variable.push_back(one.declared);
      s.variable[0].names.resize(1);
      s.variable[0].names[0].name = prefix;
      s.variable[0].names[0].range = one.count;
      s.span = first;
      declared.push_back(std::move(s));
    }
    body.insert(body.begin(), declared.begin(), declared.end());
  }

 private:
  struct Class {
    Variable declared;
    uint64_t count = 0;
  };

  static bool IsRegisters(const Statement& s) {
    return s.kind == Statement::Kind::kVariable &&
           s.variable[0].space == ".reg";
  }

  void OneStatement(Statement& s) {
    if (s.kind == Statement::Kind::kOpen) scopes_.Open();
    if (s.kind == Statement::Kind::kClose) scopes_.Close();
    if (IsRegisters(s)) Declare(s.variable[0]);
    if (s.kind != Statement::Kind::kInstruction) return;
    Rename(&s.instruction.guard.reg);
    for (Operand& o : s.instruction.operands) OneOperand(o);
  }

  void Declare(const Variable& v) {
    std::string prefix = PrefixOf(v);
    Class& c = classes_[prefix];
    if (c.count == 0) c.declared = v;
    for (const Declarator& d : v.names) {
      scopes_.Declare(d, {prefix, c.count});
      // A range so long that the numbers end is no program's.
      if (__builtin_add_overflow(c.count, d.range.value_or(1), &c.count))
        c.count = ~uint64_t{0};
    }
  }

  void OneOperand(Operand& o) {
    if (o.kind == Operand::Kind::kName) Rename(&o.name);
    for (Operand& part : o.parts) OneOperand(part);
  }

  // Vectors have elements: %v.x.
  void Rename(std::string* name) {
    if (name->empty()) return;
    size_t dot = name->find('.');
    std::string_view base = std::string_view(*name).substr(0, dot);
    const auto found = scopes_.Find(base);
    if (!found) return;
    std::string element = dot == std::string::npos ? "" : name->substr(dot);
    *name = ir::Cat(found->first.first, found->first.second + found->second,
                    element);
  }

  Scopes<std::pair<std::string, uint64_t>> scopes_;
  std::map<std::string, Class> classes_;
};

}  // namespace

void RenameRegisters(Module& module) {
  for (Function& f : module.functions) {
    if (f.has_body) Renamer().Body(f.body);
  }
}

}  // namespace tilesim::ptx
