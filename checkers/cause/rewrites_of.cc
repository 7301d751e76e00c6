#include "checkers/cause/rewrites_of.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "checkers/cause/counterparts.h"
#include "checkers/cause/counters.h"
#include "checkers/cause/group_waits.h"
#include "checkers/cause/waits_elsewhere.h"
#include "checkers/cause/warp_syncs.h"

namespace tilesim::checkers::cause {
using report::Finding;

std::vector<ir::Span> PlacesOf(const std::vector<Finding*>& findings) {
  std::vector<ir::Span> out;
  for (const Finding* f : findings) {
    out.push_back(f->diagnostic.span);
    for (const ir::Label& l : f->diagnostic.labels) out.push_back(l.span);
  }
  return out;
}

namespace {

// Two stores to one place of a tensor: that the first is waited for would not
// bring its elements to where they belong.
bool OfTwoStores(const machine::Code& code, const Finding& f) {
  if (f.diagnostic.code != "race/waw") return false;
  return std::any_of(code.ops.begin(), code.ops.end(),
                     [&](const machine::CompiledOp& op) {
                       return op.op->info->IntoGlobal() &&
                              SamePlace(op.op->span, f.diagnostic.span);
                     });
}

}  // namespace

std::vector<Rewrite> RewritesOf(const machine::Code& code,
                                const std::vector<Finding*>& findings) {
  std::vector<Rewrite> out;
  auto add = [&](std::vector<Rewrite> more) {
    std::move(more.begin(), more.end(), std::back_inserter(out));
  };
  bool hangs = false, goes_on = false, unwritten = false, counts = false;
  bool in_groups = false, named = false, in_flight = false, exits = false;
  size_t unpublished = 0;
  for (const Finding* f : findings) {
    const ir::Code& c = f->diagnostic.code;
    const std::string_view name = c.name(), family = c.family();
    if (name == "barrier/participants")
      add(BarrierOfAll(code, f->diagnostic.span));
    unpublished +=
        name == "init/missing" || name.ends_with("/unpublished") ? 1 : 0;
    hangs |= family == "deadlock";
    goes_on |= family == "parity" || family == "race";
    in_flight |=
        family == "parity" || (family == "race" && !OfTwoStores(code, *f));
    unwritten |= family == "uninit";
    counts |= family == "arrival-count";
    named |= family == "barrier";
    in_groups |= family == "wgmma" || family == "exit";
    exits |= family == "exit";
  }
  const std::vector<ir::Span> places = PlacesOf(findings);
  if (named) add(OtherCounts(code, places));
  if (hangs) add(WithoutIncrement(code));
  if (hangs) add(OtherMasks(code));
  if (hangs) add(OtherWaits(code, places));
  if (goes_on || hangs) add(CountersGoOn(code));
  if (goes_on || hangs || counts) add(FlatCounters(code));
  if (unpublished > 1) add(BarrierBehindSetup(code));
  if (in_groups || in_flight) add(GroupWaits(code, places));
  if (goes_on) add(WarpSyncs(code));
  if (goes_on || unwritten) add(OtherIndices(code, places));
  if (hangs || unwritten) add(ParitiesOfRings(code));
  if (goes_on || hangs || counts) add(OtherLets(code));
  if (goes_on || counts) add(WaitsAsElsewhere(code));
  if (hangs || unwritten || counts || in_groups) add(OtherRanges(code));
  if (hangs || counts || in_groups) add(OtherComparisons(code));
  if (exits) add(OtherEnds(code));
  return out;
}

}  // namespace tilesim::checkers::cause
