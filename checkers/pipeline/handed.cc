#include "checkers/pipeline/handed.h"

#include <algorithm>
#include <array>
#include <string>

#include "checkers/program/global_uses.h"
#include "checkers/proof/condition.h"
#include "checkers/run/control_memory.h"
#include "checkers/run/runner.h"
#include "ir/atomic.h"

namespace tilesim::checkers::pipeline {
using footprint::Footprints;
using footprint::Interval;
using proof::Condition;
using run::Environment;
using run::Event;
using run::HandedOut;
using run::Log;
using Start = machine::WatchedRun::Start;
using StateKey = machine::WatchedRun::StateKey;

namespace {

// Of runs that are watched; of those that are judged.
constexpr int64_t kMaxEvents = 6'000'000;
constexpr int64_t kMaxEventsJudged = 3'000'000;
constexpr int64_t kFirstTried = 8;
// So many periods: two with what two events, or two phases next to each other,
// are about, and two that may be taken out between, before or behind.
constexpr int64_t kPeriods = 4;

bool IsRequest(const Event& e) {
  return e.kind == Event::Kind::kOp &&
         std::any_of(e.effects().begin(), e.effects().end(),
                     [](const ir::Effect& f) {
                       return f.kind == ir::EffectKind::kClcCancel;
                     });
}

// What conditions of the certificate are about that are not about two phases,
// or two rounds, next to each other.
bool BeginsOrEnds(const Event& e) {
  using Kind = ir::EffectKind;
  constexpr std::array kSuch = {
      Kind::kInit,        Kind::kInval,          Kind::kArriveDrop,
      Kind::kRegisters,   Kind::kTmemAlloc,      Kind::kTmemDealloc,
      Kind::kGridTrigger, Kind::kTmemRelinquish, Kind::kGridWait};
  return e.kind == Event::Kind::kOp &&
         std::any_of(e.effects().begin(), e.effects().end(),
                     [&](const ir::Effect& f) {
                       return std::find(kSuch.begin(), kSuch.end(), f.kind) !=
                              kSuch.end();
                     });
}

std::vector<int64_t> ActionsOf(const Log& log) {
  std::vector<int64_t> out;
  out.reserve(log.events.size());
  for (const Event& e : log.events)
    out.push_back(static_cast<int64_t>(e.kind) << 56 | int64_t{e.cta} << 40 |
                  int64_t{e.op});
  return out;
}

bool IsWhole(const Log& log) {
  return log.finished && !log.faulted && log.undetermined.empty() &&
         log.limits.empty();
}

template <typename F>
void ForBuffers(const Log& log, F f) {
  int64_t nth = -1;
  for (const Event& e : log.events) {
    if (e.kind != Event::Kind::kOp) continue;
    ++nth;
    for (const ir::Effect& effect : e.effects()) {
      if (program::TouchesGlobal(e, effect)) f(nth, e, effect);
    }
  }
}

GridBytes::Use HowUsed(const Event& e, const ir::Effect& f) {
  const ir::Atomic atomic = ir::AtomicInGrid(e.effects(), f.operand);
  if (atomic == ir::Atomic::kGenericProxy) return GridBytes::Use::kAtomic;
  if (atomic == ir::Atomic::kAsyncProxy) return GridBytes::Use::kAsyncAtomic;
  return f.kind == ir::EffectKind::kWrite ? GridBytes::Use::kWrite
                                          : GridBytes::Use::kRead;
}

}  // namespace

std::vector<int64_t> WorkOf(int64_t cluster, const Environment& environment) {
  std::vector<int64_t> out{cluster};
  const auto& more = environment.handed_out;
  if (more) out.insert(out.end(), more->begin(), more->end());
  return out;
}

HandedClusters::HandedClusters(const machine::Code& code,
                               footprint::Fragments& fragments,
                               const Environment& with, int64_t max_events)
    : code_(code),
      fragments_(fragments),
      with_(with),
      max_events_(max_events),
      written_(code.bound.decls.size()) {}

// CTAs that talk, and memory of which it is asked what all have written, are
// about more than each by itself.
bool HandedClusters::Are(const machine::Code& code) {
  const auto& decls = code.kernel().decls;
  return code.guide != nullptr && run::Requests(code) &&
         code.bound.ctas() / code.bound.cluster_size() >
             run::kMaxLaterClusters + 1 &&
         run::WrittenOf(code).empty() &&
         std::none_of(decls.begin(), decls.end(),
                      [](const ir::Decl& d) { return d.undefined; });
}

bool HandedClusters::Show(const Judge& judge) {
  const bool shown = Shows(judge);
  possible_ = false;
  return shown;
}

bool HandedClusters::Shows(const Judge& judge) {
  const std::optional<int64_t> most = Most();
  // One that goes wrong later than those that are tried in any case.
  if (!most && wrong_) judge(0, HandedOut(0, *wrong_, with_));
  if (!most) return false;
  for (int64_t k = 0; k <= *most && possible_; ++k)
    judge(0, HandedOut(0, k, with_));
  if (!possible_) return false;
  const std::optional<Watched> longest = Watch(*most);
  if (!longest || !Whichever(*most, *longest, *longest)) return false;
  for (int64_t k = 0; k < *most; ++k) {
    const std::optional<Watched> w = Watch(k);
    if (!w) return false;
    w->run->AfterRefusal();
    if (!Whichever(k, *w, *longest)) return false;
  }
  if (!proof::IsJudged(Condition::kHandedApart) || bytes_.Meetings().empty())
    return true;
  JudgeMeetings(judge);
  return false;
}

void HandedClusters::Judged(const Log& log, bool holds) {
  if (!possible_) return;
  possible_ = holds && IsWhole(log);
  ForBuffers(log, [&](int64_t, const Event& e, const ir::Effect& f) {
    if (f.kind == ir::EffectKind::kWrite)
      written_[static_cast<size_t>(e.concrete().tile(f.operand).decl)] = true;
  });
  judged_.push_back(ActionsOf(log));
}

std::optional<HandedClusters::Watched> HandedClusters::Watch(int64_t handed) {
  const auto* guide =
      dynamic_cast<const machine::Watchable*>(code_.guide.get());
  if (guide == nullptr || events_ > kMaxEvents) return std::nullopt;
  const Environment environment = HandedOut(0, handed, with_);
  run::RunOptions o;
  o.environment = &environment;
  o.max_events = max_events_;
  guide->Watch(0);
  Watched out{run::RunCluster(code_, o), nullptr, {}};
  out.run = guide->Watched();
  events_ += static_cast<int64_t>(out.log.events.size());
  const bool stuck = !out.log.finished && out.log.undetermined.empty();
  if (stuck || out.log.erred()) wrong_ = handed;
  if (out.run == nullptr || !IsWhole(out.log)) return std::nullopt;
  out.states = out.run->StatesAtRequests();
  const std::vector<size_t> requests = RequestsOf(out.log);
  const bool each = std::all_of(
      requests.begin(), requests.end(),
      [&](size_t i) { return out.log.events[i].threads().threads() == 1; });
  if (!each || requests.size() != out.states.size() ||
      out.states.size() != static_cast<size_t>(handed) + 1)
    return std::nullopt;
  return out;
}

std::vector<size_t> HandedClusters::RequestsOf(const Log& log) {
  std::vector<size_t> out;
  for (size_t i = 0; i < log.events.size(); ++i) {
    if (IsRequest(log.events[i])) out.push_back(i);
  }
  return out;
}

std::optional<int64_t> HandedClusters::Most() {
  const int64_t all = clusters() - 1;
  for (int64_t k = std::min(kFirstTried, all);; k = std::min(2 * k, all)) {
    const std::optional<Watched> w = Watch(k);
    if (!w) return std::nullopt;
    std::optional<int64_t> most = Recurs(*w);
    if (!most && k == all) most = all;
    if (!most) continue;
    // About half of these events are in the runs with fewer.
    const int64_t judged =
        static_cast<int64_t>(w->log.events.size()) * (*most + 1) / 2;
    return judged > kMaxEventsJudged ? std::nullopt : most;
  }
}

// docs/all_sizes.md 3.19. Requests at which clusters are handed out are
// numbered from 0. Whether from one on the state is that of a period before,
// for so many periods.
std::optional<int64_t> HandedClusters::Recurs(const Watched& w) const {
  const auto handed = static_cast<int64_t>(w.states.size()) - 1;
  if (!proof::IsJudged(Condition::kHandedState)) return handed;
  const std::vector<size_t> requests = RequestsOf(w.log);
  auto at = [&](int64_t i) { return w.states[static_cast<size_t>(i)]; };
  std::optional<int64_t> most;
  for (int64_t period = 1; kPeriods * period < handed; ++period) {
    int64_t from = handed - period;
    while (from > 0 && at(from - 1) == at(from - 1 + period)) --from;
    const int64_t end = from + kPeriods * period;
    if (end + 1 > handed) continue;
    const auto begin = w.log.events.begin();
    const bool bounded = std::none_of(
        begin + static_cast<int64_t>(requests[static_cast<size_t>(from)]),
        begin + static_cast<int64_t>(requests[static_cast<size_t>(handed) - 1]),
        BeginsOrEnds);
    if (bounded && (!most || end + 1 < *most)) most = end + 1;
  }
  return most;
}

// Of the longest run all is asked, of others what comes behind the refusal:
// what comes before is as in the longest.
bool HandedClusters::Whichever(int64_t handed, const Watched& w,
                               const Watched& longest) {
  const std::vector<int64_t> own = ActionsOf(w.log);
  if (own != judged_[static_cast<size_t>(handed)]) return false;
  int64_t from = 0;
  if (&w != &longest) {
    const auto refusal =
        static_cast<int64_t>(RequestsOf(w.log)[static_cast<size_t>(handed)]);
    const std::vector<int64_t>& all = judged_.back();
    if (static_cast<int64_t>(all.size()) <= refusal ||
        !std::equal(own.begin(), own.begin() + refusal + 1, all.begin()) ||
        !std::equal(w.states.begin(), w.states.begin() + handed,
                    longest.states.begin()))
      return false;
    from = 1 + std::count_if(
                   w.log.events.begin(), w.log.events.begin() + refusal,
                   [](const Event& e) { return e.kind == Event::Kind::kOp; });
  }
  return Sweep(w, TouchesOf(w, from), handed);
}

bool HandedClusters::Less::operator()(const std::vector<Interval>& a,
                                      const std::vector<Interval>& b) const {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [](const Interval& x, const Interval& y) {
                                        return std::pair(x.begin, x.end) <
                                               std::pair(y.begin, y.end);
                                      });
}

