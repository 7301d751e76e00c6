#include "checkers/sizes/state/shared_words.h"

#include <algorithm>
#include <utility>

#include "ir/values/dtype.h"

namespace tilesim::checkers::sizes::state {
using algebra::Symbolic;
using run::Event;

namespace {

using ir::Effect;
using ir::EffectKind;

// The smallest word that every number known to fit a machine's int fits.
constexpr int kWordBits = 32;

// The effect on the one word of shared memory that an op accesses, if it does
// nothing else.
const Effect* OnlyAccess(const Event& e, EffectKind kind) {
  if (e.effects().size() != 1 || !e.issued.empty()) return nullptr;
  const Effect& f = e.effects()[0];
  if (f.kind != kind || f.ranks != 0 || !e.concrete().is_tile(f.operand))
    return nullptr;
  const ir::TileValue& t = e.concrete().tile(f.operand);
  bool word = t.space == ir::Space::kShared && t.elements() == 1 &&
              !values::IsFloat(t.dtype) && values::BitsOf(t.dtype) >= kWordBits;
  return word ? &f : nullptr;
}

// A number that a word may not hold as it is.
bool MayWrap(const Symbolic& value) {
  std::optional<int64_t> known = value.known();
  return known && (*known < 0 || *known >> (kWordBits - 1) != 0);
}

// The one integer that the op is given; -1: none.
int IntegerOf(const Event& e) {
  int out = -1;
  for (size_t i = 0; i < e.concrete().info().operands.size(); ++i) {
    if (e.concrete().operands[i].kind != ir::OperandValue::Kind::kInt) continue;
    if (out >= 0) return -1;
    out = static_cast<int>(i);
  }
  return out;
}

}  // namespace

SharedWords::Place SharedWords::PlaceOf(const Event& e,
                                        const ir::TileValue& t) {
  int32_t cta = t.cta == ir::kOwnCta ? e.cta : e.cluster + t.cta;
  return {t.decl, cta, t.index, t.start};
}

void SharedWords::Executed(const Event& e,
                           absl::FunctionRef<Word(int operand)> value_of) {
  for (const Effect& f : e.effects()) {
    if (f.kind != EffectKind::kWrite || !e.concrete().is_tile(f.operand))
      continue;
    int32_t decl = e.concrete().tile(f.operand).decl;
    const Effect* store = OnlyAccess(e, EffectKind::kWrite);
    int integer = store != nullptr ? IntegerOf(e) : -1;
    if (integer < 0) {  // whatever else of it that is
      std::erase_if(known_, [=](const auto& word) {
        return std::get<0>(word.first) == decl;
      });
      continue;
    }
    Word word = value_of(integer);
    if (MayWrap(word.value)) word = Word();
    known_.insert_or_assign(PlaceOf(e, e.concrete().tile(f.operand)),
                            std::move(word));
  }
}

SharedWords::Word SharedWords::LoadedBy(const Event& e) const {
  const Effect* load = OnlyAccess(e, EffectKind::kRead);
  if (load == nullptr) return {};
  auto found = known_.find(PlaceOf(e, e.concrete().tile(load->operand)));
  return found == known_.end() ? Word() : found->second;
}

}  // namespace tilesim::checkers::sizes::state
