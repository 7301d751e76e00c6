// Runs the text of a kernel with payload and without a clock, for tests:
// strands in turn, operations in flight oldest first.
//
//   TileRun run(R"(kernel k target sm_90a { ... })", {{"X", tensor}});
//   EXPECT_EQ(run.Numbers("Y"), ...);
//
// `aside`: values on a thread of their own.
#ifndef TILESIM_SIM_MACHINE_DATA_RUNNER_TEST_H_
#define TILESIM_SIM_MACHINE_DATA_RUNNER_TEST_H_

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/program.h"
#include "ir/values/tensor.h"
#include "sim/machine/data/globals.h"
#include "sim/machine/data/memory.h"

namespace tilesim::machine {

class TileRun {
 public:
  // Fails the test if the text is not a program or does not end.
  explicit TileRun(const std::string& text, Inputs inputs = {},
                   MemoryOptions options = {}, bool aside = false);

  Memory& memory() { return *memory_; }
  const Code& code(int kernel = 0) const { return codes_[kernel]; }
  // Codes of findings, in order.
  std::vector<ir::Code> findings() const;
  // A global as numbers, and as codes.
  std::vector<double> Numbers(const std::string& name) const;
  std::vector<uint64_t> Codes(const std::string& name) const;

 private:
  void Execute(Machine& machine);
  bool Round(Machine& machine, State& state);

  std::optional<ir::Program> program_;
  std::deque<Code> codes_;
  std::unique_ptr<Memory> memory_;
  std::vector<ir::Diagnostic> findings_;
};

// Small integers, which all formats and sums of products hold exactly.
values::Tensor Small(ir::DType type, std::vector<int64_t> shape,
                     uint64_t seed = 1);
values::Tensor Normal(ir::DType type, std::vector<int64_t> shape,
                      uint64_t seed = 1);
std::vector<double> NumbersOf(const values::Tensor& tensor);

// m x k times the transpose of n x k.
std::vector<double> Product(const std::vector<double>& a,
                            const std::vector<double>& b, int64_t m, int64_t n,
                            int64_t k);

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_RUNNER_TEST_H_
