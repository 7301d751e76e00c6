// The GPUs that a kernel is judged for. A persistent kernel asks how many SMs
// there are (sm.count): on one it does all tiles with one CTA, which gets to
// its second tile soonest; on the one that it is for, CTAs have different
// numbers of tiles, and some have none.
#ifndef TILESIM_CHECKERS_PLAN_SM_COUNT_H_
#define TILESIM_CHECKERS_PLAN_SM_COUNT_H_

#include <cstdint>

#include "ir/program.h"

namespace tilesim::checkers::plan {

// GPUs to try, smallest first; the last is an H200.
inline constexpr int64_t kSmCounts[] = {
    1, 2, 4, 8, 16, ir::InfoOf(ir::Target::kSm90a).sms};

// Whether anything in the kernel depends on how many there are.
bool AsksForSms(const ir::Kernel& kernel);

}  // namespace tilesim::checkers::plan

#endif  // TILESIM_CHECKERS_PLAN_SM_COUNT_H_
