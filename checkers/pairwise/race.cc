#include "checkers/pairwise/race.h"

#include <algorithm>
#include <string>
#include <utility>

#include "checkers/pairwise/address.h"
#include "checkers/pairwise/empty_commit.h"
#include "checkers/report/names.h"
#include "ir/cat.h"
#include "sim/machine/chosen.h"
#include "sim/machine/guide.h"

namespace tilesim::checkers::pairwise {
using report::DeclOf;
using report::Finding;
using report::HowToWait;
using report::MnemonicOf;
using report::NthOf;
using report::RoleOf;
using report::SpanOf;
using report::TileOf;
using report::WhoOf;
using run::Event;
using run::Log;

namespace {

constexpr ir::Code kCodes[] = {"race/raw", "race/war", "race/waw"};

ir::Code CodeOf(const Conflict& c) {
  if (!c.later.write) return "race/raw";
  if (c.earlier.write) return "race/waw";
  return "race/war";
}

// Whether it writes to the object of a tile, in whichever CTA.
bool Writes(const Event& e, const ir::TileValue& tile) {
  return std::any_of(e.effects().begin(), e.effects().end(),
                     [&](const ir::Effect& f) {
                       if (f.kind != ir::EffectKind::kWrite || f.operand < 0 ||
                           !e.concrete().is_tile(f.operand))
                         return false;
                       const ir::TileValue& t = e.concrete().tile(f.operand);
                       return t.decl == tile.decl && t.index == tile.index;
                     });
}

// The earlier one reads what nobody has written before: it is meant to read
// what the later one writes, and came too early.
bool ReadsTooEarly(const Log& log, const Conflict& c) {
  if (c.earlier.write || !c.later.write || c.place.space != ir::Space::kShared)
    return false;
  const ir::OperandValue& read =
      c.earlier_event(log).concrete().operands[c.earlier.operand];
  if (read.kind != ir::OperandValue::Kind::kTile) return false;
  return std::none_of(log.events.begin(), log.events.begin() + c.earlier.event,
                      [&](const Event& e) { return Writes(e, read.tile); });
}

// "is overwritten while wgmma.mma_async may still read it"
std::string Story(const Conflict& c, const Event& earlier) {
  std::string_view later = !c.later.write    ? "is read"
                           : c.earlier.write ? "is written"
                                             : "is overwritten";
  std::string_view verb = c.earlier.write ? "write" : "read";
  if (c.earlier.operation >= 0)
    return ir::Cat(later, " while ", MnemonicOf(earlier), " may still ", verb,
                   " it");
  return ir::Cat(later, " and nothing orders that after the ",
                 MnemonicOf(earlier), " that ", verb, "s it");
}

// Init and inval of one mbarrier: init/twice and init/after-inval tell of
// those.
bool OfOneBarrier(const Log& log, const Conflict& c) {
  auto operand = [&](const order::Access& a) -> const ir::OperandValue& {
    return log.events[a.event].concrete().operands[a.operand];
  };
  using Kind = ir::OperandValue::Kind;
  const ir::OperandValue &a = operand(c.earlier), &b = operand(c.later);
  return a.kind == Kind::kBarrier && b.kind == Kind::kBarrier &&
         a.barrier.index == b.barrier.index;
}

// Whether the op writes to memory what a tile of it has that all threads name.
bool CopiesATile(const Event& e) {
  // A product adds to what it writes, as often as it is executed.
  if (e.concrete().info().async != ir::AsyncUnit::kTma) return false;
  return std::any_of(
      e.effects().begin(), e.effects().end(), [&](const ir::Effect& f) {
        return f.kind == ir::EffectKind::kRead && f.Is(ir::kAccesses) &&
               f.proxy == ir::Proxy::kAsync &&
               e.concrete().is_tile(f.operand) &&
               e.concrete().tile(f.operand).space == ir::Space::kShared;
      });
}

// Of one op, executed by several threads: in compiled code that copies the same
// numbers several times.
std::string_view ByEachInPractice(const Log& log, const Conflict& c) {
  return log.code->guide != nullptr && log.code->guarded &&
                 CopiesATile(c.later_event(log))
             ? ", of the same numbers"
             : "";
}

// What of compiled code hardware has not been seen to mind
// (pipeline/practice.h), as the end of the message.
std::string_view InPractice(const Context& context, const Conflict& c) {
  const Log& log = context.log;
  const machine::Guide* guide = log.code->guide.get();
  if (guide == nullptr || !c.later.write) return "";
  const Event &a = c.earlier_event(log), &b = c.later_event(log);
  if (c.earlier.event == c.later.event) return ByEachInPractice(log, c);
  if (c.earlier.write)
    return a.op == b.op && guide->StoresSame(log.code->ops[a.op])
               ? ", of the same numbers"
               : "";
  const bool one_warp = a.cta == b.cta && a.threads().warps == 1 &&
                        b.threads().warps == 1 &&
                        a.threads().first_warp == b.threads().first_warp;
  if (one_warp && guide->IsShuffled(log.code->ops[a.op]))
    return ", but for the shfl.sync that its value goes through";
  // What lanes load of their own CTA's memory they have asked for in order.
  const bool own = c.earlier.operation < 0 && !c.earlier.atomic &&
                   c.place.space == ir::Space::kShared &&
                   c.place.owner == a.cta;
  // Lanes of one warp come together at a `.sync` op of it that writes.
  const auto synced = [&] {
    return c.lanes
               ? b.concrete().info().scope == ir::ExecScope::kWarp
               : Ordered(context.synced.At(c.later.event), c.earlier, c.later);
  };
  if (own && synced())
    return ", but for a .sync instruction that its warp has executed";
  return own && !c.lanes &&
                 Ordered(context.grouped.At(c.later.event), c.earlier, c.later)
             ? ", but for a wgmma that its warpgroup has executed"
             : "";
}

// An operation for each.
void ByEach(const Log& log, const Conflict& c, ir::Diagnostic& d) {
  const Event& e = c.later_event(log);
  d.message = ir::Cat("each of ", e.threads().threads(),
                      " threads has its own ", MnemonicOf(e), " write ",
                      TileOf(log, e, c.later.operand, c.place.owner),
                      ByEachInPractice(log, c));
  d.span = SpanOf(e);
  d.span_text = ir::Cat(WhoOf(log, e), ": issued here", NthOf(e));
  d.help = e.threads().electors == 0
               ? "let one thread issue it: elect"
               : "elect is one lane of each warp that comes; one thread of all "
                 "of them is `elect one`, or one warp's `warp 0, elect`";
}

// Read before it is written.
void TooEarly(const Log& log, const Conflict& c, ir::Diagnostic& d) {
  const Event &a = c.earlier_event(log), &b = c.later_event(log);
  std::string tile = TileOf(log, a, c.earlier.operand, c.place.owner);
  d.message = ir::Cat(tile, " is read, and nothing orders that after the ",
                      MnemonicOf(b), " that writes it");
  d.span = SpanOf(a);
  d.span_text = ir::Cat(WhoOf(log, a), ": read here", NthOf(a));
  d.labels.push_back({SpanOf(b), ir::Cat(WhoOf(log, b), ": ", MnemonicOf(b),
                                         " writes it", NthOf(b))});
  d.help = HowToWait(b, true);
}

// One warp, whose lanes touch each other's bytes.
void ByLanes(const Log& log, const Conflict& c, const std::string& tile,
             std::string_view practice, ir::Diagnostic& d) {
  const Event &a = c.earlier_event(log), &b = c.later_event(log);
  std::string_view later = c.later.write ? "writes" : "reads";
  std::string_view earlier = c.earlier.write ? "written" : "read";
  d.message = ir::Cat("a lane ", later, " bytes of ", tile,
                      " that another lane of its warp has ", earlier,
                      ", and nothing orders the two lanes", practice);
  d.span = SpanOf(b);
  d.span_text = ir::Cat(WhoOf(log, b), ": ", c.later.write ? "written" : "read",
                        " here", NthOf(b));
  d.labels.push_back(
      {SpanOf(a), ir::Cat(WhoOf(log, a), ": ", earlier, " here", NthOf(a))});
  d.help =
      "put bar.warp.sync between them: lanes of a warp keep no order among "
      "each other";
}

// Whether there are data for which both are executed. Where it is not shown,
// the guide tells.
bool MayBoth(const Log& log, const Conflict& c) {
  using Chosen = machine::Chosen;
  const auto* chosen = dynamic_cast<const Chosen*>(log.code->guide.get());
  if (chosen == nullptr) return true;
  const Event &a = c.earlier_event(log), &b = c.later_event(log);
  const ir::ThreadSet &x = a.threads(), &y = b.threads();
  const bool warp =
      x.warps == 1 && y.warps == 1 && x.first_warp == y.first_warp;
  const auto apart = a.cta != b.cta ? Chosen::Apart::kCtas
                     : warp         ? Chosen::Apart::kLanes
                                    : Chosen::Apart::kWarps;
  return chosen->Together(log.code->ops[a.op], log.code->ops[b.op], apart) ==
         Chosen::Both::kMay;
}

std::string_view ScopeOfBoth(const Event& a, const Event& b) {
  return a.cluster == b.cluster ? ".cluster or .gpu" : ".gpu";
}

std::string_view HowToOrder(const Conflict& c, const Event& a, const Event& b) {
  if (c.earlier.write && c.later.write && c.place.space == ir::Space::kGlobal &&
      c.earlier.operation >= 0)
    return "both store there: each to a place of its own; if one is meant to "
           "be written over the other, wait for the first (bulk.commit_group, "
           "bulk.wait_group) and put a barrier between the two";
  const bool alike = c.earlier.write && c.later.write && a.op == b.op &&
                     a.cta == b.cta && c.earlier.operation < 0;
  if (alike)
    return "one op writes both: let its place depend on what differs between "
           "the two (the warp, the iteration), or put a barrier between them";
  if (c.earlier.operation >= 0 || a.cta == b.cta)
    return HowToWait(a, c.earlier.write);
  return a.cluster == b.cluster
             ? "put a barrier of the cluster, or an mbarrier arrive and wait "
               "of .cluster scope, between the two"
             : "nothing that the second has waited for comes behind the first: "
               "let the first count or set a flag behind it, and the second "
               "wait for that word, until it is as many as count, with "
               "barriers between the threads that do so and the others";
}

// Of the address of an allocation: others tell.
bool OfAnAddress(const Conflict& c) {
  return (c.earlier.address_of >= 0 && !c.earlier.write) ||
         (c.later.address_of >= 0 && !c.later.write) || ReadsUnpublished(c);
}

// Equal for conflicts that are told once.
std::string SameOf(const Log& log, const Conflict& c) {
  const Event &a = c.earlier_event(log), &b = c.later_event(log);
  return ir::Cat(DeclOf(log, a, c.earlier.operand), " ",
                 DeclOf(log, b, c.later.operand), " ", MnemonicOf(a), " ",
                 MnemonicOf(b), " ", RoleOf(log, a), " ", RoleOf(log, b));
}

// Two atomics that are none for each other.
void NoAtomics(const Log& log, const Conflict& c, ir::Diagnostic& d) {
  if (c.earlier.proxy != c.later.proxy) {
    d.notes.push_back(
        "one is of the async proxy, the other of the generic proxy: they are "
        "no atomics for each other (PTX 8.7, morally strong)");
    d.help =
        "let all reductions of a place be of one proxy, or put them in order "
        "with a proxy fence between";
  } else if (!order::OfOneSize(log, c.earlier, c.later)) {
    d.notes.push_back(
        "they are of different sizes and overlap in part: a mixed-size race "
        "(PTX 8.7.2)");
    d.help = "let all strong accesses of a word be of one size";
  } else {
    d.help = ir::Cat(
        "atomics of a narrower scope are none for each other: give both a "
        "scope that has both CTAs, ",
        ScopeOfBoth(c.earlier_event(log), c.later_event(log)));
  }
}

bool LacksScope(const Context& context, const Conflict& c, ir::Diagnostic& d) {
  if (!Ordered(context.any_scope.At(c.later.event), c.earlier, c.later))
    return false;
  d.notes.push_back(
      "a synchronisation between them is of a scope that does not hold both");
  d.help = ir::Cat(
      "give the arrival and the wait, the write and the read of the "
      "flag, and fences, a scope that holds both: ",
      ScopeOfBoth(c.earlier_event(context.log), c.later_event(context.log)));
  return true;
}

// The signal is there, and says nothing of other accesses.
bool LacksSem(const Context& context, const Conflict& c, ir::Diagnostic& d) {
  if (!Ordered(context.any_sem.At(c.later.event), c.earlier, c.later))
    return false;
  d.notes.push_back(
      "a synchronisation between them is relaxed, and so orders no other "
      "access");
  d.help =
      "make what is written or arrived at a release, and what reads or waits "
      "for it an acquire (mbarrier ops are, where no `.relaxed` is written)";
  return true;
}

}  // namespace

std::span<const ir::Code> Race::codes() const { return kCodes; }

void Race::OnConflict(const Context& context, const Conflict& c) {
  if (c.ordered || OfAnAddress(c)) return;
  const Log& log = context.log;
  if (OfOneBarrier(log, c) || !MayBoth(log, c)) return;
  const Event &a = c.earlier_event(log), &b = c.later_event(log);
  std::string of_a = TileOf(log, a, c.earlier.operand, c.place.owner);
  std::string of_b = TileOf(log, b, c.later.operand, c.place.owner);
  std::string same = SameOf(log, c);
  if (c.lanes) {
    const std::string_view practice =
        c.earlier.write ? "" : InPractice(context, c);
    same += practice;
    OfLanes& lanes = of_lanes_.emplace_back(CodeOf(c), same, ir::Diagnostic());
    lanes.diagnostic.code = lanes.code;
    return ByLanes(log, c, of_a, practice, lanes.diagnostic);
  }
  bool early = ReadsTooEarly(log, c);
  const ir::Code code = early ? "race/raw" : CodeOf(c);
  // What is a warning in practice does not stand for what is none.
  std::string_view practice = early ? "" : InPractice(context, c);
  const bool compiled = log.code->guide != nullptr;
  if (compiled && c.earlier.event != c.later.event && unread_.Has(context, c))
    practice = ", and nobody reads what comes of it";
  same += practice;
  const Event &told = early ? a : b, &other = early ? b : a;
  Finding* found =
      context.findings.AddAt(code, same, {SpanOf(told), SpanOf(other)});
  Note(context, c, ir::Cat(code.name(), " ", same), found);
  if (found == nullptr) return;
  ir::Diagnostic& d = found->diagnostic;
  found->lack = {a.op, b.op, false};
  if (c.earlier.event == c.later.event) return ByEach(log, c, d);
  if (early) return TooEarly(log, c, d);
  d.message = ir::Cat(of_a, " ", Story(c, a), practice);
  d.span = SpanOf(b);
  d.span_text = ir::Cat(WhoOf(log, b), c.later.write ? ": written" : ": read",
                        " here", of_a == of_b ? "" : " through ",
                        of_a == of_b ? "" : of_b, NthOf(b));
  std::string_view does = c.earlier.write ? "writing " : "reading ";
  std::string text = ir::Cat(WhoOf(log, a), ": ", MnemonicOf(a));
  ir::Append(&text, c.earlier.operation >= 0 ? " issued here, still " : " ",
             does, of_a, NthOf(a));
  d.labels.push_back({SpanOf(a), std::move(text)});
  PointAtEmptyCommit(log, c.earlier.event, c.later.event, d);
  if (c.earlier.atomic && c.later.atomic) return NoAtomics(log, c, d);
  if (LacksScope(context, c, d) || LacksSem(context, c, d)) return;
  d.help = HowToOrder(c, a, b);
}

void Race::Note(const Context& context, const Conflict& c,
                const std::string& same, Finding* found) {
  const Log& log = context.log;
  if (!log.code->guarded) return;
  Places& places = places_[same];
  if (places.finding == nullptr) places.finding = found;  // it stands for all
  const std::pair lines = {SpanOf(c.later_event(log)).text_line(),
                           SpanOf(c.earlier_event(log)).text_line()};
  if (std::find(places.lines.begin(), places.lines.end(), lines) ==
      places.lines.end())
    places.lines.push_back(lines);
}

void Race::OnEnd(const Context& context) {
  constexpr size_t kTold = 4;
  for (auto& [same, places] : places_) {
    if (places.finding == nullptr || places.lines.size() < 2) continue;
    std::string others;
    for (size_t i = 1; i < std::min(places.lines.size(), kTold + 1); ++i)
      ir::Append(&others, i == 1 ? "" : ", ", places.lines[i].first, " and ",
                 places.lines[i].second);
    if (places.lines.size() > kTold + 1)
      ir::Append(&others, ", and ", places.lines.size() - kTold - 1, " more");
    places.finding->diagnostic.notes.push_back(
        ir::Cat("the same between lines ", others));
  }
  for (OfLanes& lanes : of_lanes_) {
    const ir::Diagnostic& d = lanes.diagnostic;
    Finding* found = context.findings.AddAt(lanes.code, lanes.same,
                                            {d.span, d.labels.front().span});
    if (found != nullptr) found->diagnostic = std::move(lanes.diagnostic);
  }
}

}  // namespace tilesim::checkers::pairwise
