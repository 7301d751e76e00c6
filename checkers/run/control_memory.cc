#include "checkers/run/control_memory.h"

#include <algorithm>
#include <new>
#include <utility>

#include "sim/machine/data/budget.h"

namespace tilesim::checkers::run {
namespace {

template <typename F>
std::vector<int32_t> ControlDecls(const machine::Code& code, F wanted) {
  std::vector<int32_t> out;
  for (size_t i = 0; i < code.control_decl.size(); ++i) {
    auto decl = static_cast<int32_t>(i);
    if (code.control_decl[i] && wanted(decl)) out.push_back(decl);
  }
  return out;
}

bool IsGlobal(const machine::Code& code, int32_t decl) {
  return code.bound.decls[decl].space == ir::Space::kGlobal;
}

}  // namespace

std::vector<bool> AnyWrites(const machine::Code& code) {
  std::vector<bool> out(code.bound.decls.size());
  // Of compiled code, an address says which; but those whose words decide are
  // accessed by operations that name them, and no others.
  for (size_t i = 0; i < out.size() && code.guide != nullptr; ++i)
    out[i] = code.bound.decls[i].space != ir::Space::kMbarrier &&
             !code.control_decl[i];
  ir::EffectSink sink;
  for (const machine::CompiledOp& op : code.ops) {
    ir::ConcreteOp fixed = machine::FixedOperands(op);
    sink.Clear();
    ir::EffectsOf(fixed, sink);
    for (const ir::Effect& e : sink.effects()) {
      bool writes =
          e.kind == ir::EffectKind::kWrite && fixed.is_tile(e.operand);
      if (writes) out[fixed.tile(e.operand).decl] = true;
    }
  }
  return out;
}

std::unique_ptr<machine::Memory> MakeControlMemory(
    const machine::Code& code, const machine::Inputs& inputs) {
  if (ControlDecls(code, [](int32_t) { return true; }).empty()) return nullptr;
  machine::MemoryOptions o;
  o.values = machine::MemoryOptions::Values::kNone;
  o.inputs = inputs;
  o.inputs.insert(code.given.begin(), code.given.end());
  // Runs are short and many: what is free is asked for once.
  static const int64_t free_bytes = machine::FreeBytes();
  o.limit_bytes = free_bytes;
  auto memory = machine::Memory::Create({&code}, std::move(o));
  // Without it nothing could be said: as when any other memory is short.
  if (!memory.ok()) throw std::bad_alloc();
  return std::move(*memory);
}

std::vector<int32_t> DrawnOf(const machine::Code& code) {
  return ControlDecls(code, [&](int32_t decl) {
    const ir::Decl& d = code.kernel().decls[decl];
    bool known = d.zero || code.given.contains(d.name);
    return IsGlobal(code, decl) && !known;
  });
}

std::vector<int32_t> WrittenOf(const machine::Code& code) {
  std::vector<bool> written = AnyWrites(code);
  return ControlDecls(code, [&](int32_t decl) { return written[decl]; });
}

bool WritesGlobal(const machine::Code& code) {
  const std::vector<int32_t> written = WrittenOf(code);
  return std::any_of(written.begin(), written.end(), [&](int32_t decl) {
    return code.bound.decls[decl].space == ir::Space::kGlobal;
  });
}

}  // namespace tilesim::checkers::run
