#include "cli/lsp/symbols.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "cli/input.h"
#include "frontend/parse.h"
#include "ir/types.h"

namespace tilesim::cli::lsp {
namespace {

constexpr int kMostIncludes = 16;  // one inside another

bool IsNameChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Spans of statements begin with the statement: the name is further on.
Symbol SymbolOf(const std::string& name, std::string_view what, ir::Span span,
                std::string_view text, const std::string& path) {
  std::string_view line = LineOf(text, span.text_line() - 1);
  size_t from = static_cast<size_t>(std::max(span.column, 1) - 1);
  for (size_t at = line.find(name, std::min(from, line.size()));
       at != std::string_view::npos; at = line.find(name, at + 1)) {
    size_t end = at + name.size();
    bool whole = (at == 0 || !IsNameChar(line[at - 1])) &&
                 (end == line.size() || !IsNameChar(line[end]));
    if (!whole) continue;
    span.column = static_cast<int32_t>(at) + 1;
    span.length = static_cast<int32_t>(name.size());
    break;
  }
  size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
  return {name, std::string(what), path, span,
          std::string(line.substr(indent))};
}

}  // namespace

Symbols::Symbols(const ir::Program& program, const Document& document) {
  for (const ir::Kernel& kernel : program.kernels) AddKernel(kernel, document);
  for (const ir::Fn& fn : program.functions) AddFn(fn, document);
  AddIncludes(program, document.path, 0);
  std::stable_sort(
      units_.begin(), units_.end(),
      [](const Unit& a, const Unit& b) { return a.line < b.line; });
}

void Symbols::AddKernel(const ir::Kernel& kernel, const Document& document) {
  Unit unit{true, kernel.span.text_line(), {}};
  auto add = [&](const std::string& name, std::string_view what,
                 ir::Span span) {
    unit.symbols.push_back(
        SymbolOf(name, what, span, document.text, document.path));
  };
  for (const ir::Param& p : kernel.params) add(p.name, "param", p.span);
  for (const ir::Constant& c : kernel.constants)
    add(c.name, c.is_let ? "let" : "const", c.span);
  for (const ir::Decl& d : kernel.decls) add(d.name, ir::Name(d.space), d.span);
  AddBlock(kernel.body, document, unit);
  units_.push_back(std::move(unit));
}

void Symbols::AddFn(const ir::Fn& fn, const Document& document) {
  Unit unit{false, fn.span.text_line(), {}};
  for (const ir::FnParam& p : fn.params)
    unit.symbols.push_back(
        SymbolOf(p.name, "parameter", p.span, document.text, document.path));
  AddBlock(fn.body, document, unit);
  units_.push_back(std::move(unit));
  functions_.push_back(
      SymbolOf(fn.name, "fn", fn.span, document.text, document.path));
}

void Symbols::AddBlock(const ir::Block& block, const Document& document,
                       Unit& unit) {
  using Kind = ir::Stmt::Kind;
  for (const ir::Stmt& s : block) {
    auto add = [&](const std::string& name, std::string_view what,
                   ir::Span span) {
      unit.symbols.push_back(
          SymbolOf(name, what, span, document.text, document.path));
    };
    if (s.kind == Kind::kLet) add(s.name, "let", s.span);
    if (s.kind == Kind::kVar) add(s.name, "var", s.span);
    if (s.kind == Kind::kFor) add(s.name, "for", s.span);
    if (s.decl) add(s.decl->name, "reg", s.decl->span);
    bool declares = s.call && s.call->how != ir::Call::Results::kAssign;
    if (declares) {
      for (const std::string& name : s.call->names) add(name, "let", s.span);
    }
    AddBlock(s.body, document, unit);
    AddBlock(s.orelse, document, unit);
  }
}

void Symbols::AddIncludes(const ir::Program& program, const std::string& path,
                          int depth) {
  if (depth > kMostIncludes) return;
  for (const ir::Include& include : program.includes) {
    std::filesystem::path file(include.path);
    if (file.is_relative())
      file = std::filesystem::path(path).parent_path() / file;
    Document other{"", file.lexically_normal().string(), "", 0};
    if (!std::filesystem::is_regular_file(file)) continue;
    absl::StatusOr<ir::Source> source = OpenSource(other.path);
    if (!source.ok()) continue;
    other.text = source->text;
    ir::Diagnostics told_elsewhere;
    auto included = frontend::ParseSyntax(*source, told_elsewhere);
    if (!included) continue;
    for (const ir::Fn& fn : included->functions)
      functions_.push_back(
          SymbolOf(fn.name, "fn", fn.span, other.text, other.path));
    AddIncludes(*included, other.path, depth + 1);
  }
}

const Symbols::Unit* Symbols::UnitAt(int64_t line) const {
  const Unit* out = nullptr;
  for (const Unit& unit : units_) {
    if (unit.line <= line + 1) out = &unit;
  }
  return out;
}

std::vector<const Symbol*> Symbols::KnownAt(int64_t line) const {
  std::vector<const Symbol*> out;
  const Unit* here = UnitAt(line);
  // The nearest above first, what is below last.
  if (here != nullptr) {
    for (auto it = here->symbols.rbegin(); it != here->symbols.rend(); ++it) {
      if (it->span.text_line() <= line + 1) out.push_back(&*it);
    }
    for (const Symbol& s : here->symbols) {
      if (s.span.text_line() > line + 1) out.push_back(&s);
    }
  }
  for (const Unit& unit : units_) {
    if (&unit == here || !unit.kernel) continue;
    for (const Symbol& s : unit.symbols) out.push_back(&s);
  }
  for (const Symbol& s : functions_) out.push_back(&s);
  return out;
}

const Symbol* Symbols::Find(const std::string& name, int64_t line) const {
  for (const Symbol* s : KnownAt(line)) {
    if (s->name == name) return s;
  }
  return nullptr;
}

}  // namespace tilesim::cli::lsp
