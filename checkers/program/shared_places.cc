#include "checkers/program/shared_places.h"

#include "ir/cat.h"
#include "sim/machine/data/globals.h"

namespace tilesim::checkers::program {

bool AsksForValues(const machine::Code& code, int decl) {
  return code.control_decl[decl] || code.kernel().decls[decl].undefined;
}

std::vector<std::string> LostValues(const machine::Code& code) {
  std::vector<std::string> out;
  for (int decl : machine::WrittenAtSharedPlaces(code)) {
    if (!AsksForValues(code, decl)) continue;
    out.push_back(ir::Cat("`", code.kernel().decls[decl].name,
                          "` is written, and its strides put several elements "
                          "at one place: which values they have is not known"));
  }
  return out;
}

}  // namespace tilesim::checkers::program
