// Which memory decides control: what a program does next depends on its values.
#ifndef TILESIM_SIM_MACHINE_CONTROL_H_
#define TILESIM_SIM_MACHINE_CONTROL_H_

#include "sim/machine/code.h"

namespace tilesim::machine {

// Memory whose values become scalars that some expression reads must always be
// there, even when only time is wanted.
void MarkControl(Code& code);

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_CONTROL_H_
