#include "checkers/order/access.h"

#include <algorithm>

#include "ir/pipeline.h"

namespace tilesim::checkers::order {
using footprint::Footprint;
using footprint::Footprints;
using footprint::Place;
using footprint::PlaceOf;
using run::Event;
using run::Log;
using run::Operation;

namespace {

using ir::Effect;
using ir::EffectKind;

constexpr int kMaxRanks = 16;

bool Touches(const Effect& e, const ir::ConcreteOp& op,
             const Footprints& footprints) {
  return e.Is(ir::kAccesses) && op.is_tile(e.operand) &&
         op.tile(e.operand).space != ir::Space::kReg &&
         footprints.MayConflict(op.tile(e.operand));
}

void SetBytes(Access& a, Footprint touched) {
  static_cast<Footprint&>(a) = std::move(touched);
}

Access Make(const Event& e, int32_t event, const Effect& effect) {
  Access a;
  a.event = event;
  a.operand = effect.operand;
  a.write = effect.kind == EffectKind::kWrite;
  a.proxy = effect.proxy;
  // An op with any ordered access to an operand treats all of it so: the
  // read and the write of an atomic, or of a reduction.
  for (const Effect& other : e.effects()) {
    if (other.operand != effect.operand || other.sem == ir::Sem::kWeak)
      continue;
    a.atomic = true;
    // A reduction by the async proxy has no scope: it is for all.
    if (other.proxy == ir::Proxy::kGeneric)
      a.scope = std::min(a.scope, other.scope);
  }
  return a;
}

// The CTAs an effect of an operation means; {-1}: what the operand says.
absl::InlinedVector<int32_t, 2> RanksOf(const Effect& effect,
                                        const Operation& operation,
                                        int64_t ctas) {
  if (effect.ranks == 0) return {-1};
  if (operation.destination >= 0) return {operation.destination};
  absl::InlinedVector<int32_t, 2> out;
  for (int32_t r = 0; r < std::min<int64_t>(ctas, kMaxRanks); ++r) {
    if ((effect.ranks >> r & 1) != 0) out.push_back(r);
  }
  return out;
}

// Allocating and freeing touch all of a pool; allocating also stores its
// address.
void Lifetime(const Order& order, int32_t index, const Effect& effect,
              Footprints& footprints, Accesses& out) {
  const Event& e = order.log().events[index];
  int32_t pool = e.concrete().tile(effect.operand).decl;
  Access a;
  a.event = index;
  a.operand = effect.operand;
  a.write = a.by_warp = true;
  for (int32_t agent : order.agents().Of(e))
    a.marks.push_back(order.mark(agent));
  if (effect.kind == EffectKind::kTmemAlloc) {
    SetBytes(a, footprints.Slot(pool));
    a.address_of = pool;
    out.push_back({{ir::Space::kShared, e.cta}, a});
    a.address_of = -1;
  }
  a.lifetime = true;
  a.proxy = ir::Proxy::kTensor;
  SetBytes(a, footprints.Pool(pool));
  // Freeing is for both CTAs of a pair.
  bool pair = effect.kind == EffectKind::kTmemDealloc && effect.ranks != 0;
  for (int32_t r = 0; pair && r < kMaxRanks; ++r) {
    int32_t peer = e.cluster + r;
    if ((effect.ranks >> r & 1) != 0 && peer != e.cta)
      out.push_back({{ir::Space::kTmem, peer}, a});
  }
  out.push_back({{ir::Space::kTmem, e.cta}, std::move(a)});
}

struct PoolUsed {
  int32_t pool = -1;
  int32_t operand = -1;  // the first that lies in it
};

// Pools whose columns an op names, and so reads the address of.
absl::InlinedVector<PoolUsed, 2> PoolsUsed(const Event& e,
                                           const ir::BoundKernel& bound) {
  absl::InlinedVector<PoolUsed, 2> out;
  for (const Effect& effect : e.effects()) {
    bool uses =
        effect.Is(ir::kAccesses) || effect.kind == EffectKind::kTmemDealloc;
    if (!uses || !e.concrete().is_tile(effect.operand)) continue;
    const ir::TileValue& t = e.concrete().tile(effect.operand);
    if (t.space != ir::Space::kTmem) continue;
    const ir::BoundDecl& d = bound.decls[t.decl];
    int32_t pool = d.is_pool ? t.decl : d.pool;
    if (pool >= 0 && std::none_of(out.begin(), out.end(), [&](auto& known) {
          return known.pool == pool;
        }))
      out.push_back({pool, effect.operand});
  }
  return out;
}

// By each warp as it issues the op, from its own CTA's memory.
void Addresses(const Order& order, int32_t index, Footprints& footprints,
               Accesses& out) {
  const Event& e = order.log().events[index];
  for (const auto& [pool, operand] : PoolsUsed(e, order.log().code->bound)) {
    if (!footprints.SlotAtRisk(pool)) continue;
    for (int w = 0; w < e.threads().warps; ++w) {
      ir::ThreadSet one = e.threads();
      one.first_warp = static_cast<uint16_t>(one.first_warp + w);
      one.warps = 1;
      Access a;
      a.event = index;
      a.operand = operand;
      a.address_of = pool;
      SetBytes(a, footprints.Slot(pool));
      for (int32_t agent : order.agents().Of(e.cta, one))
        a.marks.push_back(order.mark(agent));
      out.push_back({{ir::Space::kShared, e.cta}, std::move(a)});
    }
  }
}

// mbarrier.init and inval write to memory that tiles or other barriers have
// before and after. What is between the two is the machine's to find.
void BarrierLifetime(const Order& order, int32_t index, const Effect& effect,
                     Accesses& out) {
  const Event& e = order.log().events[index];
  const ir::BarrierValue& barrier = e.concrete().barrier(effect.operand);
  const ir::BoundDecl& d = order.log().code->bound.decls[barrier.decl];
  if (!d.over_barrier) return;
  const int64_t from = d.address + (barrier.index - d.place) * d.object_bytes;
  Access a;
  a.event = index;
  a.operand = effect.operand;
  a.write = a.by_warp = a.lifetime = true;
  const footprint::Interval bytes{from, from + d.object_bytes};
  SetBytes(a, {footprint::IntervalSet({bytes}), bytes});
  for (int32_t agent : order.agents().Of(e))
    a.marks.push_back(order.mark(agent));
  out.push_back({{ir::Space::kShared, e.cta}, std::move(a)});
}

// The threads of the event whose accesses are told apart: those of each warp,
// and in compiled code, where every lane has bytes of its own, of each agent.
// Whom `elect` elects is not known, so with such agents a warp stays one.
std::vector<ir::ThreadSet> PartsOf(const Order& order, const Event& e) {
  std::vector<ir::ThreadSet> out;
  for (int w = 0; w < e.threads().warps; ++w) {
    ir::ThreadSet one = e.threads();
    one.first_warp = static_cast<uint16_t>(one.first_warp + w);
    one.warps = 1;
    const Agents::List& who = order.agents().Of(e.cta, one);
    const bool apart =
        order.log().code->guarded &&
        std::all_of(who.begin(), who.end(), [&](int32_t agent) {
          return order.agents()[agent].lanes >> ir::kWarpThreads == 0;
        });
    for (size_t i = 0; i < (apart ? who.size() : 1); ++i) {
      out.push_back(one);
      if (apart)
        out.back().lanes = static_cast<uint32_t>(order.agents()[who[i]].lanes);
    }
  }
  return out;
}

void Synchronous(const Order& order, int32_t index, Footprints& footprints,
                 Accesses& out) {
  const Event& e = order.log().events[index];
  for (const Effect& effect : e.effects()) {
    if (effect.kind == EffectKind::kInit || effect.kind == EffectKind::kInval)
      BarrierLifetime(order, index, effect, out);
  }
  for (const Effect& effect : e.effects()) {
    if (effect.kind == EffectKind::kTmemAlloc ||
        effect.kind == EffectKind::kTmemDealloc)
      Lifetime(order, index, effect, footprints, out);
  }
  for (const Effect& effect : e.effects()) {
    if (!Touches(effect, e.concrete(), footprints)) continue;
    for (const ir::ThreadSet& part : PartsOf(order, e)) {
      Access a = Make(e, index, effect);
      SetBytes(a, footprints.Memory(e, effect.operand, part));
      for (int32_t agent : order.agents().Of(e.cta, part))
        a.marks.push_back(order.mark(agent));
      out.emplace_back(PlaceOf(e, effect.operand), std::move(a));
    }
  }
}

void ByWarp(const Order& order, const Event& e, const Place& place,
            const Access& whole, Footprints& footprints, Accesses& out) {
  for (int w = 0; w < e.threads().warps; ++w) {
    ir::ThreadSet one = e.threads();
    one.first_warp = static_cast<uint16_t>(one.first_warp + w);
    one.warps = 1;
    Access a = whole;
    SetBytes(a, footprints.Memory(e, whole.operand, one));
    for (int32_t agent : order.agents().Of(e.cta, one))
      a.marks.push_back(order.mark(agent));
    out.emplace_back(place, std::move(a));
  }
}

void Asynchronous(const Order& order, int32_t index, int32_t id,
                  Footprints& footprints, Accesses& out) {
  const Event& e = order.log().events[index];
  const Operation& o = order.log().operations[id];
  for (const Effect& effect : e.effects()) {
    if (!Touches(effect, e.concrete(), footprints)) continue;
    for (int32_t rank :
         RanksOf(effect, o, order.log().code->bound.cluster_size())) {
      Place place = PlaceOf(e, effect.operand, rank);
      Access a = Make(e, index, effect);
      a.operation = id;
      if (o.unit == ir::AsyncUnit::kWgmma ||
          o.unit == ir::AsyncUnit::kStAsync || HasParts(o.unit)) {
        ByWarp(order, e, place, a, footprints, out);
        continue;
      }
      SetBytes(a, footprints.Memory(e, effect.operand, e.threads()));
      out.emplace_back(place, std::move(a));
    }
  }
}

// mma, cp or shift.
bool InPipeline(const Order& order, const Access& a) {
  return a.operation >= 0 &&
         order.log().operations[a.operation].unit == ir::AsyncUnit::kTcgen05;
}

// tcgen05 operations issued one after the other that run in that order.
bool Pipelined(const Order& order, const Access& earlier, const Access& later) {
  if (!InPipeline(order, earlier) || !InPipeline(order, later)) return false;
  const Log& log = order.log();
  const Clock& start = order.start(later.operation);
  return start.Knows(earlier.operation, Reached::kSequenced) ||
         (start.Knows(earlier.operation, Reached::kStarted) &&
          ir::RunInOrder(log.events[earlier.event].concrete(),
                         log.events[later.event].concrete()));
}

// Whether `clock` knows that the share of one issuing agent is over.
bool KnowsShare(const Order& order, const Clock& clock, const Access& a,
                int32_t agent) {
  if (clock.Knows(a.operation, a.over())) return true;
  const auto& waited = order.waited(a.operation);
  return std::any_of(waited.begin(), waited.end(), [&](Mark w) {
    return w.agent == agent && clock.Knows(w);
  });
}

// The same lanes of one warp, acting together both times.
bool SameLanes(const Access& a, const Access& b) {
  return !a.marks.empty() &&
         std::equal(a.marks.begin(), a.marks.end(), b.marks.begin(),
                    b.marks.end(),
                    [](Mark x, Mark y) { return x.agent == y.agent; });
}

// In program order, each lane for itself; after an operation, once each lane
// has waited for its own share.
bool InProgramOrder(const Order& order, const Access& earlier,
                    const Access& later) {
  if (!SameLanes(earlier, later)) return false;
  if (earlier.operation < 0) return true;
  return HasParts(order.log().operations[earlier.operation].unit) &&
         std::all_of(later.marks.begin(), later.marks.end(), [&](Mark m) {
           return KnowsShare(order, order.clock(m.agent), earlier, m.agent);
         });
}

// The memory of `place` as a fence of the agent sees it.
ir::FencedMemory MemoryOf(const Order& order, const Place& place,
                          int32_t agent) {
  return {place.space, place.space != ir::Space::kGlobal &&
                           place.owner == order.agents()[agent].cta};
}

// Asynchronous accesses that come after generic ones: what knows of them, and
// who issues them.
struct Later {
  const Order& order;
  const Place& place;
  const Clock& knows;
  absl::InlinedVector<int32_t, 4> issuers;

