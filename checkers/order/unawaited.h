// Barriers that ops of the text count at, and that no op of it waits for. What
// arrives there orders nothing. That need be no mistake; where something goes
// wrong, it may be what it comes of (checkers/cause).
#ifndef TILESIM_CHECKERS_ORDER_UNAWAITED_H_
#define TILESIM_CHECKERS_ORDER_UNAWAITED_H_

#include <cstdint>
#include <vector>

#include "checkers/report/findings.h"
#include "ir/op.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::order {

struct Unawaited {
  int32_t decl = -1;
  std::vector<const ir::Op*> signals;  // at one of them, in order of the text
};

// None of code that is of no text.
std::vector<Unawaited> UnawaitedIn(const machine::Code& code);

// The barrier that an op names; nullptr: none.
const ir::Ref* BarrierIn(const ir::Op& op);

// That is a finding; nullptr: it was told already.
report::Finding* Tell(const machine::Code& code, const Unawaited& barriers,
                      report::Findings& findings);

}  // namespace tilesim::checkers::order

#endif  // TILESIM_CHECKERS_ORDER_UNAWAITED_H_
