#include "checkers/pipeline/place_inputs.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "checkers/grid/text.h"
#include "checkers/proof/condition.h"
#include "checkers/run/control_memory.h"
#include "checkers/run/places.h"
#include "checkers/sizes/state/text_multiple.h"
#include "ir/placement.h"
#include "ir/values/dtype.h"

namespace tilesim::checkers::pipeline {
using ir::Effect;
using machine::CompiledOp;
using run::GlobalPlace;
using sizes::state::DivisorOf;
using sizes::state::IsMultiple;

namespace {

class Inputs {
 public:
  Inputs(const machine::Code& code, const std::set<grid::Side>& inside)
      : code_(code), inside_(inside), written_(run::AnyWrites(code)) {}

  // No run is another where the element is another: docs/all_sizes.md 3.12.
  bool IsOfPlaces(int32_t decl) const {
    if (written_[decl]) return false;
    std::optional<std::vector<GlobalPlace>> places = run::PlacesOf(code_, decl);
    return places &&
           std::all_of(places->begin(), places->end(),
                       [this](const GlobalPlace& p) { return IsRight(p); });
  }

 private:
  bool IsRight(const GlobalPlace& p) const {
    const CompiledOp& op = code_.ops[p.op];
    const int32_t tensor = op.operands[p.operand].fixed.tile.decl;
    const bool known =
        !proof::IsJudged(proof::Condition::kPlaceInside) || IsInside(*op.op, p);
    return known && IsAligned(*op.op, p, tensor) && NobodyMeets(tensor);
  }

  bool IsInside(const ir::Op& op, const GlobalPlace& p) const {
    return ir::MustBeThere(op, p.operand) == ir::There::kNothing ||
           inside_.contains({grid::Site::Of(op, p.operand), p.dim});
  }

  // A step of the element is a whole number of vectors, at every size.
  bool IsAligned(const ir::Op& op, const GlobalPlace& p, int32_t tensor) const {
    const ir::StartRule rule = op.info->operands[p.operand].start;
    if (rule == ir::StartRule::kAnywhere) return true;
    const ir::Decl& text = code_.kernel().decls[tensor];
    const ir::BoundDecl& d = code_.bound.decls[tensor];
    const int64_t vector = int64_t{8} * ir::kRawAlignment;
    const int64_t elements = vector / std::gcd(vector, values::BitsOf(d.dtype));
    const auto from = static_cast<size_t>(p.dim);
    // Strides of a tensor map are multiples of a vector.
    if (rule == ir::StartRule::kCoordinates && p.dim + 1 < d.rank) return true;
    if (!text.strides.empty())
      return IsMultiple(code_, text.strides[from], elements);
    // Of a product of extents each may have a part of it.
    int64_t rest = elements;
    for (size_t i = from + 1; i < text.shape.size(); ++i)
      rest /= DivisorOf(code_, text.shape[i], rest);
    return rest == 1;
  }

  // Nobody writes it; or one kind of op does, and nobody reads: then only
  // whether two of them meet is asked, of any element (5.3).
  bool NobodyMeets(int32_t tensor) const {
    if (!proof::IsJudged(proof::Condition::kPlaceUnread)) return true;
    if (!written_[tensor]) return true;
    if (code_.control_decl[tensor]) return false;
    std::set<const ir::OpInfo*> by;
    ir::EffectSink sink;
    for (const CompiledOp& op : code_.ops) {
      sink.Clear();
      ir::EffectsOf(machine::FixedOperands(op), sink);
      for (const Effect& e : sink.effects()) {
        const bool here =
            e.Is(ir::kAccesses) && e.operand >= 0 &&
            op.operands[e.operand].kind == ir::OperandValue::Kind::kTile &&
            op.operands[e.operand].fixed.tile.decl == tensor;
        if (here && e.kind != ir::EffectKind::kWrite && !Reduces(op, e))
          return false;
        if (here) by.insert(op.op->info);
      }
    }
    return by.size() == 1;
  }

  // It adds to what is there, and nobody gets to know what that was.
  static bool Reduces(const CompiledOp& op, const Effect& e) {
    const auto& operands = op.op->info->operands;
    return e.sem != ir::Sem::kWeak &&
           std::none_of(operands.begin(), operands.end(), [](const auto& o) {
             return (o.types & ir::kTakesVar) != 0;
           });
  }

  const machine::Code& code_;
  const std::set<grid::Side>& inside_;
  const std::vector<bool> written_;
};

}  // namespace

std::set<int32_t> PlaceInputs(const machine::Code& code,
                              const std::set<grid::Side>& inside) {
  std::set<int32_t> out;
  const Inputs inputs(code, inside);
  for (int32_t decl : run::DrawnOf(code)) {
    if (inputs.IsOfPlaces(decl)) out.insert(decl);
  }
  return out;
}

}  // namespace tilesim::checkers::pipeline
