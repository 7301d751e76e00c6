// Which way a cell is divided of which members behave differently: by what the
// failed proof says of them.
//
// A strategy decides how many cells there will be, and whether they come to an
// end, but not whether what is said of them is right: whichever way it chooses,
// nothing of the cell is lost (divide.h), and each part is shown by itself.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_DIVISION_STRATEGY_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_DIVISION_STRATEGY_H_

#include <cstdint>
#include <string>

#include "checkers/sizes/induction/family_proof.h"
#include "checkers/sizes/partition/divide.h"

namespace tilesim::checkers::sizes::partition {

// Steps of one parameter that are checked one by one.
constexpr int64_t kMaxSteps = 64;

struct Division {
  SizeCells cells;
  // Instead: a parameter of a product decides by itself, so the two had better
  // not be one;
  bool unmerge = false;
  // or why it is given up.
  std::string why;
  // Each is a value of a parameter, and as much work as a kernel without it.
  bool by_value = false;
};

// A cell that the proof of a family of it does not hold for.
struct Unproved {
  const SizeCell& cell;
  const machine::Code& code;
  const state::Family& family;
  const induction::FamilyProof& proof;
  bool merged = false;  // two parameters of it are one, by their product
};
Division Divide(const Unproved& unproved);

// Into its lowest values of a symbol, and the rest; `why` it has to be.
Division DivideLowest(const SizeCell& cell, algebra::Symbol symbol,
                      int64_t values, const std::string& why);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_DIVISION_STRATEGY_H_
