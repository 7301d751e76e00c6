// Atomics of which nobody reads what they found, and what stands for them:
//
//   atom.add.release.gpu old, Ready[cta.x], 1
//       st.release.gpu Ready[cta.x], 1
//   atom.add.acq_rel.gpu old, Count[0], 1
//       red.add.release.gpu Count[0], 1
//   atom.exch.release.gpu old, Ready[cta.x], 1
//       st.release.gpu Ready[cta.x], 1
//
// docs/all_sizes.md 3.10.
#ifndef TILESIM_CHECKERS_PIPELINE_UNREAD_ATOMICS_H_
#define TILESIM_CHECKERS_PIPELINE_UNREAD_ATOMICS_H_

#include <optional>

#include "ir/op.h"
#include "ir/program.h"

namespace tilesim::checkers::pipeline {

// With reductions and stores in their place. nullopt: there are none.
std::optional<ir::Program> WithReductions(const ir::Program& program);

// The op of that kind on the same word, with the same value, without the
// acquisition. nullopt: there is none that is ordered and scoped so.
std::optional<ir::Op> InPlaceOf(ir::OpKind kind, const ir::Op& op);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_UNREAD_ATOMICS_H_
