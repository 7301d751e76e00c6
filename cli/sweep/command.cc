// tilesim sweep: the same program with many values of its parameters.
#include "cli/command.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cli/complain.h"
#include "cli/device.h"
#include "cli/input.h"
#include "cli/interrupt.h"
#include "cli/outcomes.h"
#include "cli/output.h"
#include "cli/printed.h"
#include "cli/progress.h"
#include "cli/suggest_word.h"
#include "cli/sweep/measure.h"
#include "cli/sweep/merge.h"
#include "cli/sweep/run_point.h"
#include "cli/sweep/search.h"
#include "cli/sweep/show.h"
#include "fmt/format.h"
#include "frontend/bind.h"
#include "ir/work.h"
#include "nlohmann/json.hpp"

namespace tilesim::cli {
namespace {

constexpr int64_t kMostPoints = 100'000;  // that one process runs
constexpr int64_t kMostSearched = int64_t{1} << 50;

struct Options {
  std::string file;
  std::vector<std::string> defines;
  std::string arch;
  std::vector<std::string> set;
  std::string metric = "time";
  double tie = 1;
  bool check = false;
  bool values = false;
  int64_t budget = 0;
  int64_t max_cycles = 0;
  std::string shard;
  int jobs = 0;
  bool hw = false;
  int64_t best = 5;
  // Of merge, too.
  std::vector<std::string> parts;
  std::string format = "text";
  int64_t top = 20;
  std::string plot;
  std::string output;
};

std::nullopt_t Refuse(const absl::Status& status) {
  Complain("{}", std::string(status.message()));
  return std::nullopt;
}

// False, said on stderr: it would write over what it reads.
bool MayWrite(const Options& o, std::vector<NamedFile> inputs) {
  if (!SparesInputs({{"--plot", o.plot}}, inputs)) return false;
  inputs.push_back({"--plot", o.plot});
  return PrintTo(o.output, inputs);
}

// False, said on stderr: the picture could not be written.
bool Show(const Sweep& sweep, const Options& o) {
  bool written = true;
  if (!o.plot.empty()) {
    absl::StatusOr<std::string> svg = SvgOf(sweep);
    if (!svg.ok()) Refuse(svg.status());
    written = svg.ok() && WriteFile(o.plot, *svg);
  }
  if (o.format == "json") {
    nlohmann::ordered_json out = {{"schema", 1},
                                  {"files", nlohmann::ordered_json::array()}};
    out["files"].push_back(JsonOf(sweep));
    PrintAnswer(out);
  } else if (o.format == "csv") {
    fmt::print("{}", CsvOf(sweep));
  } else {
    fmt::print("{}", TextOf(sweep, static_cast<size_t>(o.top)));
  }
  return written;
}

// What became of a sweep as a whole. Points that are left out are no failure as
// long as another can be chosen; of a part that is for `merge` to say.
int ExitOf(const Sweep& sweep) {
  if (sweep.interrupted) return kInterrupted;
  if (sweep.shard) return kClean;
  std::set<PointState> states;
  for (const Point& p : sweep.points) states.insert(p.state);
  if (states.contains(PointState::kTimed)) return kClean;
  Complain("there is no point that can be ranked, of {}", sweep.points.size());
  if (states.contains(PointState::kFindings)) return kFindings;
  return states.contains(PointState::kStopped) ? kIncomplete : kBadInput;
}

class Sweeper {
 public:
  explicit Sweeper(const Options& options)
      : options_(options), stop_(CatchInterrupt()) {}

  int Run() {
    if (!MayWrite(options_, {{"FILE", options_.file}}) || !Prepare())
      return kBadInput;
    if (options_.budget > 0) {
      Search();
    } else {
      std::vector<int64_t> numbers;
      Shard part = sweep_.shard.value_or(Shard{});
      for (int64_t i = part.index - 1; i < grid_->size(); i += part.count)
        numbers.push_back(i);
      Look(numbers);
    }
    progress_->Clear();
    sweep_.interrupted = stop_;
    std::sort(
        sweep_.points.begin(), sweep_.points.end(),
        [](const Point& a, const Point& b) { return a.number < b.number; });
    if (options_.hw && !stop_) Measure();
    if (!Show(sweep_, options_)) return kBadInput;
    int exit = ExitOf(sweep_);
    return exit == kClean && sweep_.measured ? ExitOfGpu() : exit;
  }

