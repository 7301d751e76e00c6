#include "checkers/sizes/induction/run_notes.h"

#include "checkers/run/pace.h"

namespace tilesim::checkers::sizes::induction {
using run::StrandsOf;
using state::Guard;

namespace {

using Numbers = std::span<const int64_t>;

// Counters move on by the same; parities of rings go back and forth.
bool Even(int64_t first, int64_t middle, int64_t last) {
  bool steps = last - middle == middle - first;
  bool toggles = last == first && (first | middle) == 1 && first != middle;
  return steps || toggles;
}

bool Even(Numbers first, Numbers middle, Numbers last) {
  if (first.size() != middle.size() || middle.size() != last.size())
    return false;
  for (size_t i = 0; i < last.size(); ++i) {
    if (!Even(first[i], middle[i], last[i])) return false;
  }
  return true;
}

}  // namespace

void RunNotes::BeginTurn(int32_t event) {
  events_.push_back(event);
  first_.push_back(scalars_.size());
}

void RunNotes::AddScalars(const machine::Code& code,
                          const machine::State& state) {
  StrandsOf(state, strands_);
  for (int32_t i : strands_) {
    const machine::Strand& s = state.strands[i];
    for (int16_t slot : code.live[s.pc]) AddScalar(s.slots[slot]);
  }
}

void RunNotes::AddGuard(const Guard& guard) {
  guards_.push_back({turns() - 1, guard});
}

void RunNotes::BackTo(int64_t turn) {
  if (turn < turns()) scalars_.resize(first_[turn]);
  events_.resize(turn);
  first_.resize(turn);
  while (!guards_.empty() && guards_.back().turn >= turn) guards_.pop_back();
}

Numbers RunNotes::ScalarsAt(int64_t turn) const {
  auto next = static_cast<size_t>(turn) + 1;
  size_t end = next < first_.size() ? first_[next] : scalars_.size();
  return Numbers(scalars_).subspan(first_[turn], end - first_[turn]);
}

bool RunNotes::MovedEvenly(int64_t end, int64_t length, int64_t copies) const {
  for (int64_t c = 0; c < copies && end >= (c + 2) * length; ++c) {
    if (!Even(ScalarsAt(end - (c + 2) * length),
              ScalarsAt(end - (c + 1) * length), ScalarsAt(end - c * length)))
      return false;
  }
  return true;
}

}  // namespace tilesim::checkers::sizes::induction
