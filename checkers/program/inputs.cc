#include "checkers/program/inputs.h"

#include <algorithm>

namespace tilesim::checkers::program {

bool TriedInputs::Agree(size_t kernel, const machine::Inputs& a, size_t other,
                        const machine::Inputs& b) const {
  const auto own = tried_.find(kernel), others = tried_.find(other);
  if (own == tried_.end() || others == tried_.end()) return true;
  return std::all_of(own->second.begin(), own->second.end(),
                     [&](const std::string& name) {
                       if (!others->second.contains(name)) return true;
                       const auto in_a = a.find(name), in_b = b.find(name);
                       if (in_a == a.end() || in_b == b.end())
                         return (in_a == a.end()) == (in_b == b.end());
                       return in_a->second.data == in_b->second.data;
                     });
}

}  // namespace tilesim::checkers::program
