#include "checkers/program/grid_conflicts.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "checkers/program/global_uses.h"
#include "checkers/report/names.h"
#include "checkers/run/drawn_places.h"
#include "checkers/run/locks.h"
#include "checkers/run/turns.h"
#include "ir/cat.h"

namespace tilesim::checkers::program {
using footprint::Footprints;
using footprint::IntervalPile;
using order::Order;
using report::Finding;
using report::Findings;
using report::MnemonicOf;
using report::SpanOf;
using report::TileOf;
using report::WhoOf;
using run::Event;
using run::GlobalWord;
using run::GlobalWords;
using run::Log;

namespace {

bool Share(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

std::string LinesOf(const ir::Span& a, const ir::Span& b) {
  if (a.line == b.line) return ir::Cat("line ", a.line);
  return ir::Cat("lines ", a.line, " and ", b.line);
}

bool IsStrong(const Event& e, int operand) {
  return std::any_of(e.effects().begin(), e.effects().end(),
                     [=](const ir::Effect& f) {
                       return f.operand == operand && f.sem != ir::Sem::kWeak;
                     });
}

// `atomic`: both are, but not for each other.
std::string_view HowToShare(bool atomic, bool one_proxy) {
  if (!atomic) return "let each cluster write bytes of its own, or use atomics";
  return one_proxy
             ? "atomics of a narrower scope are none for other clusters: give "
               "both .gpu"
             : "a reduction by TMA is of the async proxy, and no atomic for "
               "those of the generic proxy (PTX 8.7): let all of them be of "
               "one, or put them in order with a proxy fence between";
}

}  // namespace

std::map<GridConflicts::Key, GridConflicts::Use> GridConflicts::UsesOf(
    const Log& log, const std::vector<int64_t>& work,
    const ReleaseAcquire& words) {
  std::map<Key, Use> uses;
  std::map<Key, IntervalPile> bytes;
  Footprints footprints(*log.code, fragments_);
  for (size_t i = 0; i < log.events.size(); ++i) {
    const Event& e = log.events[i];
    if (e.kind != Event::Kind::kOp) continue;
    for (const ir::Effect& f : e.effects()) {
      if (!TouchesGlobal(e, f) ||
          !footprints.MayConflict(e.concrete().tile(f.operand)))
        continue;
      bool write = f.kind == ir::EffectKind::kWrite;
      PlaceInOrder place = PlaceOf(log, words, i);
      Key key{e.concrete().tile(f.operand).decl,
              e.op,
              f.operand,
              write,
              place.released,
              place.acquired,
              place.released_fenced,
              place.acquired_fenced};
      auto [use, fresh] = uses.try_emplace(key);
      if (fresh) {
        use->second = {work,
                       std::move(place),
                       write,
                       ir::AtomicInGrid(e.effects(), f.operand),
                       IsStrong(e, f.operand),
                       f.proxy == ir::Proxy::kGeneric,
                       TileOf(log, e, f.operand),
                       WhoOf(log, e),
                       MnemonicOf(e),
                       SpanOf(e),
                       {},
                       log.ticket && log.ticket->op == e.op,
                       log.ticket && log.ticket->put_back.contains(e.op),
                       e.op,
                       f.operand,
                       {},
                       {}};
      }
      bytes[key].Add(footprints.Memory(e, f.operand, e.threads()).bytes);
    }
  }
  for (auto& [key, all] : bytes) uses[key].bytes = all.Take();
  return uses;
}

void GridConflicts::Add(const Log& log, const std::vector<int64_t>& work,
                        Order::Kind kind) {
  ReleaseAcquire words = ReleaseAcquireIn(log, kind, fragments_);
  if (drawn_.empty())
    drawn_ = run::PlacesByDraws(*log.code, log.ticket ? log.ticket->op : -1);
  order_.Add(log, work[0], words);
  const bool locks = HaveLocks(log.flags) || AskInRounds(log.flags);
  if (!GoRoundInVain(log))
    open_.insert(
        "threads that wait for a word in a loop with a barrier meet others "
        "there that are not in the loop, or leave it before the word is what "
        "they wait for: how often they ask in vain was not followed");
  const std::string given =
      locks ? TextOfGuarded(log.flags, log.code->kernel()) : std::string();
  for (auto& [key, use] : UsesOf(log, work, words)) {
    if (locks)
      AddUse(std::get<0>(key), std::move(use), given);
    else
      uses_[std::get<0>(key)].push_back(std::move(use));
  }
  if (locks) given_[work[0]].insert(given);
  added_.insert(Part(work, log.ticket));
}

// Of runs of a cluster that find other words that locks guard, once.
void GridConflicts::AddUse(int32_t decl, Use use, const std::string& given) {
  std::vector<Use>& all = uses_[decl];
  use.holds = order_.locks().Holds(use.place.acquired, use.place.released);
  use.given = {given};
  for (auto other = all.rbegin(); other != all.rend(); ++other) {
    if (other->work != use.work) break;
    if (other->op == use.op && other->operand == use.operand &&
        other->write == use.write && other->place.IsAs(use.place) &&
        other->bytes == use.bytes) {
      other->given.insert(given);
      return;
    }
  }
  all.push_back(std::move(use));
}

// Whatever the words are that locks guard.
bool GridConflicts::IsMade(const Use& use) const {
  auto all = given_.find(use.work[0]);
  return all == given_.end() || use.given.size() == all->second.size();
}

// Whether what it touches is another place in a launch with other clusters.
bool GridConflicts::IsDrawn(const Use& use) const { return drawn_[use.op]; }

// Words of which a run knows what they are when a section begins: each CTA
// touches one of them, in one section, and so do others.
void GridConflicts::JudgeGuarded(const std::vector<Use>& uses) {
  std::map<int64_t, std::pair<SyncWords, footprint::IntervalSet>>
      of;  // by cluster
  for (const Use& use : uses) {
    auto [at, fresh] =
        of.try_emplace(use.work[0], std::pair(use.holds, use.bytes));
    SyncWords both;
    std::set_intersection(at->second.first.begin(), at->second.first.end(),
                          use.holds.begin(), use.holds.end(),
                          std::inserter(both, both.end()));
    at->second.first = both;
    if (both.empty() || at->second.second != use.bytes) {
      open_.insert(ir::Cat(
          "control depends on ", use.name,
          ", which other clusters write (line ", use.span.line,
          "): that is followed where a CTA reads and writes one such word, "
          "while it holds a lock, behind its acquire and before its release"));
      return;
    }
  }
  for (const auto& [cluster, mine] : of) {
    for (const auto& [other, theirs] : of) {
      if (other >= cluster || !mine.second.Overlaps(theirs.second) ||
          order_.locks().Apart(mine.first, theirs.first))
        continue;
      open_.insert(ir::Cat("clusters ", other, " and ", cluster,
                           " touch one word by which control goes, ",
                           uses.front().name, ", and hold other locks"));
      return;
    }
  }
}

void GridConflicts::Finish(const GlobalWords* come, Findings& findings) {
  const FlagGraph& flags = order_.flags();
  // Who has found which number is not known, and the verdict says so.
  if (come == nullptr && flags.WaitInTurn()) return;
  if (come != nullptr && order_.locks().HasLocks()) {
    if (!order_.locks().Judge(findings, open_)) return;
  } else if (come != nullptr && flags.WaitInTurn()) {
    const std::string word = flags.TurnsNotShown();
    if (!word.empty()) {
      open_.insert(ir::Cat(
          "who waits for ", word,
          " may find it changed again: that is shown only where one CTA waits "
          "for each number and sets the next"));
      return;
    }
    DropWhatNeverComes(flags.TurnsThatCome(), findings);
  } else if (come != nullptr) {
    if (const std::string& word = flags.RoundsNotShown(); !word.empty()) {
      open_.insert(ir::Cat(
          "whether all threads that ask for a round of ", word,
          " have seen that it is over before their CTA adds in the next was "
          "not shown"));
      return;
    }
    DropWhatNeverComes(*come, findings);
  }
  for (const auto& [decl, uses] : uses_) {
    // Who puts a semaphore back comes after all that use it.
    if (flags.IsInTurn(decl)) continue;
    if (order_.locks().IsGuarded(decl)) JudgeGuarded(uses);
    CompareAll(uses, compared_[decl], findings);
    compared_[decl] = uses.size();
  }
}

// Those from `first` on with all before them. Most touch nothing that others
// do, or read as they do, which so little tells of them.
void GridConflicts::CompareAll(const std::vector<Use>& uses, size_t first,
                               Findings& findings) {
  struct Brief {
    footprint::Interval hull;
    bool write;
  };
  std::vector<Brief> all;
  all.reserve(uses.size());
  for (const Use& use : uses) all.push_back({use.bytes.hull(), use.write});
  for (size_t i = first; i < uses.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if ((all[i].write || all[k].write) && all[i].hull.Overlaps(all[k].hull))
        Compare(uses[k], uses[i], findings);
    }
  }
}

void GridConflicts::DropWhatNeverComes(const GlobalWords& come,
                                       Findings& findings) {
  GlobalWords never = order_.flags().WaitedForWithout(come);
  order_.flags().Report(never, findings);
  for (auto& [decl, uses] : uses_) {
    std::erase_if(uses, [&](const Use& use) {
      return std::any_of(
          use.place.acquired.begin(), use.place.acquired.end(),
          [&](const SyncWord& word) { return never.count(word.word) != 0; });
    });
  }
}

// Whether they can be in one launch.
bool GridConflicts::Together(const Use& a, const Use& b) {
  const auto& mine = a.place.ticket;
  const auto& other = b.place.ticket;
  bool same_number = mine && other && mine->word == other->word &&
                     mine->number == other->number;
  return !same_number && !Share(a.work, b.work);
}

// Whether `a` comes after its own count, and `b` before a later one: not all
// have counted by then.
bool GridConflicts::TooEarly(const PlaceInOrder& a, const PlaceInOrder& b) {
  auto has = [](const SyncWords& words, const GlobalWord& word) {
    return words.count({word, false}) != 0 || words.count({word, true}) != 0;
  };
  return CountedFirst(a, b) && has(a.acquired, a.ticket->word) &&
         has(b.released, b.ticket->word);
}

// Whether one counts, and the other sets the counter back behind the last
// (run::PutsBackLast): that it does depends on what all others have left there.
bool GridConflicts::SetsBack(const Use& a, const Use& b) {
  return (a.counts && b.sets_back) || (a.sets_back && b.counts);
}

void GridConflicts::Compare(const Use& a, const Use& b, Findings& findings) {
  bool harmless = (!a.write && !b.write) || AreAtomic(a.atomic, b.atomic) ||
                  SetsBack(a, b) || !Together(a, b) ||
                  !a.bytes.Overlaps(b.bytes);
  if (harmless) return;
  if (CountedFirst(b.place, a.place)) return Compare(b, a, findings);
  Conflict(a, b, findings);
}

void GridConflicts::Conflict(const Use& a, const Use& b, Findings& findings) {
  const bool held = order_.HoldsApart(a.place, b.place);
  if (!held && !order_.Before(a.place, b.place) &&
      !order_.Before(b.place, a.place)) {
    const bool may = order_.MayBeBefore(a.place, b.place) ||
                     order_.MayBeBefore(b.place, a.place);
    const bool followed =
        !may && order_.Followed(a.place) && order_.Followed(b.place);
    if (IsDrawn(a) || IsDrawn(b)) {
      open_.insert(ir::Cat(
          "numbers that CTAs draw by atomics decide what is touched of ",
          a.name, " (", LinesOf(a.span, b.span),
          "): that two CTAs draw no number twice is followed where a CTA draws "
          "one, from a word that its place in the grid decides"));
      return;
    }
    if (followed && IsMade(a) && IsMade(b)) return Report(a, b, findings);
    open_.insert(
        followed
            ? ir::Cat("clusters touch the same bytes of ", a.name, " (",
                      LinesOf(a.span, b.span),
                      ") and nothing orders them, if words that a lock guards "
                      "are so in one launch that both do")
        : may ? ir::Cat("what a flag hands over that is set several times is "
                        "not followed: accesses to ",
                        a.name)
              : ir::Cat(
                    "accesses to ", a.name,
                    " may be ordered by flags of clusters that were not run"));
  }
  const bool async = !a.generic || !b.generic;
  if (async && !InOrderThroughProxies(a, b, held))
    open_.insert(ir::Cat(
        "asynchronous accesses to ", a.name,
        " by several clusters are followed through counters and flags only "
        "with a fence.proxy.async between the access and the release by every "
        "thread that made it (of two asynchronous ones also behind the "
        "acquisition)"));
}

// As grid::Handed says it: a proxy fence by who made the earlier access where
// the later one is asynchronous, on both sides where both are.
bool GridConflicts::BeforeThroughProxies(const Use& a, const Use& b) const {
  PlaceInOrder earlier = a.place, later = b.place;
  if (!b.generic) earlier.released = earlier.released_fenced;
  if (!a.generic && !b.generic) later.acquired = later.acquired_fenced;
  return order_.Before(earlier, later) || order_.HoldsApart(earlier, later);
}

// Of two that hold a lock, either may be first.
bool GridConflicts::InOrderThroughProxies(const Use& a, const Use& b,
                                          bool held) const {
  const bool one = BeforeThroughProxies(a, b),
             other = BeforeThroughProxies(b, a);
  return held ? one && other : one || other;
}

void GridConflicts::Report(const Use& a, const Use& b, Findings& findings) {
  ir::Code code = a.write && b.write ? ir::Code("race/waw")
                  : a.write          ? ir::Code("race/raw")
                                     : "race/war";
  // What two ops do to each other is told once: an atomic reads and writes.
  std::string key =
      ir::Cat("clusters ", a.name, " ", a.span.line, " ", b.span.line);
  auto [told, fresh] = told_.try_emplace(key, code);
  if (!fresh && told->second != code) return;
  Finding* found = findings.Add(code, std::move(key));
  if (found == nullptr) return;
  ir::Diagnostic& d = found->diagnostic;
  d.message =
      ir::Cat("clusters ", a.work[0], " and ", b.work[0],
              " touch the same bytes of ", a.name, " and nothing orders them",
              TooEarly(a.place, b.place) ? ": the second has yet to count"
              : CountedFirst(a.place, b.place)
                  ? ", although the first has counted before"
                  : "");
  d.span = b.span;
  d.span_text = ir::Cat(b.who, " of cluster ", b.work[0], ": ", b.mnemonic);
  d.labels.push_back(
      {a.span, ir::Cat(a.who, " of cluster ", a.work[0], ": ", a.mnemonic)});
  const PlaceInOrder &mine = a.place, &other = b.place;
  bool talk = mine.ticket || !mine.acquired.empty() ||
              !other.acquired.empty() || !mine.released.empty() ||
              !other.released.empty();
  d.help = TooEarly(a.place, b.place)
               ? "only who draws the last number comes after all that count: "
                 "compare with how many there are, less 1"
           : a.sets_back || b.sets_back
               ? "let who has drawn the last number put the counter back, and "
                 "nobody else: others have yet to count"
           : talk ? report::kHowToHandOver
                  : HowToShare(a.strong && b.strong, a.generic == b.generic);
}

}  // namespace tilesim::checkers::program
