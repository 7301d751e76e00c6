#include "checkers/run/pace.h"

#include <algorithm>

namespace tilesim::checkers {
namespace {

bool IsIn(const machine::Code& code, int32_t test, int32_t pc) {
  return test <= pc && pc < code.instrs[test].b;
}

}  // namespace

std::vector<StrandName> NamesOf(const machine::State& state) {
  std::vector<StrandName> out;
  out.reserve(state.strands.size());
  for (const machine::Strand& s : state.strands) {
    if (s.status != machine::Strand::Status::kFree)
      out.emplace_back(s.cta, s.threads.first_warp);
  }
  std::sort(out.begin(), out.end());
  return out;
}

Pace::Loops& Pace::LoopsOf(int32_t strand) {
  auto i = static_cast<size_t>(strand);
  if (strands_.size() <= i) strands_.resize(i + 1);
  return strands_[i];
}

void Pace::Control(const machine::Code& code, const machine::State& state,
                   int32_t strand, const machine::Instr& instr) {
  if (instr.kind != machine::Instr::Kind::kForTest) return;
  int32_t pc = state.strands[strand].pc;
  Loops& loops = LoopsOf(strand);
  while (!loops.empty() && !IsIn(code, loops.back().test, pc)) loops.pop_back();
  if (loops.empty() || loops.back().test != pc) loops.push_back({pc, 0});
  ++loops.back().turn;
}

void Pace::Divided(int32_t strand, int32_t other) {
  Loops copy = LoopsOf(strand);
  LoopsOf(other) = std::move(copy);
}

Pace::Position Pace::Of(const machine::Code& code, const machine::State& state,
                        int32_t strand) const {
  Position out;
  if (static_cast<size_t>(strand) >= strands_.size()) return out;
  for (const Loop& loop : strands_[strand]) {
    if (IsIn(code, loop.test, state.strands[strand].pc))
      out.push_back(loop.turn);
  }
  return out;
}

}  // namespace tilesim::checkers