std::vector<HandedClusters::Touch> HandedClusters::TouchesOf(const Watched& w,
                                                             int64_t from) {
  std::vector<Touch> out;
  Footprints footprints(code_, fragments_);
  ForBuffers(w.log, [&](int64_t nth, const Event& e, const ir::Effect& f) {
    const ir::TileValue& t = e.concrete().tile(f.operand);
    if (nth < from || !written_[static_cast<size_t>(t.decl)]) return;
    const auto bytes = footprints.Memory(e, f.operand, e.threads()).bytes;
    const auto [shape, fresh] =
        shapes_.try_emplace(bytes.Shifted(-t.start[0]).intervals(),
                            static_cast<int32_t>(shapes_.size()));
    if (fresh) intervals_.push_back(&shape->first);
    out.push_back(
        {t.decl, HowUsed(e, f), nth, f.operand, t.start[0], shape->second});
  });
  return out;
}

// The clusters that were handed out were 1, 2, ..
bool HandedClusters::Sweep(const Watched& w, std::vector<Touch> touches,
                           int64_t handed) {
  std::vector<Start> starts;
  std::vector<std::vector<Touch>> by_variable(static_cast<size_t>(handed) + 1);
  std::set<std::pair<int64_t, int>> moved;
  for (int32_t v = 0; v <= handed; ++v) {
    if (!w.run->SameHanded(v, v, starts)) return false;
    std::set<std::pair<int64_t, int>> these;
    for (const Start& s : starts) these.emplace(s.nth, s.operand);
    for (const Touch& t : touches) {
      if (these.contains({t.nth, t.operand}))
        by_variable[static_cast<size_t>(v)].push_back(t);
    }
    moved.merge(these);
  }
  // Others lie where they do in every cluster.
  std::vector<Touch>& own = by_variable[0];
  for (const Touch& t : touches) {
    if (!moved.contains({t.nth, t.operand})) own.push_back(t);
  }
  for (int32_t v = 0; v <= handed; ++v) {
    for (int64_t c = 0; c < clusters(); ++c) {
      if (!w.run->SameHanded(v, c, starts)) {
        if (proof::IsJudged(Condition::kHandedWhichever)) return false;
        continue;
      }
      if (!AddAt(v, c, by_variable[static_cast<size_t>(v)], starts))
        return false;
    }
  }
  return true;
}

