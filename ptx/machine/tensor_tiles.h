// What operands of tcgen05 take of tensor memory and of shared memory.
#ifndef TILESIM_PTX_MACHINE_TENSOR_TILES_H_
#define TILESIM_PTX_MACHINE_TENSOR_TILES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/tmem.h"
#include "ir/types.h"
#include "ptx/machine/matrix.h"
#include "ptx/text/module.h"

namespace tilesim::ptx {

// A product, as its kind and its instruction descriptor say (PTX 9.7.16.4.2).
struct Product {
  enum class Kind : uint8_t {
    kF16,
    kTf32,
    kF8f6f4,
    kI8,
    kMxf8f6f4,
    kMxf4,
    kMxf4nvf4,
  };

  // Of a tcgen05.mma. nullopt: none of these.
  static std::optional<Kind> KindOf(const Instruction& instruction);

  Product(Kind kind, uint32_t descriptor, bool pair);

  // Of each CTA; B has half of N in each of a pair.
  MatrixShape A() const;
  MatrixShape B() const;

  int64_t m = 0, n = 0;  // of the whole
  bool pair = false;
  bool a_mn_major = false, b_mn_major = false;
  int64_t bits = 16;  // of an element of A, as it lies in shared memory
  ir::DType a_type = ir::DType::kF16, b_type = ir::DType::kF16,
            d_type = ir::DType::kF32;
  bool negate_a = false, negate_b = false;
  // Of a product with factors: their type.
  ir::DType factor_type = ir::DType::kUE8M0;
  bool scaled = false;
  // Factors that an instruction takes of each four, and the first of them.
  int64_t factors = 4, a_factor = 0, b_factor = 0;
};

// Bytes of lanes, from an address on.
struct TensorTile {
  struct Part {
    int64_t lane = 0, lanes = 0, first = 0, end = 0;  // bytes of each lane
  };
  std::vector<Part> parts;

  void Lanes(int64_t first, int64_t count, int64_t bytes) {
    parts.push_back({first, count, 0, bytes});
  }
  static TensorTile OfD(const Product& p, ir::DataPath path);
  static TensorTile OfA(const Product& p, ir::DataPath path);
  static TensorTile OfFactors(const Product& p, bool of_a);
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_TENSOR_TILES_H_
