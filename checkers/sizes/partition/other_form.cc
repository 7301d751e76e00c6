#include "checkers/sizes/partition/other_form.h"

#include <utility>

#include "checkers/sizes/partition/bit_tests.h"
#include "checkers/sizes/partition/counted_down.h"
#include "checkers/sizes/partition/drawn_elements.h"
#include "checkers/sizes/partition/flat_arrays.h"
#include "checkers/sizes/partition/guarded_loops.h"
#include "checkers/sizes/partition/quotient_bounds.h"
#include "checkers/sizes/partition/ring_counters.h"
#include "checkers/sizes/partition/split_arrays.h"

namespace tilesim::checkers::sizes::partition {
namespace {

ir::Overrides OfText(const ir::Kernel& kernel, const ir::Overrides& sizes) {
  ir::Overrides out;
  for (const ir::Param& p : kernel.params) {
    auto at = sizes.find(p.name);
    if (at != sizes.end()) out.insert(*at);
  }
  return out;
}

// docs/all_sizes.md 3.10: of `other`, which does what `text` does.
Covered CoverAs(const ir::Kernel& text, const ir::Kernel& other,
                const CoverOptions& options, const JudgeInstance& judge) {
  return CoverSizes(other, options, [&](const plan::Instance& i) {
    ir::Overrides sizes = OfText(text, i.sizes);
    for (const auto& [name, value] : options.instance.defines)
      sizes[name] = value;
    auto own = plan::InstanceAt(text, sizes, i.code->bound.sm_count);
    if (!own) return Judged::kSearched;
    own->clusters = i.clusters;
    own->handed_out = i.handed_out;
    return judge(*own);
  });
}

}  // namespace

Covered WithCounters(const ir::Kernel& text, const CoverOptions& options,
                     const JudgeInstance& judge) {
  ir::Kernel other = text;
  bool changed = CountUp(options.instance.defines, other);
  changed |= CountRings(options.instance.defines, other);
  changed |= ShiftBits(options.instance.defines, other);
  changed |= FlattenArrays(options.instance.defines, other);
  if (!changed) return CoverSizes(text, options, judge);
  return CoverAs(text, other, options, judge);
}

Covered InOtherForm(const machine::Code& code, const CoverOptions& options,
                    const JudgeInstance& judge, Covered covered) {
  const ir::Kernel& text = code.kernel();
  ir::Kernel other = text;
  CoverOptions with = options;
  CountUp(options.instance.defines, other);
  CountRings(options.instance.defines, other);
  ShiftBits(options.instance.defines, other);
  bool changed = !EndGuardedLoops(other).empty();
  changed |= SplitArrays(code, other);
  FlattenArrays(options.instance.defines, other);
  changed |= CompareProducts(options.instance.defines, other);
  changed |= DrawElements(code, other, with.known);
  if (!changed) return covered;
  Covered again = CoverAs(text, other, with, judge);
  if (!again.all) return covered;
  std::set<ir::Overrides> for_larger;
  for (const ir::Overrides& sizes : again.for_larger)
    for_larger.insert(OfText(text, sizes));
  again.for_larger = std::move(for_larger);
  std::erase_if(again.open, [&](const std::string& name) {
    return OfText(text, {{name, 0}}).empty();
  });
  return again;
}

}  // namespace tilesim::checkers::sizes::partition
