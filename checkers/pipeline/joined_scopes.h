// Text of one thread in one scope: scopes of the same thread that follow each
// other, and an `if` between them that asks for the CTA's place and has nothing
// but such a scope:
//
//   thread 0 { .. }                          thread 0 {
//   if cta.x == 0 { thread 0 { .. } }          ..
//                                              if cta.x == 0 { .. }
//                                            }
#ifndef TILESIM_CHECKERS_PIPELINE_JOINED_SCOPES_H_
#define TILESIM_CHECKERS_PIPELINE_JOINED_SCOPES_H_

#include "ir/program.h"

namespace tilesim::checkers::pipeline {

void JoinScopes(ir::Kernel& kernel);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_JOINED_SCOPES_H_
