// The certificate, the reduced search and the plain one on one program.
#ifndef TILESIM_TESTS_AGREE_COMPARE_H_
#define TILESIM_TESTS_AGREE_COMPARE_H_

#include <cstdint>
#include <string>

#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::checkers {

struct Agreement {
  bool decided = false;     // the plain search saw everything
  bool certified = false;   // the canonical run stands for all
  bool bad = false;         // some schedule deadlocks, races or breaks a rule,
                            // or is warned of
  bool wrong = false;       // some schedule has an error
  bool determined = false;  // waits and arrivals always mean the same phase
  int64_t plain = 0;        // positions
  int64_t reduced = 0;
  std::string difference;  // empty: they agree
};

// The first cluster of the first kernel.
Agreement Compare(const ir::Program& program, const ir::Overrides& sizes,
                  int64_t max_states);

}  // namespace tilesim::checkers

#endif  // TILESIM_TESTS_AGREE_COMPARE_H_
