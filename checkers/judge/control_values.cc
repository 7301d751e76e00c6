#include "checkers/judge/control_values.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "checkers/judge/fenced_words.h"
#include "checkers/order/access.h"
#include "checkers/order/late_order.h"
#include "checkers/pairwise/lanes.h"
#include "checkers/run/control_memory.h"
#include "ir/cat.h"
#include "sim/machine/guide.h"
#include "sim/machine/known_loads.h"

namespace tilesim::checkers::judge {
using footprint::Footprints;
using footprint::Fragments;
using footprint::Interval;
using footprint::IntervalSet;
using footprint::Place;
using order::Access;
using order::Accesses;
using order::AccessesOf;
using order::Agents;
using order::Mark;
using order::Order;
using run::Event;
using run::Flags;
using run::Log;
using run::WrittenOf;

namespace {

using ir::EffectKind;

// Stands for the clusters that cluster launch control hands out.
constexpr int32_t kGridQueue = -1;

bool Has(const Event& e, EffectKind kind) {
  return std::any_of(e.effects().begin(), e.effects().end(),
                     [=](const ir::Effect& f) { return f.kind == kind; });
}

int32_t LineOf(const Log& log, int32_t event) {
  const Event& e = log.events[event];
  return log.code->ops[e.op].op->span.line;
}

bool ReturnsValue(const Event& e) {
  const auto& operands = e.concrete().info().operands;
  return std::any_of(operands.begin(), operands.end(), [](const auto& o) {
    return (o.types & ir::kTakesVar) != 0;
  });
}

class Values {
 public:
  Values(const Log& log, Order::Kind kind, Fragments& fragments)
      : log_(log),
        agents_(log),
        order_(log, agents_, kind),
        enforced_(log, agents_, Order::Kind::kEnforced),
        footprints_(*log.code, fragments),
        lanes_(log, footprints_) {
    std::string others = OpenWords(log_);
    if (!others.empty()) unknown_.push_back(others);
    for (size_t i = 0; i < log_.events.size(); ++i) {
      order_.Begin(log_.events[i]);
      order_.Finish(log_.events[i]);
      Look(static_cast<int32_t>(i));
    }
  }

  // Words that are accessed in any order, what that means, and where one is.
  struct AnyOrder {
    std::string why;
    int32_t line = 0;
  };
  using Unordered = std::map<std::pair<Place, int64_t>, AnyOrder>;

  const Unordered& unordered() const { return unordered_; }
  // Values that nothing in this run determines.
  const std::vector<std::string>& unknown() const { return unknown_; }

 private:
  const std::string& Name(int32_t decl) const {
    return log_.code->kernel().decls[decl].name;
  }

  void Look(int32_t event) {
    const Event& e = log_.events[event];
    if (e.kind != Event::Kind::kOp) return;
    Accesses all;
    if (Decides(log_.code->ops[e.op])) {
      all = AccessesOf(order_, event, footprints_);
      std::erase_if(all, [](const auto& item) {
        ir::Space space = item.first.space;
        return space != ir::Space::kGlobal && space != ir::Space::kShared;
      });
    }
    if (Has(e, EffectKind::kClcCancel))
      all.emplace_back(Place{ir::Space::kGlobal, kGridQueue}, Request(event));
    // An event's accesses are compared with those of others, and of its lanes.
    for (const auto& [place, access] : all) {
      if (access.write && ReturnsValue(e) && e.threads().threads() > 1)
        Tell(place, access.bytes.intervals()[0].begin, access);
      Compare(place, access);
    }
    for (auto& [place, access] : all) Keep(place, std::move(access));
  }

  bool Decides(const machine::CompiledOp& op) const {
    const auto* loads =
        dynamic_cast<const machine::KnownLoads*>(log_.code->guide.get());
    return op.control && (loads == nullptr || !loads->IsNeverKnown(op));
  }

  Access Request(int32_t event) const {
    Access a;
    a.event = event;
    a.write = true;
    for (int32_t agent : agents_.Of(log_.events[event]))
      a.marks.push_back(order_.mark(agent));
    a.bytes = IntervalSet({{0, 1}});
    return a;
  }

  void Compare(const Place& place, const Access& later) {
    for (const Access& earlier : history_[place]) {
      // The bytes first, as they tell most of a long history apart.
      if ((!earlier.write && !later.write) ||
          !earlier.bytes.Overlaps(later.bytes) || Commute(earlier, later) ||
          Same(earlier, later) || InOrder(place, earlier, later))
        continue;
      return Tell(place, earlier.bytes.FirstCommon(later.bytes), later);
    }
    // Of shared memory, what is there at first is anything.
    bool reads = !later.write && place.space == ir::Space::kShared;
    if (!reads) return;
    IntervalSet unknown = later.bytes;
    unknown.Subtract(written_[place]);
    if (!unknown.empty())
      unknown_.push_back(ir::Cat("control depends on ", NameOf(later),
                                 ", to which nothing was written"));
  }

  // Of lanes of one warp as well, which have no order among themselves.
  bool InOrder(const Place& place, const Access& earlier, const Access& later) {
    if (IsAllocatedBefore(earlier, later)) return true;
    return Ordered(order_, earlier, later) &&
           !lanes_.Race(order_, place, earlier, later);
  }

  // Whether it reads an address of tensor memory of which tmem/unpublished
  // tells, in compiled code, that it comes later and that nothing hands it
  // over.
  bool IsAllocatedBefore(const Access& earlier, const Access& later) {
    if (log_.code->guide == nullptr || later.write || later.operation >= 0 ||
        !Has(log_.events[earlier.event], EffectKind::kTmemAlloc))
      return false;
    const Order& enforced = enforced_.At(later.event);
    return std::all_of(later.marks.begin(), later.marks.end(), [&](Mark by) {
      return std::all_of(
          earlier.marks.begin(), earlier.marks.end(),
          [&](Mark m) { return enforced.clock(by.agent).Knows(m); });
    });
  }