 private:
  // What was asked, and whether it can be done. False: said on stderr.
  bool Prepare() {
    loaded_ = ParseFile(options_.file, {});
    if (loaded_ == nullptr) return false;
    arch_ = ArchFor(*loaded_, options_.arch, options_.set);
    if (arch_ == nullptr) return false;
    if (!options_.shard.empty()) {
      absl::StatusOr<Shard> shard = ParseShard(options_.shard);
      if (!shard.ok()) return Refuse(shard.status()), false;
      sweep_.shard = *shard;
    }
    int64_t most = options_.budget > 0 ? kMostSearched : kMostPoints;
    if (sweep_.shard &&
        __builtin_mul_overflow(most, sweep_.shard->count, &most))
      most = kMostSearched;
    absl::StatusOr<Grid> grid = Grid::Of(
        options_.defines, [this](const std::string& n) { return StepOf(n); },
        most);
    if (!grid.ok()) return Refuse(grid.status()), false;
    grid_.emplace(std::move(*grid));
    if (!KnowsNames() || !HasMetric()) return false;
    Describe();
    for (const Axis& a : sweep_.axes) {
      if (!options_.hw || !a.is_size || a.values.size() == 1) continue;
      Complain(
          "--hw measures the best few of one size; give {} one "
          "value",
          a.name);
      return false;
    }
    if (options_.plot.empty()) return true;
    Sweep empty = sweep_;
    absl::StatusOr<std::string> svg = SvgOf(empty);
    return svg.ok() || (Refuse(svg.status()), false);
  }

  const ir::Param* ParamNamed(const std::string& name) const {
    for (const ir::Kernel& kernel : loaded_->program.kernels) {
      for (const ir::Param& p : kernel.params) {
        if (p.name == name) return &p;
      }
    }
    return nullptr;
  }

  // Of a range that does not say it.
  int64_t StepOf(const std::string& name) const {
    const ir::Param* p = ParamNamed(name);
    return p == nullptr ? 1 : std::max<int64_t>(p->step, 1);
  }

  bool KnowsNames() const {
    std::string known;
    std::set<std::string> names;
    for (const ir::Kernel& kernel : loaded_->program.kernels) {
      auto add = [&](const std::string& name) {
        if (names.insert(name).second)
          known += (known.empty() ? "" : ", ") + name;
      };
      for (const ir::Param& p : kernel.params) add(p.name);
      for (const ir::Constant& c : kernel.constants) {
        if (!c.is_let) add(c.name);
      }
    }
    for (const Axis& a : grid_->axes()) {
      for (const std::string& name : a.names()) {
        if (names.contains(name)) continue;
        Complain("-D {}: {} has no such param or const; {}{}", name,
                 options_.file,
                 known.empty() ? "it has none" : "there are " + known,
                 DidYouMean(name, {names.begin(), names.end()}));
        return false;
      }
    }
    return true;
  }

  bool HasMetric() const {
    auto bound = OwnKernels();
    if (options_.metric != "tflops" || !bound || ir::WorkOf(*bound).flops > 0)
      return true;
    Complain(
        "--metric tflops: no `computes` of {} is a product of "
        "matrices; rank it by time",
        options_.file);
    return false;
  }

  void Describe() {
    sweep_.file = options_.file;
    sweep_.program = loaded_->program.kernels[0].name;
    sweep_.arch = arch_->name;
    sweep_.fingerprint = FingerprintOf(*loaded_, *arch_);
    sweep_.metric = static_cast<Metric>(
        std::find(kMetrics.begin(), kMetrics.end(), options_.metric) -
        kMetrics.begin());
    sweep_.tie_percent = options_.tie;
    sweep_.checked = options_.check;
    sweep_.valued = options_.values;
    sweep_.max_cycles = options_.max_cycles;
    sweep_.axes = grid_->axes();
    for (Axis& a : sweep_.axes) a.is_size = ParamNamed(a.names()[0]) != nullptr;
    sweep_.budget = options_.budget;
    sweep_.own = OwnValues();
    int cores = static_cast<int>(std::thread::hardware_concurrency());
    jobs_ = options_.jobs > 0 ? options_.jobs : std::max(cores, 1);
    progress_.emplace("points");
  }

  // With the text's own values. They may fit no GPU.
  std::optional<std::vector<ir::BoundKernel>> OwnKernels() const {
    ir::Diagnostics unsaid;
    return frontend::BindProgram(loaded_->program, {},
                                 static_cast<int64_t>(arch_->sms), unsaid);
  }

