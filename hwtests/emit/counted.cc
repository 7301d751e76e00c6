#include "hwtests/emit/counted.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "ir/walk.h"

namespace tilesim::hwtests {
namespace {

using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::IsBinary;
using ir::Stmt;

bool IsSlot(const Expr& e, int32_t slot) {
  return e.kind == ExprKind::kName && NamesScalar(e, slot);
}

bool Continues(const ir::Block& block) {
  return std::any_of(block.begin(), block.end(), [](const Stmt& s) {
    return s.kind == Stmt::Kind::kContinue || Continues(s.body) ||
           Continues(s.orelse);
  });
}

// What is at most `slot` in a condition that holds: `slot < bound`.
struct UpperBound {
  int32_t slot = -1;
  const Expr* bound = nullptr;
  bool strict = false;
};

void AddBelow(const Expr& e, std::vector<UpperBound>& out) {
  if (IsBinary(e, ExprOp::kAnd)) {
    for (const Expr& arg : e.args) AddBelow(arg, out);
    return;
  }
  const bool less = IsBinary(e, ExprOp::kLt) || IsBinary(e, ExprOp::kLe);
  const bool more = IsBinary(e, ExprOp::kGt) || IsBinary(e, ExprOp::kGe);
  if (!less && !more) return;
  const Expr &small = e.args[less ? 0 : 1], &large = e.args[less ? 1 : 0];
  if (small.kind == ExprKind::kName && small.slot >= 0 &&
      small.name_kind != ir::NameKind::kBuiltin &&
      !NamesScalar(large, small.slot))
    out.push_back({small.slot, &large,
                   IsBinary(e, ExprOp::kLt) || IsBinary(e, ExprOp::kGt)});
}

std::vector<UpperBound> BelowIn(const Stmt& loop) {
  std::vector<UpperBound> out;
  if (loop.kind == Stmt::Kind::kWhile) AddBelow(loop.value, out);
  return out;
}

class Counting {
 public:
  Counting(int32_t slot, const Settings& settings, const RangeFn& range)
      : slot_(slot), settings_(settings), range_(range) {}

  std::optional<Range> Run() {
    for (const Setting& s : settings_.at(slot_)) {
      if (!Add(*s.value, s)) return std::nullopt;
    }
    if (!base_ || (mirror_ && !steps_.empty())) return std::nullopt;
    if (mirror_)
      base_ = Range{std::min(base_->low, mirror_->low - base_->high),
                    std::max(base_->high, mirror_->high - base_->low)};
    if (flips_ && base_->low < 0) return std::nullopt;
    if (flips_)
      base_->high = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(
                        std::max(base_->high, *flips_) + 1))) -
                    1;
    return Steps();
  }

 private:
  struct Step {
    Range by;
    bool literal = false;
    const Setting* at = nullptr;
  };

  bool AddBase(const std::optional<Range>& r) {
    if (!r) return false;
    if (!base_) base_ = *r;
    base_->low = std::min(base_->low, r->low);
    base_->high = std::max(base_->high, r->high);
    return true;
  }

  bool AddStep(const Expr& by, bool down, const Setting& at) {
    if (NamesScalar(by, slot_)) return false;
    std::optional<Range> r = range_(by);
    if (!r) return false;
    if (down) r = Range{-r->high, -r->low};
    steps_.push_back({*r, by.kind == ExprKind::kInt, &at});
    return true;
  }

  // False: it is set to something that is not followed.
  bool Add(const Expr& e, const Setting& at) {
    if (!NamesScalar(e, slot_)) return AddBase(range_(e));
    if (IsSlot(e, slot_)) return true;
    if (e.kind == ExprKind::kSelect)
      return Add(e.args[1], at) && Add(e.args[2], at);
    if (IsBinary(e, ExprOp::kAdd) && IsSlot(e.args[0], slot_))
      return AddStep(e.args[1], false, at);
    if (IsBinary(e, ExprOp::kAdd) && IsSlot(e.args[1], slot_))
      return AddStep(e.args[0], false, at);
    if (IsBinary(e, ExprOp::kSub) && IsSlot(e.args[0], slot_))
      return AddStep(e.args[1], true, at);
    if (IsBinary(e, ExprOp::kBitXor) && IsSlot(e.args[0], slot_))
      return AddFlip(e.args[1]);
    if (IsBinary(e, ExprOp::kSub) && IsSlot(e.args[1], slot_) && !mirror_ &&
        e.args[0].kind == ExprKind::kInt) {
      mirror_ = range_(e.args[0]);
      return true;
    }
    return AddBase(range_(e));  // of a remainder it is known all the same
  }

  bool AddFlip(const Expr& by) {
    std::optional<Range> r = NamesScalar(by, slot_) ? std::nullopt : range_(by);
    if (!r || r->low < 0 || r->high >= kFar) return false;
    flips_ = std::max(flips_.value_or(0), r->high);
    return true;
  }

