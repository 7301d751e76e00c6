// Which changes of the text the findings speak for (rewrites.h).
#ifndef TILESIM_CHECKERS_CAUSE_REWRITES_OF_H_
#define TILESIM_CHECKERS_CAUSE_REWRITES_OF_H_

#include <vector>

#include "checkers/cause/rewrites.h"
#include "checkers/report/finding.h"

namespace tilesim::checkers::cause {

// Of ops that they name.
std::vector<ir::Span> PlacesOf(const std::vector<report::Finding*>& findings);

// Those that mend most mistakes of their kind first.
std::vector<Rewrite> RewritesOf(const machine::Code& code,
                                const std::vector<report::Finding*>& findings);

}  // namespace tilesim::checkers::cause

#endif  // TILESIM_CHECKERS_CAUSE_REWRITES_OF_H_