  // What the text says of the axes; where it fits no GPU, of parameters alone.
  ir::Overrides OwnValues() const {
    auto bound = OwnKernels();
    ir::Overrides out;
    for (size_t k = 0; k < loaded_->program.kernels.size(); ++k) {
      const ir::Kernel& kernel = loaded_->program.kernels[k];
      for (const ir::Param& p : kernel.params) AddOwn(out, p.name, p.value);
      for (const ir::Constant& c : kernel.constants) {
        if (!bound || c.is_let || !(*bound)[k].slots[c.slot]) continue;
        AddOwn(out, c.name, (*bound)[k].slots[c.slot]->number);
      }
    }
    return out;
  }

  void AddOwn(ir::Overrides& out, const std::string& name,
              int64_t value) const {
    for (const Axis& a : grid_->axes()) {
      for (const std::string& known : a.names()) {
        if (known == name) out.emplace(name, value);
      }
    }
  }

  static std::string FingerprintOf(const Loaded& loaded,
                                   const arch::Arch& arch) {
    std::string all = loaded.source.text;
    std::set<std::string> seen;
    for (const ir::Place& place : *loaded.source.places) {
      if (place.text != nullptr && seen.insert(*place.text).second)
        all += *place.text;
    }
    for (size_t i = 0; i < arch::Params().size(); ++i)
      all += fmt::format(" {}", arch::ValueOf(arch, i));
    return Fingerprint(all);
  }

  // Adds these to the points, but for those that Ctrl-C ended. Of a search the
  // progress is that of its budget.
  std::vector<Point> Look(const std::vector<int64_t>& numbers) {
    PointOptions o{options_.check, options_.values, options_.max_cycles};
    std::atomic<int64_t> timed = 0;
    int64_t before = timed_;
    std::vector<Point> points = RunPoints(
        numbers, jobs_,
        [&](int64_t number) {
          std::optional<Point> point = RunPoint(
              loaded_->source, grid_->DefinesAt(number), *arch_, o, stop_);
          if (point && point->timed()) ++timed;
          return point;
        },
        [&](size_t done) {
          if (options_.budget > 0) {
            progress_->Show(before + timed, options_.budget);
          } else {
            progress_->Show(static_cast<int64_t>(done),
                            static_cast<int64_t>(numbers.size()));
          }
        });
    timed_ += timed;
    sweep_.points.insert(sweep_.points.end(), points.begin(), points.end());
    return points;
  }

  void Search() {
    auto costs_of = [&](const std::vector<int64_t>& numbers) {
      std::vector<std::optional<double>> costs;
      for (const Point& p : Look(numbers)) {
        costs.push_back(p.timed() ? std::optional(CostOf(p, sweep_.metric))
                                  : std::nullopt);
      }
      if (stop_) costs.clear();
      return costs;
    };
    sweep_.search = DescendFrom(*grid_, grid_->Nearest(sweep_.own),
                                options_.budget, costs_of);
  }

  void Measure() {
    progress_.emplace("points measured");
    sweep_.measured = MeasureBest(
        sweep_, loaded_->source, *arch_, options_.best,
        [this](int64_t done) { progress_->Show(done, options_.best); });
    progress_->Clear();
  }

  int ExitOfGpu() const {
    const Measured& m = *sweep_.measured;
    if (!m.missing.empty()) {
      Complain("--hw: {}", m.missing);
      return kNoDevice;
    }
    bool good =
        std::all_of(m.points.begin(), m.points.end(),
                    [](const MeasuredPoint& p) { return p.problem.empty(); });
    return good ? kClean : kFindings;
  }

