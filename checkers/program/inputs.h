// Values of inputs with which kernels of one program are run: which runs there
// can be in one execution of it.
#ifndef TILESIM_CHECKERS_PROGRAM_INPUTS_H_
#define TILESIM_CHECKERS_PROGRAM_INPUTS_H_

#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "sim/machine/data/globals.h"

namespace tilesim::checkers::program {

// Of each kernel the inputs of which several values were tried.
class TriedInputs {
 public:
  void Add(size_t kernel, const machine::Inputs& inputs) {
    for (const auto& [name, tensor] : inputs) tried_[kernel].insert(name);
  }
  // Whether runs of two kernels may be of one execution: what was tried of both
  // holds the same. What is not given is drawn, and by its name.
  bool Agree(size_t kernel, const machine::Inputs& a, size_t other,
             const machine::Inputs& b) const;

 private:
  std::map<size_t, std::set<std::string>> tried_;
};

}  // namespace tilesim::checkers::program

#endif  // TILESIM_CHECKERS_PROGRAM_INPUTS_H_
