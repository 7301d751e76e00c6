// Answers of cluster launch control (PTX 9.7.13.17, 9.7.13.18). What their 16
// bytes hold is for the hardware to know: here, all is in the first 8, as the
// sizes of a grid permit (PTX: at most 2^31 - 1, 65535 and 65535 CTAs).
#ifndef TILESIM_PTX_MACHINE_ANSWERS_H_
#define TILESIM_PTX_MACHINE_ANSWERS_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace tilesim::ptx {

inline constexpr int32_t kAnswerWord = 8;

struct Answer {
  bool canceled = false;  // a cluster was taken over
  std::array<int32_t, 3> first_cta{};

  static Answer Of(uint64_t bits) {
    return {(bits & 1) != 0,
            {static_cast<int32_t>(bits >> 1 & 0x7fffffff),
             static_cast<int32_t>(bits >> 32 & 0xffff),
             static_cast<int32_t>(bits >> 48)}};
  }
  uint64_t Bits() const {
    auto of = [&](size_t d) { return static_cast<uint64_t>(first_cta[d]); };
    return uint64_t{canceled} | of(0) << 1 | of(1) << 32 | of(2) << 48;
  }
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_ANSWERS_H_
