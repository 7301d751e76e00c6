// Whether one run stands for a family of sizes: those in which some parameters
// are larger, by any number of steps.
#ifndef TILESIM_CHECKERS_SIZES_FAMILY_PROOF_H_
#define TILESIM_CHECKERS_SIZES_FAMILY_PROOF_H_

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "checkers/run/runner.h"
#include "checkers/sizes/grid_flags.h"
#include "checkers/sizes/symbolic_state.h"

namespace tilesim::checkers::sizes {

// Symbols of families are below, those that a walk makes above.
constexpr Symbol kFreshSymbols = 2'000;

struct FamilyProof {
  bool holds = false;
  std::string why;  // it does not
  // The number that decides differently, if it is one; where it decides
  // whether a loop is left, the loop takes steps of `step`.
  std::optional<Polynomial> number;
  int64_t step = 1;
  // The family without its smallest values of these may be alike.
  std::set<Symbol> symbols;
  // So many of them, if not one.
  int64_t values = 1;
  // Or the part of it where this parameter grows by so many steps at a time.
  std::optional<std::pair<Symbol, int64_t>> stride;
  // What decides is the product of these two.
  std::optional<std::pair<Symbol, Symbol>> product;
  int64_t events = 0;  // that were looked at
  GridFlags flags;     // if it holds: what the CTAs do to flags
};

// `code` keeps its parameters and is bound for the smallest member of the
// family.
FamilyProof ProveFamily(const machine::Code& code, int64_t cluster,
                        const Family& family, int64_t max_events);

}  // namespace tilesim::checkers::sizes

#endif  // TILESIM_CHECKERS_SIZES_FAMILY_PROOF_H_
