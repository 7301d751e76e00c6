// mbarrier.*: one wrapper an instruction; order and scope are in its name.
#include "hwtests/emit/op_table.h"
#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;
namespace ops = ir::ops;

// "_release_cluster", "_relaxed_cta"; nothing for the default, which is
// `strong` at CTA scope.
std::string OrderSuffix(const OpEmitter& e, std::string_view strong) {
  bool relaxed = e.mod(0) == 1, cluster = e.mod(1) == 2;
  if (!relaxed && !cluster) return "";
  return Cat("_", relaxed ? "relaxed" : strong, cluster ? "_cluster" : "_cta");
}

std::string PeerSuffix(const OpEmitter& e) {
  return e.IsPeer(ops::MbarrierArrive::kBar) ? "_peer" : "";
}

void Arrive(OpEmitter& e, std::string_view function, int count) {
  std::vector<std::string> args = {e.Barrier(0)};
  if (e.has(count)) args.push_back(e.Int(count));
  e.Call(Cat(function, OrderSuffix(e, "release"), PeerSuffix(e)), args);
}

// Parities are 0 or 1; the text usually says so itself.
std::string Parity(OpEmitter& e, int operand) {
  const ir::Expr& p = e.expr(operand);
  bool bit = (p.op == ir::ExprOp::kBitAnd && p.args[1].is_int(1)) ||
             p.is_int(0) || p.is_int(1);
  return bit ? e.Int(operand) : Cat("(", e.Int(operand), ") & 1");
}

}  // namespace

template <>
void EmitOp<ops::MbarrierInit>(OpEmitter& e) {
  e.Call("mbarrier_init", {e.Barrier(0), e.Int(ops::MbarrierInit::kCount)});
}

template <>
void EmitOp<ops::MbarrierInval>(OpEmitter& e) {
  e.Call("mbarrier_inval", {e.Barrier(0)});
}

template <>
void EmitOp<ops::MbarrierArrive>(OpEmitter& e) {
  Arrive(e, "mbarrier_arrive", ops::MbarrierArrive::kCount);
}

template <>
void EmitOp<ops::MbarrierArriveDrop>(OpEmitter& e) {
  Arrive(e, "mbarrier_arrive_drop", ops::MbarrierArriveDrop::kCount);
}

template <>
void EmitOp<ops::MbarrierArriveExpectTx>(OpEmitter& e) {
  Arrive(e, "mbarrier_arrive_expect_tx", ops::MbarrierArriveExpectTx::kBytes);
}

template <>
void EmitOp<ops::MbarrierExpectTx>(OpEmitter& e) {
  e.Call(Cat("mbarrier_expect_tx", PeerSuffix(e)), {e.Barrier(0), e.Int(1)});
}

template <>
void EmitOp<ops::MbarrierCompleteTx>(OpEmitter& e) {
  e.Call(Cat("mbarrier_complete_tx", PeerSuffix(e)), {e.Barrier(0), e.Int(1)});
}

template <>
void EmitOp<ops::MbarrierWait>(OpEmitter& e) {
  using Op = ops::MbarrierWait;
  std::string suffix = OrderSuffix(e, "acquire");
  std::vector<std::string> args = {e.Barrier(Op::kBar), Parity(e, Op::kParity)};
  if (!e.kernel().options().debug) {
    e.Call(Cat("mbarrier_wait", suffix), args);
    return;
  }
  args.push_back(e.Site(Op::kBar));
  e.Call(Cat("watched_mbarrier_wait", suffix), args);
}

template <>
void EmitOp<ops::MbarrierTestWait>(OpEmitter& e) {
  using Op = ops::MbarrierTestWait;
  e.out().Statement(Cat(e.Var(Op::kDst), " = tile::mbarrier_test_wait",
                        OrderSuffix(e, "acquire"), "(", e.Barrier(Op::kBar),
                        ", ", Parity(e, Op::kParity), ");"));
}

}  // namespace tilesim::hwtests
