// Codes to numbers and back, as PTX's cvt does it.
//
//   Decode(DType::kE4M3, 0x7e) == 448.0
//   Encode(DType::kF16, 65520.0) == 0x7c00              (to nearest: +Inf)
//   Encode(DType::kF16, 65520.0, {Rounding::kRz}) == 0x7bff
//   Encode(DType::kE4M3, 1e9) == 0x7e                   (fp8 cvt saturates)
//
// Every format but the 64-bit integers decodes to double exactly. Encoding
// rounds once, from the exact double, so an f32 argument gives the bits of
// cvt.rn.<type>.f32. NaN becomes the pattern cvt gives: 0x7fff (f16, bf16),
// 0x7fffffff (f32, tf32), 0x7f (e4m3, e5m2, ue4m3), 0xff (ue8m0), +max (e2m3,
// e3m2, e2m1: they have no NaN), 0 for integers (the minimum for s64, u64's
// top bit, as cvt does for 64-bit results).
//
// Signs: ue8m0 ignores the sign of its argument, ue4m3 takes negatives to 0.
// ue8m0 has no zero: 0 and everything below 2^-127 become 2^-127.
//
// Sources: PTX ISA 9.2 cvt; host emulation in cuda_fp8.hpp and cuda_fp4.hpp of
// CUDA 13.0 (signs and saturation of ue8m0); IEEE 754.
#ifndef TILESIM_IR_VALUES_CONVERT_H_
#define TILESIM_IR_VALUES_CONVERT_H_

#include <cstddef>
#include <cstdint>

#include "ir/values/dtype.h"

namespace tilesim::values {

enum class Rounding : uint8_t {
  kRne,  // .rn, to nearest, ties to even
  kRz,   // .rz, toward zero
  kRna,  // .rna, to nearest, ties away from zero (tf32)
  kRp,   // .rp, toward plus infinity (ue8m0)
};

enum class Overflow : uint8_t {
  kPtx,        // what cvt does: saturate below 16 bits, else IEEE
  kSatfinite,  // clamp to the largest finite value
  kIeee,       // Inf, or NaN where the format has no Inf but has NaN
};

struct EncodeOptions {
  Rounding rounding = Rounding::kRne;
  Overflow overflow = Overflow::kPtx;
};

// Bits above the code are ignored, so a byte holding an e2m3 may have junk in
// its top two bits. s64 and u64 round to nearest.
double Decode(DType type, uint64_t code);

// Integers clamp to their range, whatever `overflow` says, as cvt does.
uint64_t Encode(DType type, double value, EncodeOptions options = {});

// The largest finite code without sign, and the number it stands for.
uint64_t MaxFiniteCode(DType type);
double MaxFinite(DType type);

bool IsNan(DType type, uint64_t code);
bool IsInf(DType type, uint64_t code);

// Element `index` of a packed array of `type` (see dtype.h for the packing).
uint64_t LoadCode(DType type, const void* data, int64_t index);
void StoreCode(DType type, void* data, int64_t index, uint64_t code);

// Whole arrays, a gigabyte or so a second. Rounding is kRne, NaN as above.
void F32ToF16(const float* in, uint16_t* out, size_t count);
void F32ToBF16(const float* in, uint16_t* out, size_t count);
void F16ToF32(const uint16_t* in, float* out, size_t count);
void BF16ToF32(const uint16_t* in, float* out, size_t count);

// Any type; `data` packed as in dtype.h.
void DecodeArray(DType type, const void* data, size_t count, double* out);
void DecodeArray(DType type, const void* data, size_t count, float* out);
void EncodeArray(DType type, const float* in, size_t count, void* data,
                 EncodeOptions options = {});
void EncodeArray(DType type, const double* in, size_t count, void* data,
                 EncodeOptions options = {});

}  // namespace tilesim::values

#endif  // TILESIM_IR_VALUES_CONVERT_H_
