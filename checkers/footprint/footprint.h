// Which bytes an op touches, exactly: boxes through swizzle, panels and
// explicit aliasing; each warp its own part of what threads do together;
// tensor memory by lanes and columns; registers by the elements a warp holds.
#ifndef TILESIM_CHECKERS_FOOTPRINT_FOOTPRINT_H_
#define TILESIM_CHECKERS_FOOTPRINT_FOOTPRINT_H_

#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "checkers/footprint/fragments.h"
#include "checkers/footprint/interval_set.h"
#include "checkers/run/log.h"

namespace tilesim::checkers::footprint {

// Memory in which positions are comparable.
struct Place {
  ir::Space space = ir::Space::kGlobal;
  int32_t owner = 0;    // CTA; global: the declaration
  int32_t warp = -1;    // registers: whose
  int32_t object = -1;  // registers: declaration and index, as one number

  friend auto operator<=>(const Place&, const Place&) = default;
};

// Of tensor memory, position is lane * kLaneStride + byte of the lane: pools
// that are not allocated at the same time may be more than a lane has.
inline constexpr int64_t kLaneStride = int64_t{1} << 24;

// Of the events of one log.
class Footprints {
 public:
  Footprints(const machine::Code& code, Fragments& fragments);

  // Bytes that `threads` (of those that execute the event) touch of operand
  // `operand` in shared, global or tensor memory.
  Footprint Memory(const run::Event& event, int operand,
                   const ir::ThreadSet& threads);
  // The same, of what is not global: it stays where it is, and another event
  // has the same one only if everything it follows from is the same. Global:
  // null.
  const Footprint* OnChip(const run::Event& event, int operand,
                          const ir::ThreadSet& threads);
  Fragments& fragments() { return fragments_; }
  // Elements of the operand's box, numbered row after row, that they touch,
  // wherever in its tensor the box lies.
  IntervalSet InBox(const run::Event& event, int operand,
                    const ir::ThreadSet& threads);
  // Of a global that no CTA writes, no two accesses can be in conflict.
  bool MayConflict(const ir::TileValue& t) const {
    return t.space != ir::Space::kGlobal || written_[t.decl];
  }
  // All lanes of the columns of a tensor memory pool.
  Footprint Pool(int32_t decl) const;
  // The word of shared memory that gets a pool's address, and whether anything
  // else may write to it, or somebody may come behind the allocation by a
  // relaxed op, and not have the word.
  Footprint Slot(int32_t pool) const;
  bool SlotAtRisk(int32_t pool) const { return at_risk_[pool]; }
  bool any_slot_at_risk() const { return any_at_risk_; }
  // Elements of the operand's register tile that a warp holds for it.
  const IntervalSet& Registers(const run::Event& event, int operand,
                               int32_t warp);
  // The registers of each lane that executes the event.
  const IntervalSet& RegistersByLane(const run::Event& event, int operand,
                                     int32_t warp);

 private:
  const ir::BoundDecl& decl(const ir::TileValue& t) const {
    return code_.bound.decls[t.decl];
  }
  const IntervalSet& HeldBy(const run::Event& event, int reg,
                            const ir::ThreadSet& threads);
  IntervalSet CopiedBy(const run::Event& event, int operand,
                       const ir::ThreadSet& threads) const;
  const Footprint& OnChipOnce(const run::Event& event, int operand,
                              const ir::ThreadSet& threads);
  Footprint WorkOutOnChip(const run::Event& event, int operand,
                          const ir::ThreadSet& threads);
  IntervalSet Global(const ir::TileValue& t, const IntervalSet& elements) const;
  // Of compiled code: what its guide has found.
  IntervalSet Listed(const ir::TileValue& t,
                     const ir::ThreadSet& threads) const;
  // footprint/tensor.cc
  static Footprint OfLanes(IntervalSet bytes);
  bool MayBeWritten(int32_t pool) const;
  IntervalSet Tensor(const run::Event& event, const ir::TileValue& t,
                     const ir::ThreadSet& threads) const;

  const machine::Code& code_;
  Fragments& fragments_;
  std::vector<bool> written_;  // by declaration
  std::vector<bool> at_risk_;  // likewise: the word with its address
  bool any_at_risk_ = false;
  int64_t memory_;  // on chip
  // Of that, by op instance, operand and threads.
  using Part = std::tuple<const run::OpInstance*, int, int, int, uint32_t>;
  absl::flat_hash_map<Part, const Footprint*> of_acts_;
  // The last that was asked for: as a rule its other warps are next.
  struct Held {
    const run::OpInstance* instance = nullptr;
    int operand = 0;
    int32_t first = 0, warps = 0;
    const std::vector<IntervalSet>* by_warp = nullptr;
  };
  Held held_;
  // Of registers of compiled code, by set.
  absl::node_hash_map<int32_t, IntervalSet> listed_;
};

// Where an operand of the event lies. `rank`: in the event's cluster, the CTA
// that a multicast or a pair means, or -1.
Place PlaceOf(const run::Event& event, int operand, int32_t rank = -1);

}  // namespace tilesim::checkers::footprint

#endif  // TILESIM_CHECKERS_FOOTPRINT_FOOTPRINT_H_
