// Wrappers of tensor copies, made on demand: one a kind and rank.
#ifndef TILESIM_HWTESTS_EMIT_TMA_TEXT_H_
#define TILESIM_HWTESTS_EMIT_TMA_TEXT_H_

#include <cstdint>
#include <string>

namespace tilesim::hwtests {

struct TmaForm {
  enum class Kind : uint8_t { kLoad, kStore, kReduce, kPrefetch };
  Kind kind = Kind::kLoad;
  int rank = 2;
  bool multicast = false;      // kLoad
  bool pair = false;           // kLoad: cta_group::2
  std::string reduction = "";  // kReduce: add, min ...
};

// tma_load_2d, tma_load_pair_multicast_3d, tma_reduce_add_2d ...
std::string TmaName(const TmaForm& form);
std::string TmaText(const TmaForm& form);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_TMA_TEXT_H_
