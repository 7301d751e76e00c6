#include "ptx/text/module.h"

namespace tilesim::ptx {

bool Instruction::Has(std::string_view modifier) const {
  for (size_t at = opcode.find(modifier); at != std::string::npos;
       at = opcode.find(modifier, at + 1)) {
    const size_t end = at + modifier.size();
    if (end == opcode.size() || opcode[end] == '.') return true;
  }
  return false;
}

}  // namespace tilesim::ptx
