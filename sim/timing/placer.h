// Which SM runs which CTA: capacity by shared memory, threads, registers and
// tensor memory, as ir/occupancy.h has it; clusters stay inside a GPC.
#ifndef TILESIM_SIM_TIMING_PLACER_H_
#define TILESIM_SIM_TIMING_PLACER_H_

#include <array>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/bind.h"
#include "ir/occupancy.h"
#include "sim/arch/arch.h"

namespace tilesim::timing {

// Where a CTA is: its warps take the register files in turn, from one on.
struct Seat {
  int sm = 0;
  int file = 0;  // of its first warp
  int slot = 0;  // among the CTAs of the SM at a time
};

class Placer {
 public:
  explicit Placer(const arch::Arch& arch);

  // Seats for the CTAs of one cluster, emptiest SMs first, or nothing if there
  // is no room now. The capacity is taken.
  std::optional<std::vector<Seat>> Place(const ir::BoundKernel& kernel);
  // A CTA of this kernel has left.
  void Release(const ir::BoundKernel& kernel, Seat seat);

  int sms() const { return static_cast<int>(free_.size()); }
  int gpcs() const { return static_cast<int>(gpcs_.size()); }
  int GpcOf(int sm) const { return gpc_of_[sm]; }
  // Pairs of SMs, counted in their GPC.
  int TpcOf(int sm) const { return tpc_of_[sm]; }
  // Of L2: 0 or 1.
  int SideOf(int sm) const { return sides_ >> GpcOf(sm) & 1 ? 0 : 1; }
  // How many SMs its CPC has, of the mean: three TPCs are one, or what is left
  // of them in a GPC.
  double PartOfCpc(int sm) const;

 private:
  struct Room {
    int64_t shared, threads, ctas, columns;
    std::array<int64_t, ir::kSubCores> registers;  // of each file
  };
  Room NeedOf(const ir::BoundKernel& kernel, int file);
  static bool Fits(const Room& room, const Room& need);
  static int EmptiestFile(const Room& room);
  std::optional<std::vector<Seat>> PlaceInGpc(size_t gpc,
                                              const ir::BoundKernel& kernel);
  int64_t InARow(const ir::BoundKernel& kernel) const;
  int64_t RoomAt(const std::vector<Seat>& seats) const;
  void Take(const Room& need, int sm, int sign);

  // What a warp takes of its file, once it was asked.
  absl::flat_hash_map<const ir::BoundKernel*, int64_t> warp_registers_;
  ir::SmLimits limits_;
  Room empty_;
  std::vector<Room> free_;
  std::vector<std::vector<int>> gpcs_;  // SMs of each
  std::vector<int> gpc_of_;             // of each SM
  std::vector<int> tpc_of_;             // likewise, in its GPC
  unsigned sides_;                      // GPCs of the first side: a bit each
  int first_pair_ = 0;  // SM from which on clusters have at most two CTAs
  size_t next_gpc_ = 0;
  int64_t placed_in_a_row_ = 0;  // there
  absl::flat_hash_map<const ir::BoundKernel*, int64_t> in_a_row_;
};

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_PLACER_H_
