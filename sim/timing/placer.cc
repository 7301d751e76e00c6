#include "sim/timing/placer.h"

#include <algorithm>

#include "sim/timing/registers.h"

namespace tilesim::timing {
namespace {

ir::SmLimits LimitsOf(const arch::Arch& a) {
  ir::SmLimits limits;
  limits.registers = static_cast<int64_t>(a.registers);
  limits.threads = static_cast<int64_t>(a.max_threads);
  limits.ctas = static_cast<int64_t>(a.max_ctas);
  limits.shared_bytes = static_cast<int64_t>(a.shared_bytes);
  limits.shared_reserved = static_cast<int64_t>(a.shared_reserved);
  return limits;
}

}  // namespace

Placer::Placer(const arch::Arch& arch)
    : limits_(LimitsOf(arch)),
      empty_{limits_.shared_bytes,
             limits_.threads,
             limits_.ctas,
             limits_.tmem_columns,
             {}},
      free_(static_cast<size_t>(arch.sms)),
      sides_(static_cast<unsigned>(arch.gpc_sides)) {
  empty_.registers.fill(limits_.registers / ir::kSubCores);
  std::fill(free_.begin(), free_.end(), empty_);
  int sm = 0;
  for (double count : arch.gpc_sms()) {
    std::vector<int>& gpc = gpcs_.emplace_back();
    for (int i = 0; i < static_cast<int>(count); ++i) {
      gpc_of_.push_back(static_cast<int>(gpcs_.size()) - 1);
      tpc_of_.push_back(i / 2);
      gpc.push_back(sm++);
    }
  }
  first_pair_ = sm - static_cast<int>(arch.gpc_pairs);
}

Placer::Room Placer::NeedOf(const ir::BoundKernel& k, int file) {
  Room need{
      ir::SharedOfCta(k.shared_bytes, limits_), k.block, 1, k.tmem_columns, {}};
  auto [known, added] = warp_registers_.try_emplace(&k);
  if (added) known->second = ir::RegistersOfWarp(RegistersOf(k));
  const int64_t each = known->second;
  for (int64_t warp = 0; warp < ir::WarpsOf(k.block); ++warp)
    need.registers[(file + warp) % ir::kSubCores] += each;
  return need;
}

bool Placer::Fits(const Room& room, const Room& need) {
  for (int f = 0; f < ir::kSubCores; ++f) {
    if (room.registers[f] < need.registers[f]) return false;
  }
  return room.shared >= need.shared && room.threads >= need.threads &&
         room.ctas >= need.ctas && room.columns >= need.columns;
}

int Placer::EmptiestFile(const Room& room) {
  auto most = std::max_element(room.registers.begin(), room.registers.end());
  return static_cast<int>(most - room.registers.begin());
}

// How many CTAs that follow each other one GPC takes: the grid is dealt out
// evenly, as far as GPCs have SMs; clusters one by one.
int64_t Placer::InARow(const ir::BoundKernel& kernel) const {
  if (kernel.cluster_size() > 1) return 1;
  const auto sms = static_cast<int64_t>(free_.size());
  int64_t each = 0;
  for (int64_t placed = 0; placed < std::min(kernel.ctas(), sms);) {
    ++each;
    placed = 0;
    for (const std::vector<int>& gpc : gpcs_)
      placed += std::min(each, static_cast<int64_t>(gpc.size()));
  }
  return std::max<int64_t>(each, 1);
}

// No SM gets a second CTA while another has none; CTAs that follow each other
// share TPCs and a GPC (calibration.json launch.together).
double Placer::PartOfCpc(int sm) const {
  constexpr int kSms = 6;
  int cpcs = 0;
  for (const std::vector<int>& gpc : gpcs_)
    cpcs += (static_cast<int>(gpc.size()) + kSms - 1) / kSms;
  const int rest = static_cast<int>(gpcs_[gpc_of_[sm]].size()) -
                   tpc_of_[sm] * 2 / kSms * kSms;
  return static_cast<double>(std::min(rest, kSms) * cpcs) / sms();
}

std::optional<std::vector<Seat>> Placer::Place(const ir::BoundKernel& kernel) {
  std::optional<std::vector<Seat>> best;
  size_t best_gpc = 0;
  for (size_t i = 0; i < gpcs_.size(); ++i) {
    size_t gpc = (next_gpc_ + i) % gpcs_.size();
    std::optional<std::vector<Seat>> seats = PlaceInGpc(gpc, kernel);
    if (!seats || (best && RoomAt(*seats) <= RoomAt(*best))) continue;
    best = std::move(seats);
    best_gpc = gpc;
  }
  if (!best) return std::nullopt;
  auto [row, added] = in_a_row_.try_emplace(&kernel);
  if (added) row->second = InARow(kernel);
  if (best_gpc != next_gpc_) placed_in_a_row_ = 0;
  next_gpc_ = best_gpc;
  if (++placed_in_a_row_ >= row->second) {
    placed_in_a_row_ = 0;
    next_gpc_ = (best_gpc + 1) % gpcs_.size();
  }
  for (const Seat& seat : *best) Take(NeedOf(kernel, seat.file), seat.sm, 1);
  return best;
}

// CTAs that the fullest SM of these could still take; seats are sorted.
int64_t Placer::RoomAt(const std::vector<Seat>& seats) const {
  return free_[seats.back().sm].ctas;
}

std::optional<std::vector<Seat>> Placer::PlaceInGpc(
    size_t gpc, const ir::BoundKernel& kernel) {
  const size_t size = static_cast<size_t>(kernel.cluster_size());
  std::vector<Seat> fitting;
  for (int sm : gpcs_[gpc]) {
    if (size > 2 && sm >= first_pair_) break;
    Seat seat{sm, EmptiestFile(free_[sm])};
    if (Fits(free_[sm], NeedOf(kernel, seat.file))) fitting.push_back(seat);
  }
  if (fitting.size() < size) return std::nullopt;
  std::stable_sort(fitting.begin(), fitting.end(),
                   [&](const Seat& a, const Seat& b) {
                     return free_[a.sm].ctas > free_[b.sm].ctas;
                   });
  fitting.resize(size);
  return fitting;
}

void Placer::Take(const Room& need, int sm, int sign) {
  Room& room = free_[sm];
  room.shared -= sign * need.shared;
  room.threads -= sign * need.threads;
  room.ctas -= sign * need.ctas;
  room.columns -= sign * need.columns;
  for (int f = 0; f < ir::kSubCores; ++f)
    room.registers[f] -= sign * need.registers[f];
}

void Placer::Release(const ir::BoundKernel& kernel, Seat seat) {
  Take(NeedOf(kernel, seat.file), seat.sm, -1);
}

}  // namespace tilesim::timing
