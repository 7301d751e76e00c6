// Shared memory, tensor memory and register tiles of one resident CTA.
#ifndef TILESIM_SIM_MACHINE_DATA_CTA_MEMORY_H_
#define TILESIM_SIM_MACHINE_DATA_CTA_MEMORY_H_

#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/bind.h"
#include "ir/tmem.h"
#include "sim/machine/data/bits.h"
#include "sim/machine/data/globals.h"

namespace tilesim::machine {

inline constexpr int64_t kGranule = 16;  // of shared memory, for "written"

// One copy of a register tile: rows x cols codes, each row in whole bytes.
struct RegTile {
  std::vector<uint8_t> data;
  Bits written;  // by element
};

// Of tensor memory, of a CTA that has some.
int64_t TmemBytes(const ir::BoundKernel& bound);

class CtaMemory {
 public:
  // Starts over for a new CTA. Without values there is only memory that
  // decides control.
  void Launch(const Code& code, bool values, Budget& budget);

  bool values() const { return values_; }

  std::vector<uint8_t>& shared() { return shared_; }
  Bits& shared_written() { return shared_written_; }

  // Columns of a lane, and its bytes.
  int64_t tmem_columns() const { return tmem_columns_; }
  uint8_t* TmemLane(int lane) {
    return tmem_.data() + lane * tmem_columns_ * ir::kColumnBytes;
  }
  // By lane * tmem_columns() + column.
  Bits& tmem_written() { return tmem_written_; }

  // The copy of object `index` of declaration `decl` that the threads from
  // `first_thread` on hold.
  RegTile& Reg(const ir::BoundDecl& d, int decl, int index, int first_thread);

 private:
  using Key = std::tuple<int, int, int>;

  bool values_ = false;
  Budget* budget_ = nullptr;
  std::vector<uint8_t> shared_;
  Bits shared_written_;
  int64_t tmem_columns_ = 0;
  std::vector<uint8_t> tmem_;
  Bits tmem_written_;
  absl::flat_hash_map<Key, std::unique_ptr<RegTile>> regs_;
};

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_CTA_MEMORY_H_
