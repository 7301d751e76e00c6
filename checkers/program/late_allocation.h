// Tensor memory that two kernels want at the same time. A CTA of the later one
// may hold it and wait for the earlier kernel to end, of which a CTA on that SM
// has yet to get some: a deadlock that neither kernel has by itself. It cannot
// be where every CTA allocates before it triggers, so before the later kernel
// begins, or where the later one waits before it allocates.
#ifndef TILESIM_CHECKERS_PROGRAM_LATE_ALLOCATION_H_
#define TILESIM_CHECKERS_PROGRAM_LATE_ALLOCATION_H_

#include <optional>

#include "checkers/order/order.h"

namespace tilesim::checkers::program {

// Whether some CTA may allocate when it has triggered. `every_schedule`: the
// log stands for all.
bool AllocatesWhenTriggered(const run::Log& log, bool every_schedule);

// Whether some thread may allocate before its kernel has waited; `order` as in
// grid_waits.h.
bool AllocatesBeforeWait(const run::Log& log,
                         std::optional<order::Order::Kind> order);

}  // namespace tilesim::checkers::program

#endif  // TILESIM_CHECKERS_PROGRAM_LATE_ALLOCATION_H_
