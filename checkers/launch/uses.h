// What all CTAs of one launch read and store of some global tensors, in no
// order: an element that is read and that nobody stores.
//
//   Uses uses = UsesOf(code, words, {"Partial"});
//   if (uses.limit.empty()) ... uses.of.at("Partial").stored
#ifndef TILESIM_CHECKERS_LAUNCH_USES_H_
#define TILESIM_CHECKERS_LAUNCH_USES_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "checkers/grid/words.h"
#include "checkers/launch/launch.h"
#include "sim/machine/code.h"
#include "sim/machine/data/bits.h"

namespace tilesim::checkers::launch {

// Elements of a tensor, row-major.
struct Use {
  struct Read {
    const ir::Op* op = nullptr;
    machine::Bits elements;  // that some CTA reads for sure
  };
  machine::Bits stored;  // that some CTA may store, reductions left out
  machine::Bits surely_stored;
  std::vector<Read> reads;
  machine::Bits may_be_read;
};

struct Uses {
  std::string limit;              // why it is not known; "": it is
  std::map<std::string, Use> of;  // of the tensors that the kernel names
};

Uses UsesOf(const machine::Code& code, const grid::Words& words,
            const std::set<std::string>& tensors, const Effort& effort = {});

}  // namespace tilesim::checkers::launch

#endif  // TILESIM_CHECKERS_LAUNCH_USES_H_
