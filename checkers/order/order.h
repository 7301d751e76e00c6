// Happens-before over one run, replayed event by event with vector clocks.
//
//   Order order(log, agents, Order::Kind::kMemory);
//   for (const Event& e : log.events) {
//     order.Begin(e);    // clocks: what its threads knew when they came to it
//     order.Finish(e);   // ... and when they had passed it
//   }
//
// Nine orders, one replay:
//   kMemory    what one access may rely on of another: release and acquire at
//              a scope that holds both threads, a bulk completion publishes
//              only its own bytes. Races use it.
//   kTensor    what a tcgen05 operation may rely on: as kMemory, but what a
//              thread hands over must stand before its
//              tcgen05.fence::before_thread_sync (or commit), and what it is
//              handed is good for operations after its ::after_thread_sync.
//              With both fences a relaxed signal hands it over as well.
//   kAnyScope  as kMemory, if every scope held everybody: what is in order here
//              and not there lacks a scope, which is then told.
//   kAnySem    as kAnyScope, if every signal were a release and all who receive
//              one acquired it: what is in order here and there not lacks that.
//   kReleased  as kAnyScope, if all who receive a signal acquired it: what is
//              over when somebody has seen the signal, and ends.
//   kSynced    as kMemory, if lanes that execute a `.sync` op of their warp
//              together knew what each had done: hardware has not been seen to
//              do it otherwise in shared memory (ir/rules/practice.toml).
//   kGrouped   as kSynced, if so did the four warps of a wgmma.mma_async, which
//              none was seen to leave before all had come to it.
//   kNoFlags   as kMemory, without what flags in memory hand over: who reads a
//              flag may come too early in another schedule.
//   kEnforced  what can happen only after what: blind to memory semantics,
//              transitive through operations. Certificates use it.
//
// An event that stands later in the log is never ordered before an earlier
// one, so everything can be judged while it is replayed.
#ifndef TILESIM_CHECKERS_ORDER_ORDER_H_
#define TILESIM_CHECKERS_ORDER_ORDER_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "checkers/order/agents.h"
#include "checkers/order/clock.h"
#include "checkers/order/groups.h"
#include "checkers/order/known_at_fences.h"
#include "checkers/run/log.h"

namespace tilesim::checkers::order {

// Whether each agent that issued an operation has a part of its own in it,
// which ends by itself. (A wgmma ends as a whole.)
bool HasParts(ir::AsyncUnit unit);

// A fence.proxy.async, or half of one, and, in a run with cp.async, what its
// thread knew.
struct ProxyFence {
  Mark at;
  ir::FenceKind kind = ir::FenceKind::kProxyAsync;
  Clock knew;
};

class Order {
 public:
  enum class Kind : uint8_t {
    kMemory,
    kTensor,
    kAnyScope,
    kAnySem,
    kReleased,
    kSynced,
    kGrouped,
    kNoFlags,
    kEnforced
  };

  Order(const run::Log& log, const Agents& agents, Kind kind);

  void Begin(const run::Event& e);
  void Finish(const run::Event& e);

  const Clock& clock(int32_t agent) const { return threads_[agent].clock; }
  // kTensor: what signals have told the agent, for a fence::after_thread_sync.
  const Clock& signalled(int32_t agent) const {
    return threads_[agent].signalled;
  }
  // The last event of the agent.
  Mark mark(int32_t agent) const { return {agent, threads_[agent].seq}; }
  // Whether the lanes of each agent have met at a warp or CTA barrier after the
  // mark: then each knows what another did until then.
  bool Joined(std::span<const Mark> marks) const {
    return std::all_of(marks.begin(), marks.end(), [&](Mark m) {
      return threads_[m.agent].joined >= m.seq;
    });
  }
  // What the agent knows when it has left everything it was in.
  Clock Final(int32_t agent) const;
  // What came before an operation's milestones. Where each agent that issued it
  // has its own part (HasParts), only kEnforced keeps it.
  const Clock& start(int32_t operation) const { return starts_[operation]; }
  // Where threads waited for their own part of an operation of which each
  // issuing agent has one: what one waited for says nothing of the others'
  // parts.
  const absl::InlinedVector<Mark, 4>& waited(int32_t operation) const {
    return waited_[operation];
  }
  // Where lanes that always act together have each waited for a bulk copy of
  // its own to come that far.
  absl::InlinedVector<Mark, 2> WaitedByLanes(int32_t operation,
                                             Reached milestone) const;
  const std::vector<ProxyFence>& fences(int32_t agent) const {
    return threads_[agent].fences;
  }
  // What the agent knew at its last fence of that kind, for one by the thread
  // that issues the asynchronous access; null: it has executed none.
  const Clock* KnewAt(int32_t agent, ir::FenceKind kind) const {
    const auto& all = threads_[agent].fenced;
    auto found = all.find(kind);
    return found == all.end() ? nullptr : &found->second.last();
  }
  // The same at the last of them that `clock` knows of.
  const Clock* KnewAt(int32_t agent, ir::FenceKind kind,
                      const Clock& clock) const {
    const auto& all = threads_[agent].fenced;
    auto found = all.find(kind);
    return found == all.end() ? nullptr : found->second.KnownTo(clock);
  }
  // Whether something before `later`, of which its agent knows, has read a word
  // as that strong write to it left it, or atomics since have (PTX 8.8,
  // observation order): the write then comes before what comes after the read
  // (8.9.5), whatever either orders besides.
  bool Observed(const run::Event& write, int operand, Mark mark,
                Mark later) const;
  const Agents& agents() const { return agents_; }
  const run::Log& log() const { return log_; }

