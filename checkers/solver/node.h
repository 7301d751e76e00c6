// A node of the solver's search: what holds there, and the alternatives that
// are still to be decided.
#ifndef TILESIM_CHECKERS_SOLVER_NODE_H_
#define TILESIM_CHECKERS_SOLVER_NODE_H_

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "checkers/solver/linear.h"
#include "checkers/solver/simplex.h"

namespace tilesim::checkers::solver {

// Decisions on the way to a node of the search, by depth. 0: none, it holds
// anyway.
inline constexpr int kMaxDepth = 255;
using Decisions = std::bitset<kMaxDepth + 1>;

// A constraint, and the decision that it came with.
struct Fact {
  Linear linear;
  bool zero = false;  // else at least 0
  int decision = 0;

  bool At(std::span<const int64_t> point) const {
    std::optional<int64_t> at = linear.At(point);
    return at && (zero ? *at == 0 : *at >= 0);
  }
};

// One of several formulas holds.
struct Choice {
  Formula formula;
  int decision = 0;
};

struct Node {
  std::vector<Fact> facts;
  std::vector<Choice> choices;
  int depth = 0;
  int compared = 0;  // products, on the way here
  int probed = 0;    // the depth at which Probe has added facts; 0: nowhere
  Simplex simplex;   // of the first facts
  size_t in_simplex = 0;

  // Of all its facts. Equations first: they leave fewer columns.
  const Simplex& ToldAll() {
    for (bool zero : {true, false}) {
      for (size_t i = in_simplex; i < facts.size(); ++i) {
        const Fact& f = facts[i];
        if (f.zero == zero) simplex.Add(f.linear, f.zero, f.decision);
      }
    }
    in_simplex = facts.size();
    return simplex;
  }

  // False: it contradicts itself at sight.
  bool Add(const Formula& f, int decision) {
    switch (f.kind) {
      case Formula::Kind::kGe:
      case Formula::Kind::kEq:
        facts.push_back({f.linear, f.kind == Formula::Kind::kEq, decision});
        return true;
      case Formula::Kind::kAny:
        if (f.is_false()) return false;
        choices.push_back({f, decision});
        return true;
      case Formula::Kind::kAll:
        break;
    }
    return std::all_of(f.parts.begin(), f.parts.end(),
                       [&](const Formula& p) { return Add(p, decision); });
  }
};

}  // namespace tilesim::checkers::solver

#endif  // TILESIM_CHECKERS_SOLVER_NODE_H_
