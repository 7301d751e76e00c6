// A text with a repair in it.
#ifndef TILESIM_CHECKERS_CAUSE_CHANGED_TEXT_H_
#define TILESIM_CHECKERS_CAUSE_CHANGED_TEXT_H_

#include <memory>

#include "ir/program.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::cause {

struct ChangedText {
  ir::Kernel kernel;
  std::unique_ptr<machine::Code> code;  // of it
};
// `kernel` at the sizes and on the GPU of `code`; nullptr: it cannot be
// launched.
std::unique_ptr<ChangedText> Changed(const machine::Code& code,
                                     ir::Kernel kernel);
// At the sizes of the text, where those are others.
std::unique_ptr<ChangedText> ChangedAtDefaults(const machine::Code& code,
                                               ir::Kernel kernel);

}  // namespace tilesim::checkers::cause

#endif  // TILESIM_CHECKERS_CAUSE_CHANGED_TEXT_H_
