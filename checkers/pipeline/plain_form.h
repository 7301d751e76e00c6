// The same program in words that more is read off:
//
//   while 1 { if t >= T { break } .. }      while t < T { .. }
//   if t >= T { continue } ..               if t < T { .. }
//   param K : 64.. step 64                  param K : 256.. step 256
//   requires K % 256 == 0
//   for i in 0..cdiv(TILES, CTAS) {         let n = cdiv(TILES, CTAS)
//   global Bar : u32[1] in 0..0             global Bar : u32[1] zero
//
// and loops over all steps of all tiles as two (flat_loops.h).
// Each op keeps its place in the text. docs/all_sizes.md 3.10.
#ifndef TILESIM_CHECKERS_PIPELINE_PLAIN_FORM_H_
#define TILESIM_CHECKERS_PIPELINE_PLAIN_FORM_H_

#include <optional>

#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::checkers::pipeline {

// nullopt: there is nothing of the kind. Parameters that `defines` names stay
// as they are.
std::optional<ir::Program> InPlainForm(const ir::Program& program,
                                       const ir::Overrides& defines);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_PLAIN_FORM_H_
