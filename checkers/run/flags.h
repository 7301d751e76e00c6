// Flags between CTAs: words of global memory that are 0 at first, and that some
// set, always to the same number, and others wait for.
//
//   st.release.gpu Ready[cta.x], 1
//
//   while ready == 0 {
//     ld.acquire.gpu ready, Ready[peer]
//   }
//
// A loop that does nothing but ask goes round until the word is set, and how
// often decides nothing. So each CTA is judged by itself, as one that finds
// every flag set when it asks; that somebody sets it is judged between the CTAs
// (program/across_clusters.h).
//
// Or a word that each CTA adds 1 to, and that is set once all have; or one for
// some of them, that is set once these have.
#ifndef TILESIM_CHECKERS_RUN_FLAGS_H_
#define TILESIM_CHECKERS_RUN_FLAGS_H_

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "checkers/run/step_words.h"
#include "checkers/run/words_used.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::run {

struct Log;

// A declaration of flags.
struct Flags {
  int32_t decl = -1;
  int64_t value = 0;               // to which all are set
  bool by_all = false;             // by every CTA (grid_barrier.h)
  bool of_some = false;            // likewise, each by those that wait for it
  std::set<int32_t> sets, waits;   // ops, of Code::ops
  std::optional<StepWords> steps;  // each step of a loop has words of its own
};

// Those of the kernel that nothing else uses.
std::vector<Flags> FlagsOf(const machine::Code& code);

// Flags that are set in the run, and those that are waited for.
GlobalWords FlagsSetIn(const Log& log);
GlobalWords FlagsWaitedForIn(const Log& log);

// Whether flags that the run's CTAs wait for and set themselves were set before
// by the threads that wait: they are set then in every schedule, as what a run
// by itself takes all flags for.
bool SetsOwnFirst(const Log& log);

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_FLAGS_H_
