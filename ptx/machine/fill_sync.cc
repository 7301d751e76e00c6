// Barriers of hardware, fences, registers, the grid.
#include <algorithm>

#include "ir/ops/grid.h"
#include "ir/ops/sync.h"
#include "ptx/machine/filling.h"
#include "ptx/machine/lower_ops.h"

namespace tilesim::ptx {
namespace {

using ir::OpKind;

bool FillInts(Filling& f, const Step& s, ir::ConcreteOp& out) {
  for (size_t i = 0; i < s.sources.size(); ++i) {
    if (!f.Int(s.sources[i], out.operands[i])) return false;
  }
  return true;
}

// Numbers, all of them of the operation as a whole.
bool Ints(Making& m, OpKind op, size_t from = 0) {
  m.op = op;
  m.step.fill = FillInts;
  for (size_t i = from; i < m.operands(); ++i) {
    if (!m.Add(i)) return m.Refuse("its operands are no numbers");
    m.Int(static_cast<int>(i - from));
  }
  m.step.collective = m.step.sources.size();
  return true;
}

bool Plain(Making& m, OpKind op) {
  m.op = op;
  return true;
}

bool MakeSync(Making& m) { return Ints(m, OpKind::kBarSync); }
bool MakeArrive(Making& m) { return Ints(m, OpKind::kBarArrive); }

// A round is of bar.red alone, or of the others (PTX 9.7.13.1). That others
// come may be seen too late (Walk::ReducesAlone), as they may have exited.
bool FillReduce(Filling& f, const Step& s, ir::ConcreteOp& out) {
  const Node& node = f.guide().program().graph.nodes[s.node];
  const bool alone = s.numbers.size() == 3 && s.numbers[2] == 0;
  if (!alone) f.guide().Note(NotJudged::kBarRed, node.statement->span.line);
  return FillInts(f, s, out);
}

// Whether another instruction than bar.red may be of that barrier.
bool OthersName(const Graph& graph, int64_t barrier) {
  return std::any_of(
      graph.nodes.begin(), graph.nodes.end(), [&](const Node& n) {
        if (n.op == nullptr || !n.op->opcode.starts_with("bar") ||
            n.op->opcode.starts_with("barrier.cluster") ||
            n.op->opcode == "bar.warp.sync" || n.op->opcode.ends_with(".red"))
          return false;
        const Operand& id = n.instruction().operands[0];
        return id.kind != Operand::Kind::kNumber ||
               (id.number.value() & 15) == barrier;
      });
}

// Its result is what threads say of a predicate: those of the whole CTA, if no
// count is given, at a barrier that the text names (reductions.h).
void FollowReduction(Making& m) {
  const bool all = m.operands() == 3;
  const bool named = m.operand(1).kind == Operand::Kind::kNumber;
  std::optional<Source> predicate;
  for (const Leaf& leaf : m.leaves) {
    if (leaf.of + 1 == m.operands())
      predicate = SourceOf(leaf, m.graph, m.memory);
  }
  const bool followed =
      predicate && predicate->reg >= 0 && m.slots[predicate->reg] >= 0;
  if (!all || !named || !followed) return;
  predicate->reg = m.slots[predicate->reg];
  m.step.data = {*predicate};
  const int64_t barrier = m.operand(1).number.value() & 15;
  const int64_t does = m.Has(".popc") ? 0 : m.Has(".and") ? 1 : 2;
  m.step.numbers = {does, barrier, OthersName(m.graph, barrier)};
}

bool MakeReduce(Making& m) {
  m.Results(0);
  FollowReduction(m);
  // The predicate is the last operand.
  m.op = OpKind::kBarSync;
  m.step.fill = FillReduce;
  for (size_t i = 1; i + 1 < m.operands(); ++i) {
    if (!m.Add(i)) return m.Refuse("its operands are no numbers");
    m.Int(static_cast<int>(i - 1));
  }
  m.step.collective = m.step.sources.size();
  return true;
}

// It waits for the lanes of its membermask that have not exited.
bool FillMask(Filling& f, const Step& s, ir::ConcreteOp& out) {
  int64_t mask = 0;
  if (!f.Number(s.sources[0], &mask)) return false;
  mask &= ~int64_t{LanesThatExit(f.guide().program(), f.who().strand)};
  f.SetInt(static_cast<int64_t>(static_cast<uint32_t>(mask)), out.operands[0]);
  return true;
}

bool MakeWarpSync(Making& m) {
  Ints(m, OpKind::kBarWarpSync);
  m.step.fill = FillMask;
  return true;
}

bool MakeClusterArrive(Making& m) {
  m.mods = {m.Written<ir::ops::ClusterArriveSem>()};
  return Plain(m, OpKind::kClusterArrive);
}

bool MakeClusterWait(Making& m) { return Plain(m, OpKind::kClusterWait); }

bool MakeProxyFence(Making& m) {
  std::string_view s = m.spelling();
  if (s.starts_with("fence.proxy.async::generic.acquire"))
    return Plain(m, OpKind::kFenceProxyAsyncAcquire);
  if (s.starts_with("fence.proxy.async::generic.release"))
    return Plain(m, OpKind::kFenceProxyAsyncRelease);
  if (s.starts_with("fence.proxy.tensormap")) return MakeTensormapFence(m);
  if (!s.starts_with("fence.proxy.async"))
    return m.Refuse("of proxy fences, .async and .tensormap are executed");
  m.mods = {m.Written<ir::ops::ProxySpace>()};
  return Plain(m, OpKind::kFenceProxyAsync);
}

bool MakeFence(Making& m) {
  m.mods = {m.Written<ir::ops::FenceSem>(), m.Written<ir::ops::FenceScope>()};
  return Plain(m, OpKind::kFence);
}

bool MakeInitFence(Making& m) { return Plain(m, OpKind::kFenceMbarrierInit); }

// membar.cta, .gl, .sys: as fence.sc (PTX 9.7.13.4).
bool MakeMembar(Making& m) {
  using ir::MemScope;
  m.mods = {ChoiceOf<ir::ops::FenceSem>(ir::Sem::kSc),
            ChoiceOf<ir::ops::FenceScope>(m.Has(".cta")  ? MemScope::kCta
                                          : m.Has(".gl") ? MemScope::kGpu
                                                         : MemScope::kSys)};
  return Plain(m, OpKind::kFence);
}

bool MakeRegisters(Making& m) {
  return Ints(m,
              m.Has(".inc") ? OpKind::kSetmaxnregInc : OpKind::kSetmaxnregDec);
}

bool MakeGrid(Making& m) {
  return Plain(m, m.Has(".wait") ? OpKind::kGriddepcontrolWait
                                 : OpKind::kGriddepcontrolLaunchDependents);
}

using Cancel = ir::ops::ClcTryCancel;

// Sources: where the answer goes, its barrier.
bool FillCancel(Filling& f, const Step& s, ir::ConcreteOp& out) {
  constexpr int64_t kBytes = 16;
  return f.SharedBox(s.sources[0], kBytes, kBytes,
                     out.operands[Cancel::kResponse]) &&
         f.Barrier(s, s.sources[1], out.operands[Cancel::kBar]);
}

bool MakeCancel(Making& m) {
  m.op = OpKind::kClcTryCancel;
  m.mods = {ChoiceOf<ir::ops::Multicast>(m.Has(".multicast::cluster::all"))};
  m.Tile(Cancel::kResponse, ir::Space::kShared);
  m.BarrierAt(Cancel::kBar);
  m.step.fill = FillCancel;
  m.step.collective = 2;
  return (m.Add(0) && m.Add(1)) ||
         m.Refuse("it names no address and no mbarrier");
}

}  // namespace

const std::vector<OpRow>& SyncRows() {
  static const std::vector<OpRow> kRows = {
      {"bar.sync", MakeSync},
      {"bar.cta.sync", MakeSync},
      {"barrier.sync", MakeSync},
      {"barrier.cta.sync", MakeSync},
      {"bar.arrive", MakeArrive},
      {"bar.cta.arrive", MakeArrive},
      {"barrier.arrive", MakeArrive},
      {"barrier.cta.arrive", MakeArrive},
      {"bar.red", MakeReduce},
      {"bar.cta.red", MakeReduce},
      {"barrier.red", MakeReduce},
      {"barrier.cta.red", MakeReduce},
      {"bar.warp.sync", MakeWarpSync},
      {"barrier.cluster.arrive", MakeClusterArrive},
      {"barrier.cluster.wait", MakeClusterWait},
      {"fence", MakeFence},
      {"fence.proxy", MakeProxyFence},
      {"fence.mbarrier_init", MakeInitFence},
      {"membar", MakeMembar},
      {"setmaxnreg", MakeRegisters},
      {"griddepcontrol", MakeGrid},
      {"clusterlaunchcontrol.try_cancel", MakeCancel},
  };
  return kRows;
}

}  // namespace tilesim::ptx
