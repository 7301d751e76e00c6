// What a run comes to, once it is over.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "ir/cat.h"
#include "sim/timing/engine.h"

namespace tilesim::timing {

using machine::Signal;

namespace {

template <typename Wait>
void SortLongestFirst(std::vector<Wait>& waits) {
  std::sort(waits.begin(), waits.end(), [](const Wait& a, const Wait& b) {
    return a.cycles != b.cycles ? a.cycles > b.cycles : a.on < b.on;
  });
}

}  // namespace

namespace {

// Those of PTX are called so already, and by where they lie.
std::string Barrier(const std::string& name) {
  return name.starts_with("mbarrier ") ? name : "mbarrier " + name;
}

}  // namespace

std::string Engine::WaitName(const WaitKey& key) const {
  static constexpr std::string_view kGroups[] = {"",
                                                 "bulk group",
                                                 "cp.async group",
                                                 "wgmma group",
                                                 "tcgen05.wait::ld",
                                                 "tcgen05.wait::st"};
  switch (key.kind) {
    case Signal::Kind::kMbarrier:
      return Barrier(machine_.code(key.kernel).kernel().decls[key.index].name);
    case Signal::Kind::kNamed:
      return ir::Cat("bar ", key.index);
    case Signal::Kind::kCluster:
      return "cluster barrier";
    case Signal::Kind::kGroup:
      return std::string(kGroups[key.index]);
    case Signal::Kind::kRegisters:
      return "setmaxnreg";
    case Signal::Kind::kTmem:
      return "tcgen05.alloc";
    case Signal::Kind::kCollective:
      return "warpgroup";
    case Signal::Kind::kGrid:
      return "earlier kernel";
    case Signal::Kind::kPoll:
      if (key.index == kPollsForEver) return "polling";
      return key.index == kLoad ? "load" : "earlier result";
    case Signal::Kind::kExit:
      break;
  }
  return "?";
}

// Of strands that nobody has woken.
void Engine::AddOpenWaits(Cycle end) {
  for (const machine::Cta& cta : state_.ctas) {
    for (int32_t strand : cta.strands) {
      const Clock& c = clocks_[strand];
      if (!c.blocked) continue;
      WaitSum& w = waits_[KeyOf(c, c.signal, {})];
      w.cycles += static_cast<double>(std::max<Cycle>(end - c.since, 0));
      ++w.count;
      ++w.for_ever;
    }
  }
}

void Engine::SummariseRoles(RunStats& stats) const {
  std::vector<std::vector<std::map<std::string, WaitStats>>> sums;
  for (const auto& roles : roles_) sums.emplace_back(roles.size());
  for (const auto& [key, sum] : waits_) {
    std::string on = WaitName(key);
    WaitStats& w = sums[key.kernel][key.role + 1][on];
    w.on = std::move(on);
    w.cycles += sum.cycles;
    w.count += sum.count;
    w.for_ever += sum.for_ever;
    if (sum.for_ever > 0) w.op = key.op;
  }
  for (size_t k = 0; k < roles_.size(); ++k) {
    for (size_t r = 0; r < roles_[k].size(); ++r) {
      RoleStats role = roles_[k][r];
      role.kernel = static_cast<int>(k);
      role.cycles = role.busy;
      for (const auto& [on, w] : sums[k][r]) {
        role.waits.push_back(w);
        role.cycles += w.cycles;
      }
      SortLongestFirst(role.waits);
      if (role.busy > 0 || !role.waits.empty())
        stats.roles.push_back(std::move(role));
    }
  }
}

void Engine::SummariseKernels(RunStats& stats) const {
  for (size_t k = 0; k < machine_.kernels(); ++k) {
    KernelStats kernel;
    kernel.name = machine_.code(static_cast<int>(k)).kernel().name;
    kernel.ops = op_stats_[k];
    for (const auto& [key, sum] : waits_) {
      if (key.kernel != static_cast<int>(k) || key.op < 0) continue;
      kernel.ops[key.op].waits.push_back(
          {WaitName(key), key.by_kernel, key.by_op, sum.cycles, sum.count});
    }
    for (OpStats& op : kernel.ops) SortLongestFirst(op.waits);
    for (const CtaRun& c : ctas_run_) {
      if (c.kernel != static_cast<int>(k)) continue;
      kernel.start =
          kernel.ctas++ == 0 ? c.start : std::min(kernel.start, c.start);
      kernel.end = std::max(kernel.end, c.end);
    }
    stats.kernels.push_back(std::move(kernel));
  }
}

void Engine::SummariseUnits(RunStats& stats) const {
  double span = static_cast<double>(std::max<Cycle>(stats.cycles, 1));
  auto mean = [&](std::string_view name, Cause cause, auto unit) {
    double busy = 0;
    for (const SmUnits& sm : sms_) busy += unit(sm);
    stats.units.push_back({std::string(name),
                           busy / span / static_cast<double>(sms_.size()),
                           cause});
  };
  mean("tensor core", Cause::kTensor, [](auto& s) { return s.tensor.busy(); });
  mean("TMA issue", Cause::kTma, [](auto& s) { return s.tma.busy(); });
  mean("L2 port", Cause::kL2, [](auto& s) { return s.port.busy(); });
  mean("shared memory", Cause::kShared,
       [](auto& s) { return s.shared.busy(); });
  mean("FP32", Cause::kArithmetic, [](auto& s) { return s.fp32; });
  mean("special functions", Cause::kArithmetic,
       [](auto& s) { return s.mufu.busy(); });
  mean("tensor memory", Cause::kTmem, [](auto& s) { return s.tmem.busy(); });
  double gpc = 0;
  for (const GpcUnits& g : gpcs_) gpc += g.port.busy();
  stats.units.push_back({"L2 to GPCs",
                         gpc / span / static_cast<double>(gpcs_.size()),
                         Cause::kL2});
  stats.units.push_back({"HBM", chip_.hbm.busy() / span, Cause::kHbm});
}

RunStats Engine::Summarise() {
  RunStats stats;
  stats.cycles = last_end_;
  stats.events = processed_;
  stats.ops = ops_;
  stats.path = last_path_.Sums();
  stats.path_steps = last_path_.Steps();
  stats.finished = !faulted_;
  stats.faulted = faulted_;
  for (size_t k = 0; k < machine_.kernels(); ++k) {
    int64_t all = machine_.code(static_cast<int>(k)).bound.ctas();
    stats.ctas += all - state_.grids[k].taken_over;
    stats.finished &= state_.grids[k].finished_ctas == all;
  }
  // One that hangs has come to here.
  if (!stats.finished) {
    stats.cycles = std::max(last_end_, now_);
    AddOpenWaits(stats.cycles);
  }
  SummariseRoles(stats);
  SummariseKernels(stats);
  SummariseUnits(stats);
  double span = static_cast<double>(std::max<Cycle>(stats.cycles, 1));
  stats.clock_mhz = ClockMhz(arch_, LoadBy(stats.cycles));
  // A launch is over when L2 has done what its threads left it to do.
  for (const SmUnits& sm : sms_) {
    if (!sm.adding.empty()) span = std::max(span, sm.adding.back());
  }
  stats.time_us = span / stats.clock_mhz + arch_.launch_time / 1000;
  load_.Look(stats.cycles, sms_, chip_);
  stats.load = load_.Samples();
  stats.ctas_run = std::move(ctas_run_);
  stats.moved = chip_.moved;
  return stats;
}

// --- what bounds it ---------------------------------------------------------

Bound BoundOf(const RunStats& stats) {
  Bound bound;
  for (const UnitStats& unit : stats.units) {
    if (unit.busy < kBoundShare || unit.busy <= bound.share) continue;
    bound = {unit.cause, true, unit.name, unit.busy};
  }
  if (bound.by_unit) return bound;
  std::array<Cycle, kCauses> causes{};
  for (const auto& [key, cycles] : stats.path)
    causes[static_cast<int>(key.cause)] += cycles;
  const auto most = std::max_element(causes.begin(), causes.end());
  bound.cause = static_cast<Cause>(most - causes.begin());
  bound.share = static_cast<double>(*most) /
                static_cast<double>(std::max<Cycle>(stats.cycles, 1));
  return bound;
}

std::string Name(const Bound& bound) {
  std::string cause(kCauseNames[static_cast<int>(bound.cause)]);
  return bound.by_unit ? cause : ir::Cat("latency (", cause, ")");
}

}  // namespace tilesim::timing
