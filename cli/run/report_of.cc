#include "cli/run/report_of.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "cli/version.h"
#include "fmt/format.h"
#include "ir/cat.h"
#include "ir/work.h"
#include "sim/timing/registers.h"

namespace tilesim::cli {
namespace {

using timing::Cycle;
using timing::RunStats;

// A line of one of the program's files.
std::string LineOf(const ir::Source& source, ir::Span span) {
  std::string_view text = source.TextOf(span);
  for (int line = 1; line < span.text_line(); ++line) {
    const size_t end = text.find('\n');
    if (end == text.npos) return "";
    text.remove_prefix(end + 1);
  }
  if (span.text_line() <= 0) return "";
  const std::string here(text.substr(0, text.find('\n')));
  return std::string(absl::StripAsciiWhitespace(here));
}

const ir::Op* OpAt(const Timed& run, int kernel, int op) {
  if (op < 0) return nullptr;
  return run.codes[kernel]->ops[op].op;
}

// "13", of another file than the program's "tiles.inc:13"; "" of no op.
std::string PlaceOf(const Timed& run, int kernel, int op) {
  const ir::Op* at = OpAt(run, kernel, op);
  if (at == nullptr) return "";
  const std::string& path = run.source.PathOf(at->span);
  const std::string line = std::to_string(at->span.text_line());
  if (path == run.source.path) return line;
  return ir::Cat(path.substr(path.find_last_of('/') + 1), ":", line);
}

// Parameters and constants of all kernels, each name once.
void FillSizes(const Timed& run, traces::RunReport& report) {
  const auto add = [](auto& list, const std::string& name, int64_t value) {
    const bool known = std::any_of(list.begin(), list.end(),
                                   [&](auto& v) { return v.first == name; });
    if (!known) list.emplace_back(name, value);
  };
  for (const machine::Code* code : run.codes) {
    const auto value = [&](int32_t slot) -> std::optional<int64_t> {
      if (slot < 0 || !code->bound.slots[slot]) return std::nullopt;
      const ir::Value& v = *code->bound.slots[slot];
      return v.is_float ? std::nullopt : std::optional(v.number);
    };
    for (const ir::Param& p : code->kernel().params) {
      if (auto v = value(p.slot)) add(report.params, p.name, *v);
    }
    for (const ir::Constant& c : code->kernel().constants) {
      auto v = c.is_let ? std::nullopt : value(c.slot);
      if (v) add(report.constants, c.name, *v);
    }
  }
}

std::string Triple(const std::array<int64_t, 3>& v) {
  return v[2] > 1 ? fmt::format("({}, {}, {})", v[0], v[1], v[2])
                  : fmt::format("({}, {})", v[0], v[1]);
}

traces::LaunchReport LaunchOf(const Timed& run, const ir::BoundKernel& b) {
  traces::LaunchReport launch;
  launch.grid = Triple(b.grid);
  launch.grid_size.assign(b.grid.begin(), b.grid.end());
  launch.cluster = Triple(b.cluster);
  launch.cluster_size.assign(b.cluster.begin(), b.cluster.end());
  launch.threads_per_cta = b.block;
  launch.ctas = b.ctas();
  launch.sms = static_cast<int64_t>(run.arch.sms);
  launch.shared_bytes = b.shared_bytes;
  launch.registers_per_thread = timing::RegistersOf(b);
  launch.tmem_columns = b.tmem_columns;
  launch.ctas_per_sm = timing::CtasPerSm(b);
  launch.waves = static_cast<double>(launch.ctas) /
                 static_cast<double>(launch.sms * launch.ctas_per_sm);
  return launch;
}

void FillKernels(const Timed& run, traces::RunReport& report) {
  const auto& codes = run.codes;
  report.launch = LaunchOf(run, codes[0]->bound);
  if (codes.size() < 2) return;
  for (size_t k = 0; k < codes.size(); ++k) {
    const timing::KernelStats& stats = run.stats.kernels[k];
    report.kernels.push_back(
        {stats.name, LaunchOf(run, codes[k]->bound), stats.start, stats.end});
  }
}

void FillRoles(const Timed& run, traces::RunReport& report) {
  for (const timing::RoleStats& role : run.stats.roles) {
    traces::RoleReport r;
    r.name = role.name;
    if (run.codes.size() > 1) r.kernel = run.stats.kernels[role.kernel].name;
    r.warps = role.warps;
    r.lifetime = static_cast<int64_t>(role.cycles);
    r.busy = static_cast<int64_t>(role.busy);
    for (const timing::WaitStats& w : role.waits)
      r.waits.push_back({w.on, static_cast<int64_t>(w.cycles), w.count,
                         w.for_ever, PlaceOf(run, role.kernel, w.op)});
    report.roles.push_back(std::move(r));
  }
}

void FillUnits(const Timed& run, traces::RunReport& report) {
  for (const timing::UnitStats& unit : run.stats.units) {
    if (unit.busy == 0) continue;
    traces::UnitReport u;
    u.name = unit.name;
    const bool memory = unit.cause == timing::Cause::kHbm ||
                        unit.cause == timing::Cause::kL2 ||
                        unit.cause == timing::Cause::kShared;
    u.unit_class =
        memory ? traces::UnitClass::kMemory : traces::UnitClass::kCompute;
    u.busy = unit.busy;
    report.units.push_back(std::move(u));
  }
}

// L2 and HBM have their own clock, that of the parameters.
void FillTraffic(const Timed& run, const ir::Work& work,
                 traces::RunReport& report) {
  const RunStats& stats = run.stats;
  const arch::Arch& a = run.arch;
  traces::TrafficReport t;
  t.flops = work.flops;
  t.hbm_bytes = stats.moved.hbm();
  t.l2_bytes = stats.moved.l2();
  t.shared_bytes = stats.moved.shared;
  const double read = stats.moved.l2_hit + stats.moved.l2_missed;
  if (read > 0) t.l2_hit_rate = stats.moved.l2_hit / read;
  t.seconds = static_cast<double>(stats.cycles) / stats.clock_mhz / 1e6;
  t.peak_tflops = a.PeakTflops() * work.peak_factor;
  // What HBM gives of these reads and writes: in turn it takes longer than for
  // either alone, and for boxes of lines than for long rows.
  const auto hbm =
      std::find_if(stats.units.begin(), stats.units.end(),
                   [](const auto& unit) { return unit.name == "HBM"; });
  const bool asked = hbm != stats.units.end() && hbm->busy > 0;
  t.hbm_gbps = asked ? t.hbm_bytes / (hbm->busy * t.seconds) / 1e9
                     : a.hbm_stream * a.clock_mhz / 1e3;
  t.l2_gbps = a.sms * a.l2_port * a.clock_mhz / 1e3;
  report.traffic = t;
}

void FillPath(const Timed& run, traces::RunReport& report) {
  for (const auto& [key, cycles] : run.stats.path) {
    traces::PathShare s;
    s.cycles = cycles;
    s.cause = std::string(timing::kCauseNames[static_cast<int>(key.cause)]);
    if (const ir::Op* op = OpAt(run, key.kernel, key.op)) {
      s.op = std::string(op->info->mnemonic);
      s.line = op->span.text_line();
      s.file = run.source.PathOf(op->span);
      s.source = LineOf(run.source, op->span);
    }
    report.critical_path.push_back(std::move(s));
  }
  std::stable_sort(
      report.critical_path.begin(), report.critical_path.end(),
      [](const auto& a, const auto& b) { return a.cycles > b.cycles; });
}

// "tma.load", or, of another file, "tma.load of tiles.inc"
std::string OpText(const Timed& run, const ir::Op& op,
                   const std::string& file) {
  const std::string& path = run.source.PathOf(op.span);
  if (path == file) return std::string(op.info->mnemonic);
  return ir::Cat(op.info->mnemonic, " of ",
                 path.substr(path.find_last_of('/') + 1));
}

// "consumer", or, of one of several kernels, "up: consumer"; outside of roles
// and of no op nothing.
std::string RoleAt(const Timed& run, int kernel, int op) {
  if (op < 0) return "";
  const machine::Code& code = *run.codes[kernel];
  const int role = code.ops[op].role;
  if (role < 0) return "";
  const std::string& name = code.kernel().roles[role];
  return run.codes.size() > 1 ? ir::Cat(code.kernel().name, ": ", name) : name;
}

// Adds what was waited for at an op to its line's, one entry a thing and line
// that ended it.
void AddWaits(const Timed& run, const timing::OpStats& stats,
              traces::LineReport& line) {
  for (const timing::OpWait& w : stats.waits) {
    const auto cycles = static_cast<int64_t>(w.cycles);
    line.waited += cycles;
    const ir::Op* by = OpAt(run, w.by_kernel, w.by_op);
    const int32_t by_line = by == nullptr ? 0 : by->span.text_line();
    const std::string by_op = by == nullptr ? "" : OpText(run, *by, line.file);
    const std::string role = RoleAt(run, w.by_kernel, w.by_op);
    auto at = std::find_if(line.waits.begin(), line.waits.end(), [&](auto& o) {
      return o.on == w.on && o.by_line == by_line && o.by == by_op &&
             o.role == role;
    });
    if (at == line.waits.end())
      at = line.waits.insert(line.waits.end(),
                             {w.on, by_line, by_op, role, 0, 0});
    at->cycles += cycles;
    at->count += w.count;
  }
}

traces::SourceText TextOf(const std::string& path, const std::string& text) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return {path, std::move(lines)};
}

}  // namespace

