// Loops that do nothing but wait for an mbarrier.
//
//   L: mbarrier.try_wait.parity.shared.b64 p, [%r1], %r2;
//      @!p bra L;
//
// A loop is one if it holds one try_wait or test_wait; if nothing else in it
// has an effect or accesses memory; and if it is left when, and only when, the
// phase has completed, whatever the branches between do that count rounds or
// ask a clock. That is shown by executing the loop's predicates and constants,
// once for each answer. What goes round it (a count) must not be read behind
// it.
#ifndef TILESIM_PTX_FLOW_WAITS_H_
#define TILESIM_PTX_FLOW_WAITS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "ptx/flow/graph.h"

namespace tilesim::ptx {

struct Wait {
  int32_t node = 0;    // the try_wait or test_wait
  bool loops = false;  // a loop around it waits; else it is a test
  // Tests whose answers decide nothing but whether waits are passed over, and
  // these waits, have one number; -1: others.
  //
  //   mbarrier.try_wait.parity.shared.b64 p, [%r1], %r2;
  //   @p bra Y;           // yes
  //   L: mbarrier.try_wait.parity.shared.b64 q, [%r1], %r2;
  //      @!q bra L;
  //   Y:
  //
  // Between the test and the branch the answer may go through registers that
  // other tests and constants are put in as well.
  int32_t peek = -1;
};

// Each try_wait and test_wait, in the order of the text.
std::vector<Wait> FindWaits(const Graph& graph);

// Whether the node, a load, is all that a loop does: the loop goes on while the
// load returns 0, and is left when it returns `value`. Shown in the same way.
// If the word `grows`, the loop goes on with each number below as well. What
// registers always hold, `fixed` says.
bool LoopAsksUntil(const Graph& graph, int32_t node, int64_t value, bool grows,
                   const std::map<int32_t, int64_t>& fixed);
// Likewise of any node: the loop goes on while the node returns `goes_on`, and
// is left when it returns `ends`.
bool LoopAsksWhile(const Graph& graph, int32_t node, int64_t goes_on,
                   int64_t ends, const std::map<int32_t, int64_t>& fixed);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_FLOW_WAITS_H_
