// The registers of the threads of one CTA, as 64-bit words: one of 128 bits is
// two, the low one first. Words of the lanes of a warp lie side by side.
#ifndef TILESIM_PTX_VALUES_REGISTERS_H_
#define TILESIM_PTX_VALUES_REGISTERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/warp.h"
#include "ptx/flow/graph.h"

namespace tilesim::ptx {

// Which word of a thread each register of a graph is. Behind them is the carry
// flag.
class RegisterWords {
 public:
  explicit RegisterWords(const Graph& graph);
  int32_t Of(int32_t reg) const { return first_[static_cast<size_t>(reg)]; }
  int32_t carry() const { return count_ - 1; }
  int32_t count() const { return count_; }

 private:
  std::vector<int32_t> first_;
  int32_t count_ = 0;
};

class Registers {
 public:
  Registers(int32_t words, int warps)
      : words_(words),
        all_(static_cast<size_t>(words) * static_cast<size_t>(warps) *
             ir::kWarpThreads) {}
  // Of the 32 lanes of a warp.
  uint64_t* Of(int warp, int32_t word) {
    return all_.data() +
           (static_cast<size_t>(warp) * static_cast<size_t>(words_) +
            static_cast<size_t>(word)) *
               ir::kWarpThreads;
  }
  uint64_t& Of(size_t thread, int32_t word) {
    return Of(static_cast<int>(thread / ir::kWarpThreads),
              word)[thread % ir::kWarpThreads];
  }

 private:
  int32_t words_;
  std::vector<uint64_t> all_;
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_VALUES_REGISTERS_H_
