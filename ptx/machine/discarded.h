// Loads whose results go nowhere but into selp, which takes something else
// where comparisons say so that do not change until then. DeepGEMM loads a
// second row of scales "to align with other blocks", also where no column of a
// block has one.
#ifndef TILESIM_PTX_MACHINE_DISCARDED_H_
#define TILESIM_PTX_MACHINE_DISCARDED_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "ptx/flow/graph.h"

namespace tilesim::ptx {

class Discarded {
 public:
  // A comparison (node) by which what was loaded is taken.
  struct TakenIf {
    int32_t compare = 0;
    bool holds = true;
  };

  explicit Discarded(const Graph& graph);
  // nullopt: it is no such load. Of its comparisons each has one result, and
  // reads what the load finds as the selp will.
  //
  // Each register is written by one instruction. The load comes before each
  // selp on all ways, and both lie in the same loops; what is compared is
  // written outside of the innermost of them, before the load. So between a
  // load and the next one in its loop, selp takes what that one has returned,
  // and the comparison is of the same numbers all the while.
  std::optional<std::vector<TakenIf>> Of(int32_t load) const;
  bool any() const;

 private:
  std::optional<TakenIf> ByComparison(int32_t load, int32_t reg,
                                      int32_t user) const;
  bool ComesBefore(int32_t a, int32_t b) const;
  bool StaysFrom(int32_t load, int32_t reg) const;
  const Loop* LoopOf(int32_t node) const;
  bool IsIn(const Loop* loop, int32_t node) const;

  const Graph& graph_;
  std::vector<int32_t> writer_;  // by register; -1: none or several
  std::vector<std::vector<int32_t>> users_;
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_DISCARDED_H_
