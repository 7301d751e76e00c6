// What the microbenchmarks of hwtests/calibrate read on a GPU.
//
//   std::optional<Readings> r = Readings::Parse(text, &error);
//   r->Find("l2.line", {{"sm", 0}, {"op", "ld"}})->median -> 289 (cycles)
#ifndef TILESIM_SIM_ARCH_CALIBRATE_READINGS_H_
#define TILESIM_SIM_ARCH_CALIBRATE_READINGS_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tilesim::arch {

struct Reading {
  double median = 0, low = 0, high = 0;  // 10th and 90th percentile
};

// The machine that they were taken on.
struct Machine {
  std::string gpu, driver;
  std::string date;  // of most of them: 2026-11-23
};

class Readings {
 public:
  using Key = std::variant<double, std::string>;
  using Where = std::vector<std::pair<std::string, Key>>;

  // The text of calibration.json, or a line of JSON a reading, as run.sh leaves
  // them; those do not name the machine. Errors: what is neither.
  static std::optional<Readings> Parse(std::string_view text,
                                       std::string* error);

  // The one row of that name with those parameters. Nothing if there is none,
  // or if there are several: the parameters do not say which.
  std::optional<Reading> Find(const std::string& name,
                              const Where& where) const;
  // When readings of that name were taken.
  const std::string& DateOf(const std::string& name) const;

  Machine machine;

 private:
  struct Row {
    std::map<std::string, Key> parameters;
    Reading reading;
  };
  std::map<std::string, std::vector<Row>> rows_;
  std::map<std::string, std::string> added_;  // later: name -> date

  friend struct ReadingsParser;
};

}  // namespace tilesim::arch

#endif  // TILESIM_SIM_ARCH_CALIBRATE_READINGS_H_
