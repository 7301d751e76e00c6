// Values of a tensor that is written while its strides put several elements at
// one place: they are kept by element, so what is written through one element
// is not read through another. Races and bounds are judged by address.
#ifndef TILESIM_CHECKERS_PROGRAM_SHARED_PLACES_H_
#define TILESIM_CHECKERS_PROGRAM_SHARED_PLACES_H_

#include <string>
#include <vector>

#include "sim/machine/code.h"

namespace tilesim::checkers::program {

// Whether a verdict rests on values of the global: they decide control, or what
// nothing has written is told.
bool AsksForValues(const machine::Code& code, int decl);

// Why no run says anything of the kernel, a reason for each such tensor. Empty:
// it has none.
std::vector<std::string> LostValues(const machine::Code& code);

}  // namespace tilesim::checkers::program

#endif  // TILESIM_CHECKERS_PROGRAM_SHARED_PLACES_H_