  const Options& options_;
  const std::atomic<bool>& stop_;
  std::unique_ptr<Loaded> loaded_;
  const arch::Arch* arch_ = nullptr;
  std::optional<Grid> grid_;
  std::optional<Progress> progress_;
  int jobs_ = 1;
  int64_t timed_ = 0;
  Sweep sweep_;
};

int MergeFiles(const Options& o) {
  std::vector<NamedFile> inputs;
  std::vector<NamedSweep> shards;
  for (const std::string& path : o.parts) inputs.push_back({"FILES", path});
  if (!MayWrite(o, inputs)) return kBadInput;
  for (const std::string& path : o.parts) {
    const std::optional<ir::Source> printed = ReadSource(path);
    if (!printed) return kBadInput;
    absl::StatusOr<NamedSweep> shard = SweepIn(*printed);
    if (!shard.ok()) return Refuse(shard.status()), kBadInput;
    shards.push_back(std::move(*shard));
  }
  absl::StatusOr<Sweep> merged = Merge(shards);
  if (!merged.ok()) return Refuse(merged.status()), kBadInput;
  return Show(*merged, o) ? ExitOf(*merged) : kBadInput;
}

void AddShow(Command command, Options& o) {
  command.AddOption("--format", o.format, "text, csv or json")
      .OneOf({"text", "csv", "json"});
  command.AddOption("--top", o.top, "points that the text shows; 0: all")
      .Check(WholeNumber(0));
  command.AddOption("--plot", o.plot, "write a picture (SVG)");
  AddPrinted(command, o.output);
}

Option AddHwOptions(Command sweep, Options& o) {
  Option hw =
      sweep.AddFlag("--hw", o.hw, "measure the best few on this machine's GPU");
  sweep.AddOption("--best", o.best, "with --hw: how many")
      .Check(WholeNumber(1))
      .Needs(hw);
  return hw;
}

void AddMerge(Command sweep, std::shared_ptr<Options> o, int& exit) {
  Command merge = sweep.AddCommand(
      "merge",
      "Puts the parts of one sweep (--shard, --format json) together.");
  merge.AddOption("FILES", o->parts, "all parts, as JSON; - for stdin")
      .Required();
  AddShow(merge, *o);
  merge.Footer(
      "example:\n"
      "  tilesim sweep merge part.*.json --plot sweep.svg\n");
  merge.OnCall([o, &exit] { exit = MergeFiles(*o); });
}

}  // namespace

void AddSweep(Command app, int& exit) {
  auto o = std::make_shared<Options>();
  Command sweep = app.AddCommand(
      "sweep",
      "Times a program with many values of its parameters, ranks them.");
  Option file = sweep.AddOption("FILE", o->file, "a .tile file; - for stdin");
  Option define = sweep.AddOption(
      "-D", o->defines,
      "NAME=VALUES: of a param or const; VALUES are N, A..B, 'A..B step S' or "
      "several with commas between; M,N=VALUES: of names that go together");
  define.OneValueEach();
  AddArch(sweep, o->arch, o->set);
  sweep.AddOption("--metric", o->metric, "time, cycles or tflops")
      .OneOf({"time", "cycles", "tflops"});
  sweep
      .AddOption("--tie", o->tie,
                 "percent, default 1: as near to the best is a tie")
      .Check(Number(0, /*or_low=*/true));
  sweep.AddFlag("--check", o->check,
                "verify each point first; one with findings is not ranked");
  sweep.AddFlag("--values", o->values,
                "compare the result of some CTAs of each point; one that is "
                "wrong is not ranked");
  Option budget =
      sweep.AddOption("--budget", o->budget,
                      "time so many points at most: coordinate descent from "
                      "the text's own values, begun again elsewhere");
  budget.Check(WholeNumber(1, kMostPoints));
  sweep
      .AddOption("--max-cycles", o->max_cycles,
                 "leave out points that take longer")
      .Check(WholeNumber(1));
  Option shard = sweep.AddOption("--shard", o->shard,
                                 "I/N: only part I of N; see sweep merge");
  shard.Excludes(budget);
  sweep
      .AddOption("--jobs,-j", o->jobs,
                 "points run at a time; as many as there are cores")
      .Check(WholeNumber(1, kMostJobs));
  AddHwOptions(sweep, *o).Excludes(shard);
  AddShow(sweep, *o);
  AddMerge(sweep, o, exit);
  sweep.Footer(
      "examples:\n"
      "  tilesim sweep examples/hopper/hgemm_v08.tile -D STAGES=2..7\n"
      "  tilesim sweep gemm.tile -D BN=64,128 -D 'M,N,K=512..4096 step 512'"
      " --plot gemm.svg\n"
      "  tilesim sweep gemm.tile -D STAGES=2..7 -D GROUP=1..32 --budget 30"
      " --check --hw\n"
      "  tilesim sweep gemm.tile -D GROUP=1..32 --shard 1/2 --format json"
      " -o a.json\n"
      "  tilesim sweep merge a.json b.json\n");
  sweep.OnCall([o, file, define, sweep, &exit] {
    if (sweep.named("merge")) return;
    file.MustBeGiven("FILE");
    define.MustBeGiven("-D NAME=VALUES");
    exit = Sweeper(*o).Run();
  });
}

}  // namespace tilesim::cli
