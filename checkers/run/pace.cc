#include "checkers/run/pace.h"

#include <algorithm>

namespace tilesim::checkers::run {

namespace {

bool IsIn(const machine::Code& code, int32_t test, int32_t pc) {
  return test <= pc && pc < code.instrs[test].b;
}

}  // namespace

void StrandsOf(const machine::State& state, std::vector<int32_t>& out) {
  const auto& all = state.strands;
  auto is = [&](size_t i) {
    return i < all.size() && all[i].status != machine::Strand::Status::kFree;
  };
  auto before = [&](int32_t a, int32_t b) {
    return NameOf(all[a]) < NameOf(all[b]);
  };
  size_t count = 0;
  for (size_t i = 0; i < all.size(); ++i) count += is(i);
  if (count == out.size() && std::all_of(out.begin(), out.end(), is) &&
      std::is_sorted(out.begin(), out.end(), before))
    return;
  out.clear();
  for (size_t i = 0; i < all.size(); ++i) {
    if (is(i)) out.push_back(static_cast<int32_t>(i));
  }
  std::sort(out.begin(), out.end(), before);
}

std::vector<int32_t> StrandsOf(const machine::State& state) {
  std::vector<int32_t> out;
  StrandsOf(state, out);
  return out;
}

void NameStrands(const machine::State& state, std::vector<int32_t>& strands,
                 std::vector<NamedStrand>& out) {
  StrandsOf(state, strands);
  out.clear();
  for (int32_t i : strands) out.push_back({NameOf(state.strands[i]), i});
}

Pace::Loops& Pace::LoopsOf(int32_t strand) {
  auto i = static_cast<size_t>(strand);
  if (strands_.size() <= i) strands_.resize(i + 1);
  return strands_[i];
}

// Chooses among schedules, of which any will do: docs/all_sizes.md 3.4.
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

}  // namespace tilesim::checkers::run
