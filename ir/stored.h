// Which global tensors a kernel may write, whatever its sizes: from its text.
#ifndef TILESIM_IR_STORED_H_
#define TILESIM_IR_STORED_H_

#include <set>
#include <string>

#include "ir/program.h"

namespace tilesim::ir {

// Of a kernel after the semantic check: names.
std::set<std::string> StoredTensors(const Kernel& kernel);

}  // namespace tilesim::ir

#endif  // TILESIM_IR_STORED_H_