void FillLines(const Timed& run, traces::RunReport& report) {
  const RunStats& stats = run.stats;
  std::map<std::tuple<std::string, int32_t, int>, traces::LineReport> lines;
  report.sources = {TextOf(run.source.path, run.source.text)};
  for (size_t k = 0; k < run.codes.size(); ++k) {
    for (size_t i = 0; i < run.codes[k]->ops.size(); ++i) {
      const ir::Span span = run.codes[k]->ops[i].op->span;
      const std::string& file = run.source.PathOf(span);
      traces::LineReport& line =
          lines[{file, span.text_line(), static_cast<int>(k)}];
      line.file = file;
      line.line = span.text_line();
      if (run.codes.size() > 1) line.kernel = stats.kernels[k].name;
      const timing::OpStats& op = stats.kernels[k].ops[i];
      line.executed += op.executed;
      line.busy += static_cast<int64_t>(op.busy);
      line.flights += op.flights;
      line.in_flight += static_cast<int64_t>(op.flight_cycles);
      line.bank_cycles += op.bank_cycles;
      line.least_bank_cycles += op.least_bank_cycles;
      AddWaits(run, op, line);
      const bool shown =
          std::any_of(report.sources.begin(), report.sources.end(),
                      [&](auto& s) { return s.path == file; });
      if (!shown)
        report.sources.push_back(TextOf(file, run.source.TextOf(span)));
    }
  }
  for (const auto& [key, cycles] : stats.path) {
    const ir::Op* op = OpAt(run, key.kernel, key.op);
    if (op == nullptr) continue;
    lines[{run.source.PathOf(op->span), op->span.text_line(), key.kernel}]
        .on_path += cycles;
  }
  report.lines.emplace();
  for (auto& [at, line] : lines) {
    std::stable_sort(
        line.waits.begin(), line.waits.end(),
        [](const auto& a, const auto& b) { return a.cycles > b.cycles; });
    report.lines->push_back(std::move(line));
  }
}

