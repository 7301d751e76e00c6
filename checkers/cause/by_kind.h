// Findings that show one mistake by what they are, without another run: copies
// that complete at one mbarrier and that nobody waits for; what warpgroups that
// do one thing, each for itself, do to each other.
#ifndef TILESIM_CHECKERS_CAUSE_BY_KIND_H_
#define TILESIM_CHECKERS_CAUSE_BY_KIND_H_

#include "checkers/report/findings.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::cause {

// Of those that follow from nothing as yet.
void TellByKind(const machine::Code& code, report::Findings& findings);

}  // namespace tilesim::checkers::cause

#endif  // TILESIM_CHECKERS_CAUSE_BY_KIND_H_
