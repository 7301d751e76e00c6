#include "checkers/pipeline/every_cta.h"

#include <algorithm>
#include <iterator>

#include "checkers/launch/launch.h"
#include "checkers/program/shared_control.h"
#include "ir/cat.h"

namespace tilesim::checkers::pipeline {
namespace {

// Meetings that are run to be told.
constexpr size_t kMostSuspects = 3;

constexpr char kNotNow[] =
    "the condition of its `computes` is false at the sizes of the text";
constexpr char kOthers[] = "other kernels of the file may store the rest";

void AddWritten(const launch::Written& w, bool others, EveryCta& out) {
  Whole whole;
  if (others) {
    whole.why = kOthers;
  } else if (!w.limit.empty()) {
    whole.why = w.limit;
    whole.by_memory = w.by_memory;
  } else {
    whole.where = Whole::Where::kOwnSizes;
    std::vector<ir::Diagnostic> holes = machine::FindingsOf(w.stores);
    std::move(holes.begin(), holes.end(), std::back_inserter(out.holes));
    if (!holes.empty()) return;  // a finding, which is told instead
  }
  out.whole[w.stores.target] = std::move(whole);
}

}  // namespace

EveryCta LookAtEveryCta(const KernelPlan& plan, const plan::Instance& instance,
                        const Judging& judging) {
  judging.Doing(*plan.kernel,
                "every CTA of the grid, at the sizes of the text");
  const launch::Launch all =
      launch::LookAt(*instance.code, judging.order.words.words());
  EveryCta out;
  if (all.fault) out.suspects.push_back({*all.fault});
  // What is sure first.
  for (bool may : {false, true}) {
    for (const launch::Meeting& m : all.meetings) {
      if (m.may == may && out.suspects.size() < kMostSuspects)
        out.suspects.push_back({m.first_cluster, m.second_cluster});
    }
  }
  out.apart = all.limit.empty() && all.meetings.empty() && !all.fault;
  for (const launch::Written& w : all.written) {
    const bool others = program::OthersMayStore(judging.program, *instance.code,
                                                w.stores.target);
    AddWritten(w, others, out);
  }
  if (!out.holes.empty()) return out;
  for (const ir::Computes& c : plan.kernel->computes)
    out.whole.try_emplace(c.target,
                          Whole{Whole::Where::kNowhere, std::string(kNotNow)});
  return out;
}

}  // namespace tilesim::checkers::pipeline
