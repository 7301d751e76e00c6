// NumPy's .npy files, versions 1.0 and 2.0, C order, little-endian.
//
//   format             descr    note
//   f32, tf32          <f4      tf32 is a plain f32 array
//   f16                <f2
//   bf16               <u2      the raw codes: numpy has no bfloat16
//   e4m3 e5m2 e2m3     |u1      the raw codes, one a byte
//   e3m2 ue8m0 ue4m3
//   e2m1               |u1      two codes a byte, so the file's last extent is
//                               half the tensor's; even index in the low nibble
//   s8 u8 s32 u32      |i1 |u1 <i4 <u4
//   s64 u64            <i8 <u8
//
// A file does not say which format its raw codes have: the reader is told.
//
// Errors (absl::Status, with the path, what was found and what was expected):
// NotFound, not readable; OutOfRange, far longer than the shape; DataLoss, not
// an NPY file, truncated, or bytes left over; InvalidArgument, another dtype,
// Fortran order, or another shape; Unimplemented, another version or
// big-endian. Sizes in the header are checked against the file's own length
// before anything is allocated. Source: NumPy Enhancement Proposal 1,
// numpy.lib.format.
#ifndef TILESIM_IR_VALUES_NPY_H_
#define TILESIM_IR_VALUES_NPY_H_

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/values/dtype.h"
#include "ir/values/tensor.h"

namespace tilesim::values {

// What NPY calls `type`: "<f2", "|u1", ...
absl::string_view NpyDescr(DType type);

// Reads any shape. The codes of the result are those in the file.
absl::StatusOr<Tensor> ReadNpy(const std::string& path, DType type);

// Reads exactly `shape` (the tensor's extents, not halved for e2m1).
absl::StatusOr<Tensor> ReadNpy(const std::string& path, DType type,
                               std::span<const int64_t> shape);

absl::Status WriteNpy(const std::string& path, const Tensor& tensor);

// The same on bytes in memory; `name` goes into the errors.
absl::StatusOr<Tensor> ParseNpy(absl::string_view bytes, DType type,
                                absl::string_view name);
std::string FormatNpy(const Tensor& tensor);

}  // namespace tilesim::values

#endif  // TILESIM_IR_VALUES_NPY_H_