  std::optional<Range> Steps() {
    Wide up = 0, down = 0;
    Range out = *base_;
    for (const Step& s : steps_) {
      if (const Stmt* loop = BoundedBy(s); loop != nullptr && s.by.low >= 0) {
        std::optional<Wide> most = MostIn(*loop);
        if (!most) return std::nullopt;
        out.high = std::max(out.high, CutOff(*most));
        continue;
      }
      std::optional<Wide> times = Times(s, 0);
      const bool small =
          s.literal && std::max(s.by.high, -s.by.low) <= kSmallStep;
      if (!times && small) times = kManySteps;
      if (!times) return std::nullopt;
      up += *times * std::max<int64_t>(s.by.high, 0);
      down += *times * std::min<int64_t>(s.by.low, 0);
    }
    return Range{CutOff(out.low + down), CutOff(out.high + up)};
  }

  // The outermost loop around it that ends where the scalar is too large.
  const Stmt* BoundedBy(const Step& step) const {
    for (const Stmt* loop : step.at->loops) {
      for (const UpperBound& b : BelowIn(*loop)) {
        if (b.slot == slot_ && range_(*b.bound)) return loop;
      }
    }
    return nullptr;
  }

  // Its condition held, and then all of one iteration was added.
  std::optional<Wide> MostIn(const Stmt& loop) const {
    std::optional<Wide> most;
    for (const UpperBound& b : BelowIn(loop)) {
      std::optional<Range> bound =
          b.slot == slot_ ? range_(*b.bound) : std::nullopt;
      if (!bound) continue;
      Wide m = Wide{bound->high} - (b.strict ? 1 : 0);
      most = most ? std::min(*most, m) : m;
    }
    for (const Step& s : steps_) {
      const auto& loops = s.at->loops;
      auto at = std::find(loops.begin(), loops.end(), &loop);
      if (at == loops.end()) continue;
      std::optional<Wide> times =
          Times(s, static_cast<size_t>(at - loops.begin()) + 1);
      if (!times) return std::nullopt;
      *most += *times * std::max<int64_t>(s.by.high, 0);
    }
    return most;
  }

  // How often it is executed, of the loops around it from one on.
  std::optional<Wide> Times(const Step& step, size_t from) const {
    Wide times = 1;
    for (size_t i = from; i < step.at->loops.size(); ++i) {
      std::optional<Wide> trips = TripsOf(*step.at->loops[i]);
      if (!trips) return std::nullopt;
      times = std::min<Wide>(times * *trips, kFar);
    }
    return times;
  }

  std::optional<Wide> TripsOf(const Stmt& loop) const {
    if (loop.kind == Stmt::Kind::kWhile) return TripsOfWhile(loop);
    std::optional<Range> low = range_(loop.low), high = range_(loop.high);
    std::optional<Range> step =
        loop.step ? range_(*loop.step) : std::optional(Range{1, 1});
    // One that does not count up ends where its body leaves it.
    if (!low || !high || !step || step->low < 1) return std::nullopt;
    const Wide by = step->low;
    return std::max<Wide>((Wide{high->high} - low->low + by - 1) / by, 0);
  }

  // Each iteration brings another scalar nearer to where the loop ends.
  std::optional<Wide> TripsOfWhile(const Stmt& loop) const {
    if (Continues(loop.body)) return std::nullopt;
    for (const UpperBound& b : BelowIn(loop)) {
      std::optional<Range> bound = range_(*b.bound);
      auto settings = settings_.find(b.slot);
      if (!bound || b.slot == slot_ || settings == settings_.end()) continue;
      if (auto trips = TripsTo(bound->high, loop, b.slot, settings->second))
        return trips;
    }
    return std::nullopt;
  }

  std::optional<Wide> TripsTo(int64_t end, const Stmt& loop, int32_t slot,
                              const std::vector<Setting>& settings) const {
    std::optional<int64_t> first, by;
    for (const Setting& s : settings) {
      if (!NamesScalar(*s.value, slot)) {
        std::optional<Range> r = range_(*s.value);
        if (!r ||
            std::find(s.loops.begin(), s.loops.end(), &loop) != s.loops.end())
          return std::nullopt;
        first = std::min(first.value_or(r->low), r->low);
        continue;
      }
      if (!IsBinary(*s.value, ExprOp::kAdd) || !IsSlot(s.value->args[0], slot))
        return std::nullopt;
      std::optional<Range> r = range_(s.value->args[1]);
      if (!r || r->low < 0) return std::nullopt;
      const bool here = !s.loops.empty() && s.loops.back() == &loop;
      if (here && !s.sometimes && r->low > 0)
        by = std::max(by.value_or(0), r->low);
    }
    if (!first || !by) return std::nullopt;
    return std::max<Wide>((Wide{end} - *first) / *by + 1, 0);
  }

  int32_t slot_;
  const Settings& settings_;
  const RangeFn& range_;
  std::optional<Range> base_;     // what it is set to
  std::optional<int64_t> flips_;  // the highest number it is flipped by
  std::optional<Range> mirror_;   // the number it is subtracted from
  std::vector<Step> steps_;
};

}  // namespace

int64_t CutOff(Wide v) {
  return static_cast<int64_t>(std::clamp<Wide>(v, -kFar, kFar));
}

bool NamesScalar(const Expr& e, int32_t slot) {
  if (slot >= 0 && ir::SlotOf(e) == slot) return true;
  return std::any_of(e.args.begin(), e.args.end(),
                     [=](const Expr& arg) { return NamesScalar(arg, slot); });
}

std::optional<Range> CountedRange(int32_t slot, const Settings& settings,
                                  const RangeFn& range) {
  return Counting(slot, settings, range).Run();
}

}  // namespace tilesim::hwtests
