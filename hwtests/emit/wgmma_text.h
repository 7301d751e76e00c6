// The text of one wgmma.mma_async wrapper: shapes differ in how many registers
// they name, so that each is made when a kernel needs it.
#ifndef TILESIM_HWTESTS_EMIT_WGMMA_TEXT_H_
#define TILESIM_HWTESTS_EMIT_WGMMA_TEXT_H_

#include <cstdint>
#include <string>

#include "ir/layout.h"
#include "ir/types.h"
#include "ir/warp.h"

namespace tilesim::hwtests {

struct WgmmaForm {
  int64_t n = 8;
  ir::DType d = ir::DType::kF32;
  ir::DType a = ir::DType::kF16;
  ir::DType b = ir::DType::kF16;
  bool a_registers = false;
  bool a_mn_major = false;
  bool b_mn_major = false;

  int64_t k() const { return ir::kMmaBytes * 8 / values::BitsOf(a); }
  int64_t d_words() const {
    return n * 64 * values::BitsOf(d) / 32 / ir::kWarpgroupThreads;
  }
};

// "wgmma_m64n128k16_f32_f16_f16"; `_ta`, `_tb`: transposed; `_ra`: A in
// registers.
std::string WgmmaName(const WgmmaForm& form);
std::string WgmmaText(const WgmmaForm& form);

// "%0, %1, ..." and "\"+f\"(d[0]), ...", wrapped for a source file.
std::string PlaceholderList(int64_t first, int64_t count);
std::string OperandList(std::string_view constraint, std::string_view array,
                        int64_t count);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_WGMMA_TEXT_H_
