#include "cli/expected.h"

#include <algorithm>

#include "cli/complain.h"
#include "cli/findings_text.h"
#include "fmt/format.h"
#include "ir/cat.h"
#include "ir/op.h"
#include "ir/values/convert.h"
#include "sim/machine/data/faults.h"
#include "sim/timing/engine.h"

namespace tilesim::cli {
namespace {

constexpr int64_t kSampledCtas = 4;

bool IsBitExact(const ir::Block& block) {
  return std::all_of(block.begin(), block.end(), [](const ir::Stmt& s) {
    bool here = !s.op || s.op->info->arithmetic == ir::Arithmetic::kNone ||
                s.op->info->arithmetic == ir::Arithmetic::kExact;
    return here && IsBitExact(s.body) && IsBitExact(s.orelse);
  });
}

// The declaration of a global, for findings about it.
ir::Span SpanOf(const Loaded& loaded, const std::string& name) {
  for (const ir::Kernel& kernel : loaded.program.kernels) {
    for (const ir::Decl& decl : kernel.decls) {
      if (decl.space == ir::Space::kGlobal && decl.name == name)
        return decl.span;
    }
  }
  return {};
}

}  // namespace

bool IsBitExact(const ir::Program& program) {
  return std::all_of(
      program.kernels.begin(), program.kernels.end(),
      [](const ir::Kernel& kernel) { return IsBitExact(kernel.body); });
}

std::unique_ptr<Expected> Expected::Of(const Loaded& loaded,
                                       const arch::Arch& arch,
                                       const ExpectedOptions& options) {
  machine::MemoryOptions o;
  o.seed = options.seed;
  bool all =
      options.all_values || machine::ValuesFlowBetweenCtas(loaded.pointers());
  using Values = machine::MemoryOptions::Values;
  o.values = all ? Values::kAll : Values::kSample;
  for (const machine::Code& code : loaded.codes)
    o.sample.push_back(machine::SampleCtas(code.bound, kSampledCtas));
  auto memory = machine::Memory::Create(loaded.pointers(), std::move(o));
  if (!memory.ok()) {
    Complain("{}", std::string(memory.status().message()));
    return nullptr;
  }
  std::unique_ptr<Expected> expected(new Expected(loaded));
  expected->memory_ = std::move(*memory);
  machine::Machine machine(loaded.pointers(), expected->memory_.get());
  machine::MachineFaults faults(machine);
  expected->memory_->set_faults(&faults);
  expected->stats_ = timing::Engine(machine, arch, {}).Run();
  expected->memory_->set_faults(nullptr);
  return expected;
}

Judgement Expected::Judge(
    const std::map<std::string, values::Tensor>& outputs) {
  Judgement j;
  if (!stats_.finished) {
    j.result.bit_exact_note = "the model's own run does not end";
    return j;
  }
  j.result.coverage =
      ir::Cat(memory_->materialised_ctas(), " of ", stats_.ctas, " CTAs");
  CompareBits(outputs, j);
  CompareBounds(j);
  return j;
}

// Leaves what the GPU wrote in the place of what the model wrote.
void Expected::CompareBits(const std::map<std::string, values::Tensor>& outputs,
                           Judgement& j) {
  const bool exact = IsBitExact(loaded_.program);
  int64_t elements = 0, equal = 0;
  for (const auto& [name, got] : outputs) {
    absl::StatusOr<values::Tensor> want = memory_->Tensor(name);
    absl::StatusOr<machine::Replaced> r = memory_->Replace(name, got);
    if (!r.ok() || !want.ok()) continue;  // only the GPU's code writes it
    elements += r->elements;
    equal += r->equal;
    if (!exact || !r->first_difference) continue;
    const int64_t i = *r->first_difference;
    auto number = [&](const values::Tensor& t) {
      return values::Decode(t.type, values::LoadCode(t.type, t.data.data(), i));
    };
    ir::Diagnostic d;
    d.code = "result/mismatch";
    d.span = SpanOf(loaded_, name);
    d.message =
        ir::Cat("`", name, "` differs from the model in ",
                r->elements - r->equal, " of ", r->elements,
                " elements; the first is ", PlaceOfElement(i, want->shape),
                ": ", number(got), " instead of ", number(*want));
    j.findings.push_back(std::move(d));
  }
  if (elements == 0) {
    j.result.bit_exact_note = "the model wrote nothing to compare";
    return;
  }
  j.result.checked = exact;
  if (exact) {
    j.result.compared = elements;
    j.result.wrong = elements - equal;
  }
  j.result.bit_exact = equal == elements;
}

void Expected::CompareBounds(Judgement& j) const {
  double abs_error = 0, rel_error = 0, bound = 0;
  int64_t compared = 0, wrong = 0;
  for (const machine::ComputesResult& r : memory_->Check()) {
    if (std::string why = WhyNotCompared(r); !why.empty()) {
      j.result.not_compared.push_back(std::move(why));
      continue;
    }
    compared += r.checked;
    wrong += r.failed;
    abs_error = std::max(abs_error, r.max_abs_error);
    rel_error = std::max(rel_error, r.max_rel_error);
    bound = std::max(bound, r.bound);
    j.result.nan_elements += r.nan;
    if (r.pass() || !r.first_mismatch) continue;
    ir::Diagnostic d;
    d.code = "result/mismatch";
    d.span = r.span;
    d.message = ir::Cat("`", r.target, "` differs from what it computes in ",
                        r.failed, " of ", r.checked, " elements; the first is ",
                        PlaceOfElement(*r.first_mismatch, r.shape), ": ", r.got,
                        " instead of ", r.want);
    j.findings.push_back(std::move(d));
  }
  if (compared == 0) return;
  j.result.checked = true;
  j.result.compared = compared;
  j.result.wrong = std::max(j.result.wrong, wrong);
  j.result.max_abs_error = abs_error;
  j.result.max_rel_error = rel_error;
  j.result.bound = bound;
}

}  // namespace tilesim::cli
