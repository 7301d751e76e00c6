#include "cli/sweep/run_point.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>

#include "checkers/check.h"
#include "cli/findings_text.h"
#include "cli/input.h"
#include "frontend/bind.h"
#include "frontend/check.h"
#include "frontend/parse.h"
#include "ir/work.h"
#include "sim/machine/data/memory.h"
#include "sim/machine/deadlock.h"
#include "sim/timing/engine.h"
#include "sim/timing/registers.h"

namespace tilesim::cli {
namespace {

const ir::Diagnostic* FirstError(const std::vector<ir::Diagnostic>& all) {
  auto it = std::find_if(all.begin(), all.end(), [](const auto& d) {
    return d.severity == ir::Severity::kError;
  });
  return it == all.end() ? nullptr : &*it;
}

class PointRun {
 public:
  PointRun(const ir::Source& source, const ir::Overrides& defines,
           const arch::Arch& arch, const PointOptions& options,
           const std::atomic<bool>& stop)
      : arch_(arch), options_(options), stop_(stop) {
    // Its own places: the parser adds to them.
    loaded_.source = ir::Source{source.path, source.text};
    loaded_.defines = defines;
  }

  std::optional<Point> Run() {
    if (stop_) return std::nullopt;
    if (!Compile() || !Check()) return std::move(point_);
    if (stop_) return std::nullopt;
    return Time() ? std::optional(std::move(point_)) : std::nullopt;
  }

 private:
  bool Compile() {
    ir::Diagnostics found;
    auto program = frontend::Parse(loaded_.source, found, loaded_.defines);
    if (program) {
      loaded_.program = std::move(*program);
      Bind(loaded_, static_cast<int64_t>(arch_.sms), found);
    }
    if (!found.has_errors()) return true;
    Out(PointState::kIllegal, FirstError(found.all()));
    return false;
  }

  bool Check() {
    if (!options_.check) return true;
    checkers::CheckOptions o;
    o.defines = loaded_.defines;
    o.legality = frontend::CheckBound;
    o.own_sizes = OwnSizes(loaded_.source);
    checkers::CheckReport report = checkers::Check(loaded_.program, o);
    if (report.errors.has_errors()) {
      Out(PointState::kIllegal, FirstError(report.errors.all()));
      return false;
    }
    point_.check = std::string(checkers::Name(report.verdict));
    if (report.verdict != checkers::Verdict::kFindings) return true;
    std::vector<ir::Diagnostic> all;
    for (const auto& f : report.findings) all.push_back(f.diagnostic);
    Out(PointState::kFindings, FirstError(all));
    return false;
  }

  // False: it was stopped from outside.
  bool Time() {
    auto memory = machine::Memory::Create(loaded_.pointers(), WhichValues());
    if (!memory.ok()) {
      Stopped(std::string(memory.status().message()));
      return true;
    }
    machine::Machine machine(loaded_.pointers(), memory->get());
    machine::MachineFaults faults(machine);
    (*memory)->set_faults(&faults);
    timing::EngineOptions eo;
    eo.max_cycles = options_.max_cycles;
    eo.stop = &stop_;
    timing::Engine engine(machine, arch_, std::move(eo));
    timing::RunStats stats = engine.Run();
    if (stop_ && !stats.finished) return false;
    if (stats.too_long) {
      Stopped("it takes more than " + std::to_string(options_.max_cycles) +
              " cycles (--max-cycles)");
    } else if (!(*memory)->status().ok()) {
      Stopped(std::string((*memory)->status().message()));
    } else if (std::vector<ir::Diagnostic> all =
                   FindingsOf(machine, **memory, engine, stats);
               FirstError(all) != nullptr) {
      Out(PointState::kFindings, FirstError(all));
    } else {
      Fill(stats);
    }
    return true;
  }

  machine::MemoryOptions WhichValues() const {
    using Values = machine::MemoryOptions::Values;
    machine::MemoryOptions o;
    o.values = Values::kNone;
    if (options_.values) {
      bool all = machine::ValuesFlowBetweenCtas(loaded_.pointers());
      o.values = all ? Values::kAll : Values::kSample;
    }
    for (const machine::Code& code : loaded_.codes)
      o.sample.push_back(machine::SampleCtas(code.bound, 1));
    return o;
  }

