// One access to memory as the order sees it: by a warp's lanes, or by an
// asynchronous operation.
#ifndef TILESIM_CHECKERS_ORDER_ACCESS_H_
#define TILESIM_CHECKERS_ORDER_ACCESS_H_

#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "checkers/footprint/footprint.h"
#include "checkers/order/order.h"

namespace tilesim::checkers::order {

struct Access : footprint::Footprint {
  int32_t event = 0;       // of the log: the op that did or issued it
  int32_t operation = -1;  // asynchronous: which
  int8_t operand = 0;
  bool write = false;
  bool atomic = false;  // does not race with its like, within `scope`
  // tcgen05.alloc or dealloc of these columns, mbarrier.init or inval of these
  // bytes: what was there is lost
  bool lifetime = false;
  bool by_warp = false;  // done as one: past it, any lane is past it
  // The pool whose address it stores or reads: tcgen05.alloc, and whoever uses
  // its columns.
  int32_t address_of = -1;
  ir::MemScope scope = ir::MemScope::kGpu;
  ir::Proxy proxy = ir::Proxy::kGeneric;
  // Synchronous: who, when. Of an operation only where each warp that issued it
  // has a share: it begins when that warp has issued it, and of cp.async and
  // tcgen05.ld and .st also ends by itself.
  absl::InlinedVector<Mark, 2> marks;
  // A global whose elements have bytes of their own: those that it touches.
  const ir::TileValue* box = nullptr;

  // The milestone after which it is over.
  Reached over() const { return write ? Reached::kDone : Reached::kRead; }
};

// Why two accesses to tensor memory are not in order.
enum class TensorOrder : uint8_t {
  kOrdered,
  kFence,     // in order but for the tcgen05 fences
  kPipeline,  // issued one after the other, which is no order for this pair
  kUnordered,
};

using Accesses = std::vector<std::pair<footprint::Place, Access>>;

// Accesses to shared and tensor memory, and to what is written of global
// memory, by the op of an event that `order` has just finished. Of the word
// with a pool's address only where something else may write to it. Registers
// have checkers of their own.
Accesses AccessesOf(const Order& order, int32_t event,
                    footprint::Footprints& footprints);

// Whether the elements that each takes as one are of one size: others overlap
// in part.
bool OfOneSize(const run::Log& log, const Access& a, const Access& b);

// Whether they are atomics for each other: of one size (PTX 8.7.2), by one
// proxy, and their scopes have both CTAs (PTX 8.7, morally strong).
bool AtomicTogether(const run::Log& log, const Access& a, const Access& b);

// Whether `clock` knows that an access is over.
bool Knows(const Order& order, const Clock& clock, const Access& access);

// Whether `earlier` is over before `later` begins. `order` has just finished
// the event of `later`.
bool Ordered(const Order& order, const Access& earlier, const Access& later);

// The same for tensor memory. `tensor` is the order of kind kTensor.
TensorOrder OrderedInTensor(const Order& order, const Order& tensor,
                            const Access& earlier, const Access& later);

// What stands between a generic access and an asynchronous one after it.
enum class ProxyOrder : uint8_t {
  kFenced,  // a proxy fence by the thread that did it (for cp.async, by any
            // thread that knew it was done), before `later` on that chain; or
            // half of one there, and the other half by who issues `later`
  kReaderSide,  // only one by the thread that issues `later`, or by another on
                // the way
  kNone,
};
ProxyOrder ProxyOrderOf(const Order& order, const Access& earlier,
                        const Access& later, const footprint::Place& place);

}  // namespace tilesim::checkers::order

#endif  // TILESIM_CHECKERS_ORDER_ACCESS_H_
