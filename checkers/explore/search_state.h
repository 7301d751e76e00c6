// One place a search can be in: the machine's state, and what the past means
// for the future. Two schedules that get to equal states have the same
// possible futures and, as every wait observed and every contribution counted
// in the same phase, the same order of what happened; so one of them is enough.
//
//   SearchState p = explorer.Start();
//   for (const Move& m : explorer.Moves(p)) {
//     SearchState next = p;
//     explorer.Make(next, m);          // findings: explorer.findings()
//     Key key = explorer.KeyOf(next);  // equal states, equal keys
//   }
#ifndef TILESIM_CHECKERS_EXPLORE_SEARCH_STATE_H_
#define TILESIM_CHECKERS_EXPLORE_SEARCH_STATE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "checkers/explore/snapshot.h"
#include "checkers/run/environment.h"
#include "checkers/run/log.h"
#include "checkers/run/move.h"
#include "sim/machine/machine.h"

namespace tilesim::checkers::explore {

// Who issued an operation in flight, and the how-manieth of its it is.
struct Issuer {
  int16_t cta = 0;
  int16_t warp = 0;
  int32_t nth = 0;

  friend auto operator<=>(const Issuer&, const Issuer&) = default;
};

// What a warp has executed that the order of accesses depends on: accesses and
// fences, in their order. What a wait or a read of control finds decides which
// those are, so where control comes together again, as behind
//
//   ld f, F        if f == 1 { st X, 1 }        while f != 1 { ld f, F }
//
// two schedules are not one. Reads that decide control are no part of it, nor
// is a fence repeated: a thread that polls in vain comes back to where it was.
struct Executed {
  uint64_t trace = 0;
  int64_t last = -1;  // op
};

// Who wrote to a word of shared memory, in which order; and of the last what it
// left there, and what its warp had executed.
struct SharedWord {
  uint64_t history = 0;
  std::optional<uint64_t> value;
  size_t warp = 0;
  uint64_t trace = 0;
};

struct SearchState {
  machine::State state;
  std::vector<Issuer> issuers;     // by slot of State::inflight
  std::vector<int32_t> issued;     // operations, by cta * warps + warp
  std::vector<int32_t> uses;       // of barriers so far, likewise
  std::vector<Executed> executed;  // likewise
  std::vector<uint8_t> memory;     // of what decides control
  std::vector<uint64_t> history;   // of its words: who wrote, in which order
  std::vector<uint64_t> read;      // by warp and word: the history read last
  // Of compiled code, likewise, of words of shared memory that strong accesses
  // were made to, by place; and by warp.
  std::map<int64_t, SharedWord> shared_history;
  std::map<std::pair<size_t, int64_t>, uint64_t> shared_read;
  int32_t requests = 0;     // of cluster launch control
  uint64_t assignment = 0;  // who observed or counted in which phase, and who
                            // read whose words
};

// How much memory it takes, about.
size_t BytesOf(const SearchState& p);

// 128 bits: of a million states, two different ones share a key with a
// probability of about 1e-27.
using Key = std::pair<uint64_t, uint64_t>;

// The same use of a barrier in another phase than a schedule before gave it:
// the program's protocol does not decide which.
struct Deviation {
  int32_t op = -1;  // index into Code::ops
  int32_t cta = 0;
  int32_t barrier = 0;
  int64_t phases[2] = {0, 0};
};

class Explorer {
 public:
  struct Options {
    int64_t cluster = 0;
    int64_t clusters = 1;
    const run::Environment* environment = nullptr;
    // Also where nothing in the program can tell that sources are read from
    // that all is done.
    bool both_milestones = false;
  };

  // `code` must outlive the explorer.
  Explorer(const machine::Code& code, const Options& options);

  // Why values that decide control cannot be part of a state; empty: they
  // can.
  const std::string& why_not() const { return snapshot_.why_not(); }

  // Findings: as Make has them.
  SearchState Start();
  // Everything that may happen next, warps first.
  std::vector<run::Move> Moves(SearchState& state);
  // False: the program did what no program may do, findings() says what.
  bool Make(SearchState& state, const run::Move& move);
  // A move that nobody else can notice, if there is one: it commutes with all
  // that anybody else may ever do, and nothing disables it.
  bool InvisibleMove(SearchState& state, run::Move& out);
  Key KeyOf(const SearchState& state) const;
  // Equal where all was executed in the same order.
  static uint64_t OrderOf(const SearchState& state);

  bool Finished(const SearchState& state) const;
  // Why nothing moves any more.
  std::vector<ir::Diagnostic> Stuck(const SearchState& state);

  const std::vector<ir::Diagnostic>& findings() const { return findings_; }
  const std::vector<Deviation>& deviations() const { return deviations_; }
  // Where control was lost, in any schedule so far.
  const std::vector<std::string>& not_followed() const {
    return machine_.not_followed();
  }

 private:
  // A phase of an mbarrier, or a round of a named barrier, which has an index
  // below 0.
  struct Use {
    machine::BarrierLife barrier;
    int64_t phase;
    // By which lanes of its warp, and what they acquire by it: a test that says
    // yes and a wait behind one that says no may differ in nothing else.
    uint64_t how = 0;
  };

  static std::vector<bool> FindVisible(const machine::Code& code);
  static std::vector<bool> FindReadMatters(const machine::Code& code);
  void TakeFindings();
  bool Step(SearchState& state, const run::Move& move);
  bool StepPart(SearchState& state, const run::Move& move, int32_t strand,
                bool* parts_left);
  bool Reach(SearchState& state, const run::Move& move);
  void ReachOne(SearchState& state, int32_t slot, const machine::InFlight& f,
                ir::Milestone milestone, const run::Move& move);
  bool MayStep(SearchState& state, int32_t strand);
  bool OnlyForItsWaiters(const SearchState& state, int32_t slot);
  run::Move StepOf(const SearchState& state, int32_t strand) const;
  run::Move MilestoneOf(const SearchState& state, int32_t slot) const;
  int32_t SlotOf(const SearchState& state, const run::Move& move) const;
  size_t WarpIndex(int32_t cta, int32_t warp) const {
    return static_cast<size_t>(cta) * warps_ + warp;
  }
  // The op as part of what its warp has executed.
  void Trace(Executed& executed, int32_t op, const ir::ConcreteOp& concrete);
  // Reads and writes of words that decide control, by an op that does.
  void Words(SearchState& state, const run::Move& move,
             const ir::ConcreteOp& concrete, ir::Milestone milestone);
  // Of one word: its history, and what the warp has read of it.
  void Word(SearchState& state, const run::Move& move, ir::EffectKind kind,
            int64_t word, uint64_t& history, uint64_t& read);
  void SharedAccess(SearchState& state, const run::Move& move,
                    const ir::Effect& effect, int32_t cta, int32_t place);
  void HandOut(SearchState& state) const;
  // `who` uses a barrier, in the same way in every schedule, as `use` says.
  // `after`: what its warp has executed.
  void Assign(SearchState& state, uint64_t who, uint64_t after, const Use& use,
              int32_t op);

  const machine::Code& code_;
  Options options_;
  int32_t warps_ = 0;
  Snapshot snapshot_;
  machine::Machine machine_;
  std::vector<bool> visible_;       // by op
  std::vector<bool> read_matters_;  // by op
  absl::flat_hash_map<uint64_t, Use> first_use_;
  std::vector<Deviation> deviations_;
  std::vector<ir::Diagnostic> findings_;
  ir::EffectSink sink_;  // reused
};

}  // namespace tilesim::checkers::explore

#endif  // TILESIM_CHECKERS_EXPLORE_SEARCH_STATE_H_