traces::ClockError ClockErrorOf(const arch::Accuracy* measured,
                                std::string_view of) {
  if (measured == nullptr) return {};
  traces::ClockError e;
  e.points = measured->points;
  e.mean_time = measured->mean_time;
  e.worst_time = measured->worst_time;
  if (measured->cycles) {
    e.mean_cycles = measured->cycles->mean;
    e.worst_cycles = measured->cycles->worst;
  }
  e.of = of;
  e.gpu = measured->gpu;
  return e;
}

void FillReport(const Timed& run, traces::RunReport& report) {
  const RunStats& stats = run.stats;
  const arch::Arch& arch = run.arch;
  report.file = run.options.file == "-" ? "<stdin>" : run.options.file;
  report.program = run.codes[0]->kernel().name;
  report.arch = arch.name;
  report.version = std::string(Version());
  report.seed = run.options.seed;
  report.l2 = run.options.l2;
  report.finished = stats.finished;
  report.clock_mhz = stats.clock_mhz;
  report.cycles = stats.cycles;
  if (stats.clock_mhz > 0)
    report.launch_us =
        stats.time_us - static_cast<double>(stats.cycles) / stats.clock_mhz;
  report.clock_error =
      ClockErrorOf(arch::AccuracyOf(arch.name), "measured points");
  if (const arch::Accuracy* u = arch::AccuracyOfUnseen(arch.name))
    report.clock_error->unseen = {u->points, u->mean_time, u->worst_time};
  FillSizes(run, report);
  FillKernels(run, report);
  FillRoles(run, report);
  if (run.options.lines) FillLines(run, report);
  if (!stats.finished) return;
  std::vector<ir::BoundKernel> bound_kernels;
  for (const machine::Code* code : run.codes)
    bound_kernels.push_back(code->bound);
  const ir::Work work = ir::WorkOf(bound_kernels);
  if (work.flops > 0) {
    report.tflops = work.flops / stats.time_us / 1e6;
    report.peak_fraction =
        *report.tflops / (arch.PeakTflops() * work.peak_factor);
  }
  const timing::Bound bound = timing::BoundOf(stats);
  report.bound_by = timing::Name(bound);
  report.bound_why =
      bound.by_unit
          ? fmt::format("{} {:.1f} % busy", bound.unit, bound.share * 100)
          : fmt::format(
                "{:.1f} % of the critical path; no unit is busy for "
                "{:.0f} %",
                bound.share * 100, timing::kBoundShare * 100);
  FillUnits(run, report);
  FillTraffic(run, work, report);
  FillPath(run, report);
}

}  // namespace tilesim::cli
