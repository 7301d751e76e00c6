// What a verdict is about: which schedules, which sizes, which clusters. The
// scope of a whole is the sum of its parts'.
#ifndef TILESIM_CHECKERS_PIPELINE_SCOPE_H_
#define TILESIM_CHECKERS_PIPELINE_SCOPE_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace tilesim::checkers::pipeline {

// Whether all of a result is stored.
struct Whole {
  enum class Where : uint8_t { kAllSizes, kOwnSizes, kNowhere };
  Where where = Where::kNowhere;
  std::string why;  // kNowhere: what stands in the way
};

struct CheckScope {
  bool all_interleavings = true;  // else one run: bounded
  // Every permitted value of every parameter that -D does not fix, together.
  bool all_sizes = true;
  std::set<std::string> all_of;  // parameters that were checked for all values
  int64_t trips = 0;             // most executions of one op in the run
  // The values that were checked, not in all combinations.
  std::map<std::string, std::set<int64_t>> params;
  std::set<int64_t> sms;  // of the GPUs that it is about, if a kernel asks
  int64_t clusters = 0;   // of all grids that were checked
  int64_t clusters_checked = 0;
  // Of each tensor that `computes` names and that was looked at: where it is
  // known that every element is stored.
  std::map<std::string, Whole> whole;
  int64_t states = 0;  // positions that were searched; 0: order decided

  void Add(const CheckScope& part);
};

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_SCOPE_H_
