// Fences that stand somewhere, but not where they are needed: so that nobody is
// told to write what is there.
#ifndef TILESIM_CHECKERS_PAIRWISE_FENCES_H_
#define TILESIM_CHECKERS_PAIRWISE_FENCES_H_

#include <cstdint>
#include <functional>
#include <string>

#include "checkers/pairwise/checker.h"
#include "ir/effect.h"

namespace tilesim::checkers::pairwise {

// What should have had a fence between two events: after `earlier`, by its
// threads, or (`of_later`) before `later`, by those of that one.
struct FenceWanted {
  int32_t earlier = 0;
  int32_t later = 0;
  bool of_later = false;
  // Whether it is a fence of the kind.
  std::function<bool(const run::Event&, const ir::Effect&)> kind;
  // What is wrong with its form, if that is; none: nothing ever is.
  std::function<std::string(const run::Event&, const ir::Effect&)> fault;
};

// Whether a fence of the kind by all the threads of `earlier` stands after it
// and is known to `knows`.
bool FenceKnown(const Context& context, const FenceWanted& wanted,
                const order::Clock& knows);

// Whether one by all the threads that should stands between the two.
bool FenceBetween(const Context& context, const FenceWanted& wanted);

// Adds to the diagnostic where a fence of the kind stands and why it is none
// here: a label, and a note. False: there is none.
bool NoteFence(const Context& context, const FenceWanted& wanted,
               ir::Diagnostic& d);

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_FENCES_H_
