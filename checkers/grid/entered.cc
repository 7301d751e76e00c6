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

}  // namespace

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

}  // namespace tilesim::checkers::grid
