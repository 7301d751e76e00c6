// Which ops of a kernel's text runs came to, and by which of them CTAs may meet
// in global memory.
#ifndef TILESIM_CHECKERS_RUN_OPS_RUN_H_
#define TILESIM_CHECKERS_RUN_OPS_RUN_H_

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "checkers/run/log.h"

namespace tilesim::checkers::run {

class OpsRun {
 public:
  using Place = std::pair<int32_t, int32_t>;  // line, column

  void Add(const Log& log);
  void Add(const OpsRun& others);
  // Ops on tensors that some run writes which `others` did not come to.
  std::set<Place> Beyond(const OpsRun& others) const;

  bool none() const { return executed_.empty(); }
  bool Executed(Place op) const { return executed_.count(op) != 0; }
  // A number that an op returned in some run decides control.
  bool value_decides() const { return value_decides_; }

 private:
  struct Tensor {
    bool written = false;
    std::set<Place> ops;
  };
  std::map<int32_t, Tensor> tensors_;  // by declaration
  std::set<Place> executed_;
  bool value_decides_ = false;
};

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_OPS_RUN_H_
