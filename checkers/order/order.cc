#include "checkers/order/order.h"

#include <algorithm>
#include <utility>

#include "checkers/run/peeks.h"
#include "ir/pipeline.h"

namespace tilesim::checkers::order {
using run::BarrierUse;
using run::Event;
using run::Log;
using run::Operation;

namespace {

using ir::Effect;
using ir::EffectKind;
using ir::GroupKind;
using ir::Sem;

bool Acquires(Sem s) {
  return s == Sem::kAcquire || s == Sem::kAcqRel || s == Sem::kSc;
}
bool Releases(Sem s) {
  return s == Sem::kRelease || s == Sem::kAcqRel || s == Sem::kSc;
}

// Whether its thread gets to know what it read.
bool Returns(const Event& e) {
  const auto& operands = e.concrete().info().operands;
  return std::any_of(operands.begin(), operands.end(), [](const auto& o) {
    return (o.types & ir::kTakesVar) != 0;
  });
}

// Which list of Thread::tracked an operation is in; -1: none.
int TrackedList(ir::AsyncUnit unit) {
  if (unit == ir::AsyncUnit::kTcgen05) return 0;
  return unit == ir::AsyncUnit::kCpAsync ? 1 : -1;
}

bool IsCommit(const Operation& o) {
  return o.is_track && o.tracks != GroupKind::kCpAsync;
}

}  // namespace

bool HasParts(ir::AsyncUnit unit) {
  return unit == ir::AsyncUnit::kCpAsync || unit == ir::AsyncUnit::kTmemLd ||
         unit == ir::AsyncUnit::kTmemSt;
}

Order::Order(const Log& log, const Agents& agents, Kind kind)
    : log_(log),
      agents_(agents),
      kind_(kind),
      copies_(std::any_of(log.operations.begin(), log.operations.end(),
                          [](const Operation& o) {
                            return o.unit == ir::AsyncUnit::kCpAsync ||
                                   o.unit == ir::AsyncUnit::kStAsync;
                          })),
      threads_(agents.size()),
      starts_(log.operations.size()),
      waited_(log.operations.size()),
      covers_(log.operations.size()) {
  for (const Operation& o : log.operations) {
    if (o.issue < 0) continue;
    for (int32_t agent : agents.Of(log.events[o.issue]))
      ++threads_[agent].to_issue;
  }
}

// Leaving a named barrier: its round is complete, or the threads would not
// have come to another event.
void Order::Begin(const Event& e) {
  bool moves = e.kind == Event::Kind::kOp || e.kind == Event::Kind::kBlocked;
  if (log_.assumed) TakeAssumed(e);
  if (!moves || (inside_ == 0 && !left_out_)) return;
  for (int32_t agent : agents_.Of(e)) {
    Thread& t = threads_[agent];
    if (t.left_out) KnowAsAny(agent);
    if (std::get<1>(t.inside) == kNoRound) continue;
    Learn(t, rounds_[t.inside].released);
    std::get<1>(t.inside) = kNoRound;
    --inside_;
  }
}

void Order::Finish(const Event& e) {
  if (e.kind == Event::Kind::kBlocked) return;
  if (e.kind != Event::Kind::kOp) return FinishOperation(e);
  const Agents::List& who = agents_.Of(e);
  bool orders = !e.uses.empty() || e.instance->orders;
  if (enforced()) Converge(e, who);
  if (of_warps() && IsOfWarps(e)) Meet(who);
  if (kind_ == Kind::kGrouped && IsProduct(e)) MeetInGroups(who);
  for (int32_t agent : who) {
    Thread& t = threads_[agent];
    if (orders) Acquire(e, t);
    t.clock.Add({agent, ++t.seq});
    if (e.last_part >= 0 && enforced() && agents_.at_once())
      t.clock.Add({agent, t.seq + PartsToCome(e, agent)});
  }
  if (e.instance->Has(EffectKind::kWarpSync)) WarpSync(who);
  if (orders) LeaveOut(who);
  Issue(e, who);
  if (orders) Publish(e, who);
  if (log_.assumed) GiveAssumed(e);
}

// --- assumed ----------------------------------------------------------------

void Order::TakeAssumed(const Event& e) {
  if (log_.assumed->fence || e.op != log_.assumed->to ||
      e.kind != Event::Kind::kOp)
    return;
  for (int32_t agent : agents_.Of(e)) threads_[agent].clock.Join(assumed_);
}

// What is waited for is what the thread does up to where it tells others of
// it: of two loads on one barrier a wait for the first is one for the second.
void Order::GiveAssumed(const Event& e) {
  const Agents::List& who = agents_.Of(e);
  if (log_.assumed->fence) {
    if (e.op != log_.assumed->from || enforced() || tensor()) return;
    for (int32_t agent : who) {
      Thread& t = threads_[agent];
      t.fences.push_back({mark(agent), ir::FenceKind::kProxyAsync, t.clock});
      t.fenced[ir::FenceKind::kProxyAsync].Add(mark(agent), t.clock);
    }
    return;
  }
  for (int32_t agent : who) {
    auto telling = std::find(telling_.begin(), telling_.end(), agent);
    bool starts = e.op == log_.assumed->from;
    if (starts && telling == telling_.end()) telling_.push_back(agent);
    if (!starts && telling == telling_.end()) continue;
    assumed_.Join(threads_[agent].clock);
    for (int32_t id : e.issued) assumed_.Add(id, Reached::kDone);
    bool over = !starts && (!e.uses.empty() || e.instance->orders);
    if (over) telling_.erase(telling);
  }
}

// --- acquire ----------------------------------------------------------------

void Order::Acquire(const Event& e, Thread& t) {
  for (const BarrierUse& use : e.uses) {
    if (use.Is(ir::kAsks) && !run::IsPeek(use)) AcquirePhase(use, t);
  }
  for (const Effect& effect : e.effects()) AcquireEffect(e, effect, t);
}

void Order::AcquirePhase(const BarrierUse& use, Thread& t) {
  auto found = phases_.find({use.barrier, use.phase});
  if (found == phases_.end()) return;
  const Phase& p = found->second;
  const bool peers = all_scopes() || use.ForCluster();
  HearCompleted(t, use.sem, kOfCta, p.by_own);
  if (peers) HearCompleted(t, use.sem, kOfCluster, p.by_peers);
  Hear(t, use.sem, kOfCta, p.own);
  if (peers) Hear(t, use.sem, kOfCluster, p.peers);
}

// A copy releases its own bytes, at cluster scope, to whoever acquires its
// completion. That tcgen05 operations are over a relaxed wait shows to those
// behind a fence::after_thread_sync, and to nothing else (PTX 9.7.16.6.4).
void Order::HearCompleted(Thread& t, Sem sem, Domain domain,
                          const Completed& by) const {
  Hear(t, sem, domain, by.tensor, by.tensor);
  Hear(t, sem, domain, by.copies, by.copies);
}

void Order::AcquireEffect(const Event& e, const Effect& effect, Thread& t) {
  switch (effect.kind) {
    case EffectKind::kWaitGroup: {
      Reached r = effect.reads_only ? Reached::kRead : Reached::kDone;
      t.groups[static_cast<int>(effect.group)].Wait(
          effect.value, !effect.reads_only,
          [&](int32_t operation) { WaitedFor(operation, r, t); });
      return;
    }
    case EffectKind::kClusterWait:
      Hear(t, effect.sem, kOfCluster,
           rounds_[{e.cluster, kClusterBarrier, t.cluster_round}]);
      return;
    case EffectKind::kFence:
      if (effect.fence != ir::FenceKind::kMemory || !Acquires(effect.sem))
        return;
      // Both of two must have the other's thread: where several CTAs ran, those
      // of one alone are left out.
      if (effect.sem == Sem::kSc && flags() && !tensor() &&
          (DomainOf(effect.scope) == kOfGrid || log_.ctas == 1))
        t.clock.Fence();
      for (int d = 0; d <= DomainOf(effect.scope); ++d)
        Learn(t, t.acquirable[d]);
      return;
    case EffectKind::kRead:
      return AcquireWord(e, effect, t);
    default:
      return;
  }
}

void Order::AcquireWord(const Event& e, const Effect& effect, Thread& t) {
  if (!flags() || effect.sem == Sem::kWeak || !Returns(e)) return;
  const Word word = WordOf(e, effect);
  if (auto written = written_.find(word); written != written_.end()) {
    const auto agent = static_cast<int32_t>(&t - threads_.data());
    Observe(StrongOf(e, effect, {agent, t.seq + 1}), written->second, t);
  }
  auto found = words_.find(word);
  if (found == words_.end()) return;
  for (int d = 0; d <= DomainOf(effect.scope); ++d) {
    const auto& all = found->second.told[d];
    auto told = all.find(MemberOf(e, d));
    if (told != all.end())
      Hear(t, effect.sem, static_cast<Domain>(d), told->second);
  }
}

// Of fence.sc, two are in the order in which what is behind one is seen before
// the other (PTX 8.9.3): the other way round, a write would come after what has
// read it (8.10.6). The earlier synchronizes with the later (8.9.4).
void Order::Observe(const Strong& read, Written& word, Thread& t) const {
  const size_t sequence = word.sequences.size() - 1;
  const auto& last = word.sequences.back();
  const auto [at, fresh] = word.last_by.try_emplace(
      {read.mark.agent, read.domain, read.bits}, word.observations.size());
  // What an agent has observed it knows from then on, but for an elected lane
  // that others wait without.
  size_t known = 0;
  if (!fresh && !left_out_) {
    const Observation& before = word.observations[at->second];
    if (before.sequence == sequence) known = before.length;
    if (known == last.size()) return;
  }
  at->second = word.observations.size();
  word.observations.push_back({read, sequence, last.size()});
  for (size_t i = known; i < last.size(); ++i) {
    if (AreMorallyStrong(last[i], read)) t.clock.Observe(last[i].before_fences);
  }
}

void Order::WaitedFor(int32_t operation, Reached milestone, Thread& t) {
  const Event& issue = log_.issue_of(operation);
  const ir::AsyncUnit unit = log_.operations[operation].unit;
  const size_t issuers = agents_.Of(issue).size();
  const auto agent = static_cast<int32_t>(&t - threads_.data());
  if (HasParts(unit)) {
    waited_[operation].push_back({agent, t.seq + 1});  // this event
    if (issuers > 1) return;
  } else if (unit == ir::AsyncUnit::kTma &&
             (issuers > 1 || agents_[agent].several())) {
    // Each has a copy of its own, of the same operands: all must be over.
    std::map<int32_t, uint32_t>& waiters = waiters_[{operation, milestone}];
    waiters.emplace(agent, t.seq + 1);
    if (waiters.size() < issuers) return;
  }
  if (enforced()) t.clock.Join(starts_[operation]);
  t.clock.Add(operation, milestone);
}

// --- publish ----------------------------------------------------------------

void Order::Publish(const Event& e, const Agents::List& who) {
  for (int32_t agent : who) {
    for (const BarrierUse& use : e.uses) PublishUse(e, use, threads_[agent]);
    for (const Effect& effect : e.effects()) PublishEffect(e, effect, agent);
  }
}

// Who waits is of the barrier's CTA.
void Order::PublishUse(const Event& e, const BarrierUse& use, Thread& t) {
  if (!use.Is(enforced() ? ir::kContributes : ir::kArrives)) return;
  Phase& p = phase(use);
  if (use.barrier.cta == e.cta) return Signal(t, use.sem, kOfCta, p.own);
  if (all_scopes() || use.ForCluster()) Signal(t, use.sem, kOfCluster, p.peers);
}

void Order::PublishEffect(const Event& e, const Effect& effect, int32_t agent) {
  Thread& t = threads_[agent];
  switch (effect.kind) {
    case EffectKind::kNamedArrive:
    case EffectKind::kNamedSync: {
      RoundKey key{e.cta, static_cast<int32_t>(effect.value), e.generation};
      Tell(t, rounds_[key].released);
      if (effect.kind != EffectKind::kNamedSync) return;
      inside_ += std::get<1>(t.inside) == kNoRound;
      t.joined = t.seq;
      t.inside = key;
      return;
    }
    case EffectKind::kClusterArrive:
      t.cluster_round = e.generation;
      Signal(t, effect.sem, kOfCluster,
             rounds_[{e.cluster, kClusterBarrier, e.generation}]);
      return;
    case EffectKind::kCommit:
      return t.groups[static_cast<int>(effect.group)].Commit();
    case EffectKind::kFence:
      return Fence(effect, agent);
    case EffectKind::kWrite:
      return PublishWord(e, effect, t);
    default:
      return;
  }
}

// What a read of the word synchronises with: the write that it reads from and,
// where atomics have read and written it since, what those had read from. A
// release hands over what later stores of its thread to the word hand over as
// well (PTX 8.8, release patterns).
void Order::PublishWord(const Event& e, const Effect& effect, Thread& t) {
  if (effect.sem == Sem::kWeak || effect.at != ir::Milestone::kIssue) return;
  bool reads =
      std::any_of(e.effects().begin(), e.effects().end(), [&](const Effect& f) {
        return f.kind == EffectKind::kRead && f.operand == effect.operand;
      });
  const Word word = WordOf(e, effect);
  if (flags()) {
    const auto agent = static_cast<int32_t>(&t - threads_.data());
    auto& sequences = written_[word].sequences;
    if (!reads || sequences.empty()) sequences.emplace_back();
    Strong& last =
        sequences.back().emplace_back(StrongOf(e, effect, {agent, t.seq}));
    last.before_fences = t.clock.before_fences();
  }
  Flag& flag = words_[word];
  if (!reads) flag = Flag();
  Flag& own = released_on_[{static_cast<int32_t>(&t - threads_.data()), word}];
  for (int d = 0; d <= DomainOf(effect.scope); ++d) {
    Told& told = flag.told[d][MemberOf(e, d)];
    Told& before = own.told[d][MemberOf(e, d)];
    if (Releases(effect.sem))
      Signal(t, effect.sem, static_cast<Domain>(d), before);
    Signal(t, effect.sem, static_cast<Domain>(d), told);
    told.released.Join(before.released);
    told.signalled.Join(before.signalled);
  }
}

Order::Strong Order::StrongOf(const Event& e, const Effect& effect,
                              Mark mark) const {
  const ir::TileValue& word = e.concrete().tile(effect.operand);
  return {mark,      DomainOf(effect.scope),     e.cta,
          e.cluster, values::BitsOf(word.dtype), nullptr};
}

bool Order::AreMorallyStrong(const Strong& a, const Strong& b) {
  const Domain both = a.cta == b.cta           ? kOfCta
                      : a.cluster == b.cluster ? kOfCluster
                                               : kOfGrid;
  return a.domain >= both && b.domain >= both && a.bits == b.bits;
}

bool Order::Observed(const Event& write, int operand, Mark mark,
                     Mark later) const {
  const Clock& known = clock(later.agent);
  auto before = [&](Mark read) {
    return known.Knows(read) &&
           (read.agent != later.agent || read.seq < later.seq);
  };
  for (const Effect& effect : write.effects()) {
    if (effect.kind != EffectKind::kWrite || effect.operand != operand ||
        effect.sem == Sem::kWeak)
      continue;
    auto written = written_.find(WordOf(write, effect));
    if (written == written_.end()) return false;
    // Not a structured binding, which clang 14 captures in no lambda.
    const auto& sequences = written->second.sequences;
    const auto& observations = written->second.observations;
    return std::any_of(
        observations.begin(), observations.end(), [&](const Observation& o) {
          const auto& all = sequences[o.sequence];
          return before(o.read.mark) &&
                 std::any_of(all.begin(),
                             all.begin() + static_cast<int64_t>(o.length),
                             [&](const Strong& s) {
                               return s.mark.agent == mark.agent &&
                                      s.mark.seq == mark.seq &&
                                      AreMorallyStrong(s, o.read);
                             });
        });
  }
  return false;
}

Order::Domain Order::DomainOf(ir::MemScope scope) const {
  if (all_scopes()) return kOfGrid;
  if (scope == ir::MemScope::kCta) return kOfCta;
  return scope == ir::MemScope::kCluster ? kOfCluster : kOfGrid;
}

int32_t Order::MemberOf(const Event& e, int domain) {
  if (domain == kOfCta) return e.cta;
  return domain == kOfCluster ? e.cluster : 0;
}

// Knowledge that a thread was handed goes on to others as it is: only its own
// tcgen05 operations can come after what it says.
void Order::Tell(const Thread& t, Clock& others) const {
  if (!tensor()) return others.Join(t.clock);
  others.Join(t.before);
  others.Join(t.handed);
}

void Order::Signal(const Thread& t, Sem sem, Domain domain, Told& told) const {
  if (all_sems() || Releases(sem))
    Tell(t, told.released);
  else
    told.released.Join(t.released[domain]);
  if (tensor()) told.signalled.Join(t.before);
}

void Order::Hear(Thread& t, Sem sem, Domain domain, const Clock& released,
                 const Clock& signalled) const {
  if (all_acquire() || Acquires(sem))
    (tensor() ? t.handed : t.clock).Join(released);
  else
    t.acquirable[domain].Join(released);
  if (tensor()) t.signalled.Join(signalled);
}

void Order::Fence(const Effect& effect, int32_t agent) {
  Thread& t = threads_[agent];
  if (tensor() && effect.fence == ir::FenceKind::kTcgen05Before) {
    t.clock.Join(t.sequenced);
    t.before.Join(t.clock);
  }
  if (tensor() && effect.fence == ir::FenceKind::kTcgen05After) {
    t.clock.Join(t.handed);
    t.clock.Join(t.signalled);
  }
  if (effect.fence == ir::FenceKind::kMemory && Releases(effect.sem)) {
    for (int d = 0; d <= DomainOf(effect.scope); ++d) {
      t.released[d] = Clock();
      Tell(t, t.released[d]);
    }
  }
  if (!ir::IsProxyFence(effect.fence) || enforced() || tensor()) return;
  t.fences.push_back({mark(agent), effect.fence, copies_ ? t.clock : Clock()});
  KnownAtFences& fenced = t.fenced[effect.fence];
  fenced.Add(mark(agent), t.clock);
  if (!fenced.full()) return;
  fenced.Prune([&](const auto& asks) {
    for (const Thread& other : threads_) {
      if (other.to_issue > 0) asks(other.clock);
    }
  });
}

// --- operations -------------------------------------------------------------

void Order::Issue(const Event& e, const Agents::List& who) {
  for (int32_t id : e.issued) {
    const Operation& o = log_.operations[id];
    for (int32_t agent : who) {
      Thread& t = threads_[agent];
      --t.to_issue;
      if (Begins(o)) starts_[id].Join(IsCommit(o) ? Handed(t) : t.clock);
      t.clock.Add(id, Reached::kStarted);
      o.is_track ? Track(id, t) : Issued(id, t, agent);
    }
    if (o.unit == ir::AsyncUnit::kCpAsync && !o.is_track && who.size() > 1) {
      Together& all = together_[&who];
      ++all.count;
      all.done.Add(id, Reached::kDone);
    }
    if (o.is_track && o.tracks == GroupKind::kCpAsync) TrackShares(id, who);
    if (Begins(o)) starts_[id].Add(id, Reached::kStarted);
    if (o.is_track || TrackedList(o.unit) != 0) continue;
    for (int32_t agent : who) Imply(id, threads_[agent]);
    tensor_.push_back(id);
  }
}

void Order::Issued(int32_t operation, Thread& t, int32_t agent) {
  const Operation& o = log_.operations[operation];
  int list = TrackedList(o.unit);
  const bool share =
      list == 1 && agents_.Of(log_.issue_of(operation)).size() > 1;
  if (list >= 0 && !share) t.tracked[list].Add(operation, Reached::kDone);
  if (list == 0) {
    t.sequenced.Add(operation, Reached::kSequenced);
    if (!enforced() && !tensor()) t.before_tensor = t.clock;
    if (tensor_issuer_ != agent)
      tensor_issuer_ = tensor_issuer_ == -1 ? agent : -2;
  }
  if (o.group != GroupKind::kNone)
    t.groups[static_cast<int>(o.group)].Issue(operation, o.group);
}

void Order::Track(int32_t track, Thread& t) {
  bool copies = log_.operations[track].tracks == GroupKind::kCpAsync;
  covers_[track].Join(t.tracked[copies]);
  if (copies || !tensor()) return;
  // tcgen05.commit is a fence::before_thread_sync as well.
  t.clock.Join(t.sequenced);
  t.before.Join(t.clock);
  Tell(t, starts_[track]);
}

// A cp.async.mbarrier.arrive speaks for the copies of the threads that execute
// it: that a copy of several is over is known once each of them has.
void Order::TrackShares(int32_t track, const Agents::List& who) {
  auto speaks = [&](int32_t agent) {
    return std::find(who.begin(), who.end(), agent) != who.end();
  };
  for (const auto& [issuers, all] : together_) {
    if (std::all_of(issuers->begin(), issuers->end(), speaks)) {
      covers_[track].Join(all.done);
      continue;
    }
    for (int32_t agent : *issuers) {
      if (speaks(agent)) shares_[track].push_back({issuers, agent, all});
    }
  }
}

// Once each issuer has spoken in the phase, what all of them had issued.
void Order::Complete(const Share& share, Phase& p, Clock& over) {
  std::map<int32_t, Together>& by = p.shares[share.of];
  Together& last = by[share.agent];
  if (share.then.count >= last.count) last = share.then;
  if (by.size() < share.of->size()) return;
  auto least =
      std::min_element(by.begin(), by.end(), [](const auto& a, const auto& b) {
        return a.second.count < b.second.count;
      });
  over.Join(least->second.done);
}

// A commit waits for its thread's operations, and with them for those of other
// threads that had to be over for one of them to run.
void Order::Imply(int32_t own, Thread& t) {
  if (tensor_issuer_ != -2) return;
  Clock& covered = t.tracked[0];
  for (int32_t before : tensor_) {
    bool implied = !covered.Knows(before, Reached::kDone) &&
                   starts_[own].Knows(before, Reached::kStarted) &&
                   ir::RunInOrder(log_.issue_of(before).concrete(),
                                  log_.issue_of(own).concrete());
    if (implied) covered.Add(before, Reached::kDone);
  }
}

void Order::FinishOperation(const Event& e) {
  const Operation& o = log_.operations[e.operation];
  if (e.kind == Event::Kind::kRead) return;
  Clock& start = starts_[e.operation];
  if (!o.is_track && e.uses.empty()) {
    if (enforced()) start.Add(e.operation, Reached::kDone);
    return;
  }
  Clock done = std::exchange(covers_[e.operation], {});
  done.Add(e.operation, Reached::kDone);
  std::vector<Share> shares;
  if (auto found = shares_.find(e.operation); found != shares_.end()) {
    shares = std::move(found->second);
    shares_.erase(found);
  }
  // tcgen05.commit says in one arrival what its thread had observed before the
  // operations it covers; a bulk copy and cp.async speak for themselves only.
  const bool commit = IsCommit(o);
  const bool transitive = enforced() || commit;
  for (const BarrierUse& use : e.uses) {
    Phase& p = phase(use);
    Completed& by = use.barrier.cta == e.cta ? p.by_own : p.by_peers;
    Clock& over = commit ? by.tensor : by.copies;
    over.Join(done);
    for (const Share& share : shares) Complete(share, p, over);
    if (!transitive) continue;
    Told& told = use.barrier.cta == e.cta ? p.own : p.peers;
    told.released.Join(start);
    if (tensor()) told.signalled.Join(start);
  }
  if (enforced()) start.Join(done);
}

Order::Word Order::WordOf(const Event& e, const Effect& effect) {
  const ir::TileValue& t = e.concrete().tile(effect.operand);
  auto place = static_cast<uint64_t>(t.index);
  for (int d = 0; d < t.rank; ++d)
    place = (place << 20) + static_cast<uint64_t>(t.start[d]);
  int32_t cta = t.space == ir::Space::kGlobal ? -1
                : t.cta == ir::kOwnCta        ? e.cta
                                              : e.cluster + t.cta;
  return {cta, t.decl, static_cast<int64_t>(place)};
}

}  // namespace tilesim::checkers::order
