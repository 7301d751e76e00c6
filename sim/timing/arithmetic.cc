#include "sim/timing/arithmetic.h"

#include <algorithm>
#include <cmath>

#include "ir/ops/all.h"
#include "sim/timing/extents.h"

namespace tilesim::timing {

namespace ops = ir::ops;
using By = WarpPipe::By;

bool Beside(const CostContext& c) { return c.sm.tensor.free() > c.now; }

namespace {

// Cycles of `count` instructions' elements, of which a pipe takes `lanes` a
// cycle and SM, or `beside` as long as the tensor core is busy with what it has
// now.
double TimeOf(const CostContext& c, double count, double lanes, double beside) {
  const double slow = count / beside;
  const double busy = std::max(0.0, c.sm.tensor.free() - c.now) *
                      std::min(1.0, c.warps() / kSubCores);
  return busy >= slow ? slow : busy + count / lanes * (1 - busy / slow);
}

}  // namespace

SubCores::Work Use(const CostContext& c, SubCores& pipe, double time, By by) {
  return pipe.Ask(c.now, time, c.op.threads.first_warp, c.warps(), c.slot, by);
}

double HalfTime(const CostContext& c, double count) {
  return TimeOf(c, count, c.arch.alu_half_lanes, c.arch.alu_half_lanes_tensor);
}

namespace {

constexpr int kResult = ops::Mov::kDst;  // of all of them
constexpr int kWide = 32;                // bits that are computed with

double MufuTime(const CostContext& c, double count) {
  return TimeOf(c, count, c.arch.mufu_lanes, c.arch.mufu_lanes_tensor);
}

// The pipe that FP32 has goes as fast as a sub-core issues. `time` of it.
SubCores::Work Issue(const CostContext& c, double time, bool fp32, By by) {
  if (fp32) c.sm.fp32 += time;
  if (fp32 && Beside(c)) c.sm.tensor.Delay(time * c.arch.alu_tensor);
  return Use(c, c.sm.issue, time, by);
}

// Elements of a register tile that fall to the threads, as instructions see
// them: a one-column tile is held by every lane of its rows.
double ElementsOf(const CostContext& c, int operand) {
  const ir::TileValue& t = c.op.tile(operand);
  double elements = static_cast<double>(t.elements());
  if (t.cols() == 1) elements *= c.bound.decls[t.decl].fragment.lanes_per_row();
  return elements * c.Share(operand);
}

// Where an op is executed, and for how long: null for FP32.
struct Pipe {
  SubCores* pipe = nullptr;
  double time = 0;
  By by = By::kStream;
};

// `count` instructions' elements. The threads go on when they are issued, with
// what needs none of the results, or needs them word by word: ptxas puts those
// between each other. What they need row by row they wait for
// (Engine::LastOperand). `least`: how long the longest chain in it takes.
Cost Elementwise(const CostContext& c, double count, const Pipe& on = {},
                 double least = 0) {
  Cost cost{c.arch.scalar_issue, Cause::kArithmetic};
  cost.goes_on = true;
  const bool fp32 = on.pipe == nullptr;
  cost.work =
      Issue(c, count / c.arch.alu_lanes, fp32, fp32 ? on.by : By::kTurns);
  if (!fp32) {
    SubCores::Work used = Use(c, *on.pipe, on.time, on.by);
    if (used.Finish() >= cost.work.Finish()) cost.work = used;
  }
  const double done = std::max({cost.work.Finish(), c.ready, c.now + least});
  cost.latency = done + c.arch.alu_latency - c.now - cost.busy;
  return cost;
}

// What changes no number, and conversions themselves.
Cost Plain(const CostContext& c, double per_element, bool half) {
  const double count = ElementsOf(c, kResult) * per_element;
  return half ? Elementwise(c, count, {&c.sm.half, HalfTime(c, count)})
              : Elementwise(c, count);
}

// Narrow operands are widened, an addition each, and the result is narrowed,
// two at a time (ptxas 13.0; shared.turn: additions of f16).
double Conversions(const CostContext& c) {
  double count = 0;
  for (int i = kResult + 1; i < static_cast<int>(c.op.info().operands.size());
       ++i) {
    if (c.op.is_tile(i) && values::BitsOf(c.op.tile(i).dtype) < kWide)
      count += ElementsOf(c, i);
  }
  const bool narrow = values::BitsOf(c.op.tile(kResult).dtype) < kWide;
  return count + (narrow ? ElementsOf(c, kResult) / 2 : 0);
}
Cost Narrowed(const CostContext& c, Cost cost) {
  if (values::BitsOf(c.op.tile(kResult).dtype) >= kWide) return cost;
  const double count = ElementsOf(c, kResult) / 2;
  const SubCores::Work used = Use(c, c.sm.half, HalfTime(c, count), By::kTurns);
  const double late = used.Finish() - cost.work.Finish();
  if (late <= 0) return cost;
  cost.work = used;
  cost.latency += late;
  return cost;
}

}  // namespace

Cost Move(const CostContext& c) { return Plain(c, 1, false); }
Cost Alu(const CostContext& c, double per_element) {
  const double count = ElementsOf(c, kResult) * per_element + Conversions(c);
  return Narrowed(c, Elementwise(c, count));
}
// Instructions that only half of the lanes have.
Cost HalfAlu(const CostContext& c, double per_element) {
  const double count = ElementsOf(c, kResult) * per_element;
  return Narrowed(c, Elementwise(c, count + Conversions(c),
                                 {&c.sm.half, HalfTime(c, count)}));
}
// One instruction narrows two elements. What widens one is an addition; of
// bf16 it is a mask, or else a product by 65536: one integer instruction for
// two (ptxas 13.0).
Cost Convert(const CostContext& c) {
  constexpr double kIntegers = 0.5;
  const ir::DType from = c.op.tile(ops::Cvt::kSrc).dtype;
  if (values::BitsOf(c.op.tile(ops::Cvt::kDst).dtype) < values::BitsOf(from))
    return Plain(c, 0.5, true);
  if (from != ir::DType::kBF16) return Plain(c, 1, false);
  const double count = ElementsOf(c, kResult);
  return Elementwise(c, count, {&c.sm.half, HalfTime(c, count * kIntegers)});
}
Cost Mufu(const CostContext& c) {
  const double count = ElementsOf(c, kResult);
  return Elementwise(c, count, {&c.sm.mufu, MufuTime(c, count), By::kTurns});
}
// A reduction over a thread's elements, one after the other, then over the
// lanes of a row.
Cost RowReduce(const CostContext& c, SubCores* pipe) {
  constexpr int kSrc = ops::RowMax::kSrc;
  const ir::TileValue& t = c.op.tile(kSrc);
  const ir::BoundDecl& d = c.bound.decls[t.decl];
  const double lanes = d.fragment.lanes_per_row();
  const double count = ElementsOf(c, kSrc);
  Cost cost =
      Elementwise(c, count, {pipe, HalfTime(c, count), By::kTurns},
                  static_cast<double>(t.cols()) / lanes * c.arch.alu_latency);
  const bool beside = c.sm.tensor.free() > c.now + cost.latency;
  double rows = lanes > 1 ? d.fragment.rows / 32.0 : 1;
  double shuffles = 2 * rows * (beside ? c.arch.shfl_tensor : 1);
  cost.latency += std::log2(lanes) * (c.arch.shfl_cycles + shuffles);
  return cost;
}

bool TakesWords(ir::OpKind kind) {
  return IsArithmetic(kind) || kind == ir::OpKind::kStShared ||
         kind == ir::OpKind::kMmaSync;
}

bool IsArithmetic(ir::OpKind kind) {
  switch (kind) {
    case ir::OpKind::kMov:
    case ir::OpKind::kCvt:
    case ir::OpKind::kNeg:
    case ir::OpKind::kAdd:
    case ir::OpKind::kSub:
    case ir::OpKind::kMul:
    case ir::OpKind::kFma:
    case ir::OpKind::kMax:
    case ir::OpKind::kMin:
    case ir::OpKind::kEx2:
    case ir::OpKind::kLg2:
    case ir::OpKind::kRcp:
    case ir::OpKind::kRowMax:
    case ir::OpKind::kRowSum:
    case ir::OpKind::kMaskCausal:
      return true;
    default:
      return false;
  }
}

double CostOfPassed(const CostContext& c, const machine::Passed& p) {
  const double warps = c.warps();
  const double slots = std::max(1.0, warps / kSubCores);
  // Each takes a slot of its sub-core; pipes work side by side.
  double cycles = InstructionsOf(p) * slots;
  const auto until = [&](const SubCores::Work& work) {
    cycles = std::max(cycles, work.Finish() - c.now);
  };
  const double threads = warps * ir::kWarpThreads;
  if (p.fp32 > 0)
    until(Issue(c, p.fp32 * threads / c.arch.alu_lanes, true, By::kTurns));
  if (p.half_rate > 0)
    until(Use(c, c.sm.half, HalfTime(c, p.half_rate * threads), By::kTurns));
  if (p.special > 0)
    until(Use(c, c.sm.mufu, MufuTime(c, p.special * threads), By::kTurns));
  if (p.products > 0) {
    const double time = p.products * c.arch.mma_sync_interval;
    const double all = time / kSubCores * warps;
    const double start = c.sm.tensor.Take(c.now, all);
    c.sm.products += all * kMmaSyncFull / c.arch.mma_sync_interval;
    cycles = std::max({cycles, time, start - c.now + time});
  }
  constexpr double kShuffle = 2;  // cycles of a sub-core
  cycles = std::max(cycles, p.shuffles * kShuffle * slots *
                                (Beside(c) ? c.arch.shfl_tensor : 1));
  return cycles + p.rounds * c.arch.shfl_cycles +
         p.branches * c.arch.scalar_branch + p.divisions * c.arch.scalar_divide;
}

}  // namespace tilesim::timing
