// What an op does, in the words that machine and checkers share. An op's
// effects are the whole of its control meaning: the machine executes them and
// knows nothing else about it.
//
// A synchronous op has effects at kIssue only. An asynchronous one becomes an
// agent of its own at issue and has two more milestones: kRead, its sources
// are read (they may be overwritten), and kDone, its results are written and
// its completion mechanism fires.
#ifndef TILESIM_IR_EFFECT_H_
#define TILESIM_IR_EFFECT_H_

#include <cstdint>
#include <vector>

#include "ir/concrete.h"

namespace tilesim::ir {

enum class Milestone : uint8_t { kIssue, kRead, kDone };

// hardware.md A.6.
enum class Proxy : uint8_t { kGeneric, kAsync, kTensor, kTensormap };

enum class Sem : uint8_t { kWeak, kRelaxed, kAcquire, kRelease, kAcqRel, kSc };
enum class MemScope : uint8_t { kCta, kCluster, kGpu, kSys };

// Groups complete in order; waiting leaves at most n of the youngest.
enum class GroupKind : uint8_t {
  kNone,
  kBulk,     // cp.async.bulk to global: per thread
  kCpAsync,  // cp.async: per thread
  kWgmma,    // per warpgroup
  kTmemLd,   // every tcgen05.ld is a group of its own; wait::ld leaves none
  kTmemSt,   // likewise tcgen05.st
};
inline constexpr int kGroupKinds = 6;

enum class FenceKind : uint8_t {
  kMemory,        // fence.sem.scope
  kProxyAsync,    // fence.proxy.async, all spaces
  kProxyShared,   // fence.proxy.async.shared::cta
  kProxyCluster,  // fence.proxy.async.shared::cluster
  kProxyGlobal,   // fence.proxy.async.global
  // Two halves of one fence: by who accessed shared memory of its own CTA, and
  // by who then issues the asynchronous access (fence.proxy.async::generic).
  kProxyRelease,   // .release.sync_restrict::shared::cta.cluster
  kProxyAcquire,   // .acquire.sync_restrict::shared::cluster.cluster
  kMbarrierInit,   // fence.mbarrier_init.release.cluster
  kWgmma,          // wgmma.fence
  kTcgen05Before,  // tcgen05.fence::before_thread_sync
  kTcgen05After,   // tcgen05.fence::after_thread_sync
};

// Memory as a fence sees it: `own` if it is of the CTA that executes the fence,
// which global memory is not.
struct FencedMemory {
  Space space = Space::kShared;
  bool own = true;
};

// Which memory a proxy fence, or half of one, is about.
constexpr bool Covers(FenceKind kind, FencedMemory memory) {
  // mbarriers lie in shared memory, too
  bool shared =
      memory.space == Space::kShared || memory.space == Space::kMbarrier;
  switch (kind) {
    case FenceKind::kProxyAsync:
      return true;
    case FenceKind::kProxyShared:
    case FenceKind::kProxyRelease:
      return shared && memory.own;
    case FenceKind::kProxyCluster:
    case FenceKind::kProxyAcquire:
      return shared;
    case FenceKind::kProxyGlobal:
      return memory.space == Space::kGlobal;
    case FenceKind::kMemory:
    case FenceKind::kMbarrierInit:
    case FenceKind::kWgmma:
    case FenceKind::kTcgen05Before:
    case FenceKind::kTcgen05After:
      return false;
  }
  return false;
}

// Half a fence: it takes both to order accesses.
constexpr bool IsHalf(FenceKind kind) {
  return kind == FenceKind::kProxyRelease || kind == FenceKind::kProxyAcquire;
}

// Whether a fence orders accesses to that memory by the generic proxy with
// those by the async proxy.
constexpr bool IsProxyFence(FenceKind kind, FencedMemory memory) {
  return Covers(kind, memory) && !IsHalf(kind);
}

// Of any memory, or half of one.
constexpr bool IsProxyFence(FenceKind kind) {
  return Covers(kind, {Space::kShared}) ||
         Covers(kind, {Space::kGlobal, false});
}

enum class EffectKind : uint8_t {
  kRead,   // of operand's tile, through proxy
  kWrite,  // likewise
  // mbarriers: operand names it, ranks which CTAs' copies
  kInit,  // value: arrival count
  kInval,
  kArrive,            // value: count
  kArriveDrop,        // value: count
  kExpectTx,          // value: bytes
  kCompleteTx,        // value: bytes
  kPendingIncrement,  // value: count; cp.async.mbarrier.arrive
  kWait,              // value: parity; blocks
  kTest,              // value: parity; may be false; writes a var
  // groups of asynchronous operations
  kCommit,     // closes the open group of `group`
  kWaitGroup,  // value: how many may stay pending; blocks
  // arrive on operand's barrier once everything this thread issued before on
  // the given mechanism is done: tcgen05.commit, cp.async.mbarrier.arrive
  kTrack,
  // hardware barriers
  kNamedArrive,  // value: id; count: threads
  kNamedSync,    // likewise; blocks
  kClusterArrive,
  kClusterWait,  // blocks
  kWarpSync,
  kFence,  // fence
  // pools
  kRegisters,  // value: registers a thread from now on; may block
  kTmemAlloc,  // operand: the pool; may block
  kTmemDealloc,
  kTmemRelinquish,
  // grid
  kGridTrigger,  // griddepcontrol.launch_dependents
  kGridWait,     // griddepcontrol.wait; blocks
  kClcCancel,    // takes a not yet launched cluster, if there is one
  kClcQuery,     // operand: an answer; value: which operand becomes 1 if it is
                 // a cluster, else 0
};

// What a kind of effect is to those that need not know which it is: bits.
enum EffectTrait : uint8_t {
  kAccesses = 1,      // memory: the operand's tile
  kUsesBarrier = 2,   // an mbarrier, whose history consists of these
  kArrives = 4,       // at it: releases what its thread knows
  kContributes = 8,   // to its open phase: arrivals or bytes
  kAsks = 16,         // whether a phase of it is complete
  kEntersNamed = 32,  // a round of a named barrier
  kMayBlock = 64,
  // At issue: others may notice, or its chance may pass. A wait for the warp's
  // own operations, or for a round of a barrier that it has entered itself,
  // stays possible once it is.
  kNoticed = 128,
};

// A row a kind.
constexpr uint8_t TraitsOf(EffectKind kind) {
  constexpr uint8_t kBarrier = kUsesBarrier | kNoticed;
  switch (kind) {
    // clang-format off
    case EffectKind::kRead:             return kAccesses;
    case EffectKind::kWrite:            return kAccesses;
    case EffectKind::kInit:             return kBarrier;
    case EffectKind::kInval:            return kBarrier;
    case EffectKind::kArrive:           return kBarrier | kContributes | kArrives;
    case EffectKind::kArriveDrop:       return kBarrier | kContributes | kArrives;
    case EffectKind::kExpectTx:         return kBarrier | kContributes;
    case EffectKind::kCompleteTx:       return kBarrier | kContributes;
    case EffectKind::kPendingIncrement: return kBarrier | kContributes;
    case EffectKind::kWait:             return kBarrier | kAsks | kMayBlock;
    case EffectKind::kTest:             return kBarrier | kAsks;
    case EffectKind::kCommit:           return 0;
    case EffectKind::kWaitGroup:        return kMayBlock;
    case EffectKind::kTrack:            return 0;
    case EffectKind::kNamedArrive:      return kEntersNamed | kNoticed;
    case EffectKind::kNamedSync:        return kEntersNamed | kNoticed | kMayBlock;
    case EffectKind::kClusterArrive:    return 0;
    case EffectKind::kClusterWait:      return kMayBlock;
    case EffectKind::kWarpSync:         return 0;
    case EffectKind::kFence:            return 0;
    case EffectKind::kRegisters:        return kMayBlock | kNoticed;
    case EffectKind::kTmemAlloc:        return kMayBlock | kNoticed;
    case EffectKind::kTmemDealloc:      return kNoticed;
    case EffectKind::kTmemRelinquish:   return kNoticed;
    case EffectKind::kGridTrigger:      return kNoticed;
    case EffectKind::kGridWait:         return kMayBlock;
    case EffectKind::kClcCancel:        return kNoticed;
    case EffectKind::kClcQuery:         return 0;
      // clang-format on
  }
  return 0;
}
constexpr bool Is(EffectKind kind, EffectTrait trait) {
  return (TraitsOf(kind) & trait) != 0;
}

struct Effect {
  EffectKind kind = EffectKind::kRead;
  Milestone at = Milestone::kIssue;
  Proxy proxy = Proxy::kGeneric;
  Sem sem = Sem::kWeak;
  MemScope scope = MemScope::kCta;
  GroupKind group = GroupKind::kNone;
  FenceKind fence = FenceKind::kMemory;
  bool reads_only = false;  // kWaitGroup: until sources are read (.read)
  bool adds = false;        // kWrite: operand `value` to what was there
  // kCompleteTx: `value` is an operand, a register tile, of which each thread
  // counts the bytes that it holds.
  bool by_share = false;
  bool scope_written = true;  // false: `scope` is what PTX takes it for
  int8_t operand = -1;
  uint32_t ranks = 0;  // cluster ranks whose copies are meant; 0: as the
                       // operand says
  int32_t count = 0;
  int64_t value = 0;

