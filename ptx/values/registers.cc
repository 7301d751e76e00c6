#include "ptx/values/registers.h"

namespace tilesim::ptx {

RegisterWords::RegisterWords(const Graph& graph) {
  for (int bits : graph.register_bits) {
    first_.push_back(count_);
    count_ += bits > 64 ? 2 : 1;
  }
  ++count_;
}

}  // namespace tilesim::ptx
