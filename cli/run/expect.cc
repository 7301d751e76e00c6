#include "cli/run/expect.h"

#include <utility>

#include "ir/values/convert.h"
#include "ir/values/npy.h"

namespace tilesim::cli {

absl::StatusOr<Expectation> ReadExpectation(const std::string& tensor,
                                            const std::string& file,
                                            const ir::BoundDecl& decl) {
  std::vector<int64_t> shape(decl.shape.begin(),
                             decl.shape.begin() + decl.rank);
  absl::StatusOr<values::Tensor> read =
      values::ReadNpy(file, decl.dtype, shape);
  // NumPy has no bfloat16, and a reference is rarely rounded.
  if (absl::IsInvalidArgument(read.status()) && values::IsFloat(decl.dtype)) {
    auto wide = values::ReadNpy(file, values::DType::kF32, shape);
    if (wide.ok()) read = std::move(wide);
  }
  if (!read.ok()) return read.status();
  Expectation out{tensor, file, {}};
  out.numbers.resize(read->elements());
  values::DecodeArray(read->type, read->data.data(), read->elements(),
                      out.numbers.data());
  return out;
}

absl::StatusOr<Met> Meet(const Expectation& wanted, double tolerance,
                         const machine::Memory& memory,
                         const machine::Comparing& how) {
  absl::StatusOr<machine::ComputesResult> result =
      memory.Compare(wanted.tensor, wanted.numbers, tolerance, how);
  if (!result.ok()) return result.status();
  traces::ExpectedReport line{
      wanted.tensor,  wanted.file,           result->elements, result->checked,
      result->failed, result->max_abs_error, result->nan,      tolerance};
  return Met{std::move(*result), std::move(line)};
}

}  // namespace tilesim::cli
