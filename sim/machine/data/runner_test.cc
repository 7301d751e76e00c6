#include "sim/machine/data/runner_test.h"

#include <algorithm>

#include "frontend/parse.h"
#include "gtest/gtest.h"
#include "ir/values/convert.h"
#include "ir/values/seeded.h"

namespace tilesim::machine {
namespace {

constexpr int64_t kSms = 4;
constexpr int kMaxRounds = 100000;

std::string Text(const ir::Diagnostics& diagnostics, const ir::Source& source) {
  std::string out;
  for (const ir::Diagnostic& d : diagnostics.all())
    out += ir::Render(d, source);
  return out;
}

values::Tensor Draw(ir::DType type, std::vector<int64_t> shape, uint64_t seed,
                    values::Distribution distribution) {
  values::Tensor t{type, std::move(shape), {}};
  t.data.resize(values::BytesOf(type, t.elements()));
  values::FillSeeded(type, {seed, 7, distribution}, 0, t.elements(),
                     t.data.data());
  return t;
}

// Operations of one unit end in the order of their issue.
bool IsOldest(const Machine& machine, const State& state, const InFlight& f) {
  ir::AsyncUnit unit = machine.op_of(state, f).op->info->async;
  for (const InFlight& o : state.inflight) {
    if (o.live && !o.is_track && o.cta == f.cta && o.order < f.order &&
        machine.op_of(state, o).op->info->async == unit)
      return false;
  }
  return true;
}

}  // namespace

TileRun::TileRun(const std::string& text, Inputs inputs, MemoryOptions options,
                 bool aside) {
  ir::Source source{"test.tile", text};
  ir::Diagnostics diagnostics;
  program_ = frontend::Parse(source, diagnostics);
  EXPECT_TRUE(program_) << Text(diagnostics, source);
  if (!program_) return;
  std::vector<const Code*> codes;
  for (const ir::Kernel& kernel : program_->kernels) {
    auto bound = ir::Bind(kernel, {}, kSms, diagnostics);
    EXPECT_TRUE(bound) << Text(diagnostics, source);
    if (!bound) return;
    auto code = Compile(std::move(*bound), diagnostics);
    EXPECT_TRUE(code) << Text(diagnostics, source);
    if (!code) return;
    codes.push_back(&codes_.emplace_back(std::move(*code)));
  }
  options.inputs = std::move(inputs);
  auto memory = Memory::Create(codes, std::move(options));
  EXPECT_TRUE(memory.ok()) << memory.status();
  if (!memory.ok()) return;
  memory_ = std::move(*memory);
  Machine machine(codes, memory_.get());
  MachineFaults faults(machine);
  memory_->set_faults(&faults);
  if (aside) memory_->ComputeAside();
  Execute(machine);
  memory_->Finish();
  memory_->set_faults(nullptr);
  findings_ = machine.findings();
}

// One turn for every strand and every operation; whether anything happened.
bool TileRun::Round(Machine& machine, State& state) {
  bool progress = false;
  for (size_t i = 0; i < state.strands.size(); ++i) {
    Strand::Status status = state.strands[i].status;
    if (status == Strand::Status::kFree || status == Strand::Status::kExited)
      continue;
    StepResult r = machine.Step(state, static_cast<int32_t>(i));
    progress |= r.kind == StepResult::Kind::kExecuted ||
                r.kind == StepResult::Kind::kExited || !r.strands.empty() ||
                !r.absorbed.empty() || r.merged;
  }
  for (size_t i = 0; i < state.inflight.size(); ++i) {
    auto f = static_cast<int32_t>(i);
    if (!state.inflight[i].live || !machine.MayFinish(state, f) ||
        !IsOldest(machine, state, state.inflight[i]))
      continue;
    machine.Reach(state, f, ir::Milestone::kDone);
    progress = true;
  }
  return progress;
}

void TileRun::Execute(Machine& machine) {
  State state = machine.Start();
  for (size_t k = 0; k < codes_.size(); ++k) {
    const ir::BoundKernel& b = codes_[k].bound;
    int64_t clusters = b.ctas() / b.cluster_size();
    for (int round = 0; round < kMaxRounds; ++round) {
      int64_t& next = state.grids[k].next_cluster;
      bool room =
          state.grids[k].live_ctas + b.cluster_size() <= kSms || next == 0;
      if (next < clusters && room)
        machine.Launch(state, static_cast<int>(k), next++);
      if (!Round(machine, state) && next >= clusters) break;
    }
    EXPECT_EQ(state.grids[k].live_ctas, 0) << "the kernel does not end";
  }
}

std::vector<ir::Code> TileRun::findings() const {
  std::vector<ir::Code> codes;
  for (const ir::Diagnostic& d : findings_) codes.push_back(d.code);
  return codes;
}

std::vector<double> TileRun::Numbers(const std::string& name) const {
  if (memory_ == nullptr) return {};
  return NumbersOf(*memory_->Tensor(name));
}

std::vector<uint64_t> TileRun::Codes(const std::string& name) const {
  values::Tensor t = *memory_->Tensor(name);
  std::vector<uint64_t> out(t.elements());
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = values::LoadCode(t.type, t.data.data(), static_cast<int64_t>(i));
  return out;
}

values::Tensor Small(ir::DType type, std::vector<int64_t> shape,
                     uint64_t seed) {
  return Draw(type, std::move(shape), seed, values::Distribution::kUniform);
}

values::Tensor Normal(ir::DType type, std::vector<int64_t> shape,
                      uint64_t seed) {
  return Draw(type, std::move(shape), seed, values::Distribution::kNormal);
}

std::vector<double> NumbersOf(const values::Tensor& t) {
  std::vector<double> out(t.elements());
  values::DecodeArray(t.type, t.data.data(), out.size(), out.data());
  return out;
}

std::vector<double> Product(const std::vector<double>& a,
                            const std::vector<double>& b, int64_t m, int64_t n,
                            int64_t k) {
  std::vector<double> out(m * n);
  for (int64_t i = 0; i < m * n; ++i) {
    for (int64_t j = 0; j < k; ++j)
      out[i] += a[i / n * k + j] * b[i % n * k + j];
  }
  return out;
}

}  // namespace tilesim::machine
