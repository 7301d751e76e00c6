// A CTA must not end before what it has in flight is done with its memory: some
// thread of it has to know, at its end, that loads are done and that stores
// have read (PTX 9.7.9.25, hardware.md A.4).
#ifndef TILESIM_CHECKERS_ORDER_EXITS_H_
#define TILESIM_CHECKERS_ORDER_EXITS_H_

#include "checkers/order/order.h"
#include "checkers/report/findings.h"

namespace tilesim::checkers::order {

// After the last event; `order` is the enforced one.
void CheckExits(const Order& order, report::Findings& findings);

}  // namespace tilesim::checkers::order

#endif  // TILESIM_CHECKERS_ORDER_EXITS_H_
