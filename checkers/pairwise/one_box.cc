#include "checkers/pairwise/one_box.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "checkers/report/names.h"
#include "ir/cat.h"

namespace tilesim::checkers::pairwise {
using report::DeclOf;
using report::Finding;
using report::MnemonicOf;
using report::NthOf;
using report::RoleOf;
using report::SpanOf;
using report::TileOf;
using report::WhoOf;
using run::Event;
using run::Log;

namespace {

constexpr ir::Code kCodes[] = {"race/waw"};

struct Dim {
  int64_t stride = 0;
  int64_t extent = 1;
};
using Dims = std::vector<Dim>;

// Of the elements that are there: what lies outside is not written.
Dims DimsOf(const ir::BoundDecl& d, const ir::TileValue& box) {
  Dims out;
  for (int i = 0; i < box.rank; ++i) {
    const int64_t first = std::max<int64_t>(box.start[i], 0);
    const int64_t end = std::min(box.start[i] + box.extent[i], d.shape[i]);
    if (end > first + 1) out.push_back({d.strides[i], end - first});
  }
  std::sort(out.begin(), out.end(),
            [](const Dim& a, const Dim& b) { return a.stride < b.stride; });
  return out;
}

// Whether two of them have one place. Each step of a dimension beyond all that
// the ones before it reach keeps them apart; where strides interleave the
// places are counted.
bool Meet(const Dims& dims) {
  int64_t reach = 0;
  const bool apart = std::all_of(dims.begin(), dims.end(), [&](const Dim& d) {
    const bool beyond = d.stride > reach;
    reach += d.stride * (d.extent - 1);
    return beyond;
  });
  if (apart) return false;
  std::vector<int64_t> places = {0};
  for (const Dim& d : dims) {
    const size_t before = places.size();
    for (int64_t k = 1; k < d.extent; ++k) {
      for (size_t i = 0; i < before; ++i)
        places.push_back(places[i] + k * d.stride);
    }
  }
  std::sort(places.begin(), places.end());
  return std::adjacent_find(places.begin(), places.end()) != places.end();
}

void Report(const Context& context, const Event& e, int operand) {
  const Log& log = context.log;
  Finding* found =
      context.findings.AddAt("race/waw",
                             ir::Cat(DeclOf(log, e, operand), " itself ",
                                     MnemonicOf(e), " ", RoleOf(log, e)),
                             {SpanOf(e)});
  if (found == nullptr) return;
  ir::Diagnostic& d = found->diagnostic;
  d.message = ir::Cat("two elements of ", TileOf(log, e, operand),
                      " lie at one place by its strides, and ", MnemonicOf(e),
                      " writes both, in no order");
  d.span = SpanOf(e);
  d.span_text = ir::Cat(WhoOf(log, e), ": ", MnemonicOf(e), NthOf(e));
  d.help = "let each stride be at least what one step of it passes over";
}

}  // namespace

std::span<const ir::Code> OneBox::codes() const { return kCodes; }

void OneBox::OnOp(const Context& context, int32_t event) {
  const Log& log = context.log;
  const Event& e = log.events[event];
  if (!seen_.Insert(*e.instance)) return;
  const ir::ConcreteOp& op = e.concrete();
  for (const ir::Effect& effect : e.effects()) {
    if (effect.kind != ir::EffectKind::kWrite || effect.adds ||
        effect.operand < 0 || !op.is_tile(effect.operand))
      continue;
    const ir::TileValue& box = op.tile(effect.operand);
    if (box.space != ir::Space::kGlobal) continue;
    if (Meet(DimsOf(log.code->bound.decls[box.decl], box)))
      return Report(context, e, effect.operand);
  }
}

}  // namespace tilesim::checkers::pairwise
