// The closed vocabularies of the language: spaces, swizzles, fragment layouts.
// Each has one table row per word with its documentation.
#ifndef TILESIM_IR_TYPES_H_
#define TILESIM_IR_TYPES_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "ir/values/dtype.h"

namespace tilesim::ir {

using DType = values::DType;

enum class Space : uint8_t { kGlobal, kShared, kTmem, kReg, kMbarrier };
std::string_view Name(Space space);

// How the 16-byte chunks of a shared tile's rows are permuted
// (hardware.md A.5). The number is the span in bytes.
enum class Swizzle : uint8_t { kNone = 0, k32B = 32, k64B = 64, k128B = 128 };
std::string_view Name(Swizzle swizzle);
std::optional<Swizzle> SwizzleNamed(std::string_view name);

// Which thread holds which element of a register tile.
enum class Fragment : uint8_t {
  kNone,
  kWgmma,    // accumulator of wgmma m64nN (hardware.md A.7); its 16-bit form
             // is also wgmma's A operand. Rows are 64; one column means a
             // value a row, replicated in the four lanes that hold the row.
  kRow,      // one row a thread: tcgen05.ld/st 32x32b. Rows are 128 (a
             // warpgroup) or 32 (a warp).
  kMma,      // accumulator of mma.sync m16n8, held by one warp: rows 16*i
  kMmaA,     // A operand of mma.sync (row, 16 x K)
  kMmaB,     // B operand of mma.sync (N x K)
  kBlocked,  // blocked(V): row-major, V neighbours a thread, over all threads
             // of the scope that declares it
};
struct FragmentInfo {
  Fragment fragment;
  std::string_view name;
  std::string_view doc;
};
inline constexpr FragmentInfo kFragments[] = {
    {Fragment::kWgmma, "wgmma",
     "wgmma accumulator, 64 rows over a warpgroup; [64, 1] is a value a row"},
    {Fragment::kRow, "row",
     "one row a thread: 128 rows a warpgroup or 32 a warp (tcgen05 32x32b)"},
    {Fragment::kMma, "mma", "mma.sync accumulator of one warp, m16n8 blocks"},
    {Fragment::kMmaA, "mma_a", "mma.sync A operand of one warp, m16k16 blocks"},
    {Fragment::kMmaB, "mma_b", "mma.sync B operand of one warp, n8k16 blocks"},
    {Fragment::kBlocked, "blocked",
     "blocked(V): row-major, V neighbouring elements a thread, thread after "
     "thread over the scope that declares the tile"},
};
std::string_view Name(Fragment fragment);
std::optional<Fragment> FragmentNamed(std::string_view name);

}  // namespace tilesim::ir

#endif  // TILESIM_IR_TYPES_H_
