#include "ptx/launch/kernel.h"

#include <algorithm>
#include <set>
#include <vector>

#include "fmt/format.h"

namespace tilesim::ptx {
namespace {

void Names(const Operand& o, std::set<std::string_view>& out) {
  if (!o.name.empty()) out.insert(o.name);
  for (const Operand& part : o.parts) Names(part, out);
}

void Add(const Variable& v, const std::set<std::string_view>* used,
         SharedUse& out) {
  if (v.space != ".shared") return;
  for (const Declarator& d : v.names) {
    if (used && !used->contains(d.name)) continue;
    if (v.linkage == Linkage::kExtern) {
      out.dynamic = &v;
      continue;
    }
    uint64_t align = v.align.value_or(1);
    if (align > 1 && out.fixed % align != 0 &&
        __builtin_add_overflow(out.fixed, align - out.fixed % align,
                               &out.fixed))
      out.fixed = UINT64_MAX;
    if (__builtin_add_overflow(out.fixed, VariableBytes(v, d).value_or(0),
                               &out.fixed))
      out.fixed = UINT64_MAX;
  }
}

}  // namespace

const Function* FindKernel(const Module& module, std::string_view name) {
  for (const Function& f : module.functions) {
    if (f.is_entry && f.name == name) return &f;
  }
  return nullptr;
}

std::optional<uint64_t> VariableBytes(const Variable& v, const Declarator& d) {
  uint64_t bytes = v.type.empty()     ? 0
                   : v.type == ".f16" ? 2
                                      : ScalarBytes(v.type.substr(1));
  if (v.type == ".b128") bytes = 16;
  if (bytes == 0) return std::nullopt;
  if (v.vector == ".v2") bytes *= 2;
  if (v.vector == ".v4") bytes *= 4;
  for (const std::optional<uint64_t>& dim : d.dims) {
    if (!dim || __builtin_mul_overflow(bytes, *dim, &bytes))
      return std::nullopt;
  }
  return bytes;
}

std::string Declared(const Variable& v, const Declarator& d) {
  std::string out = d.name + " ";
  if (v.align) out += fmt::format(".align {} ", *v.align);
  if (!v.vector.empty()) out += v.vector + " ";
  out += v.type;
  for (const std::optional<uint64_t>& dim : d.dims)
    out += dim ? fmt::format("[{}]", *dim) : "[]";
  return out;
}

std::optional<Dim3> DirectiveDims(const Function& f, std::string_view name) {
  const Directive* d = f.Find(name);
  if (!d || d->numbers.empty()) return std::nullopt;
  Dim3 out = {1, 1, 1};
  for (size_t i = 0; i < d->numbers.size() && i < 3; ++i)
    out[i] = d->numbers[i].value();
  return out;
}

namespace {

// The kernel, and functions that it may call.
std::vector<const Function*> Bodies(const Module& module,
                                    const Function& kernel) {
  std::vector<const Function*> out = {&kernel};
  const bool calls = std::any_of(
      kernel.body.begin(), kernel.body.end(), [](const Statement& s) {
        return s.instruction.opcode.starts_with("call");
      });
  for (const Function& f : module.functions) {
    if (calls && !f.is_entry) out.push_back(&f);
  }
  return out;
}

}  // namespace

std::set<std::string_view> NamesIn(const Function& function) {
  std::set<std::string_view> out;
  for (const Statement& s : function.body) {
    for (const Operand& o : s.instruction.operands) Names(o, out);
  }
  return out;
}

SharedUse SharedOf(const Module& module, const Function& kernel) {
  std::set<std::string_view> used;
  const std::vector<const Function*> bodies = Bodies(module, kernel);
  for (const Function* f : bodies) used.merge(NamesIn(*f));
  SharedUse out;
  for (const Variable& v : module.variables) Add(v, &used, out);
  for (const Function* f : bodies) {
    for (const Statement& s : f->body) {
      for (const Variable& v : s.variable) Add(v, nullptr, out);
    }
  }
  return out;
}

}  // namespace tilesim::ptx
