// Small kernels for tests of control, run without payload; operations in flight
// move when a test says so.
#ifndef TILESIM_SIM_MACHINE_CONTROL_TEST_H_
#define TILESIM_SIM_MACHINE_CONTROL_TEST_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/parse.h"
#include "gtest/gtest.h"
#include "ir/cat.h"
#include "sim/machine/machine.h"

namespace tilesim::machine {

// One cluster of the kernel, run until no strand can go on.
class ControlRun {
 public:
  explicit ControlRun(const std::string& text) {
    ir::Source source{"test.tile", text};
    ir::Diagnostics diagnostics;
    program_ = frontend::Parse(source, diagnostics);
    if (program_) {
      auto bound = ir::Bind(program_->kernels[0], {}, 1, diagnostics);
      if (bound) code_ = Compile(std::move(*bound), diagnostics);
    }
    for (const ir::Diagnostic& d : diagnostics.all())
      ADD_FAILURE() << ir::Render(d, source);
    if (!code_) return;
    machine_.emplace(std::vector<const Code*>{&*code_});
    state_ = machine_->Start();
    machine_->Launch(state_, 0, state_.grids[0].next_cluster++);
    Settle();
  }

  // Steps strands until all are blocked or gone.
  void Settle() {
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t i = 0; i < state_.strands.size(); ++i) {
        Strand::Status status = state_.strands[i].status;
        if (status == Strand::Status::kFree) continue;
        StepResult r = machine_->Step(state_, static_cast<int32_t>(i));
        Note(r.uses);
        if (r.round) rounds_.push_back(*r.round);
        moved |= r.kind == StepResult::Kind::kExecuted ||
                 r.kind == StepResult::Kind::kExited || !r.strands.empty() ||
                 !r.absorbed.empty() || r.merged;
      }
    }
  }

  // The oldest operation in flight reaches a milestone; what that releases
  // runs on.
  void MoveOldest(ir::Milestone milestone) {
    int32_t oldest = -1;
    for (size_t i = 0; i < state_.inflight.size(); ++i) {
      const InFlight& f = state_.inflight[i];
      auto id = static_cast<int32_t>(i);
      if (!f.live || !machine_->MayFinish(state_, id)) continue;
      if (oldest < 0 || f.order < state_.inflight[oldest].order) oldest = id;
    }
    ASSERT_GE(oldest, 0) << "nothing is in flight";
    Note(machine_->Reach(state_, oldest, milestone));
    Settle();
  }

  const Mbarrier& bar() const { return state_.ctas[0].mbarriers[0]; }
  const Cta& cta() const { return state_.ctas[0]; }
  // What was done to barriers, in order.
  const std::vector<BarrierUse>& uses() const { return uses_; }
  const std::vector<BarrierRound>& rounds() const { return rounds_; }
  BarrierUses Awaits(int32_t strand) {
    return machine_->Awaits(state_, strand);
  }
  // A live one.
  int32_t strand() const { return cta().strands[0]; }
  bool done() const { return state_.grids[0].live_ctas == 0; }
  ir::Code first_finding() const {
    const auto& all = machine_->findings();
    return all.empty() ? ir::Code() : all[0].code;
  }

 private:
  void Note(const BarrierUses& uses) {
    uses_.insert(uses_.end(), uses.begin(), uses.end());
  }

  std::optional<ir::Program> program_;
  std::optional<Code> code_;
  std::optional<Machine> machine_;
  State state_;
  std::vector<BarrierUse> uses_;
  std::vector<BarrierRound> rounds_;
};

// An mbarrier `b` that counts to `count`, and what one thread does with it.
inline std::string OneThread(int count, std::string_view body) {
  return ir::Cat(R"(kernel k target sm_90a {
  grid (1)
  block 32
  mbarrier b
  thread 0 {
    mbarrier.init b, )",
                 count, "\n", body, "\n  }\n}\n");
}

inline std::string TwoWarps(std::string_view first, std::string_view second) {
  return ir::Cat(
      "kernel k target sm_90a {\n  grid (1)\n  block 64\n  warp 0 {\n", first,
      "\n  }\n  warp 1 {\n", second, "\n  }\n}\n");
}

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_CONTROL_TEST_H_
