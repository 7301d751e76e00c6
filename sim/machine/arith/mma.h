// D[M,N] (+)= A[M,K] * B[N,K]^T as the tensor core computes it, fast.
//
//   Prepared a = PrepareA(rule, {a_tile, DType::kF16, k, 1}, m, k);
//   Prepared b = PrepareB(rule, {b_tile, DType::kF16, k, 1}, n, k);
//   Mma(a, b, d, n, /*accumulate=*/true);   // d: float[m][n]
//
// K may be several times the instruction's: the instructions are applied in
// ascending order, D of one being C of the next; `accumulate` false makes the
// first one's C absent. Preparing decodes an operand once, so prepare a tile
// once and use it for every instruction that reads it.
//
// Promises: bit-equal to mma_reference.h for every rule, every input and every
// CPU; results do not depend on how M and N are cut into calls. All functions
// are pure but for d, and may run concurrently on different d.
//
// Units: strides in elements. NaN results are 0x7fffffff, 0x7fff in f16.
// Errors: a K that is no multiple of the rule's, or an operand type or D type
// that is not the rule's, is our own bug and aborts.
#ifndef TILESIM_SIM_MACHINE_ARITH_MMA_H_
#define TILESIM_SIM_MACHINE_ARITH_MMA_H_

#include <cstdint>
#include <vector>

#include "ir/values/dtype.h"
#include "sim/machine/arith/mma_rule.h"

namespace tilesim::arith {

// Element (row, k) is code number row * row_stride + k * k_stride of `data`,
// stored as ir/values/dtype.h says. Rows are M for A and N for B; a
// "transposed" (MN-major) tile has row_stride 1.
struct CodeView {
  const void* data = nullptr;
  DType type = DType::kF16;
  int64_t row_stride = 0;
  int64_t k_stride = 1;
  // e2m1 only: two codes a byte. False: one a byte, in the low four bits.
  bool packed = true;
};

// Scale of (row, block) is byte row * row_stride + block * block_stride; block
// counts runs of the rule's scale_block along K.
struct ScaleView {
  const uint8_t* data = nullptr;
  int64_t row_stride = 0;
  int64_t block_stride = 1;
};

// An operand tile, decoded. Copyable; independent of the memory it came from.
// Value and power of element (row, k) stand at row * row_step + k * k_step:
// A keeps k contiguous, B keeps rows contiguous and pads them to whole vectors.
struct Prepared {
  enum class Side : uint8_t { kA, kB };

  MmaRule rule;
  Side side = Side::kA;
  int64_t rows = 0;
  int64_t k = 0;
  int64_t row_step = 0;
  int64_t k_step = 0;

  std::vector<float> value;      // the number; infinities and NaN included
  std::vector<float> power;      // 2^exponent of its code; 0 for zero
  std::vector<int32_t> number;   // integer kinds only, instead of the above
  std::vector<int32_t> special;  // a row: -1 if it has Inf or NaN, else 0
  int min_exponent = 0;          // of the non-zero values

  // Scaled rules: element (row, block) at row * scale_row_step + block *
  // scale_block_step. A scale is scale_value * 2^scale_exponent.
  int64_t scale_row_step = 0;
  int64_t scale_block_step = 0;
  std::vector<float> scale_value;  // significand, in [0, 2)
  std::vector<float> scale_power;  // 2^exponent
  std::vector<int32_t> scale_exponent;
};

// `negate` is PTX's imm-scale -1 (wgmma) or the negate bit (tcgen05).
Prepared PrepareA(const MmaRule& rule, const CodeView& codes, int64_t rows,
                  int64_t k, const ScaleView& scales = {}, bool negate = false);
Prepared PrepareB(const MmaRule& rule, const CodeView& codes, int64_t rows,
                  int64_t k, const ScaleView& scales = {}, bool negate = false);

// d[m][n] is at d + m * row_stride + n; one overload a D type (f16 as bits).
void Mma(const Prepared& a, const Prepared& b, float* d, int64_t row_stride,
         bool accumulate);
void Mma(const Prepared& a, const Prepared& b, uint16_t* d, int64_t row_stride,
         bool accumulate);
void Mma(const Prepared& a, const Prepared& b, int32_t* d, int64_t row_stride,
         bool accumulate);

// "avx512", "avx2" or "base": what this CPU uses. The environment variable
// TILESIM_MMA_ISA can name a lesser one, so that tests reach every path.
const char* MmaInstructionSet();

}  // namespace tilesim::arith

#endif  // TILESIM_SIM_MACHINE_ARITH_MMA_H_
