#include "checkers/sizes/partition/far_out.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace tilesim::checkers::sizes::partition {
using algebra::Polynomial;
using algebra::Symbol;

namespace {

// Turns of a loop that are tried beyond where it need not be looked at any
// more; and sizes for that, of which most may not be permitted.
constexpr int64_t kFarOut = 8;
constexpr int64_t kTries = 16;

// What a step of the symbol makes of sizes, places, or how many are handed out,
// at most.
int64_t StepOf(Symbol symbol, const SizeCell& cell) {
  int64_t out = 0;
  auto at_least = [&](const Polynomial& p) {
    out = std::max(out, std::abs(p.Coefficient(symbol)));
  };
  for (const Polynomial& p : cell.params) at_least(p);
  for (const auto& p : cell.positions) {
    if (p) at_least(p->at);
  }
  if (cell.handed_out) at_least(*cell.handed_out);
  return out;
}

}  // namespace

void FarOut::Note(const SizeCell& cell) {
  for (const auto& [symbol, axis] : cell.axes) {
    int64_t step = StepOf(symbol, cell);
    auto noted = noted_.find(symbol);
    if (noted == noted_.end() || noted->second.step < step)
      noted_.insert_or_assign(symbol, Largest{step, cell});
  }
}

std::vector<FarOut::Noted> FarOut::all() const {
  std::vector<Noted> out;
  for (const auto& [symbol, largest] : noted_)
    out.push_back({symbol, largest.cell});
  return out;
}

std::vector<int64_t> FarOut::Tries() {
  std::vector<int64_t> steps(kTries);
  std::iota(steps.begin(), steps.end(), kFarOut);
  for (int64_t n = kFarOut - 1; n > 0; --n) steps.push_back(n);
  return steps;
}

}  // namespace tilesim::checkers::sizes::partition