  // One op stores the same numbers, whoever comes last.
  bool Same(const Access& a, const Access& b) const {
    const Event &x = log_.events[a.event], &y = log_.events[b.event];
    const machine::Guide* guide = log_.code->guide.get();
    return guide != nullptr && a.write && b.write && x.op == y.op &&
           guide->StoresSame(log_.code->ops[x.op]);
  }

  // Reductions whose result nobody gets.
  bool Commute(const Access& a, const Access& b) const {
    const Event &x = log_.events[a.event], &y = log_.events[b.event];
    return a.atomic && b.atomic && !ReturnsValue(x) && !ReturnsValue(y) &&
           x.concrete().info().mnemonic == y.concrete().info().mnemonic &&
           Has(x, EffectKind::kRead) && Has(y, EffectKind::kRead);
  }

  void Tell(const Place& place, int64_t byte, const Access& a) {
    bool requests =
        place.space == ir::Space::kGlobal && place.owner == kGridQueue;
    std::string why =
        requests ? "requests of cluster launch control come in any order"
                 : ir::Cat("control may depend on values of ", NameOf(a),
                           ", which are read and written in any order");
    unordered_.try_emplace({place, byte},
                           AnyOrder{std::move(why), LineOf(log_, a.event)});
  }

  std::string NameOf(const Access& a) const {
    const Event& e = log_.events[a.event];
    return ir::Cat("`", Name(e.concrete().tile(a.operand).decl), "`");
  }

  void Keep(const Place& place, Access access) {
    if (access.write) Written(place, access.bytes);
    std::vector<Access>& all = history_[place];
    // The same threads again: what is ordered after this is after that.
    std::erase_if(all, [&](const Access& a) {
      return a.operation < 0 && access.operation < 0 &&
             a.write == access.write && a.bytes == access.bytes &&
             a.atomic == access.atomic &&
             log_.events[a.event].op == log_.events[access.event].op &&
             std::equal(a.marks.begin(), a.marks.end(), access.marks.begin(),
                        access.marks.end(),
                        [](Mark x, Mark y) { return x.agent == y.agent; });
    });
    all.push_back(std::move(access));
  }

  void Written(const Place& place, const IntervalSet& bytes) {
    std::vector<Interval> all = written_[place].intervals();
    all.insert(all.end(), bytes.intervals().begin(), bytes.intervals().end());
    written_[place] = IntervalSet(std::move(all));
  }

  const Log& log_;
  Agents agents_;
  Order order_;
  order::LateOrder enforced_;
  Footprints footprints_;
  pairwise::Lanes lanes_;
  std::map<Place, std::vector<Access>> history_;
  std::map<Place, IntervalSet> written_;
  Unordered unordered_;
  std::vector<std::string> unknown_;
};

bool MemoryDecides(const Log& log) {
  const auto& ops = log.code->ops;
  return std::any_of(ops.begin(), ops.end(),
                     [](const auto& op) { return op.control; });
}

}  // namespace

std::vector<std::string> OpenValues(const Log& log, Fragments& fragments) {
  if (!MemoryDecides(log)) return {};
  Values values(log, Order::Kind::kNoFlags, fragments);
  std::vector<std::string> out = values.unknown();
  for (const auto& [word, any] : values.unordered()) out.push_back(any.why);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

namespace {

// Whether the run was made with whatever others may have written there.
bool Given(const Log& log, int32_t decl) {
  return (log.ticket && log.ticket->word.decl == decl) ||
         std::any_of(log.flags.begin(), log.flags.end(),
                     [=](const Flags& f) { return f.decl == decl; });
}

}  // namespace

std::string OpenWords(const Log& log) {
  const machine::Code& code = *log.code;
  if (log.ctas == code.bound.ctas()) return "";
  for (int32_t decl : WrittenOf(code)) {
    if (Given(log, decl)) continue;
    if (code.bound.decls[decl].space == ir::Space::kGlobal)
      return ir::Cat("control may depend on values of `",
                     code.kernel().decls[decl].name,
                     "`, which other clusters write");
  }
  return "";
}

std::vector<std::string> AddPolled(const Log& log, Fragments& fragments,
                                   Polled& polled) {
  for (size_t i = 0; i < log.events.size(); ++i) {
    const Event& e = log.events[i];
    for (const ir::Effect& f : e.effects()) {
      if (f.kind != EffectKind::kTest) continue;
      polled.in_order = false;
      polled.words.try_emplace({{ir::Space::kMbarrier, e.cta},
                                e.concrete().barrier(f.operand).index},
                               LineOf(log, static_cast<int32_t>(i)));
    }
  }
  if (!MemoryDecides(log)) return {};
  Values values(log, Order::Kind::kMemory, fragments);
  for (const auto& [word, any] : values.unordered())
    polled.words.try_emplace(word, any.line);
  polled.in_order = polled.in_order && FencesKeepWordsInOrder(log);
  return values.unknown();
}

std::string MissedOutcomes(const Polled& polled) {
  if (polled.words.size() < 2 || polled.in_order) return "";
  std::set<int32_t> lines;
  for (const auto& [word, line] : polled.words) lines.insert(line);
  std::string where;
  for (int32_t line : lines)
    ir::Append(&where, where.empty() ? "" : ", ", line);
  return ir::Cat(
      "several words are read while they may be written: what weak "
      "memory makes of that was not searched (line",
      lines.size() == 1 ? " " : "s ", where, ")");
}

}  // namespace tilesim::checkers::judge
