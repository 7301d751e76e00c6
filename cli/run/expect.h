// `run --expect NAME=file.npy --tolerance R`: what tensors should hold, from
// files that NumPy or PyTorch wrote.
//
// Errors: absl::Status, with the option's text.
#ifndef TILESIM_CLI_RUN_EXPECT_H_
#define TILESIM_CLI_RUN_EXPECT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/bind.h"
#include "sim/machine/data/memory.h"
#include "traces/report.h"

namespace tilesim::cli {

struct Expectation {
  std::string tensor;
  std::string file;
  std::vector<double> numbers;  // C order
};

// A file of the tensor's own type, or of f32 for any float.
absl::StatusOr<Expectation> ReadExpectation(const std::string& tensor,
                                            const std::string& file,
                                            const ir::BoundDecl& decl);

// What the run wrote against it; the whole comparison, and its line for the
// report.
struct Met {
  machine::ComputesResult result;
  traces::ExpectedReport line;
};
absl::StatusOr<Met> Meet(const Expectation& wanted, double tolerance,
                         const machine::Memory& memory,
                         const machine::Comparing& how);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_RUN_EXPECT_H_
