#include "checkers/sizes/induction/induction_variables.h"

#include "checkers/sizes/algebra/moved.h"

namespace tilesim::checkers::sizes::induction {
using algebra::Moved;
using algebra::Polynomial;
using algebra::Symbol;
using algebra::Symbolic;
using state::SymbolicState;

namespace {

// Calls f(name, strand, slot) for each.
template <typename F>
void EachScalar(const Scalars& scalars, F f) {
  for (size_t i = 0; i < scalars.size(); ++i) {
    for (size_t k = 0; k < scalars[i].size(); ++k)
      f(ScalarName{static_cast<int32_t>(i), static_cast<int32_t>(k)}, i, k);
  }
}

// As many as these.
Scalars Unknowns(const Scalars& scalars) {
  Scalars out;
  for (const SymbolicState::Slots& slots : scalars)
    out.emplace_back(slots.size(), Symbolic::Unknown());
  return out;
}

}  // namespace

Scalars StepOf(const Scalars& earlier, const Scalars& now,
               const std::set<ScalarName>& havoc) {
  Scalars out = Unknowns(now);
  EachScalar(now, [&](const ScalarName& name, size_t i, size_t k) {
    auto moved =
        havoc.count(name) == 0 ? Moved(earlier[i][k], now[i][k]) : std::nullopt;
    if (moved) out[i][k] = std::move(*moved);
  });
  return out;
}

Scalars MovedOn(const Scalars& scalars, const Scalars& step,
                const Polynomial& iterations) {
  Scalars out = Unknowns(scalars);
  EachScalar(step, [&](const ScalarName&, size_t i, size_t k) {
    if (step[i][k].kind != Symbolic::Kind::kUnknown)
      out[i][k] = MovedOn(scalars[i][k], step[i][k], iterations);
  });
  return out;
}

std::set<ScalarName> Astray(const Scalars& begun, const Scalars& ended,
                            const Scalars& step) {
  std::set<ScalarName> out;
  EachScalar(ended, [&](const ScalarName& name, size_t i, size_t k) {
    if (begun[i][k].unknown()) return;
    auto moved = Moved(begun[i][k], ended[i][k]);
    if (!moved || !(*moved == step[i][k])) out.insert(name);
  });
  return out;
}

void InductionVariables::Replace(Symbol symbol, const Polynomial& value) {
  for (SymbolicState::Slots& slots : scalars) {
    for (Symbolic& s : slots) s.of = s.of.Replace(symbol, value);
  }
  for (Polynomial& r : rings) r = r.Replace(symbol, value);
  answers.Replace(symbol, value);
}

InductionVariables InductionVariables::StepSince(
    const InductionVariables& earlier, const LoopSummary& loop,
    const machine::Code& code) const {
  InductionVariables out;
  out.scalars = StepOf(earlier.scalars, scalars, loop.havoc);
  for (size_t i = 0; i < rings.size(); ++i)
    out.rings.push_back(rings[i] - earlier.rings[i]);
  out.answers = answers.Since(earlier.answers, code, loop.rotation);
  return out;
}

InductionVariables InductionVariables::MovedOn(
    const InductionVariables& step, const LoopSummary& loop,
    const Polynomial& iterations) const {
  InductionVariables out;
  out.scalars = induction::MovedOn(scalars, step.scalars, iterations);
  for (size_t i = 0; i < rings.size(); ++i) {
    Polynomial in_run(loop.rotation[i].value_or(0));
    out.rings.push_back(rings[i] + (step.rings[i] + in_run) * iterations);
  }
  out.answers = answers.MovedOn(step.answers, iterations);
  return out;
}

bool InductionVariables::HasMoved(const InductionVariables& begun,
                                  const InductionVariables& step,
                                  const LoopSummary& loop,
                                  const machine::Code& code) const {
  for (size_t i = 0; i < rings.size(); ++i) {
    if (!(rings[i] - begun.rings[i] == step.rings[i])) return false;
  }
  return answers.HasMoved(begun.answers, step.answers, code, loop.rotation);
}

}  // namespace tilesim::checkers::sizes::induction
