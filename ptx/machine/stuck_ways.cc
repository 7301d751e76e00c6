// Which ways threads that are stuck may go once they go on. Roles of compiled
// code are branches by the number of the thread:
//
//   @%p1 bra PRODUCER;   // %p1: %tid.x < 32, set once
//
// What such a guard holds, can be worked out wherever threads stand.
#include <array>
#include <optional>
#include <vector>

#include "ptx/machine/guide.h"

namespace tilesim::ptx {
namespace {

// Registers that one step alone sets, of numbers that hold all the time: where
// the thread is, parameters, constants.
class Lasting {
 public:
  Lasting(const PtxGuide& guide, const Who& who) : guide_(guide), who_(who) {}

  // nullopt: it is not so of it, or the number is not known.
  std::optional<Value> Of(int32_t reg, int depth = 0) {
    constexpr int kDeepest = 32;
    const Program& program = guide_.program();
    const int32_t pc = program.only_set_by[static_cast<size_t>(reg)];
    if (pc < 0 || depth > kDeepest) return std::nullopt;
    const Step& step = program.steps[static_cast<size_t>(pc)];
    const bool computes = step.kind == Step::Kind::kConstant ||
                          step.kind == Step::Kind::kLoad ||
                          (step.kind == Step::Kind::kScalar && !step.divides);
    if (!computes) return std::nullopt;
    std::array<Value, kMaxWords> in, out;
    for (size_t i = 0; i < step.sources.size(); ++i) {
      const std::optional<Value> v = OfSource(step.sources[i], depth);
      if (!v || v->unknown()) return std::nullopt;
      in[i] = *v;
    }
    if (step.kind == Step::Kind::kConstant) return in[0];
    if (step.kind == Step::Kind::kLoad) return Parameter(step, in[0]);
    guide_.Compute(pc, step, in, who_.threads(), out);
    for (size_t i = 0; i < step.results.size(); ++i) {
      if (step.results[i].reg == reg && !out[i].unknown()) return out[i];
    }
    return std::nullopt;
  }

 private:
  std::optional<Value> OfSource(const Source& source, int depth) {
    if (source.reg < 0) {
      Value v = guide_.Of(source, who_);
      v.term = 0;
      return v;
    }
    const std::optional<Value> v = Of(source.reg, depth + 1);
    if (!v || (!source.negated && source.bits == 0)) return v;
    return guide_.Moved(source, *v, who_.threads());
  }

  // Of one word.
  std::optional<Value> Parameter(const Step& step, const Value& at) const {
    if (!at.uniform() || step.results.size() != 1 || step.numbers[1] != 0)
      return std::nullopt;
    const auto bits = guide_.program().memory.ParamBits(
        at.base, static_cast<int>(step.numbers[0]));
    if (!bits) return std::nullopt;
    return Value{ZeroExtend(*bits, step.results[0].bits)};
  }

  const PtxGuide& guide_;
  const Who who_;
};

}  // namespace

void PtxGuide::WaysOn(const machine::Machine& machine,
                      const machine::State& state,
                      const machine::Strand& strand, int32_t pc,
                      std::vector<int32_t>& out) const {
  const Step& s = program_.steps[static_cast<size_t>(pc)];
  if (s.kind == Step::Kind::kEnd) return;
  bool takes = true, goes_on = s.kind != Step::Kind::kBranch || s.guard >= 0;
  if (s.kind == Step::Kind::kBranch && s.guard >= 0 && s.sources.empty()) {
    const machine::Cta& cta = state.ctas[strand.cta];
    const Who who{strand, cta, machine.code_of(cta).bound};
    const std::optional<Value> guard = Lasting(*this, who).Of(s.guard);
    for (size_t t = 0; guard && t < who.threads(); ++t) {
      if (t == 0) takes = goes_on = false;
      ((lanes_.At(*guard, t) != 0) != s.negated ? takes : goes_on) = true;
    }
  }
  if (takes) out.insert(out.end(), s.targets.begin(), s.targets.end());
  if (goes_on) out.push_back(pc + 1);
}

}  // namespace tilesim::ptx
