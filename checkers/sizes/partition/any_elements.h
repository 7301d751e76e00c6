// Elements of inputs that decide control, of one CTA:
//
//   global Len : s32[B] in 0..8
//   ... ld n, Len[cta.z] ... if cta.x < n { ... for i in 0..n { ... } }
//
// An element at an index that has one value all through a launch is a number of
// its domain. A kernel in which it is a parameter can do whatever a CTA of the
// real one does, and more (docs/all_sizes.md 3.13).
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_ANY_ELEMENTS_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_ANY_ELEMENTS_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "checkers/sizes/algebra/polynomial.h"
#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::checkers::sizes::partition {

struct AnyElements {
  // The last parameters of the kernel: by how much an element is above the
  // lowest number of its domain. "Len[cta.z]", for messages. Empty: the kernel
  // is as it was.
  std::vector<std::string> names;
  std::vector<algebra::Polynomial> known;  // CoverOptions::known
};

// `drawn`: inputs that decide control and that nobody writes, in this kernel or
// another. `defines`: constants, and parameters that are given.
AnyElements DrawAnyElements(const ir::Overrides& defines,
                            const std::set<int32_t>& drawn, ir::Kernel& kernel);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_ANY_ELEMENTS_H_
