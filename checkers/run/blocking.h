// Where a thread may have to wait.
#ifndef TILESIM_CHECKERS_RUN_BLOCKING_H_
#define TILESIM_CHECKERS_RUN_BLOCKING_H_

#include "checkers/run/log.h"
#include "sim/machine/machine.h"

namespace tilesim::checkers::run {

bool Has(const Event& event, ir::EffectKind kind);

// Whether another thread, or an operation, decides when its op may execute.
bool CanBlock(const Event& event);

// Whether the machine says so whenever such a wait may have come to its end.
bool SaysWhenOver(machine::Signal::Kind kind);

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_BLOCKING_H_
