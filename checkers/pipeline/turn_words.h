// A word that hands on the turn from CTA to CTA, as a flag for each turn:
//
//   var turn = 0
//   while turn != cta.z { ld.acquire.gpu turn, Sem[cta.x, cta.y] }
//   ...
//   st.release.gpu Sem[cta.x, cta.y], cta.z + 1          // or red.add .., 1
//
// becomes
//
//   if cta.z > 0 {
//     var set = 0
//     while set == 0 { ld.acquire.gpu set, Sem#[cta.x, cta.y, cta.z - 1] }
//   }
//   ...
//   st.release.gpu Sem#[cta.x, cta.y, cta.z], 1
//
// docs/all_sizes.md 3.10.
#ifndef TILESIM_CHECKERS_PIPELINE_TURN_WORDS_H_
#define TILESIM_CHECKERS_PIPELINE_TURN_WORDS_H_

#include <optional>

#include "ir/program.h"

namespace tilesim::checkers::pipeline {

// nullopt: there are no such words.
std::optional<ir::Program> WithFlagsOfTurns(const ir::Program& program);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_TURN_WORDS_H_
