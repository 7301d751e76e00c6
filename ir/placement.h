// Boxes that do not start where their op needs it (StartRule).
#ifndef TILESIM_IR_PLACEMENT_H_
#define TILESIM_IR_PLACEMENT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ir/bind.h"
#include "ir/code.h"
#include "ir/concrete.h"

namespace tilesim::ir {

// A box of a declared object, as far as it is known where it starts: of text
// for some sizes, or of an op that is executed.
struct PlacedBox {
  std::string_view name;
  const BoundDecl* decl = nullptr;
  std::array<std::optional<int64_t>, kMaxRank> start;  // elements
  std::array<int64_t, kMaxRank> extent{};              // elements
  std::optional<int64_t> index;  // which object of the array
  bool transposed = false;
};

struct Misplaced {
  Code code;  // layout/alignment, layout/slice, tcgen05/lanes
  std::string message;
};

// What a start is a multiple of, in bytes, for linear copies (hardware.md A.4).
inline constexpr int kRawAlignment = 16;

inline constexpr std::string_view kMisplacedHelp =
    "start it where the op can, or move it another way";

// What is wrong with where the box starts, if what that depends on is known.
// `vector`: bytes, for StartRule::kVector.
std::optional<Misplaced> MisplacedOf(const PlacedBox& box, StartRule rule,
                                     int64_t vector);
// Of an op that is executed.
std::optional<Misplaced> MisplacedOf(const BoundKernel& kernel,
                                     const ConcreteOp& op, int operand);

// Bytes that an instruction of the op takes at a time: of a copy, or of the
// scale factors of a row that the operand holds.
int64_t VectorOf(const ConcreteOp& op, int operand);
// Scale factors of a row that an instruction takes, of `factors` for `k`
// elements of type `a` along K.
int64_t FactorsOfInstruction(DType a, int64_t k, int64_t factors);

}  // namespace tilesim::ir

#endif  // TILESIM_IR_PLACEMENT_H_