  bool Is(EffectTrait trait) const { return ir::Is(kind, trait); }
};

// Whether it does more than move data that nobody waits for.
inline bool Orders(const Effect& e) {
  return !e.Is(kAccesses) || e.sem != Sem::kWeak;
}

// Collects the effects of one op.
class EffectSink {
 public:
  void Clear() { effects_.clear(); }
  const std::vector<Effect>& effects() const { return effects_; }

  Effect& Add(EffectKind kind, int operand = -1,
              Milestone at = Milestone::kIssue) {
    Effect& e = effects_.emplace_back();
    e.kind = kind;
    e.operand = static_cast<int8_t>(operand);
    e.at = at;
    return e;
  }
  Effect& Read(int operand, Proxy proxy = Proxy::kGeneric,
               Milestone at = Milestone::kIssue) {
    Effect& e = Add(EffectKind::kRead, operand, at);
    e.proxy = proxy;
    return e;
  }
  Effect& Write(int operand, Proxy proxy = Proxy::kGeneric,
                Milestone at = Milestone::kIssue) {
    Effect& e = Add(EffectKind::kWrite, operand, at);
    e.proxy = proxy;
    return e;
  }
  Effect& Value(EffectKind kind, int operand, int64_t value,
                Milestone at = Milestone::kIssue) {
    Effect& e = Add(kind, operand, at);
    e.value = value;
    return e;
  }
  Effect& Group(EffectKind kind, GroupKind group, int64_t value = 0) {
    Effect& e = Add(kind);
    e.group = group;
    e.value = value;
    return e;
  }
  Effect& Fence(FenceKind fence, Sem sem = Sem::kWeak,
                MemScope scope = MemScope::kCta) {
    Effect& e = Add(EffectKind::kFence);
    e.fence = fence;
    e.sem = sem;
    e.scope = scope;
    return e;
  }

 private:
  std::vector<Effect> effects_;
};

// The effects of `op`, appended to `sink` in the order they happen. Looked up
// in a table built from ops.def.
void EffectsOf(const ConcreteOp& op, EffectSink& sink);

// Which group an asynchronous op joins when it is issued.
GroupKind GroupOf(AsyncUnit unit, const ConcreteOp& op);

}  // namespace tilesim::ir

#endif  // TILESIM_IR_EFFECT_H_
