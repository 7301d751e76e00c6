#include "checkers/run/control_memory.h"

#include <algorithm>
#include <utility>

namespace tilesim::checkers {
namespace {

// Shared memory always is; a global may be an input.
bool WrittenByProgram(const machine::Code& code, int32_t decl) {
  if (code.bound.decls[decl].space != ir::Space::kGlobal) return true;
  return std::any_of(
      code.ops.begin(), code.ops.end(), [&](const machine::CompiledOp& op) {
        ir::ConcreteOp fixed = machine::FixedOperands(op);
        ir::EffectSink sink;
        ir::EffectsOf(fixed, sink);
        return std::any_of(sink.effects().begin(), sink.effects().end(),
                           [&](const ir::Effect& e) {
                             return e.kind == ir::EffectKind::kWrite &&
                                    fixed.is_tile(e.operand) &&
                                    fixed.tile(e.operand).decl == decl;
                           });
      });
}

}  // namespace

ControlMemory MakeControlMemory(const machine::Code& code) {
  ControlMemory out;
  for (size_t i = 0; i < code.control_decl.size(); ++i) {
    if (!code.control_decl[i]) continue;
    const std::string& name = code.kernel().decls[i].name;
    bool written = WrittenByProgram(code, static_cast<int32_t>(i));
    (written ? out.written : out.drawn).push_back(name);
  }
  if (out.written.empty() && out.drawn.empty()) return out;
  machine::MemoryOptions o;
  o.values = machine::MemoryOptions::Values::kNone;
  auto memory = machine::Memory::Create({&code}, std::move(o));
  if (memory.ok()) out.memory = std::move(*memory);
  return out;
}

}  // namespace tilesim::checkers
