// Pieces that rows of the op table share.
#ifndef TILESIM_IR_OPS_COMMON_H_
#define TILESIM_IR_OPS_COMMON_H_

#include <string_view>

#include "ir/concrete.h"
#include "ir/effect.h"
#include "ir/op.h"

// An op of the table: its operand positions, its row, its effects.
#define TILESIM_OP(Name, ...)                                   \
  struct Name {                                                 \
    enum Operands : int { __VA_ARGS__ };                        \
    static const OpInfo kInfo;                                  \
    static void Effects(const ConcreteOp& op, EffectSink& out); \
  }

namespace tilesim::ir::ops {

// `.release` or `.relaxed` of an arrival; release is what an unmarked arrival
// means in PTX (9.7.13.15).
inline constexpr std::string_view kArriveSemChoices[] = {"", "relaxed",
                                                         "release"};
inline constexpr std::string_view kWaitSemChoices[] = {"", "relaxed",
                                                       "acquire"};
inline constexpr std::string_view kCtaScopeChoices[] = {"", "cta", "cluster"};
inline constexpr ModSpec kArriveMods[] = {
    {"sem", kArriveSemChoices, "memory order; release when not written"},
    {"scope", kCtaScopeChoices, "scope of the order; cta when not written"}};
inline constexpr ModSpec kWaitMods[] = {
    {"sem", kWaitSemChoices, "memory order; acquire when not written"},
    {"scope", kCtaScopeChoices, "scope of the order; cta when not written"}};

inline constexpr std::string_view kCtaGroupChoices[] = {"", "cta_group::1",
                                                        "cta_group::2"};
inline constexpr ModSpec kCtaGroupMod = {
    "cta_group", kCtaGroupChoices,
    "one CTA, or the pair whose ranks differ in the last bit"};
inline constexpr ModSpec kCtaGroupMods[] = {kCtaGroupMod};

// True when the op was written with .cta_group::2; `mod` is its position.
inline bool IsPair(const ConcreteOp& op, int mod = 0) {
  return op.mod(mod) == 2;
}

// The ranks of the CTA pair that `rank` belongs to.
inline uint32_t PairMask(uint32_t rank) { return 3u << (rank & ~1u); }

// Order and scope of an arrival or a wait written with kArriveMods, kWaitMods.
inline void SetOrder(const ConcreteOp& op, Sem unmarked, Effect& e) {
  e.sem = op.mod(0) == 1 ? Sem::kRelaxed : unmarked;
  e.scope = op.mod(1) == 2 ? MemScope::kCluster : MemScope::kCta;
  e.scope_written = op.mod(1) != 0;
}

}  // namespace tilesim::ir::ops

#endif  // TILESIM_IR_OPS_COMMON_H_