bool HandedClusters::AddAt(int32_t variable, int64_t cluster,
                           const std::vector<Touch>& all,
                           const std::vector<Start>& starts) {
  std::map<std::pair<int64_t, int>, int64_t> begins;
  if (!all.empty()) {
    for (const Start& s : starts) begins[{s.nth, s.operand}] = s.first;
  }
  for (const Touch& t : all) {
    const auto at = begins.find({t.nth, t.operand});
    const int64_t begin = at == begins.end() ? t.first : at->second;
    const int64_t shift = begin - t.first;
    // Inside of a cluster accesses meet where those do that were judged.
    if (shifts_.try_emplace({variable, cluster, t.decl}, shift).first->second !=
        shift)
      return false;
    if (!known_
             .emplace(t.decl, cluster, static_cast<int32_t>(t.use), t.shape,
                      begin)
             .second)
      continue;
    bytes_.Add(t.decl, cluster, t.use,
               footprint::IntervalSet(*intervals_[static_cast<size_t>(t.shape)])
                   .Shifted(begin));
  }
  return true;
}

// Two clusters meet, as their own CTAs do their work or others that these are
// handed to.
void HandedClusters::JudgeMeetings(const Judge& judge) const {
  constexpr size_t kSome = 2;
  size_t judged = 0;
  for (auto [a, b] : bytes_.Meetings()) {
    if (a > b) std::swap(a, b);
    if (++judged > kSome) return;
    judge(a, HandedOut(a, 0, with_));
    judge(b, HandedOut(b, 0, with_));
    int64_t other = 0;
    for (int64_t c : {b, a}) {
      while (other == a || other == b) ++other;
      if (other >= c) continue;
      Environment environment = HandedOut(other, 0, with_);
      environment.handed_out = {c};
      judge(other++, environment);
    }
  }
}

}  // namespace tilesim::checkers::pipeline
