#include "checkers/grid/entered.h"

#include <map>

#include "checkers/grid/question.h"

namespace tilesim::checkers::grid {
namespace {

// That there is no first iteration is refuted, in any CTA of any launch.
bool AlwaysGoes(const Accesses& accesses, const LoopEntry& entry) {
  if (!entry.goes) return false;
  Question q(accesses.terms);
  q.Require(accesses.launch, Question::Cta::kFirst);
  q.Require(entry.when, Question::Cta::kFirst);
  q.Require(solver::Not(*entry.goes), Question::Cta::kFirst);
  const solver::Effort effort{.points = 200, .refute_only = true};
  return q.Answer(effort).answer == solver::Answer::kNone;
}

bool IsPositive(const Accesses& accesses, const LetValue& let) {
  if (let.value.is_constant()) return let.value.constant() >= 1;
  Question q(accesses.terms);
  q.Require(accesses.launch, Question::Cta::kFirst);
  q.Require(let.when, Question::Cta::kFirst);
  q.Require(solver::Lt(let.value, 1), Question::Cta::kFirst);
  const solver::Effort effort{.points = 200, .refute_only = true};
  return q.Answer(effort).answer == solver::Answer::kNone;
}

}  // namespace

// docs/all_sizes.md 5.7.
std::set<int32_t> PositiveLets(const Accesses& accesses) {
  std::map<int32_t, bool> all;
  for (const LetValue& let : accesses.lets) {
    bool& positive = all.try_emplace(let.slot, true).first->second;
    positive = positive && IsPositive(accesses, let);
  }
  std::set<int32_t> out;
  for (const auto& [slot, positive] : all) {
    if (positive) out.insert(slot);
  }
  return out;
}

// docs/all_sizes.md 5.7.
std::set<Site> LoopsEntered(const Accesses& accesses) {
  std::map<Site, bool> all;
  for (const LoopEntry& entry : accesses.loops) {
    bool& entered = all.try_emplace(Site::Of(*entry.loop), true).first->second;
    entered = entered && AlwaysGoes(accesses, entry);
  }
  std::set<Site> out;
  for (const auto& [loop, entered] : all) {
    if (entered) out.insert(loop);
  }
  return out;
}

bool AlwaysEntered(const Accesses& accesses, const ir::Stmt* loop) {
  bool any = false;
  for (const LoopEntry& entry : accesses.loops) {
    if (entry.loop != loop) continue;
    if (!AlwaysGoes(accesses, entry)) return false;
    any = true;
  }
  return any;
}

}  // namespace tilesim::checkers::grid
