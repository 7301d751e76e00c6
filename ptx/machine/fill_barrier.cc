// mbarrier operations.
#include "ir/ops/mbarrier.h"
#include "ptx/machine/filling.h"
#include "ptx/machine/lower_ops.h"

namespace tilesim::ptx {
namespace {

using ir::OpKind;

// The operand that is an address.
size_t AddressOf(const Making& m) {
  for (size_t i = 0; i < m.operands(); ++i) {
    if (m.operand(i).kind == Operand::Kind::kAddress) return i;
  }
  return m.operands();
}

// The barrier, and a number where one may stand behind it.
bool BarrierAndNumber(Making& m) {
  size_t at = AddressOf(m);
  m.BarrierAt(0);
  m.step.collective = 1;
  if (!m.Add(at)) return m.Refuse("its barrier is not named by an address");
  if (at > 0) m.Results(0);
  if (at + 1 >= m.operands()) return true;
  m.step.collective = 2;
  return m.Add(at + 1);
}

bool FillBarrier(Filling& f, const Step& s, ir::ConcreteOp& out) {
  const Node& node = f.guide().program().graph.nodes[s.node];
  if (node.instruction().opcode.find(".noComplete") != std::string::npos)
    f.guide().Note(NotJudged::kNoComplete, node.statement->span.line);
  return f.Barrier(s, s.sources[0], out.operands[0]) &&
         (s.sources.size() < 2 || f.Int(s.sources[1], out.operands[1]));
}

bool MakeInit(Making& m) {
  m.op = OpKind::kMbarrierInit;
  m.Int(1);
  m.step.fill = FillBarrier;
  return BarrierAndNumber(m);
}

bool MakeInval(Making& m) {
  m.op = OpKind::kMbarrierInval;
  m.step.fill = FillBarrier;
  return BarrierAndNumber(m);
}

// .cta is what a scope is where none is written (PTX 9.7.13.15.13): the two are
// taken for one, for what kernels mean by them (cluster/scope tells it).
template <class SemOf>
void Order(Making& m) {
  using Scope = ir::ops::BarrierScope;
  uint8_t scope = m.Written<Scope>();
  if (!m.letter && scope == ChoiceOf<Scope>(ir::MemScope::kCta))
    scope = ChoiceOf<Scope>(std::nullopt);
  m.mods = {m.Written<SemOf>(), scope};
}

bool MakeArrive(Making& m) {
  bool drops = m.spelling().starts_with("mbarrier.arrive_drop");
  bool bytes = m.Has(".expect_tx");
  if (drops && bytes)
    return m.Refuse("write mbarrier.expect_tx and mbarrier.arrive_drop");
  m.op = bytes   ? OpKind::kMbarrierArriveExpectTx
         : drops ? OpKind::kMbarrierArriveDrop
                 : OpKind::kMbarrierArrive;
  Order<ir::ops::ArriveSem>(m);
  m.step.fill = FillBarrier;
  if (!BarrierAndNumber(m)) return false;
  if (m.step.sources.size() > 1) m.Int(1);
  return true;
}

bool MakeExpect(Making& m) {
  m.op = OpKind::kMbarrierExpectTx;
  m.Int(1);
  m.step.fill = FillBarrier;
  return BarrierAndNumber(m);
}

bool MakeComplete(Making& m) {
  m.op = OpKind::kMbarrierCompleteTx;
  m.Int(1);
  m.step.fill = FillBarrier;
  return BarrierAndNumber(m);
}

// Numbers: which operand of the op is the barrier; whether it waits by state.
// The parity is behind the barrier, or the state that an arrival has returned,
// which is a parity here (PtxGuide::Arrived): of an older phase it says
// nothing. Compilers write -1 for 1: hardware takes the lowest bit.
bool FillWait(Filling& f, const Step& s, ir::ConcreteOp& out) {
  const auto bar = static_cast<size_t>(s.numbers[0]);
  int64_t parity = 0;
  if (!f.Barrier(s, s.sources[0], out.operands[bar]) ||
      !f.Number(s.sources[1], &parity))
    return false;
  Filling::SetInt(parity & 1, out.operands[bar + 1]);
  if (s.numbers[1] != 0) {
    const Node& node = f.guide().program().graph.nodes[s.node];
    f.guide().Note(NotJudged::kWaitByState, node.statement->span.line);
  }
  return true;
}

bool MakeWait(Making& m) {
  Order<ir::ops::WaitSem>(m);
  // A loop that does nothing else waits (flow/waits.h): the suspend-time hint
  // and how often it asks mean nothing.
  bool waits = m.waits;
  m.op = waits ? OpKind::kMbarrierWait : OpKind::kMbarrierTestWait;
  m.step.fill = FillWait;
  m.step.numbers = {waits ? 0 : 1, m.Has("parity") ? 0 : 1};
  m.BarrierAt(waits ? 0 : 1);
  m.Int(waits ? 1 : 2);
  m.step.collective = 2;
  m.Results(0);
  return m.Add(1) && m.Add(2);
}

}  // namespace

const std::vector<OpRow>& BarrierRows() {
  static const std::vector<OpRow> kRows = {
      {"mbarrier.init", MakeInit},
      {"mbarrier.inval", MakeInval},
      {"mbarrier.arrive", MakeArrive},
      {"mbarrier.arrive_drop", MakeArrive},
      {"mbarrier.expect_tx", MakeExpect},
      {"mbarrier.complete_tx", MakeComplete},
      {"mbarrier.try_wait", MakeWait},
      {"mbarrier.test_wait", MakeWait},
  };
  return kRows;
}

}  // namespace tilesim::ptx
