#include "checkers/sizes/partition/counted_down.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "checkers/sizes/partition/expressions.h"
#include "checkers/sizes/partition/launch_values.h"
#include "checkers/sizes/partition/next_trip.h"
#include "ir/cat.h"
#include "ir/walk.h"

namespace tilesim::checkers::sizes::partition {
using ir::Block;
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::Stmt;

namespace {

class Counting {
 public:
  Counting(const ir::Overrides& defines, ir::Kernel& kernel)
      : kernel_(kernel), values_(defines, {}, kernel) {}

  bool Run() {
    bool any = false;
    values_.Walk(kernel_.body, [&](Stmt& s, const LaunchValues::Known& begins) {
      if (s.kind == Stmt::Kind::kWhile) any |= While(s, begins);
    });
    if (any) kernel_.items.clear();  // they count statements
    return any;
  }

 private:
  // var v = begin; while v > end { ... v = v - step ... }
  bool While(Stmt& s, const LaunchValues::Known& begins) {
    if (Continues(s.body)) return false;
    for (const auto& [slot, begin] : begins) {
      const auto goes_on = values_.Written(s.value, slot);
      const auto step = goes_on ? StepOf(s.body, slot) : std::nullopt;
      auto trips = step ? Trips(Direct(*goes_on), begin, *step) : std::nullopt;
      if (!trips) continue;
      std::string name = ir::Cat("trip#", s.span.text_line());
      s.kind = Stmt::Kind::kFor;
      s.low = Expr::Int(0, s.span);
      s.high = *std::move(trips);
      s.step.reset();
      s.value = Expr();
      s.slot = kernel_.slots++;
      kernel_.slot_names.push_back(name);
      s.name = std::move(name);
      return true;
    }
    return false;
  }

  // The only statement that assigns the variable takes as much from it in every
  // iteration.
  std::optional<Expr> StepOf(const Block& body, int32_t slot) const {
    std::optional<Expr> out;
    for (const Stmt& s : body) {
      if (!Assigns(s, slot)) continue;
      const Expr& e = s.value;
      const bool takes = s.kind == Stmt::Kind::kAssign &&
                         e.kind == ExprKind::kBinary && e.op == ExprOp::kSub &&
                         ir::SlotOf(e.args[0]) == slot;
      if (out || !takes || !values_.positive().Is(e.args[1]))
        return std::nullopt;
      out = values_.Written(e.args[1]);
      if (!out) return std::nullopt;
    }
    return out;
  }

  // How often the comparison holds of begin, begin - step ...: 0 times where
  // this is not positive. docs/all_sizes.md 3.10.
  std::optional<Expr> Trips(const Expr& e, const Expr& begin,
                            const Expr& step) const {
    if (e.kind != ExprKind::kBinary || e.args[0].slot != kCounter ||
        Mentions(e.args[1], kCounter))
      return std::nullopt;
    const Expr& end = e.args[1];
    const bool down_to_0 = e.op == ExprOp::kNe && end.is_int(0) &&
                           step.is_int(1) &&
                           values_.positive().IsNatural(begin);
    if (e.op != ExprOp::kGt && e.op != ExprOp::kGe && !down_to_0)
      return std::nullopt;
    Expr span = end.is_int(0) ? begin : Binary(ExprOp::kSub, begin, end);
    if (e.op == ExprOp::kGe) span = Binary(ExprOp::kAdd, std::move(span), 1);
    if (step.is_int(1)) return span;
    Expr out;
    out.kind = ExprKind::kCall;
    out.name = "cdiv";
    out.span = span.span;
    out.args = {std::move(span), step};
    return out;
  }

  ir::Kernel& kernel_;
  LaunchValues values_;
};

}  // namespace

bool CountUp(const ir::Overrides& defines, ir::Kernel& kernel) {
  return Counting(defines, kernel).Run();
}

}  // namespace tilesim::checkers::sizes::partition