  bool Covers(const ProxyFence& f) const {
    return ir::Covers(f.kind, MemoryOf(order, place, f.at.agent));
  }
  // Whether each issuer has executed such a fence when it knew that much.
  template <typename F>
  bool IssuersFenced(ir::FenceKind kind, F knew) const {
    return std::all_of(issuers.begin(), issuers.end(), [&](int32_t agent) {
      const Clock* clock = order.KnewAt(agent, kind);
      return clock != nullptr && knew(*clock) &&
             ir::Covers(kind, MemoryOf(order, place, agent));
    });
  }
  // Whether the fence stands before, with its other half if it is one.
  bool Completes(const ProxyFence& f) const {
    if (!Covers(f) || !knows.Knows(f.at)) return false;
    if (f.kind == ir::FenceKind::kProxyAcquire) return false;
    return f.kind != ir::FenceKind::kProxyRelease ||
           IssuersFenced(ir::FenceKind::kProxyAcquire,
                         [&](const Clock& knew) { return knew.Knows(f.at); });
  }
};

// A fence by the mark's agent after the mark.
bool FencedSince(const Later& later, Mark mark) {
  const auto& fences = later.order.fences(mark.agent);
  return std::any_of(fences.rbegin(), fences.rend(), [&](const ProxyFence& f) {
    return f.at.seq > mark.seq && later.Completes(f);
  });
}

// cp.async: a fence by any thread that knew a share to be over.
bool CopyFenced(const Later& later, const Access& copy) {
  auto fenced = [&](Mark m) {
    for (int32_t agent = 0; agent < later.order.agents().size(); ++agent) {
      for (const ProxyFence& f : later.order.fences(agent)) {
        if (KnowsShare(later.order, f.knew, copy, m.agent) &&
            later.Completes(f))
          return true;
      }
    }
    return false;
  };
  return std::all_of(copy.marks.begin(), copy.marks.end(), fenced);
}

// A fence by any thread that knew the access to be over, before `later`.
bool FencedOnTheWay(const Later& later, const Access& earlier,
                    ir::FenceKind kind) {
  for (int32_t agent = 0; agent < later.order.agents().size(); ++agent) {
    const Clock* knew = later.order.KnewAt(agent, kind, later.knows);
    if (knew != nullptr &&
        ir::Covers(kind, MemoryOf(later.order, later.place, agent)) &&
        Knows(later.order, *knew, earlier))
      return true;
  }
  return false;
}

ProxyOrder ProxyOrderAt(const Later& later, const Access& earlier) {
  bool fenced =
      earlier.operation >= 0
          ? CopyFenced(later, earlier)
          : std::all_of(earlier.marks.begin(), earlier.marks.end(),
                        [&](Mark m) { return FencedSince(later, m); });
  if (fenced) return ProxyOrder::kFenced;
  for (ir::FenceKind kind :
       {ir::FenceKind::kProxyAsync, ir::FenceKind::kProxyShared,
        ir::FenceKind::kProxyCluster, ir::FenceKind::kProxyGlobal}) {
    if (later.IssuersFenced(kind, [&](const Clock& knew) {
          return Knows(later.order, knew, earlier);
        }))
      return ProxyOrder::kReaderSide;
    if (FencedOnTheWay(later, earlier, kind)) return ProxyOrder::kReaderSide;
  }
  return ProxyOrder::kNone;
}

}  // namespace

Accesses AccessesOf(const Order& order, int32_t event, Footprints& footprints) {
  Accesses out;
  const Event& e = order.log().events[event];
  if (e.kind != Event::Kind::kOp) return out;
  if (footprints.any_slot_at_risk()) Addresses(order, event, footprints, out);
  if (e.concrete().info().async == ir::AsyncUnit::kNone)
    Synchronous(order, event, footprints, out);
  for (int32_t id : e.issued) {
    if (!order.log().operations[id].is_track)
      Asynchronous(order, event, id, footprints, out);
  }
  return out;
}

bool Knows(const Order& order, const Clock& clock, const Access& a) {
  auto all = [&](auto knows) {
    return std::all_of(a.marks.begin(), a.marks.end(), knows);
  };
  if (a.by_warp)
    return std::any_of(a.marks.begin(), a.marks.end(),
                       [&](Mark m) { return clock.Knows(m); });
  if (a.operation < 0) return all([&](Mark m) { return clock.Knows(m); });
  if (clock.Knows(a.operation, a.over())) return true;
  return HasParts(order.log().operations[a.operation].unit) &&
         all([&](Mark m) { return KnowsShare(order, clock, a, m.agent); });
}

bool OfOneSize(const Log& log, const Access& a, const Access& b) {
  auto bits = [&](const Access& of) {
    const ir::ConcreteOp& op = log.events[of.event].concrete();
    return values::BitsOf(op.tile(of.operand).dtype);
  };
  return bits(a) == bits(b);
}

bool AtomicTogether(const Log& log, const Access& a, const Access& b) {
  if (!a.atomic || !b.atomic || a.proxy != b.proxy || !OfOneSize(log, a, b))
    return false;
  const Event &x = log.events[a.event], &y = log.events[b.event];
  ir::MemScope both = x.cta == y.cta           ? ir::MemScope::kCta
                      : x.cluster == y.cluster ? ir::MemScope::kCluster
                                               : ir::MemScope::kGpu;
  return a.scope >= both && b.scope >= both;
}

namespace {

// docs/certificate.md 1.1: by what has been read of a word, a strong write to
// it comes before what comes after that.
bool IsObserved(const Order& order, const Access& earlier, Mark later) {
  const Event& write = order.log().events[earlier.event];
  return earlier.atomic && earlier.operation < 0 &&
         std::all_of(earlier.marks.begin(), earlier.marks.end(), [&](Mark m) {
           return order.Observed(write, earlier.operand, m, later);
         });
}

}  // namespace

bool Ordered(const Order& order, const Access& earlier, const Access& later) {
  if (InProgramOrder(order, earlier, later) || Pipelined(order, earlier, later))
    return true;
  if (later.marks.empty())
    return Knows(order, order.start(later.operation), earlier);
  return std::all_of(later.marks.begin(), later.marks.end(), [&](Mark m) {
    return Knows(order, order.clock(m.agent), earlier) ||
           IsObserved(order, earlier, m);
  });
}

namespace {

// By signals of any memory order, which say no more than that, and so nothing
// without the fence behind them.
bool Signalled(const Order& tensor, const Access& earlier,
               const Access& later) {
  return !later.marks.empty() &&
         std::all_of(later.marks.begin(), later.marks.end(), [&](Mark m) {
           return Knows(tensor, tensor.signalled(m.agent), earlier);
         });
}

}  // namespace

TensorOrder OrderedInTensor(const Order& order, const Order& tensor,
                            const Access& earlier, const Access& later) {
  const bool fences = !earlier.lifetime && !later.lifetime;
  // By relaxed signals, too, which order nothing else; to alloc and dealloc,
  // which need no fence, they say what a commit does.
  if ((fences || InPipeline(order, earlier)) && Ordered(tensor, earlier, later))
    return TensorOrder::kOrdered;
  if (Ordered(order, earlier, later))
    return fences ? TensorOrder::kFence : TensorOrder::kOrdered;
  if (fences && InPipeline(order, earlier) && Signalled(tensor, earlier, later))
    return TensorOrder::kFence;
  if (!InPipeline(order, earlier) || !InPipeline(order, later))
    return TensorOrder::kUnordered;
  if (Pipelined(tensor, earlier, later)) return TensorOrder::kOrdered;
  bool after =
      order.start(later.operation).Knows(earlier.operation, Reached::kStarted);
  return after ? TensorOrder::kPipeline : TensorOrder::kUnordered;
}

ProxyOrder ProxyOrderOf(const Order& order, const Access& earlier,
                        const Access& later, const Place& place) {
  bool crosses = earlier.proxy == ir::Proxy::kGeneric &&
                 later.proxy == ir::Proxy::kAsync && later.operation >= 0;
  if (!crosses) return ProxyOrder::kFenced;
  if (later.marks.empty()) {
    Later whole{order, place, order.start(later.operation), {}};
    for (int32_t agent : order.agents().Of(order.log().events[later.event]))
      whole.issuers.push_back(agent);
    return ProxyOrderAt(whole, earlier);
  }
  ProxyOrder out = ProxyOrder::kFenced;
  for (Mark m : later.marks) {
    Later share{order, place, order.clock(m.agent), {m.agent}};
    out = std::max(out, ProxyOrderAt(share, earlier));
  }
  return out;
}

}  // namespace tilesim::checkers::order
