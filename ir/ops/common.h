// How an op of the table is declared, and pieces that rows share.
#ifndef TILESIM_IR_OPS_COMMON_H_
#define TILESIM_IR_OPS_COMMON_H_

#include <string_view>

#include "ir/concrete.h"
#include "ir/effect.h"
#include "ir/op.h"
#include "ir/ops/modifiers.h"

// An op of the table: its modifiers (in parentheses, none: `()`), its operands,
// its row, its effects. Operand kSrc is called `src` in the row (Row).
#define TILESIM_OP(Name, ModifierTypes, ...)                    \
  struct Name {                                                 \
    using Mods = ModifierList<TILESIM_UNPACK ModifierTypes>;    \
    enum Operands : int { __VA_ARGS__ };                        \
    static constexpr OpKind kKind = OpKind::k##Name;            \
    static constexpr std::string_view kOperands = #__VA_ARGS__; \
    static const OpInfo kInfo;                                  \
    static void Effects(const ConcreteOp& op, EffectSink& out); \
  }
#define TILESIM_UNPACK(...) __VA_ARGS__

namespace tilesim::ir::ops {

// Whether the enumerators `kDst, kSrc` are operands `dst` and `src`.
constexpr bool NamesAre(std::string_view enumerators,
                        std::span<const OperandSpec> operands) {
  for (const OperandSpec& o : operands) {
    std::string_view name = enumerators.substr(0, enumerators.find(','));
    if (name.size() != o.name.size() + 1 || name[0] != 'k' ||
        name[1] - 'A' != o.name[0] - 'a' || name.substr(2) != o.name.substr(1))
      return false;
    enumerators.remove_prefix(name.size());
    if (enumerators.starts_with(", ")) enumerators.remove_prefix(2);
  }
  return enumerators.empty();
}

// Is called, and so does not compile, where a row has other operands than the
// struct of its op.
inline void operands_of_the_row_are_not_those_of_the_struct() {}

// The row of op `OpT`, of which the struct says kind and modifiers.
template <class OpT>
constexpr OpInfo Row(OpInfo row) {
  if (!NamesAre(OpT::kOperands, row.operands))
    operands_of_the_row_are_not_those_of_the_struct();
  row.kind = OpT::kKind;
  row.mods = OpT::Mods::kSpecs;
  return row;
}

// True when the op was written with .cta_group::2.
inline bool IsPair(const Op& op) {
  return op.FindChoice<CtaGroup>() == CtaGroup::kTwo;
}
inline bool IsPair(const ConcreteOp& op) { return IsPair(*op.op); }

// The ranks of the CTA pair that `rank` belongs to.
inline uint32_t PairMask(uint32_t rank) { return 3u << (rank & ~1u); }

// Order and scope of an arrival or a wait, which has an ArriveSem or a WaitSem.
template <class OpT, class SemT>
void SetOrder(const ConcreteOp& op, Effect& e) {
  WrittenScope scope = op.choice<OpT, BarrierScope>();
  e.sem = op.choice<OpT, SemT>();
  e.scope = scope.value_or(MemScope::kCta);
  e.scope_written = scope.has_value();
}

}  // namespace tilesim::ir::ops

#endif  // TILESIM_IR_OPS_COMMON_H_
