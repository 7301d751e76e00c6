// What all threads of a launch compare with constants: numbers that are made of
// words which nobody writes.
//
//   ld.global.u32 %v, [Mode];         // nobody writes Mode
//   setp.gt.s32 %p, %v, 5;
//   @%p st.shared.u32 [s], 1;         // thread 0
//   @!%p st.shared.u32 [s], 2;        // thread 32
//
// Where the data are not known, both stores may be executed (walk_either.cc).
// But %v is one number in the whole launch: either it is more than 5, or it is
// not. Runs in which it is each of the numbers that comparisons tell apart
// stand for all (docs/ptx.md 7.6).
#ifndef TILESIM_PTX_MACHINE_CASES_H_
#define TILESIM_PTX_MACHINE_CASES_H_

#include <vector>

#include "ptx/machine/followed.h"
#include "ptx/machine/guide.h"

namespace tilesim::ptx {

// Each case: what comparisons (nodes) read in registers, in every thread. One
// of them holds, whatever the data. Empty: there is nothing to tell apart, or
// too much. Of the only launch, as far as its runs went.
std::vector<ReadAs> CasesOf(const PtxGuide& guide);

// Whether a run of that case shows nobody writing what is compared, either.
bool StaysSo(const ReadAs& one, const PtxGuide& guide);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_CASES_H_
