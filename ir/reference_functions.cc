#include "ir/reference_functions.h"

namespace tilesim::ir {

const ReferenceFunction* FindReferenceFunction(std::string_view name) {
  for (const ReferenceFunction& f : kReferenceFunctions) {
    if (f.name == name) return &f;
  }
  return nullptr;
}

}  // namespace tilesim::ir
