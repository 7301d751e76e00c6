// Which CTAs start when, and what L2 holds when the first one does.
#include <algorithm>
#include <bit>

#include "ir/cat.h"
#include "sim/timing/engine.h"

namespace tilesim::timing {

// --- what L2 holds
// ------------------------------------------------------------

// Tensors of one name are one tensor, also of several kernels. Keys lie far
// apart (Fibonacci hashing), as blocks of a tensor are numbered up from its
// key; and they are the same in each run.
std::vector<std::vector<uint64_t>> Engine::TensorKeys() const {
  std::vector<std::vector<uint64_t>> keys(machine_.kernels());
  absl::flat_hash_map<std::string_view, uint64_t> number;
  for (size_t k = 0; k < keys.size(); ++k) {
    for (const ir::Decl& d : PricedKernel(static_cast<int>(k)).kernel->decls)
      keys[k].push_back(
          (number.try_emplace(d.name, number.size()).first->second + 1) *
          0x9e3779b97f4a7c15u);
  }
  return keys;
}

namespace {

// Of `all` bytes that a launch reads and writes, the part that L2 has when it
// comes again. What is read alone stays up to the size of L2; where much of it
// is written less does, the less the more there is (stream.rate, warm: of 42 MB
// all, of 50 MB half, of 63 MB next to nothing).
double InL2After(const arch::Arch& arch, double all, double dirty) {
  // Some of it was read by SMs of one side of L2, some by those of both.
  const double kept = (arch.l2_kept + arch.l2_kept_both) / 2;
  if (all <= kept || all + dirty / 2 <= arch.l2_bytes) return 1;
  constexpr double kGone = 1.5;  // of what that lacks of l2_bytes
  const double beyond = (all - kept) / (kGone * (arch.l2_bytes - kept));
  return std::max(0.0, 1 - beyond);
}

}  // namespace

// The same launch went before, which leaves its tensors if they fit, and else
// a part of them; or other data was only read.
L2Cache::Before Engine::InL2Before() const {
  if (options_.l2 == L2State::kCold) return {};
  absl::flat_hash_map<std::string_view, double> bytes, written;
  for (size_t k = 0; k < machine_.kernels(); ++k) {
    const machine::Code& code = machine_.code(static_cast<int>(k));
    machine::Prices* prices = machine_.guide(static_cast<int>(k)).prices();
    const ir::BoundKernel& bound =
        prices == nullptr ? code.bound : prices->kernel();
    const auto& decls = bound.kernel->decls;
    for (size_t d = 0; d < decls.size(); ++d) {
      if (decls[d].space != ir::Space::kGlobal) continue;
      bytes[decls[d].name] = static_cast<double>(bound.decls[d].object_bytes);
    }
    if (prices != nullptr) {
      const std::vector<bool> writes = prices->Written();
      for (size_t d = 0; d < decls.size(); ++d) {
        if (writes[d]) written[decls[d].name] = bytes[decls[d].name];
      }
      continue;
    }
    for (const machine::CompiledOp& op : code.ops) {
      if (op.operands.empty() || !op.fixed.is_tile(0) ||
          op.fixed.tile(0).space != ir::Space::kGlobal)
        continue;
      const std::string& name = decls[op.fixed.tile(0).decl].name;
      written[name] = bytes[name];
    }
  }
  double all = 0, dirty = 0;
  for (const auto& [name, n] : bytes) all += n;
  for (const auto& [name, n] : written) dirty += n;
  return {InL2After(arch_, all, dirty), dirty};
}

// --- launch -----------------------------------------------------------------

// A kernel starts when all before it have ended, or, programmatic, when every
// CTA of the one before has triggered or ended.
bool Engine::MayStart(int kernel) const {
  if (kernel > 0 && machine_.code(kernel).kernel().programmatic)
    return state_.grids[kernel - 1].untriggered == 0;
  for (int k = 0; k < kernel; ++k) {
    if (state_.grids[k].finished_ctas != machine_.code(k).bound.ctas())
      return false;
  }
  return true;
}

// When the first CTA of a kernel that may start now does so.
Cycle Engine::FirstStart(int kernel) const {
  if (kernel == 0) return 0;
  bool early = false;  // before all CTAs have ended
  for (int k = 0; k < kernel; ++k)
    early |= state_.grids[k].finished_ctas != machine_.code(k).bound.ctas();
  if (early) return now_;
  return now_ + Rounded(Cycles(machine_.code(kernel).kernel().programmatic
                                   ? arch_.launch_gap_programmatic
                                   : arch_.launch_gap));
}

void Engine::TryLaunch() {
  for (size_t k = 0; k < machine_.kernels(); ++k) {
    int kernel = static_cast<int>(k);
    if (!MayStart(kernel)) return;
    if (!kernel_from_[k]) kernel_from_[k] = FirstStart(kernel);
    while (LaunchOne(kernel)) {
    }
  }
}

// When the next cluster starts, for which there is room now. All of the chip
// are launched one behind the other (launch.many).
Cycle Engine::LaunchTime(int kernel) {
  const int size = machine_.code(kernel).bound.cluster_size();
  const bool first = first_wave_ || now_ < *kernel_from_[kernel];
  const double asked =
      static_cast<double>(std::max(now_, first ? *kernel_from_[kernel] : now_));
  const double time =
      arch_.launch_interval * size + (size > 1 ? arch_.launch_cluster : 0);
  const Cycle turn = Rounded(launches_.Take(asked, time));
  if (first) return turn;
  // launch.replacement: 402, and 529 of clusters of two.
  constexpr double kOfClusters = 529.0 / 402;
  return std::max(
      turn, now_ + Rounded(arch_.cta_reuse * (size > 1 ? kOfClusters : 1)));
}

bool Engine::LaunchOne(int kernel) {
  const ir::BoundKernel& bound = machine_.code(kernel).bound;
  machine::Grid& grid = state_.grids[kernel];
  if (grid.next_cluster >= bound.ctas() / bound.cluster_size()) return false;
  std::optional<std::vector<Seat>> seats = placer_.Place(bound);
  if (!seats) {
    first_wave_ = false;
    return false;
  }
  const Cycle at = LaunchTime(kernel);
  auto ctas = machine_.Launch(state_, kernel, grid.next_cluster++);
  const Path freed_by = last_path_;
  for (size_t i = 0; i < ctas.size(); ++i) {
    size_t cta = static_cast<size_t>(ctas[i]);
    if (seats_.size() <= cta) {
      seats_.resize(cta + 1);
      watched_.resize(cta + 1);
      numbers_.resize(cta + 1);
    }
    seats_[cta] = (*seats)[i];
    uint64_t& slots = slots_[seats_[cta].sm];
    seats_[cta].slot = std::countr_one(slots);
    slots |= uint64_t{1} << seats_[cta].slot;
    numbers_[cta] = static_cast<int32_t>(ctas_run_.size());
    ctas_run_.push_back({static_cast<int16_t>(kernel),
                         static_cast<int16_t>(seats_[cta].sm),
                         state_.ctas[cta].linear, at});
    watched_[cta] =
        options_.observer != nullptr &&
        options_.observer->OnCtaStart(state_, ctas[i], seats_[cta].sm, at);
    const Cycle first = at + Rounded(arch_.cta_start);
    Path path = freed_by;
    path.Add({static_cast<int16_t>(kernel), -1, Cause::kLaunch}, numbers_[cta],
             first);
    for (int32_t strand : state_.ctas[cta].strands) Adopt(strand, first, path);
  }
  return true;
}

void Engine::Adopt(int32_t strand, Cycle at, Path path) {
  if (clocks_.size() <= static_cast<size_t>(strand)) clocks_.resize(strand + 1);
  pollers_.Changed();
  Clock& c = clocks_[strand];
  uint32_t version = c.version + 1;
  c = Clock();
  c.version = version;
  c.born = at;
  c.path = std::move(path);
  c.cta = state_.strands[strand].cta;
  NoteRole(strand);
  if (watched_[state_.strands[strand].cta])
    options_.observer->OnStrandStart(state_, strand, at);
  Push(at, Event::Kind::kStrand, strand, version);
}

}  // namespace tilesim::timing