  std::vector<ir::Diagnostic> FindingsOf(machine::Machine& machine,
                                         const machine::Memory& memory,
                                         timing::Engine& engine,
                                         const timing::RunStats& stats) const {
    std::vector<ir::Diagnostic> all(machine.findings().begin(),
                                    machine.findings().end());
    if (!stats.finished && !stats.faulted) {
      for (ir::Diagnostic& d :
           machine::ExplainDeadlock(machine, engine.state()))
        all.push_back(std::move(d));
    }
    if (!stats.finished) return all;
    for (const machine::TargetCoverage& t : memory.coverage().Targets()) {
      for (ir::Diagnostic& d : machine::FindingsOf(t))
        all.push_back(std::move(d));
    }
    if (!options_.values) return all;
    for (const machine::ComputesResult& r : memory.Check({&stop_})) {
      if (r.skipped.empty() && r.failed > 0) all.push_back(MismatchOf(r));
    }
    return all;
  }

  void Fill(const timing::RunStats& stats) {
    point_.cycles = stats.cycles;
    point_.clock_mhz = stats.clock_mhz;
    point_.time_us = stats.time_us;
    point_.flops = ir::WorkOf(loaded_.bound()).flops;
    point_.bound_by = timing::Name(timing::BoundOf(stats));
    const ir::BoundKernel& first = loaded_.codes[0].bound;
    point_.ctas_per_sm = timing::CtasPerSm(first);
    point_.shared_bytes = first.shared_bytes;
  }

  void Out(PointState state, const ir::Diagnostic* why) {
    point_.state = state;
    if (why == nullptr) return;
    point_.code = std::string(why->code.name());
    point_.reason = why->message;
  }

  void Stopped(std::string why) {
    point_.state = PointState::kStopped;
    point_.reason = std::move(why);
  }

  Loaded loaded_;
  const arch::Arch& arch_;
  const PointOptions& options_;
  const std::atomic<bool>& stop_;
  Point point_;
};

}  // namespace

std::optional<Point> RunPoint(const ir::Source& source,
                              const ir::Overrides& defines,
                              const arch::Arch& arch,
                              const PointOptions& options,
                              const std::atomic<bool>& stop) {
  try {
    return PointRun(source, defines, arch, options, stop).Run();
  } catch (const std::bad_alloc&) {
    Point point;
    point.state = PointState::kStopped;
    point.reason = "out of memory; fewer --jobs need less";
    return point;
  }
}

std::vector<Point> RunPoints(
    const std::vector<int64_t>& numbers, int jobs,
    const std::function<std::optional<Point>(int64_t number)>& run,
    const std::function<void(size_t done)>& shown) {
  std::vector<std::optional<Point>> answers(numbers.size());
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::condition_variable changed;
  size_t done = 0;
  std::exception_ptr failure;
  auto work = [&] {
    for (size_t i = next++; i < numbers.size(); i = next++) {
      std::exception_ptr thrown;
      try {
        answers[i] = run(numbers[i]);
        if (answers[i]) answers[i]->number = numbers[i];
      } catch (...) {
        thrown = std::current_exception();
        next = numbers.size();
      }
      std::lock_guard lock(mutex);
      if (thrown) failure = thrown;
      ++done;
      changed.notify_one();
    }
  };
  size_t count = std::min(static_cast<size_t>(jobs), numbers.size());
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < count; ++i) threads.emplace_back(work);
    std::unique_lock lock(mutex);
    while (done < numbers.size() && !failure) {
      changed.wait_for(lock, std::chrono::milliseconds(100));
      shown(done);
    }
  }
  if (failure) std::rethrow_exception(failure);
  std::vector<Point> out;
  for (std::optional<Point>& answer : answers) {
    if (answer) out.push_back(std::move(*answer));
  }
  return out;
}

}  // namespace tilesim::cli
