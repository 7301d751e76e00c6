#include "checkers/pairwise/tensor_memory.h"

#include <algorithm>
#include <string>

#include "checkers/pairwise/address.h"
#include "checkers/pairwise/fences.h"
#include "checkers/report/names.h"
#include "ir/cat.h"

namespace tilesim::checkers::pairwise {
using order::Access;
using order::Clock;
using order::Mark;
using order::TensorOrder;
using report::DeclOf;
using report::Finding;
using report::MnemonicOf;
using report::NthOf;
using report::RoleOf;
using report::SpanOf;
using report::TileOf;
using report::WhoOf;
using run::Event;
using run::Log;

namespace {

constexpr ir::Code kCodes[] = {
    "tcgen05/order",    "tcgen05/fence", "tcgen05/wait",
    "tmem/order",       "tmem/columns",  "tmem/use-after-free",
    "tmem/unpublished", "tmem/permit",   "race/raw",
    "race/war",         "race/waw"};

struct Telling {
  ir::Code code;
  std::string_view what;
  std::string_view help;
  bool warning = false;
  bool of_earlier = false;  // that is what is wrong
};

bool LoadsOrStores(const Log& log, const Access& a) {
  if (a.operation < 0) return false;
  ir::AsyncUnit unit = log.operations[a.operation].unit;
  return unit == ir::AsyncUnit::kTmemLd || unit == ir::AsyncUnit::kTmemSt;
}

// The later access was made by somebody who knew that the warp of the earlier
// one had issued its share.
bool AfterIssue(const Context& context, const Conflict& c) {
  auto knows = [&](const Clock& clock) {
    return std::all_of(c.earlier.marks.begin(), c.earlier.marks.end(),
                       [&](Mark m) { return clock.Knows(m); });
  };
  if (c.later.marks.empty())
    return knows(context.order.start(c.later.operation));
  return std::all_of(c.later.marks.begin(), c.later.marks.end(), [&](Mark m) {
    return knows(context.order.clock(m.agent));
  });
}

ir::Code RaceOf(const Conflict& c) {
  if (!c.later.write) return "race/raw";
  if (c.earlier.write) return "race/waw";
  return "race/war";
}

std::string_view RaceTextOf(const Conflict& c) {
  if (!c.later.write)
    return "is read, and nothing orders that after what writes it";
  return c.earlier.write
             ? "is written, and nothing orders that after an earlier write"
             : "is overwritten, and nothing orders that after what reads it";
}

// Whether another lane of the warp knows that the earlier one is over.
bool KnownInTheWarp(const Context& context, const Conflict& c) {
  const order::Agents& agents = context.order.agents();
  const Event& e = c.later_event(context.log);
  const ir::ThreadSet& threads = e.threads();
  for (int32_t i = 0; i < agents.size(); ++i) {
    const int warp = agents[i].warp - threads.first_warp;
    if (agents[i].cta == e.cta && warp >= 0 && warp < threads.warps &&
        Knows(context.order, context.order.clock(i), c.earlier))
      return true;
  }
  return false;
}

// Whether the later one knows that the earlier ld or st is over for some lanes:
// tcgen05.wait::ld says nothing of those of others.
bool KnownOfSome(const Context& context, const Conflict& c) {
  const Event& e = c.later_event(context.log);
  const auto& waited = context.order.waited(c.earlier.operation);
  const order::Agents::List& by = context.order.agents().Of(e);
  return std::any_of(waited.begin(), waited.end(), [&](Mark w) {
    return std::any_of(by.begin(), by.end(), [&](int32_t agent) {
      return context.order.clock(agent).Knows(w);
    });
  });
}

// How others get to know that it is over.
std::string_view HelpAfter(const Context& context, const Conflict& c) {
  const Log& log = context.log;
  const Access& earlier = c.earlier;
  if (KnownInTheWarp(context, c))
    return "one lane of the warp has waited: bar.warp.sync after its wait "
           "hands "
           "it on to the others, tcgen05.fence::after_thread_sync stands after "
           "that";
  if (earlier.operation < 0)
    return "put a barrier, or an mbarrier arrive and wait, between the two";
  if (LoadsOrStores(log, earlier) && KnownOfSome(context, c))
    return "the lane that arrives has waited for its own part only: "
           "bar.warp.sync between the tcgen05.wait of all lanes and the "
           "arrival";
  switch (log.operations[earlier.operation].unit) {
    case ir::AsyncUnit::kTmemLd:
      return "tcgen05.wait::ld, then tcgen05.fence::before_thread_sync and an "
             "arrival that the others wait for";
    case ir::AsyncUnit::kTmemSt:
      return "tcgen05.wait::st, then tcgen05.fence::before_thread_sync and an "
             "arrival that the others wait for";
    default:
      return "tcgen05.commit to an mbarrier, and a wait for it";
  }
}

// What must be over before it is freed: an operation that is only known to have
// been issued is so once it was waited for.
std::string_view HelpBeforeFreeing(const Context& context, const Conflict& c) {
  if (c.earlier.operation < 0)
    return "a barrier between the last access and tcgen05.dealloc";
  const bool issued = AfterIssue(context, c);
  switch (context.log.operations[c.earlier.operation].unit) {
    case ir::AsyncUnit::kTmemLd:
      return issued ? "tcgen05.wait::ld right behind it, in the warp that loads"
                    : "tcgen05.wait::ld in the warp that loads, then a barrier "
                      "before tcgen05.dealloc";
    case ir::AsyncUnit::kTmemSt:
      return issued
                 ? "tcgen05.wait::st right behind it, in the warp that stores"
                 : "tcgen05.wait::st in the warp that stores, then a "
                   "barrier before tcgen05.dealloc";
    default:
      return "tcgen05.commit to an mbarrier, and a wait for it before "
             "tcgen05.dealloc";
  }
}

// The two of a pair allocate together: who knows that the other one has knows
// that this one has begun to.
constexpr std::string_view kOfThePair =
    "is used where its address may not be known, but for the allocation of the "
    "pair by the other CTA";
// Who uses it comes later, by a barrier that hands nothing over.
constexpr std::string_view kBehindRelaxed =
    "is used where its address may not be known, but for a relaxed barrier";
constexpr std::string_view kFreedBehindRelaxed =
    "may be freed before this is over, but for a relaxed barrier";

// A store that has what a load returns comes after the load.
constexpr std::string_view kFreedButStored =
    "may be freed before this is over, but for what it loads, which was stored";
constexpr std::string_view kTouchedButStored =
    "is touched before an earlier ld is over, but for what that loads, which "
    "was stored";

Telling Unordered(const Context& context, const Conflict& c, bool stored) {
  const Log& log = context.log;
  const Event &a = c.earlier_event(log), &b = c.later_event(log);
  if (a.instance->Has(ir::EffectKind::kTmemAlloc))
    return {"tmem/unpublished", "is used where its address may not be known",
            "a barrier between tcgen05.alloc and the first use"};
  bool freed_later = b.instance->Has(ir::EffectKind::kTmemDealloc);
  if (freed_later || a.instance->Has(ir::EffectKind::kTmemDealloc))
    return {"tmem/use-after-free",
            stored ? kFreedButStored : "may be freed before this is over",
            freed_later ? HelpBeforeFreeing(context, c)
                        : "a barrier between the last access and "
                          "tcgen05.dealloc",
            false, freed_later};
  if (LoadsOrStores(log, c.earlier) && AfterIssue(context, c))
    return {"tcgen05/wait",
            stored ? kTouchedButStored
                   : "is touched before an earlier ld or st is over",
            "tcgen05.wait::ld or ::st before it, in the warp that issued it"};
  return {RaceOf(c), RaceTextOf(c), HelpAfter(context, c)};
}

std::string_view DoingOf(const Event& e, const Access& a) {
  if (a.lifetime)
    return e.instance->Has(ir::EffectKind::kTmemAlloc) ? "allocates "
                                                       : "frees ";
  return a.write ? "writes " : "reads ";
}

Telling TellingOf(const Context& context, const Conflict& c, bool stored) {
  switch (c.tensor) {
    case TensorOrder::kFence:
      return {
          "tcgen05/fence",
          "is touched after a synchronisation without the tcgen05 fences",
          "tcgen05.fence::before_thread_sync before the arrival (commit has "
          "it), ::after_thread_sync after the wait"};
    case TensorOrder::kPipeline:
      return {"tcgen05/order",
              "is touched by operations of one pipeline that run in no order",
              "tcgen05.commit to an mbarrier and a wait for it between them",
              !c.earlier.write};
    default:
      return Unordered(context, c, stored);
  }
}

FenceWanted WantedFor(const Conflict& c, ir::FenceKind kind) {
  FenceWanted wanted;
  wanted.earlier = c.earlier.event;
  wanted.later = c.later.event;
  wanted.of_later = kind == ir::FenceKind::kTcgen05After;
  wanted.kind = [kind](const Event& e, const ir::Effect& f) {
    return f.fence == kind && !e.instance->Has(ir::EffectKind::kTrack);
  };
  return wanted;
}

// Whether a tcgen05.commit has told that it is over, which is a
// fence::before_thread_sync as well.
bool Announced(const Log& log, const Conflict& c, const Clock& knows) {
  return c.earlier.operation >= 0 &&
         log.operations[c.earlier.operation].unit == ir::AsyncUnit::kTcgen05 &&
         knows.Knows(c.earlier.operation, order::Reached::kDone);
}

// Which of the two fences is missing, or stands where it does not help. What
// the later one knew is in order, so the first is in place if it knew that
// fence.
void TellFences(const Context& context, const Conflict& c, ir::Diagnostic& d) {
  const Log& log = context.log;
  FenceWanted before = WantedFor(c, ir::FenceKind::kTcgen05Before);
  FenceWanted after = WantedFor(c, ir::FenceKind::kTcgen05After);
  const Clock& knows = c.later.marks.empty()
                           ? context.order.start(c.later.operation)
                           : context.order.clock(c.later.marks.front().agent);
  // Compilers that emit neither fence are judged by that
  // (ir/rules/practice.toml).
  const bool announced = log.code->guide == nullptr && Announced(log, c, knows);
  bool first = announced || FenceKnown(context, before, knows);
  if (!first && !FenceBetween(context, after)) {  // neither is in place
    NoteFence(context, before, d);
    return;
  }
  bool stands = NoteFence(context, first ? after : before, d);
  d.message =
      ir::Cat(TileOf(log, c.later_event(log), c.later.operand, c.place.owner),
              " is touched after a synchronisation ",
              stands ? "and the tcgen05.fence" : "without a tcgen05.fence",
              first ? "::after_thread_sync" : "::before_thread_sync",
              !stands ? ""
              : first ? " that stands there is not after it"
                      : " that stands there is not before it");
  if (!stands) {
    d.help = first ? "tcgen05.fence::after_thread_sync behind the wait, in "
                     "every thread that goes on"
                   : "tcgen05.fence::before_thread_sync between the access and "
                     "the arrival, in the thread that arrives";
    return;
  }
  d.help =
      first ? "move it behind the wait, into every thread that goes on; lanes "
              "that do not wait themselves need bar.warp.sync after the one "
              "that does, and the fence after that"
            : "move it between the access and the arrival, into the thread "
              "that arrives; where another lane of the warp touched the tile, "
              "bar.warp.sync before that";
}

}  // namespace

std::span<const ir::Code> TensorMemory::codes() const { return kCodes; }

void TensorMemory::OnConflict(const Context& context, const Conflict& c) {
  if (c.tensor == TensorOrder::kOrdered && !ReadsUnpublished(c)) return;
  const Log& log = context.log;
  const Event &a = c.earlier_event(log), &b = c.later_event(log);
  // The two of a pair allocate and free together.
  if (c.earlier.lifetime && c.later.lifetime && a.cta != b.cta) return;
  Telling t = TellingOf(context, c, KnownAsStored(context, c));
  if (t.code == "tmem/unpublished") {
    if (KnowsOfPair(context, c)) {
      t.what = kOfThePair;
    } else if (ComesBehind(context, c)) {
      t.what = kBehindRelaxed;
      t.help =
          "leave out .relaxed: the arrive has to release, and the wait to "
          "acquire";
    }
  } else if (t.code == "tmem/use-after-free" && FreedBehind(context, c)) {
    t.what = kFreedBehindRelaxed;
  }
  const Access& wrong = t.of_earlier ? c.earlier : c.later;
  const Access& other = t.of_earlier ? c.later : c.earlier;
  const Event &w = log.events[wrong.event], &o = log.events[other.event];
  Finding* found = context.findings.AddAt(
      t.code,
      ir::Cat(DeclOf(log, a, c.earlier.operand), " ",
              DeclOf(log, b, c.later.operand), " ", MnemonicOf(a), " ",
              MnemonicOf(b), " ", RoleOf(log, a), " ", RoleOf(log, b),
              t.what == kOfThePair            ? " of the pair"
              : t.what == kBehindRelaxed      ? " behind a relaxed barrier"
              : t.what == kFreedBehindRelaxed ? " behind a relaxed barrier"
              : t.what == kFreedButStored     ? " stored"
              : t.what == kTouchedButStored   ? " stored"
                                              : ""),
      {SpanOf(w), SpanOf(o)},
      t.warning ? ir::Severity::kWarning : t.code.severity());
  if (found == nullptr) return;
  ir::Diagnostic& d = found->diagnostic;
  found->lack = {a.op, b.op, false};
  d.message =
      ir::Cat(TileOf(log, w, wrong.operand, c.place.owner), " ", t.what);
  d.span = SpanOf(w);
  d.span_text = ir::Cat(WhoOf(log, w), ": ", MnemonicOf(w), NthOf(w));
  d.labels.push_back(
      {SpanOf(o),
       ir::Cat(WhoOf(log, o), ": ", MnemonicOf(o), " ", DoingOf(o, other),
               TileOf(log, o, other.operand, c.place.owner), NthOf(o))});
  d.help = t.help;
  if (t.code == "tcgen05/fence") TellFences(context, c, d);
}

// "The number of columns allocated should not increase between any two
// allocations in the execution order within the CTA" (PTX 9.7.16.7).
void TensorMemory::Growing(const Context& context, const Event& e,
                           const std::vector<Allocation>& before) {
  const Log& log = context.log;
  auto columns = [&](const Event& of) {
    for (const ir::Effect& f : of.effects()) {
      if (f.kind == ir::EffectKind::kTmemAlloc)
        return log.code->bound.decls[of.concrete().tile(f.operand).decl]
            .columns;
    }
    return int64_t{0};
  };
  auto least = std::min_element(
      before.begin(), before.end(), [&](const auto& x, const auto& y) {
        return columns(log.events[x.event]) < columns(log.events[y.event]);
      });
  if (least == before.end()) return;
  const Event& a = log.events[least->event];
  if (columns(e) <= columns(a)) return;
  Finding* found =
      context.findings.Add("tmem/columns", ir::Cat(e.op, " ", a.op));
  if (found == nullptr) return;
  ir::Diagnostic& d = found->diagnostic;
  d.severity = ir::Severity::kWarning;
  d.message = ir::Cat("this allocates ", columns(e), " columns after one of ",
                      columns(a), "; allocations should not grow");
  d.span = SpanOf(e);
  d.span_text = WhoOf(log, e);
  d.labels.push_back(
      {SpanOf(a), ir::Cat(WhoOf(log, a), ": allocates ", columns(a))});
  d.help = "allocate the larger one first, or one that is large enough";
}

// Whether a warp that executes the event has come after the allocation.
bool TensorMemory::KnownAt(const Context& context, int32_t event,
                           const Allocation& before) {
  const Event& e = context.log.events[event];
  const auto& who = context.order.agents().Of(e);
  return std::any_of(who.begin(), who.end(), [&](int32_t agent) {
    const Clock& clock = context.enforced.At(event).clock(agent);
    return std::any_of(before.marks.begin(), before.marks.end(),
                       [&](Mark m) { return clock.Knows(m); });
  });
}

// Whether it knows the other CTA's half of what a pair allocates, of compiled
// code: the same allocation of each.
bool TensorMemory::KnowsOfPair(const Context& context, const Conflict& c) {
  const Log& log = context.log;
  const Event &a = c.earlier_event(log), &b = c.later_event(log);
  const bool pair = std::any_of(
      a.effects().begin(), a.effects().end(), [](const ir::Effect& f) {
        return f.kind == ir::EffectKind::kTmemAlloc && f.ranks != 0;
      });
  if (log.code->guide == nullptr || !pair || a.cta == b.cta) return false;
  const std::vector<Allocation>&all = allocations_[a.cta],
        &others = allocations_[b.cta];
  auto at = std::find_if(all.begin(), all.end(), [&](const Allocation& x) {
    return x.event == c.earlier.event;
  });
  const auto i = static_cast<size_t>(at - all.begin());
  return i < others.size() && log.events[others[i].event].op == a.op &&
         KnownAt(context, c.later.event, others[i]);
}

// Whether whoever uses it, in the CTA that has allocated it, has met its warp
// at a barrier of the cluster since, of compiled code: the arrival is relaxed.
bool TensorMemory::ComesBehind(const Context& context, const Conflict& c) {
  const Log& log = context.log;
  const Event &a = c.earlier_event(log), &b = c.later_event(log);
  if (log.code->guide == nullptr || a.cta != b.cta) return false;
  const std::vector<Allocation>& all = allocations_[a.cta];
  auto at = std::find_if(all.begin(), all.end(), [&](const Allocation& x) {
    return x.event == c.earlier.event;
  });
  if (at == all.end() || at->arrived.empty()) return false;
  const auto& who = context.order.agents().Of(b);
  const order::Order& enforced = context.enforced.At(c.later.event);
  return std::all_of(who.begin(), who.end(), [&](int32_t agent) {
    const Clock& clock = enforced.clock(agent);
    return at->waited.contains(agent) &&
           std::all_of(at->arrived.begin(), at->arrived.end(),
                       [&](Mark m) { return clock.Knows(m); });
  });
}

// Whether who frees has met all that use it at a barrier of the cluster right
// before that, likewise.
bool TensorMemory::FreedBehind(const Context& context, const Conflict& c) {
  const Event& b = c.later_event(context.log);
  if (context.log.code->guide == nullptr ||
      !b.instance->Has(ir::EffectKind::kTmemDealloc))
    return false;
  const auto& who = context.order.agents().Of(b);
  const order::Order& enforced = context.enforced.At(c.later.event);
  return std::all_of(who.begin(), who.end(), [&](int32_t agent) {
    return met_.contains(agent) &&
           Knows(enforced, enforced.clock(agent), c.earlier);
  });
}

// Whether it knows that all who loaded have stored what they use of that.
bool TensorMemory::KnownAsStored(const Context& context, const Conflict& c) {
  if (c.earlier.operation < 0 ||
      context.log.operations[c.earlier.operation].unit !=
          ir::AsyncUnit::kTmemLd)
    return false;
  if (!stored_) return false;
  const auto stored = stored_->Of(c.earlier.operation);
  const auto knows = [&](const Clock& clock) {
    return std::all_of(
        c.earlier.marks.begin(), c.earlier.marks.end(), [&](Mark m) {
          return std::any_of(stored.begin(), stored.end(), [&](Mark s) {
            return s.agent == m.agent && clock.Knows(s);
          });
        });
  };
  if (c.later.marks.empty())
    return knows(context.order.start(c.later.operation));
  return std::all_of(c.later.marks.begin(), c.later.marks.end(), [&](Mark m) {
    return knows(context.order.clock(m.agent));
  });
}

// Waits for other barriers come after it: what it enforces is not known then.
void TensorMemory::Meet(const Context& context, const Event& e) {
  const bool other = e.instance->Has(ir::EffectKind::kNamedSync) ||
                     e.instance->Has(ir::EffectKind::kWait);
  for (int32_t agent : context.order.agents().Of(e)) {
    if (e.instance->Has(ir::EffectKind::kClusterWait))
      met_.insert(agent);
    else if (other)
      met_.erase(agent);
  }
  const bool arrives = e.instance->Has(ir::EffectKind::kClusterArrive);
  const bool waits = e.instance->Has(ir::EffectKind::kClusterWait);
  if (!arrives && !waits) return;
  for (Allocation& allocation : allocations_[e.cta]) {
    for (int32_t agent : context.order.agents().Of(e)) {
      auto is_agents = [&](Mark m) { return m.agent == agent; };
      const bool own = std::any_of(allocation.marks.begin(),
                                   allocation.marks.end(), is_agents);
      const bool first = std::none_of(allocation.arrived.begin(),
                                      allocation.arrived.end(), is_agents);
      if (arrives && own && first)
        allocation.arrived.push_back(context.order.mark(agent));
      if (waits && !allocation.arrived.empty()) allocation.waited.insert(agent);
    }
  }
}

// "It is illegal for a CTA to perform tcgen05.alloc after any of its
// constituent threads execute tcgen05.relinquish_alloc_permit" (PTX 9.7.16.7).
// One that comes after in this run the machine tells.
void TensorMemory::Relinquishes(const Context& context, int32_t event,
                                const std::vector<Allocation>& before) {
  const Log& log = context.log;
  const Event& e = log.events[event];
  for (const Allocation& allocation : before) {
    if (KnownAt(context, event, allocation)) continue;
    const Event& a = log.events[allocation.event];
    Finding* found =
        context.findings.Add("tmem/permit", ir::Cat(e.op, " ", a.op));
    if (found == nullptr) continue;
    ir::Diagnostic& d = found->diagnostic;
    d.message =
        "the permit may be given up before another warp of the CTA allocates";
    d.span = SpanOf(e);
    d.span_text = ir::Cat(WhoOf(log, e), ": given up here");
    d.labels.push_back({SpanOf(a), ir::Cat(WhoOf(log, a), ": allocates")});
    d.help = "let the warp that allocates give it up, or a barrier between";
  }
}

// Which columns an allocation gets depends on those before it: on what was
// executed first, whoever may rely on it. A warp allocates as one.
void TensorMemory::OnOp(const Context& context, int32_t event) {
  const Log& log = context.log;
  const Event& e = log.events[event];
  Meet(context, e);
  if (!stored_) stored_.emplace(log);
  for (int32_t agent : context.order.agents().Of(e))
    stored_->Add(e, context.order.mark(agent));
  std::vector<Allocation>& all = allocations_[e.cta];
  if (e.instance->Has(ir::EffectKind::kTmemRelinquish))
    Relinquishes(context, event, all);
  if (!e.instance->Has(ir::EffectKind::kTmemAlloc)) return;
  Allocation now{event, {}, {}, {}};
  for (int32_t agent : context.order.agents().Of(e))
    now.marks.push_back(context.order.mark(agent));
  Growing(context, e, all);
  for (const Allocation& before : all) {
    if (KnownAt(context, event, before)) continue;
    const Event& a = log.events[before.event];
    Finding* found =
        context.findings.Add("tmem/order", ir::Cat(e.op, " ", a.op));
    if (found == nullptr) continue;
    ir::Diagnostic& d = found->diagnostic;
    d.message =
        "which columns this gets depends on another allocation that "
        "nothing orders before it";
    d.span = SpanOf(e);
    d.span_text = WhoOf(log, e);
    d.labels.push_back({SpanOf(a), ir::Cat(WhoOf(log, a), ": allocates")});
    d.help = "let one warp allocate all, or a barrier between the two";
  }
  all.push_back(std::move(now));
}

}  // namespace tilesim::checkers::pairwise