 private:
  using RoundKey = std::tuple<int32_t, int32_t, int64_t>;  // CTA, id, round
  static constexpr int32_t kNoRound = -2;
  static constexpr int32_t kClusterBarrier = -1;

  // Who is in the scope of both a release and an acquire, at least (PTX 8.7,
  // morally strong): threads of one CTA, of one cluster, or any.
  enum Domain : int8_t { kOfCta, kOfCluster, kOfGrid };
  static constexpr int kDomains = 3;

  struct Thread {
    Clock clock;
    uint32_t seq = 0;
    uint32_t joined = 0;              // the last event at which its lanes met
    RoundKey inside{0, kNoRound, 0};  // the named barrier it has not left
    int64_t cluster_round = 0;
    std::array<Groups, ir::kGroupKinds> groups;
    // What a track speaks for, of tcgen05 and of cp.async; and the thread's own
    // tcgen05 operations, as sequenced.
    Clock tracked[2];
    Clock sequenced;
    Clock before_tensor;  // what it knew when it issued the last of these
    // For each domain: at its last release fence; what relaxed reads and
    // waits have seen, an acquire fence's.
    std::array<Clock, kDomains> released, acquirable;
    // Of the elected lane of a warp: other lanes have waited without it.
    bool left_out = false;
    std::vector<ProxyFence> fences;
    std::map<ir::FenceKind, KnownAtFences> fenced;
    int64_t to_issue = 0;  // operations that it has yet to issue
    // kTensor: what it may hand over; what it was handed since its last
    // fence::after_thread_sync; and what signals of any memory order have told
    // it, for that fence only.
    Clock before, handed, signalled;
  };
  // What those who signal hand over: with a release, and by their
  // tcgen05.fence::before_thread_sync.
  struct Told {
    Clock released, signalled;
  };
  // Agents that issue copies by cp.async together, each a share of each.
  using Issuers = const Agents::List*;
  struct Together {
    int32_t count = 0;  // so far
    Clock done;
  };
  // Of whose share of them an arrival behind them speaks.
  struct Share {
    Issuers of;
    int32_t agent = 0;
    Together then;  // those issued before it
  };
  struct Completed {
    Clock copies;  // operations that completed in a phase
    Clock tensor;  // ... by tcgen05.commit
  };
  // Of the CTA that may wait, of others.
  struct Phase {
    Told own, peers;  // by arrivals
    Completed by_own, by_peers;
    // Of those that some of their issuers speak for: the last by each.
    std::map<Issuers, std::map<int32_t, Together>> shares;
  };
  // A word of memory that is a flag: what each CTA, cluster, and all are told.
  struct Flag {
    std::array<absl::flat_hash_map<int32_t, Told>, kDomains> told;
  };
  // A strong access to a word: who, when, and who else its scope has.
  struct Strong {
    Mark mark;
    Domain domain = kOfCta;
    int32_t cta = 0, cluster = 0, bits = 0;
    Clock::Shared before_fences;  // of a write: that its thread knew of
  };
  // What was written to a word: each plain write begins a sequence, which
  // atomics go on with. A read has observed the first so many of one.
  struct Observation {
    Strong read;
    size_t sequence = 0, length = 0;
  };
  struct Written {
    std::vector<std::vector<Strong>> sequences;
    std::vector<Observation> observations;
    // The last by each agent, of those in one scope.
    std::map<std::tuple<int32_t, Domain, int32_t>, size_t> last_by;
  };
  void Observe(const Strong& read, Written& word, Thread& t) const;
  static bool AreMorallyStrong(const Strong& a, const Strong& b);
  Strong StrongOf(const run::Event& e, const ir::Effect& effect,
                  Mark mark) const;
  static int32_t MemberOf(const run::Event& e, int domain);
  Domain DomainOf(ir::MemScope scope) const;
  using Word =
      std::tuple<int32_t, int32_t, int64_t>;  // CTA, declaration, place

