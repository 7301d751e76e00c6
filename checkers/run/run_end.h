// What a run that is over shows: who could not go on, and why.
#ifndef TILESIM_CHECKERS_RUN_RUN_END_H_
#define TILESIM_CHECKERS_RUN_RUN_END_H_

#include "checkers/run/log.h"
#include "checkers/run/run_state.h"
#include "sim/machine/machine.h"

namespace tilesim::checkers::run {

// `log`, of the run that `machine` has made and that ended at `at`, gets what
// the machine has found, threads that are blocked and the deadlock they are in.
void EndRun(const machine::Code& code, machine::Machine& machine, RunState& at,
            Log& log);

// Whether it was stopped as it goes round for ever, though no thread was where
// it was (recurrence.h).
bool GoesRound(const Log& log);

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_RUN_END_H_
