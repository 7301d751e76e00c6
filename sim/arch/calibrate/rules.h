// How parameters of an architecture follow from what the microbenchmarks of
// hwtests/calibrate read: a rule a parameter, with words for its source.
#ifndef TILESIM_SIM_ARCH_CALIBRATE_RULES_H_
#define TILESIM_SIM_ARCH_CALIBRATE_RULES_H_

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/arch/calibrate/quantity.h"
#include "sim/arch/calibrate/readings.h"

namespace tilesim::arch {

// Asks for readings, and keeps in mind which were asked for, and which are not
// there.
class Asked {
 public:
  explicit Asked(const Readings& readings) : readings_(readings) {}

  Quantity operator()(const std::string& name, const Readings::Where& where);
  const std::set<std::string>& names() const { return names_; }
  // Empty: all were there.
  const std::string& missing() const { return missing_; }

 private:
  const Readings& readings_;
  std::set<std::string> names_;
  std::string missing_;
};

struct Rule {
  std::string_view param;   // of params.def
  std::string_view origin;  // measured, or derived from other parameters too
  std::string_view source;
  Quantity (*of)(Asked& r);
};

std::span<const Rule> Rules();

}  // namespace tilesim::arch

#endif  // TILESIM_SIM_ARCH_CALIBRATE_RULES_H_
