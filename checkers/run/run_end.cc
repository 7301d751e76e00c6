#include "checkers/run/run_end.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "checkers/run/blocking.h"
#include "checkers/run/control_memory.h"
#include "checkers/run/missing_bytes.h"
#include "checkers/run/runner.h"
#include "sim/machine/deadlock.h"

namespace tilesim::checkers::run {
namespace {

using machine::Strand;

const std::string kPollsForEver = "a thread polls memory for ever";

class End {
 public:
  End(const machine::Code& code, machine::Machine& machine, RunState& at,
      Log& log)
      : code_(code), machine_(machine), at_(at), log_(log) {}

  void Run() {
    bool stuck = false;
    for (size_t i = 0; i < at_.state.strands.size(); ++i) {
      if (at_.state.strands[i].status == Strand::Status::kFree) continue;
      stuck = true;
      if (!log_.torso) Blocked(static_cast<int32_t>(i));
    }
    log_.finished = !stuck;
    log_.faulted |= !at_.faulted.empty();
    for (const std::string& l : machine_.limits()) log_.limits.push_back(l);
    log_.ways = machine_.ways();
    for (const ir::Diagnostic& d : machine_.findings()) {
      if (!LeftToOrder(d)) log_.findings.push_back(d);
    }
    for (const std::string& why : machine_.not_followed())
      log_.AddUndetermined(why);
    log_.not_followed = !machine_.not_followed().empty();
    bool open = at_.cut || log_.torso || log_.not_followed;
    if (stuck && !open && !log_.erred()) Deadlock();
  }

 private:
  void Deadlock() {
    if (log_.ctas != code_.bound.ctas() && WritesGlobal(code_)) {
      log_.AddUndetermined(
          "a thread waits for a value that another cluster may write");
      return;
    }
    // Threads may meet in rounds of such a loop, so that none is blocked.
    if (at_.recurs) {
      log_.AddUndetermined(kPollsForEver);
      return;
    }
    std::vector<ir::Diagnostic> why =
        machine::ExplainDeadlock(machine_, at_.state);
    // Nobody is blocked: they poll what nobody writes.
    log_.polls = why.empty();
    if (log_.polls) log_.AddUndetermined(kPollsForEver);
    for (ir::Diagnostic& d : why) ShowBytes(log_, d);
    log_.findings.insert(log_.findings.end(), why.begin(), why.end());
  }

  void Blocked(int32_t strand) {
    const Strand& s = at_.state.strands[strand];
    const machine::CompiledOp* op = machine_.op_at(at_.state, s);
    if (s.status == Strand::Status::kInNamed) return Inside(s);
    if (op == nullptr) return;
    Event event;
    event.kind = Event::Kind::kBlocked;
    ir::ConcreteOp concrete;
    if (!machine_.Concrete(at_.state, s, *op, concrete)) return;
    event.instance = log_.instances.Of(*op, concrete);
    at_.Locate(s.cta, event);
    event.op = static_cast<int32_t>(op - code_.ops.data());
    event.uses = machine_.Awaits(at_.state, strand);
    log_.events.push_back(std::move(event));
  }

  // The last that it did was to enter.
  void Inside(const Strand& s) {
    auto entry = std::find_if(
        log_.events.rbegin(), log_.events.rend(), [&](const Event& e) {
          return e.kind == Event::Kind::kOp && e.cta == s.cta &&
                 e.threads().first_warp == s.threads.first_warp;
        });
    if (entry != log_.events.rend()) entry->for_ever = true;
  }

  const machine::Code& code_;
  machine::Machine& machine_;
  RunState& at_;
  Log& log_;
};

}  // namespace

bool GoesRound(const Log& log) {
  return !log.polls &&
         std::find(log.undetermined.begin(), log.undetermined.end(),
                   kPollsForEver) != log.undetermined.end();
}

void EndRun(const machine::Code& code, machine::Machine& machine, RunState& at,
            Log& log) {
  End(code, machine, at, log).Run();
}

}  // namespace tilesim::checkers::run
