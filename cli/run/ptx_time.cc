#include "cli/run/ptx_time.h"

#include <algorithm>
#include <set>

#include "cli/input.h"
#include "cli/launch_input.h"
#include "cli/lower_followed.h"
#include "cli/progress.h"
#include "cli/run/report_of.h"
#include "ir/cat.h"
#include "ptx/machine/priced.h"
#include "sim/arch/accuracy.h"
#include "sim/machine/deadlock.h"

namespace tilesim::cli {
namespace {

constexpr int64_t kMostEvents = 2'000'000;  // of a cluster, to look at it

}  // namespace

void PtxTime::Run(const Watch& watch, const std::atomic<bool>& stop) {
  followed_.resize(launches_.launches.size());
  for (int round = 0; round < kMostRounds; ++round) {
    if (!Lower() || !MakeMemory()) return;
    RunEngine(watch, stop);
    if (stop) return;
    if (stats_.finished || !Grown()) break;
  }
  Judge();
}

bool PtxTime::Fail(std::string why) {
  failure_ = std::move(why);
  return false;
}

bool PtxTime::Lower() {
  engine_.reset();
  machine_.reset();
  kernels_.clear();
  sets_ = std::make_shared<machine::ByteSets>();
  bad_input_ = true;
  for (size_t i = 0; i < launches_.launches.size(); ++i) {
    if (!IsLaunchOf(launches_, i, source_.path)) continue;
    std::vector<ptx::LaunchError> errors = ptx::Fits(module_, launches_, i);
    if (!errors.empty()) return Fail(TextOf(options_.launch, errors));
    ir::Diagnostics texts;
    std::optional<ptx::Lowered> kernel =
        LowerFollowed(module_, launches_, i, ptx::Purpose::kTime, kMostEvents,
                      sets_, followed_[i], texts);
    PrintDiagnostics(texts, source_);
    if (!kernel) return Fail("it has instructions that cannot be executed");
    kernels_.emplace_back(i, std::move(*kernel));
  }
  if (kernels_.empty())
    return Fail(NoLaunchOf(options_.launch, launches_, source_.path));
  arch_ = ArchFor(source_.path, kernels_[0].second.program->kernels[0].target,
                  options_.arch, options_.set);
  if (arch_ == nullptr) return Fail("there is no such GPU");
  bad_input_ = false;
  return true;
}

std::vector<const machine::Code*> PtxTime::Codes() const {
  std::vector<const machine::Code*> out;
  for (const auto& [at, kernel] : kernels_) out.push_back(kernel.code.get());
  return out;
}

// Of what decides and goes through buffers.
bool PtxTime::MakeMemory() {
  machine::MemoryOptions o;
  o.values = machine::MemoryOptions::Values::kNone;
  o.seed = options_.seed;
  for (const machine::Code* code : Codes())
    o.inputs.insert(code->given.begin(), code->given.end());
  auto memory = machine::Memory::Create(Codes(), std::move(o));
  if (!memory.ok()) return Fail(std::string(memory.status().message()));
  memory_ = std::move(*memory);
  return true;
}

void PtxTime::RunEngine(const Watch& watch, const std::atomic<bool>& stop) {
  machine_.emplace(Codes(), memory_.get());
  timing::EngineOptions o;
  Progress progress("CTAs");
  o.max_cycles = options_.max_cycles;
  if (options_.l2 == "cold") o.l2 = timing::L2State::kCold;
  o.stop = &stop;
  o.progress = [&](int64_t done, int64_t all) { progress.Show(done, all); };
  if (watch) o.observer = watch(*machine_, *arch_);
  engine_.emplace(*machine_, *arch_, std::move(o));
  stats_ = engine_->Run();
  progress.Clear();
}

bool PtxTime::Grown() {
  bool grown = false;
  for (const auto& [at, kernel] : kernels_)
    grown = kernel.guide->Grow(followed_[at]) || grown;
  return grown;
}

// What of it has no price, each opcode once.
void PtxTime::FindUnpriced() {
  std::set<std::string> seen;
  for (const auto& [at, kernel] : kernels_) {
    const machine::Prices& prices = *kernel.guide->prices();
    for (const machine::CompiledOp& op : kernel.code->ops) {
      const std::string name(op.op->info->mnemonic);
      if (prices.Has(op.number) || !seen.insert(name).second) continue;
      not_covered_.push_back(ir::Cat("line ", op.op->span.text_line(), ": ",
                                     name, " is taken to take no time"));
    }
  }
}

void PtxTime::Judge() {
  for (const ir::Diagnostic& d : machine_->findings()) findings_.push_back(d);
  FindUnpriced();
  not_covered_.insert(not_covered_.end(), machine_->limits().begin(),
                      machine_->limits().end());
  if (stats_.too_long) {
    Fail(ir::Cat("stopped after ", stats_.cycles,
                 " modelled cycles (--max-cycles)"));
  } else if (!machine_->not_followed().empty()) {
    Fail(ir::Cat("no time: ", machine_->not_followed().front()));
  } else if (!stats_.finished && findings_.empty()) {
    for (const ir::Diagnostic& d :
         machine::ExplainDeadlock(*machine_, engine_->state()))
      findings_.push_back(d);
  }
  FillReport({options_, source_, Codes(), stats_, *arch_}, report_);
  report_.clock_error =
      ClockErrorOf(arch::AccuracyOfPtx(arch_->name), "launches of PTX");
}

}  // namespace tilesim::cli
