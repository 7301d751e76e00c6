#include "checkers/pairwise/empty_commit.h"

#include <algorithm>

#include "checkers/report/names.h"
#include "ir/cat.h"

namespace tilesim::checkers::pairwise {
using run::Event;
using run::Log;

namespace {

bool Share(const Event& a, const Event& b) {
  const ir::ThreadSet &x = a.threads(), &y = b.threads();
  return a.cta == b.cta && x.first_warp < y.first_warp + y.warps &&
         y.first_warp < x.first_warp + x.warps && (x.lanes & y.lanes) != 0;
}

bool Commits(const Event& e, ir::GroupKind group) {
  return e.kind == Event::Kind::kOp &&
         std::any_of(
             e.effects().begin(), e.effects().end(), [&](const ir::Effect& f) {
               return f.kind == ir::EffectKind::kCommit && f.group == group;
             });
}

bool Joins(const Log& log, const Event& e, ir::GroupKind group) {
  return e.kind == Event::Kind::kOp &&
         std::any_of(e.issued.begin(), e.issued.end(), [&](int32_t operation) {
           return log.operations[operation].group == group;
         });
}

}  // namespace

void PointAtEmptyCommit(const Log& log, int32_t issue, int32_t until,
                        ir::Diagnostic& d) {
  const Event& e = log.events[issue];
  if (e.issued.empty()) return;
  ir::GroupKind group = log.operations[e.issued.front()].group;
  if (group == ir::GroupKind::kNone || group == ir::GroupKind::kTmemLd) return;
  for (int32_t i = issue + 1; i < until; ++i) {
    if (Share(log.events[i], e) && Commits(log.events[i], group)) return;
  }
  int32_t commit = -1;  // the last before the operation, so far an empty one
  for (int32_t i = issue - 1; i >= 0; --i) {
    const Event& other = log.events[i];
    if (!Share(other, e)) continue;
    if (Joins(log, other, group)) return;
    if (!Commits(other, group)) continue;
    if (commit >= 0) break;
    commit = i;
  }
  if (commit < 0) return;
  const Event& empty = log.events[commit];
  d.labels.push_back(
      {report::SpanOf(empty),
       ir::Cat(report::WhoOf(log, empty), ": this commits an empty group; ",
               report::MnemonicOf(e), " comes after it",
               report::NthOf(empty))});
}

}  // namespace tilesim::checkers::pairwise
