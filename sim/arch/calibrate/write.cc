#include "sim/arch/calibrate/write.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "ir/cat.h"
#include "sim/arch/calibrate/rules.h"

namespace tilesim::arch {
namespace {

// As much as readings can say.
double FourDigits(double x) {
  return std::strtod(fmt::format("{:.4g}", x).c_str(), nullptr);
}

const Rule* RuleFor(std::string_view param) {
  auto it = std::find_if(Rules().begin(), Rules().end(),
                         [&](const Rule& r) { return r.param == param; });
  return it == Rules().end() ? nullptr : &*it;
}

std::string Row(const ParamInfo& info, double value, const ParamOrigin& o) {
  std::string row = fmt::format("{} = [{}, \"{}\", \"{}\", \"{}\"", info.name,
                                value, info.unit, o.origin, o.source);
  if (!o.date.empty())
    row += fmt::format(", [{}, {}], \"{}\"", o.low, o.high, o.date);
  return row + "]\n";
}

// What a rule makes of the readings; false: some are not there.
bool Apply(const Rule& rule, const Readings& readings, double& value,
           ParamOrigin& origin) {
  Asked asked(readings);
  const Quantity q = rule.of(asked);
  if (!asked.missing().empty() || !std::isfinite(q.value) || q.value < 0)
    return false;
  value = FourDigits(q.value);
  origin = {std::string(rule.origin), std::string(rule.source),
            FourDigits(std::min(q.low, q.high)),
            FourDigits(std::max(q.low, q.high)), ""};
  for (const std::string& name : asked.names())
    origin.date = std::max(origin.date, readings.DateOf(name));
  return true;
}

}  // namespace

Calibrated Calibrate(const Readings& readings, const Arch& base,
                     const std::string& name) {
  Calibrated out;
  out.text = fmt::format(
      "# Written by `tilesim calibrate`: value, unit, origin, source; of what "
      "was read\n# on the GPU the 10th and 90th percentile, too, and the "
      "date.\nname = \"{}\"\ntitle = \"{}\"\ntarget = \"{}\"\ngpu = \"{}\"\n"
      "driver = \"{}\"\n\n[params]\n",
      name, base.title, ir::InfoOf(base.target).name, readings.machine.gpu,
      readings.machine.driver);
  for (size_t i = 0; i < Params().size(); ++i) {
    const ParamInfo& info = Params()[i];
    double value = ValueOf(base, i);
    ParamOrigin origin = base.origins[i];
    if (const Rule* rule = RuleFor(info.name)) {
      if (Apply(*rule, readings, value, origin)) {
        ++out.from_readings;
      } else {
        out.kept.push_back(std::string(info.name));
      }
    }
    out.text += Row(info, value, origin);
  }
  return out;
}

}  // namespace tilesim::arch
