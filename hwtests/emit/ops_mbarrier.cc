// mbarrier.*: one wrapper an instruction; order and scope are in its name.
#include "hwtests/emit/op_table.h"
#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;
namespace ops = ir::ops;

// "_release_cluster", "_relaxed_cta"; nothing where no scope is written, for
// the default, which is `strong`.
template <class OpT, class SemT>
std::string OrderSuffix(const OpEmitter& e, std::string_view strong) {
  bool relaxed = e.op().choice<OpT, SemT>() == ir::Sem::kRelaxed;
  const auto scope = e.op().choice<OpT, ops::BarrierScope>();
  if (!relaxed && !scope) return "";
  return Cat("_", relaxed ? "relaxed" : strong,
             scope == ir::MemScope::kCluster ? "_cluster" : "_cta");
}

std::string PeerSuffix(const OpEmitter& e, int bar) {
  return e.IsPeer(bar) ? "_peer" : "";
}

template <class OpT>
void Arrive(OpEmitter& e, std::string_view function, int count) {
  std::vector<std::string> args = {e.Barrier(OpT::kBar)};
  if (e.has(count)) args.push_back(e.Int(count));
  std::string order = OrderSuffix<OpT, ops::ArriveSem>(e, "release");
  e.Call(Cat(function, order, PeerSuffix(e, OpT::kBar)), args);
}

// What only counts bytes.
template <class OpT>
void CountBytes(OpEmitter& e, std::string_view function) {
  e.Call(Cat(function, PeerSuffix(e, OpT::kBar)),
         {e.Barrier(OpT::kBar), e.Int(OpT::kBytes)});
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
  using Op = ops::MbarrierInit;
  e.Call("mbarrier_init", {e.Barrier(Op::kBar), e.Int(Op::kCount)});
}

template <>
void EmitOp<ops::MbarrierInval>(OpEmitter& e) {
  e.Call("mbarrier_inval", {e.Barrier(ops::MbarrierInval::kBar)});
}

template <>
void EmitOp<ops::MbarrierArrive>(OpEmitter& e) {
  using Op = ops::MbarrierArrive;
  Arrive<Op>(e, "mbarrier_arrive", Op::kCount);
}

template <>
void EmitOp<ops::MbarrierArriveDrop>(OpEmitter& e) {
  using Op = ops::MbarrierArriveDrop;
  Arrive<Op>(e, "mbarrier_arrive_drop", Op::kCount);
}

template <>
void EmitOp<ops::MbarrierArriveExpectTx>(OpEmitter& e) {
  using Op = ops::MbarrierArriveExpectTx;
  Arrive<Op>(e, "mbarrier_arrive_expect_tx", Op::kBytes);
}

template <>
void EmitOp<ops::MbarrierExpectTx>(OpEmitter& e) {
  CountBytes<ops::MbarrierExpectTx>(e, "mbarrier_expect_tx");
}

template <>
void EmitOp<ops::MbarrierCompleteTx>(OpEmitter& e) {
  CountBytes<ops::MbarrierCompleteTx>(e, "mbarrier_complete_tx");
}

template <>
void EmitOp<ops::MbarrierWait>(OpEmitter& e) {
  using Op = ops::MbarrierWait;
  std::string suffix = OrderSuffix<Op, ops::WaitSem>(e, "acquire");
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
  std::string suffix = OrderSuffix<Op, ops::WaitSem>(e, "acquire");
  e.out().Statement(Cat(e.Var(Op::kDst), " = tile::mbarrier_test_wait", suffix,
                        "(", e.Barrier(Op::kBar), ", ", Parity(e, Op::kParity),
                        ");"));
}

}  // namespace tilesim::hwtests