  // Whether the operation as a whole began at some time.
  bool Begins(const run::Operation& o) const {
    return enforced() || !HasParts(o.unit);
  }
  bool of_warps() const {
    return kind_ == Kind::kSynced || kind_ == Kind::kGrouped;
  }
  bool enforced() const { return kind_ == Kind::kEnforced; }
  bool all_scopes() const {
    return all_sems() || kind_ == Kind::kAnyScope || kind_ == Kind::kReleased;
  }
  bool all_sems() const { return enforced() || kind_ == Kind::kAnySem; }
  bool all_acquire() const { return all_sems() || kind_ == Kind::kReleased; }
  bool flags() const { return !enforced() && kind_ != Kind::kNoFlags; }
  bool tensor() const { return kind_ == Kind::kTensor; }
  // What a tcgen05.commit says besides that its operations are over: what its
  // thread knew when it issued them, and nothing that it did since.
  const Clock& Handed(const Thread& t) const {
    return enforced() || tensor() ? t.clock : t.before_tensor;
  }
  // What a thread is told by, and tells, others.
  void Learn(Thread& t, const Clock& clock) {
    (tensor() ? t.handed : t.clock).Join(clock);
  }
  void Tell(const Thread& t, Clock& others) const;
  // A signal that releases or, relaxed, what fences for `domain` released; and
  // its other side.
  void Signal(const Thread& t, ir::Sem sem, Domain domain, Told& told) const;
  void Hear(Thread& t, ir::Sem sem, Domain domain, const Clock& released,
            const Clock& signalled) const;
  void Hear(Thread& t, ir::Sem sem, Domain domain, const Told& told) const {
    Hear(t, sem, domain, told.released, told.signalled);
  }
  void HearCompleted(Thread& t, ir::Sem sem, Domain domain,
                     const Completed& by) const;
  void Issued(int32_t operation, Thread& t, int32_t agent);
  void Track(int32_t track, Thread& t);
  void TrackShares(int32_t track, const Agents::List& who);
  static void Complete(const Share& share, Phase& p, Clock& over);
  void Imply(int32_t own, Thread& t);
  Phase& phase(const run::BarrierUse& use) {
    return phases_[{use.barrier, use.phase}];
  }
  void Acquire(const run::Event& e, Thread& t);
  void AcquirePhase(const run::BarrierUse& use, Thread& t);
  void AcquireEffect(const run::Event& e, const ir::Effect& effect, Thread& t);
  void AcquireWord(const run::Event& e, const ir::Effect& effect, Thread& t);
  void WaitedFor(int32_t operation, Reached milestone, Thread& t);
  static bool IsOfWarps(const run::Event& e);
  static bool IsProduct(const run::Event& e);
  uint32_t PartsToCome(const run::Event& e, int32_t agent) const;
  void LeaveOut(const Agents::List& who);
  void KnowAsAny(int32_t elected);
  // Of a clock that each thread has.
  template <typename F>
  Clock CommonTo(int32_t elected, F of) const;
  void Converge(const run::Event& e, const Agents::List& who);
  void Meet(const Agents::List& from, const Agents::List& who);
  void Meet(const Agents::List& who);
  void MeetInGroups(const Agents::List& who);
  void WarpSync(const Agents::List& who);
  void Publish(const run::Event& e, const Agents::List& who);
  void PublishUse(const run::Event& e, const run::BarrierUse& use, Thread& t);
  void PublishWord(const run::Event& e, const ir::Effect& effect, Thread& t);
  void PublishEffect(const run::Event& e, const ir::Effect& effect,
                     int32_t agent);
  void Fence(const ir::Effect& effect, int32_t agent);
  void TakeAssumed(const run::Event& e);
  void GiveAssumed(const run::Event& e);
  void Issue(const run::Event& e, const Agents::List& who);
  void FinishOperation(const run::Event& e);
  static Word WordOf(const run::Event& e, const ir::Effect& effect);

  const run::Log& log_;
  const Agents& agents_;
  Kind kind_;
  bool copies_;                  // there is a cp.async or st.async
  std::vector<Thread> threads_;  // by agent
  int64_t inside_ = 0;           // of them, in a named barrier
  bool left_out_ = false;        // some of them are, or were
  std::vector<Clock> starts_;    // by operation
  std::vector<absl::InlinedVector<Mark, 4>> waited_;  // by operation
  std::vector<Clock> covers_;  // tracks: what they wait for
  std::map<Issuers, Together> together_;
  absl::flat_hash_map<int32_t, std::vector<Share>> shares_;  // by track
  // Who has waited, and when, for an operation that several threads issued.
  std::map<std::pair<int32_t, Reached>, std::map<int32_t, uint32_t>> waiters_;
  std::vector<int32_t> tensor_;  // tcgen05 operations issued so far
  int32_t tensor_issuer_ = -1;   // by this agent; -2: by several
  absl::flat_hash_map<std::pair<run::BarrierLife, int64_t>, Phase> phases_;
  absl::flat_hash_map<RoundKey, Told> rounds_;  // of hardware barriers
  absl::flat_hash_map<Word, Flag> words_;
  absl::flat_hash_map<Word, Written> written_;
  // What an agent's releases of a word have handed over.
  absl::flat_hash_map<std::pair<int32_t, Word>, Flag> released_on_;
  // Log::assumed: what its later op is to know, and the agents that go on to
  // tell it.
  Clock assumed_;
  std::vector<int32_t> telling_;
};

}  // namespace tilesim::checkers::order

#endif  // TILESIM_CHECKERS_ORDER_ORDER_H_
