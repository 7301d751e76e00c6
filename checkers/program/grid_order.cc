#include "checkers/program/grid_order.h"

#include <algorithm>

namespace tilesim::checkers::program {
using run::Event;
using run::Log;

bool Does(const Event& e, ir::EffectKind kind) {
  return e.kind == Event::Kind::kOp &&
         std::any_of(e.effects().begin(), e.effects().end(),
                     [=](const ir::Effect& f) { return f.kind == kind; });
}

std::vector<int32_t> FirstOf(const Log& log, ir::EffectKind kind) {
  std::vector<int32_t> first(log.ctas, kNever);
  for (size_t i = 0; i < log.events.size(); ++i) {
    const Event& e = log.events[i];
    if (Does(e, kind))
      first[e.cta] = std::min(first[e.cta], static_cast<int32_t>(i));
  }
  return first;
}

GridOrder::GridOrder(const ir::Program& program) {
  for (const ir::Kernel& k : program.kernels)
    kernels_.emplace_back().programmatic = k.programmatic;
}

void GridOrder::Add(size_t kernel, const Log& log) {
  Facts& facts = kernels_[kernel];
  std::vector<int32_t> waits = FirstOf(log, ir::EffectKind::kGridWait);
  std::vector<int32_t> triggers = FirstOf(log, ir::EffectKind::kGridTrigger);
  bool any = false;
  for (size_t cta = 0; cta < waits.size(); ++cta) {
    any |= waits[cta] != kNever;
    facts.holds_back |= waits[cta] != kNever && triggers[cta] > waits[cta];
  }
  facts.always_waits &= any;
  facts.ever_waits |= any;
}

bool GridOrder::MayOverlap() const {
  return std::any_of(kernels_.begin(), kernels_.end(),
                     [](const Facts& f) { return f.programmatic; });
}

bool GridOrder::OverAtStart(size_t i, size_t j) const {
  if (i >= j) return false;
  return !kernels_[j].programmatic || OverAtStart(i, j - 1);
}

bool GridOrder::OverAfterWait(size_t i, size_t j, bool surely) const {
  return OverAtStart(i, j) || i + 1 == j || OverAtEnd(i, j - 1, surely);
}

bool GridOrder::OverAtEnd(size_t i, size_t j, bool surely) const {
  bool waits = surely ? kernels_[j].always_waits : kernels_[j].ever_waits;
  return OverAtStart(i, j) || (waits && OverAfterWait(i, j, surely));
}

bool GridOrder::NoneHoldsBack(size_t i, size_t j) const {
  return std::none_of(kernels_.begin() + static_cast<ptrdiff_t>(i) + 1,
                      kernels_.begin() + static_cast<ptrdiff_t>(j),
                      [](const Facts& f) { return f.holds_back; });
}

}  // namespace tilesim::checkers::program
