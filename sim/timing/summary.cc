// What a run comes to, once it is over.
#include <algorithm>

#include "ir/cat.h"
#include "sim/timing/engine.h"

namespace tilesim::timing {

using machine::Signal;

std::string Engine::WaitName(const WaitKey& key) const {
  static constexpr std::string_view kGroups[] = {"",
                                                 "bulk group",
                                                 "cp.async group",
                                                 "wgmma group",
                                                 "tcgen05.wait::ld",
                                                 "tcgen05.wait::st"};
  switch (key.kind) {
    case Signal::Kind::kMbarrier:
      return ir::Cat("mbarrier ",
                     machine_.code(key.kernel).kernel().decls[key.index].name);
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
      return "load";
    case Signal::Kind::kExit:
      break;
  }
  return "?";
}

RunStats Engine::Summarise() {
  RunStats stats;
  stats.cycles = last_end_;
  stats.events = processed_;
  stats.ops = ops_;
  stats.chain = last_chain_;
  stats.finished = !faulted_;
  stats.faulted = faulted_;
  for (size_t k = 0; k < machine_.kernels(); ++k) {
    int64_t all = machine_.code(static_cast<int>(k)).bound.ctas();
    stats.ctas += all - state_.grids[k].taken_over;
    stats.finished &= state_.grids[k].finished_ctas == all;
  }
  std::vector<std::pair<WaitKey, WaitSum>> waits(waits_.begin(), waits_.end());
  for (size_t k = 0; k < roles_.size(); ++k) {
    for (size_t r = 0; r < roles_[k].size(); ++r) {
      RoleStats role = roles_[k][r];
      for (const auto& [key, sum] : waits) {
        if (key.kernel == static_cast<int>(k) &&
            key.role == static_cast<int>(r) - 1)
          role.waits.push_back({WaitName(key), sum.cycles, sum.count});
      }
      std::sort(role.waits.begin(), role.waits.end(),
                [](const WaitStats& a, const WaitStats& b) {
                  return a.cycles != b.cycles ? a.cycles > b.cycles
                                              : a.on < b.on;
                });
      role.cycles = role.busy;
      for (const WaitStats& w : role.waits) role.cycles += w.cycles;
      if (role.busy > 0 || !role.waits.empty())
        stats.roles.push_back(std::move(role));
    }
  }
  double span = static_cast<double>(std::max<Cycle>(stats.cycles, 1));
  auto mean = [&](std::string_view name, auto unit) {
    double busy = 0;
    for (const SmUnits& sm : sms_) busy += unit(sm).busy();
    stats.units.push_back(
        {std::string(name), busy / span / static_cast<double>(sms_.size())});
  };
  mean("tensor core", [](const SmUnits& s) { return s.tensor; });
  stats.clock_mhz = ClockMhz(arch_, LoadBy(stats.cycles));
  stats.time_us = span / stats.clock_mhz + arch_.launch_time / 1000;
  mean("TMA issue", [](const SmUnits& s) { return s.tma; });
  mean("L2 port", [](const SmUnits& s) { return s.port; });
  mean("shared memory", [](const SmUnits& s) { return s.shared; });
  mean("FP32", [](const SmUnits& s) { return s.alu; });
  mean("special functions", [](const SmUnits& s) { return s.mufu; });
  mean("tensor memory", [](const SmUnits& s) { return s.tmem; });
  double gpc = 0;
  for (const GpcUnits& g : gpcs_) gpc += g.port.busy();
  stats.units.push_back(
      {"L2 to GPCs", gpc / span / static_cast<double>(gpcs_.size())});
  stats.units.push_back({"HBM", chip_.hbm.busy() / span});
  stats.l2_hit_bytes = chip_.cache.hits();
  stats.hbm_bytes = chip_.hbm_bytes;
  return stats;
}

}  // namespace tilesim::timing
