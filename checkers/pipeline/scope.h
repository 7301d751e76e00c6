// What a verdict is about: which schedules, which sizes, which clusters. The
// scope of a whole is the sum of its parts'.
#ifndef TILESIM_CHECKERS_PIPELINE_SCOPE_H_
#define TILESIM_CHECKERS_PIPELINE_SCOPE_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "checkers/judge/assumed.h"

namespace tilesim::checkers::pipeline {

// Whether all of a result is stored.
struct Whole {
  enum class Where : uint8_t { kAllSizes, kOwnSizes, kNowhere };
  Where where = Where::kNowhere;
  std::string why;         // kNowhere: what stands in the way
  bool by_memory = false;  // that is values in memory
};

// What is taken for granted of a grid whose CTAs wait for each other. PTX
// promises neither.
enum class Residents : uint8_t {
  kAny,     // nothing: none waits, or all have room
  kInTurn,  // CTAs start in the order of the grid
  kAll,     // the GPU holds all of them at once
};

// Where CTAs of different clusters were compared in global memory. The weakest
// is last.
enum class Between : uint8_t {
  kAllSizes,  // it was proved of the text
  kEveryCta,  // every one of the one grid that there is
  kGridsRun,  // those of the grids that were run
};

struct CheckScope {
  bool all_interleavings = true;  // else one run: bounded
  // Every permitted value of every parameter that -D does not fix, together.
  bool all_sizes = true;
  std::set<std::string> all_of;  // parameters that were checked for all values
  std::set<std::string> given;   // by -D: checked for that value
  int64_t trips = 0;             // most executions of one op in the run
  // The values that were checked, not in all combinations.
  std::map<std::string, std::set<int64_t>> params;
  std::set<int64_t> sms;  // of the GPUs that it is about, if a kernel asks
  int64_t clusters = 0;   // of all grids that were checked
  int64_t clusters_checked = 0;
  // Of each tensor that `computes` names and that was checked: where it is
  // known that every element is stored.
  std::map<std::string, Whole> whole;
  // Of kernels, sizes that the text permits and at which there is no launch: an
  // example, and why, in words. Nothing is said of these sizes.
  std::map<std::string, std::string> not_launched;
  Between between = Between::kAllSizes;
  Residents residents = Residents::kAny;
  judge::Assumed assumed;
  int64_t states = 0;  // states that were searched; 0: order decided

  void Add(const CheckScope& part);
};

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_SCOPE_H_
