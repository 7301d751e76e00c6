#include "sim/timing/load.h"

#include <algorithm>

namespace tilesim::timing {
namespace {

// Of what was asked of it the unit has still to do what lies ahead.
double ServedBy(const Unit& unit, Cycle now) {
  return unit.busy() - std::max(0.0, unit.free() - static_cast<double>(now));
}

double Share(double before, double after, Cycle cycles) {
  return std::clamp((after - before) / static_cast<double>(cycles), 0.0, 1.0);
}

}  // namespace

void LoadLog::Look(Cycle now, const std::vector<SmUnits>& sms,
                   const ChipUnits& chip) {
  if (!served_.empty() && served_.back().at == now) return;
  Served s{.at = now, .hbm = ServedBy(chip.hbm, now)};
  const auto n = static_cast<double>(sms.size());
  for (const SmUnits& sm : sms) {
    s.tensor += ServedBy(sm.tensor, now) / n;
    s.l2 += ServedBy(sm.port, now) / n;
  }
  served_.push_back(s);
  if (served_.size() > kMost) {  // every other one tells the same
    size_t kept = 0;
    for (size_t i = 0; i < served_.size(); i += 2) served_[kept++] = served_[i];
    served_.resize(kept);
    step_ *= 2;
  }
  next_ = now + step_;
}

std::vector<LoadSample> LoadLog::Samples() const {
  std::vector<LoadSample> samples;
  for (size_t i = 0; i + 1 < served_.size(); ++i) {
    const Served &a = served_[i], &b = served_[i + 1];
    const Cycle cycles = b.at - a.at;
    samples.push_back({a.at, Share(a.tensor, b.tensor, cycles),
                       Share(a.l2, b.l2, cycles), Share(a.hbm, b.hbm, cycles)});
  }
  return samples;
}

}  // namespace tilesim::timing
