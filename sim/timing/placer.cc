#include "sim/timing/placer.h"

#include <algorithm>

namespace tilesim::timing {
namespace {

constexpr double kTmemColumns = 512;
// What ptxas would give a kernel that does not say: enough for most.
constexpr double kUnsaidRegisters = 128;

}  // namespace

Placer::Placer(const arch::Arch& arch)
    : arch_(arch),
      empty_{arch.shared_bytes, arch.max_threads, arch.registers,
             arch.max_ctas, kTmemColumns},
      free_(static_cast<size_t>(arch.sms), empty_) {
  int sm = 0;
  for (double count : arch.gpc_sms()) {
    std::vector<int>& gpc = gpcs_.emplace_back();
    for (int i = 0; i < static_cast<int>(count); ++i) gpc.push_back(sm++);
  }
}

Placer::Room Placer::NeedOf(const ir::BoundKernel& k) const {
  double regs = k.regs > 0 ? static_cast<double>(k.regs) : kUnsaidRegisters;
  double threads = static_cast<double>(k.block);
  regs = std::min(regs, arch_.registers / threads);
  return {static_cast<double>(k.shared_bytes) + arch_.shared_reserved, threads,
          regs * threads, 1, static_cast<double>(k.tmem_columns)};
}

bool Placer::Fits(const Room& room, const Room& need) {
  return room.shared >= need.shared && room.threads >= need.threads &&
         room.registers >= need.registers && room.ctas >= need.ctas &&
         room.columns >= need.columns;
}

bool Placer::FitsAlone(const ir::BoundKernel& kernel) const {
  return Fits(empty_, NeedOf(kernel));
}

std::optional<std::vector<int>> Placer::Place(const ir::BoundKernel& kernel) {
  Room need = NeedOf(kernel);
  std::vector<int> out;
  // GPC after GPC, so that neighbours in the grid spread over the chip.
  for (size_t i = 0; i < gpcs_.size(); ++i) {
    size_t gpc = (next_gpc_ + i) % gpcs_.size();
    if (!PlaceInGpc(gpc, need, kernel.cluster_size(), out)) continue;
    next_gpc_ = (gpc + 1) % gpcs_.size();
    for (int sm : out) {
      Room& r = free_[sm];
      r = {r.shared - need.shared, r.threads - need.threads,
           r.registers - need.registers, r.ctas - need.ctas,
           r.columns - need.columns};
    }
    return out;
  }
  return std::nullopt;
}

bool Placer::PlaceInGpc(size_t gpc, const Room& need, int64_t size,
                        std::vector<int>& out) {
  out.clear();
  std::vector<int> fitting;
  for (int sm : gpcs_[gpc]) {
    if (Fits(free_[sm], need)) fitting.push_back(sm);
  }
  if (fitting.size() < static_cast<size_t>(size)) return false;
  std::stable_sort(fitting.begin(), fitting.end(), [&](int a, int b) {
    return free_[a].ctas > free_[b].ctas;
  });
  out.assign(fitting.begin(), fitting.begin() + size);
  return true;
}

void Placer::Release(const ir::BoundKernel& kernel, int sm) {
  Room need = NeedOf(kernel);
  Room& r = free_[sm];
  r = {r.shared + need.shared, r.threads + need.threads,
       r.registers + need.registers, r.ctas + need.ctas,
       r.columns + need.columns};
}

}  // namespace tilesim::timing
