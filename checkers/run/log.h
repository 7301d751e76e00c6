// One run of a cluster, as checkers see it: who executed what, which phase
// every contribution counted in and every wait observed, and the milestones of
// every asynchronous operation. It has no times and knows no op by name.
#ifndef TILESIM_CHECKERS_RUN_LOG_H_
#define TILESIM_CHECKERS_RUN_LOG_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "checkers/run/flags.h"
#include "checkers/run/lack.h"
#include "checkers/run/move.h"
#include "checkers/run/op_instance.h"
#include "checkers/run/ticket.h"
#include "ir/concrete.h"
#include "ir/diagnostic.h"
#include "ir/effect.h"
#include "sim/machine/barrier_use.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::run {

// CTAs are numbered as they were launched: of one cluster, by rank.
using machine::BarrierLife;
using machine::BarrierUse;

struct Event {
  enum class Kind : uint8_t {
    kOp,       // a strand executed an op
    kRead,     // the sources of an operation are read
    kDone,     // an operation is done
    kBlocked,  // where a strand stood when nothing could move any more
  };
  Kind kind = Kind::kOp;
  int32_t cta = 0;         // the CTA that executes or issued
  int32_t cluster = 0;     // the first CTA of its cluster
  int32_t op = -1;         // index into Code::ops
  int32_t operation = -1;  // kRead, kDone: index into Log::operations
  int64_t generation = 0;  // of the named or cluster barrier it enters
  int64_t nth = 0;         // how often these threads have executed this op
  bool for_ever = false;   // it entered a barrier that is never over
  int32_t move = -1;       // of a run along a path: index into Log::made
  // The last part of the instruction that it is a part of, and whose parts are
  // executed with nobody in between: an event; -1: it is all there is.
  int32_t last_part = -1;
  const OpInstance* instance = nullptr;    // of the log
  absl::InlinedVector<int32_t, 2> issued;  // operations
  machine::BarrierUses uses;

  const ir::ConcreteOp& concrete() const { return instance->op; }
  std::span<const ir::Effect> effects() const { return instance->effects; }
  const ir::ThreadSet& threads() const { return instance->op.threads; }
};

// An asynchronous operation.
struct Operation {
  int32_t issue = -1;  // events; -1: not in this run
  int32_t read = -1;
  int32_t done = -1;
  int32_t destination = -1;  // multicast: the rank this one serves
  ir::AsyncUnit unit = ir::AsyncUnit::kNone;
  ir::GroupKind group = ir::GroupKind::kNone;
  bool is_track = false;  // arrives when earlier operations are done
  ir::GroupKind tracks = ir::GroupKind::kNone;
};

inline Operation OperationOf(const machine::InFlight& f, ir::AsyncUnit unit,
                             int32_t issue) {
  Operation out;
  out.issue = issue;
  out.destination = f.destination;
  out.unit = unit;
  out.group = f.group;
  out.is_track = f.is_track;
  out.tracks = f.tracks;
  return out;
}

// In which iterations of loops ops were executed (iterations.h).
struct LoopIterations {
  // By loop around it, the outermost first.
  using Nest = absl::InlinedVector<int64_t, 2>;
  std::map<int32_t, Nest> of;  // by event
  // An iteration of threads that went on with others, in theirs.
  std::map<int64_t, int64_t> went_on_as;

  // The iteration of the loop at that depth, from 0.
  int64_t Of(int32_t event, size_t depth) const {
    return Now(of.at(event)[depth]);
  }
  int64_t Now(int64_t iteration) const {
    auto on = went_on_as.find(iteration);
    for (; on != went_on_as.end(); on = went_on_as.find(iteration))
      iteration = on->second;
    return iteration;
  }
};

struct Log {
  const machine::Code* code = nullptr;
  int32_t ctas = 0;  // that run
  OpInstances instances;
  std::vector<Event> events;
  std::vector<Operation> operations;
  LoopIterations iterations;  // of ops of tiles that are declared in loops
  bool finished = false;      // every thread has ended
  // The machine stopped a strand, or an operation did what none may do: what
  // comes after means nothing.
  bool faulted = false;
  int64_t trips = 0;  // the most often that one op was executed

  // Of a run along a path: the moves that could be made, and whether more
  // could have come after them.
  Path made;
  bool torso = false;

  // What went wrong on the way: reported by the machine, or a deadlock.
  std::vector<ir::Diagnostic> findings;
  // Why another schedule could execute other ops than this one; empty: the
  // control of the program depends on no data and no timing.
  std::vector<std::string> undetermined;
  void AddUndetermined(const std::string& why) {
    if (std::find(undetermined.begin(), undetermined.end(), why) ==
        undetermined.end())
      undetermined.push_back(why);
  }
  // Some strand was not followed to its end (`undetermined` says why).
  bool not_followed = false;
  // All that are left poll, and saw what they had seen before: the last event
  // is one of theirs.
  bool polls = false;
  // What the run was fixed to besides sizes.
  std::vector<std::string> limits;
  // Where lanes of a warp went two ways, one after the other. A certificate of
  // each lane is one of the other order, too; nothing else is.
  std::vector<std::string> ways;
  std::optional<Ticket> ticket;  // that its CTA drew
  std::vector<Flags> flags;      // that were set when it asked

  // What orders of it take to be there.
  std::optional<Lack> assumed;

  // Events from that one on are parts of one instruction.
  void AreParts(size_t first) {
    if (first + 1 >= events.size()) return;
    for (size_t i = first; i < events.size(); ++i)
      events[i].last_part = static_cast<int32_t>(events.size()) - 1;
  }
  bool erred() const {
    return std::any_of(findings.begin(), findings.end(),
                       [](const ir::Diagnostic& d) {
                         return d.severity == ir::Severity::kError;
                       });
  }
  const Event& issue_of(int32_t operation) const {
    return events[operations[operation].issue];
  }
};

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_LOG_H_
