// What is written after a mnemonic: `.relaxed`, `.cta_group::2`. A modifier is
// a type, declared once in ops/modifiers.h:
//
//   struct Noinc {
//     static constexpr std::string_view kName = "noinc", kDoc = "...";
//     static constexpr Choice<bool> kChoices[] = {{"", false},
//                                                 {"noinc", true}};
//   };
//
// The struct of an op lists those it has; `op.choice<Op, Noinc>()` is what one
// is written with, as the value that it stands for (op.h).
#ifndef TILESIM_IR_MODIFIER_H_
#define TILESIM_IR_MODIFIER_H_

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>

namespace tilesim::ir {

// One alternative of a modifier: how it is written (empty: as nothing), and
// what it means. The first is the default.
template <class Value>
struct Choice {
  std::string_view spelling;
  Value value;
};

// A modifier as parser, printer and manual see it.
struct ModSpec {
  std::string_view name;
  std::span<const std::string_view> choices;  // as they are written
  std::string_view doc;
  bool fills = false;  // any but the first: zeros for what lies outside
};

template <class Value, size_t N>
constexpr std::array<std::string_view, N> SpellingsOf(
    const Choice<Value> (&choices)[N]) {
  std::array<std::string_view, N> spellings;
  for (size_t i = 0; i < N; ++i) spellings[i] = choices[i].spelling;
  return spellings;
}

// How the choices of M are written. It is at one place: a row has M if it
// refers to that place.
template <class M>
inline constexpr auto kSpellings = SpellingsOf(M::kChoices);

// What a choice of M stands for.
template <class M>
using ValueOf = std::remove_cvref_t<decltype(M::kChoices[0].value)>;

template <class M>
constexpr ModSpec SpecOf() {
  ModSpec spec{M::kName, kSpellings<M>, M::kDoc};
  if constexpr (requires { M::kFills; }) spec.fills = M::kFills;
  return spec;
}

// The modifiers that an op has, in the order in which they are written.
template <class... Ms>
struct ModifierList {
  static constexpr std::array<ModSpec, sizeof...(Ms)> kSpecs = {
      SpecOf<Ms>()...};
  template <class M>
  static constexpr bool kHas = (std::is_same_v<M, Ms> || ...);
  // How many stand before M.
  template <class M>
  static constexpr size_t Position() {
    size_t position = 0;
    bool found = false;
    ((found |= std::is_same_v<M, Ms>, position += found ? 0 : 1), ...);
    return position;
  }
};

}  // namespace tilesim::ir

#endif  // TILESIM_IR_MODIFIER_H_
