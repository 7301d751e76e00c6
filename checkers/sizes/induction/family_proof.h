// Whether one run stands for a family of sizes: the run of its smallest member,
// with loop summaries for what larger members do more.
//
// Summaries are looked for where the run meets a guard that members decide
// differently, and tried until all hold, or one that is needed does not. The
// proof is the last inductive run alone: it was complete, nothing in it was
// undecided, and it came to its end.
#ifndef TILESIM_CHECKERS_SIZES_INDUCTION_FAMILY_PROOF_H_
#define TILESIM_CHECKERS_SIZES_INDUCTION_FAMILY_PROOF_H_

#include <cstdint>
#include <string>

#include "checkers/sizes/induction/division_hint.h"
#include "checkers/sizes/protocol/grid_flags.h"
#include "checkers/sizes/state/family.h"

namespace tilesim::checkers::sizes::induction {

struct FamilyProof {
  bool holds = false;
  std::string why;            // it does not
  DivisionHint hint;          // if it does not
  protocol::GridFlags flags;  // if it holds: what the CTAs do to flags
  int64_t events = 0;         // that were checked
  bool small_sizes = false;   // if it holds: where parameters are below 2^31
};

// `code` keeps its parameters and is bound for the smallest member of the
// family.
FamilyProof ProveFamily(const machine::Code& code, int64_t cluster,
                        const state::Family& family, int64_t max_events);

}  // namespace tilesim::checkers::sizes::induction

#endif  // TILESIM_CHECKERS_SIZES_INDUCTION_FAMILY_PROOF_H_
