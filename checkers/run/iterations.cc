#include "checkers/run/iterations.h"

#include <algorithm>
#include <utility>

#include "ir/loops.h"

namespace tilesim::checkers::run {

using machine::Instr;

TilesInLoops::TilesInLoops(const machine::Code& code) {
  if (code.guide != nullptr) return;
  const ir::Loops loops(code.kernel());
  const auto in_loop = [&](const machine::CompiledOperand& o) {
    return o.kind == ir::OperandValue::Kind::kTile &&
           o.fixed.tile.space == ir::Space::kReg &&
           loops.AroundDecl(o.fixed.tile.decl) != nullptr;
  };
  for (size_t at = 0; at < code.instrs.size(); ++at) {
    const Instr& i = code.instrs[at];
    const auto pc = static_cast<int32_t>(at);
    // A loop goes back to where it begins.
    const bool goes =
        i.kind == Instr::Kind::kForNext || i.kind == Instr::Kind::kJump;
    if (goes && i.b <= pc) ends_[i.b] = pc;
    if (i.kind != Instr::Kind::kOp) continue;
    const auto& operands = code.ops[i.a].operands;
    if (std::any_of(operands.begin(), operands.end(), in_loop)) ops_[i.a] = pc;
  }
}

Iterations::Loops& Iterations::LoopsOf(int32_t strand) {
  auto i = static_cast<size_t>(strand);
  if (strands_.size() <= i) strands_.resize(i + 1);
  return strands_[i];
}

void Iterations::Leave(const TilesInLoops& text, int32_t pc, Loops& loops) {
  while (!loops.empty() &&
         (pc < loops.back().begin || pc > text.EndOf(loops.back().begin)))
    loops.pop_back();
}

// Numbers of iterations are used once: a loop that is come to again begins with
// another one.
void Iterations::Control(const TilesInLoops& text, int32_t strand, int32_t pc) {
  if (text.EndOf(pc) < 0) return;
  Loops& loops = LoopsOf(strand);
  Leave(text, pc, loops);
  if (loops.empty() || loops.back().begin != pc) loops.push_back({pc, 0});
  loops.back().iteration = next_++;
}

void Iterations::Divided(int32_t strand, int32_t other) {
  Loops copy = LoopsOf(strand);
  LoopsOf(other) = std::move(copy);
}

void Iterations::Absorbed(int32_t strand, int32_t other) {
  const Loops theirs = std::exchange(LoopsOf(other), {});
  const Loops& loops = LoopsOf(strand);
  for (size_t i = 0; i < std::min(loops.size(), theirs.size()); ++i) {
    if (loops[i].iteration != theirs[i].iteration)
      went_on_as_[theirs[i].iteration] = loops[i].iteration;
  }
}

LoopIterations::Nest Iterations::Of(const TilesInLoops& text, int32_t strand,
                                    int32_t op) {
  Loops& loops = LoopsOf(strand);
  Leave(text, text.PcOf(op), loops);
  LoopIterations::Nest out;
  for (const Loop& loop : loops) out.push_back(loop.iteration);
  return out;
}

}  // namespace tilesim::checkers::run
