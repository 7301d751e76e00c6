// Who wants to see a timed run as it happens: traces, tests. All times are SM
// cycles from the start of the launch. Every interval of every strand is
// reported exactly once, as work or as a named wait.
#ifndef TILESIM_SIM_TIMING_OBSERVER_H_
#define TILESIM_SIM_TIMING_OBSERVER_H_

#include "sim/machine/machine.h"
#include "sim/timing/cause.h"

namespace tilesim::timing {

// What released a wait, and when: an operation in flight, or a strand; -1:
// neither.
struct Source {
  int32_t inflight = -1;
  int32_t strand = -1;
  Cycle at = 0;
  int32_t op = -1;  // of the kernel that it belongs to
  int16_t kernel = 0;
};

// Signal::index of a kPoll: registers that are being loaded, or worked out by
// an op before; what nothing will raise, the strand asks for ever.
inline constexpr int32_t kLoad = 0, kPollsForEver = 1, kEarlierResult = 2;

class Observer {
 public:
  virtual ~Observer() = default;
  // A CTA starts on an SM, in a slot whose earlier one has exited and has
  // nothing in flight any more. Return false to hear nothing more of it.
  virtual bool OnCtaStart(const machine::State& state, int32_t cta, int sm,
                          Cycle at) = 0;
  // Of every CTA, watched or not: it has ended.
  virtual void OnCtaEnd(const machine::State&, int32_t /*cta*/, Cycle /*at*/) {}
  virtual void OnStrandStart(const machine::State& state, int32_t strand,
                             Cycle at) = 0;
  // Its slot may already be somebody else's. `blocked_on`: what it waited for
  // when another one took its threads along; else nullptr.
  virtual void OnStrandEnd(const machine::State& state, int32_t strand,
                           const machine::Signal* blocked_on, Cycle at) = 0;
  // The strand executed an op (control on the way to it included).
  virtual void OnWork(const machine::State& state, int32_t strand,
                      const machine::CompiledOp* op, Cycle from, Cycle to) = 0;
  // It waited for `signal`, which `source` raised; nobody did (a source of
  // none) when the run ends and it still waits, or asks for what nobody is left
  // to change (kPollsForEver: its asking was told as work).
  virtual void OnWait(const machine::State& state, int32_t strand,
                      const machine::Signal& signal, const Source& source,
                      Cycle from, Cycle to) = 0;
  // The strand puts an operation in flight. OnWork of the op follows.
  virtual void OnIssue(const machine::State&, int32_t /*strand*/,
                       int32_t /*inflight*/, Cycle /*at*/) {}
  // An operation in flight, reported when it ends, before anybody hears of it.
  virtual void OnOperation(const machine::State& state, int32_t inflight,
                           Cycle from, Cycle to) = 0;
  // A phase of an mbarrier began: `use` initialised it, or completed the phase
  // before.
  virtual void OnPhase(const machine::State& state,
                       const machine::BarrierUse& use, Cycle at) = 0;
};

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_OBSERVER_H_
