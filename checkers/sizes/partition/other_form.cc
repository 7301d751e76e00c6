#include "checkers/sizes/partition/other_form.h"

#include <utility>

#include "checkers/sizes/partition/drawn_elements.h"
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

}  // namespace

Covered InOtherForm(const machine::Code& code, const CoverOptions& options,
                    const JudgeInstance& judge, Covered covered) {
  const ir::Kernel& text = code.kernel();
  ir::Kernel other = text;
  CoverOptions with = options;
  bool changed = SplitArrays(code, other);
  changed |= DrawElements(code, other, with.known);
  if (!changed) return covered;
  Covered again = CoverSizes(other, with, [&](const plan::Instance& i) {
    ir::Overrides sizes = OfText(text, i.sizes);
    for (const auto& [name, value] : options.instance.defines)
      sizes[name] = value;
    auto own = plan::InstanceAt(text, sizes, i.code->bound.sm_count);
    if (!own) return Judged::kSearched;
    own->clusters = i.clusters;
    own->handed_out = i.handed_out;
    return judge(*own);
  });
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
