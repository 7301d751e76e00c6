// What the model says of a program that a GPU runs too: its values, and how
// long it takes.
//
//   std::unique_ptr<Expected> model = Expected::Of(*loaded, arch, {.seed = 3});
//   Judgement j = model->Judge(outputs_of_the_gpu);   // once
//
// Bit for bit where every op of the program is exact; otherwise within the
// bound of `computes` (sim/machine/data/computes.h).
#ifndef TILESIM_CLI_EXPECTED_H_
#define TILESIM_CLI_EXPECTED_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/input.h"
#include "ir/values/tensor.h"
#include "sim/arch/arch.h"
#include "sim/machine/data/memory.h"
#include "sim/timing/stats.h"
#include "traces/report.h"

namespace tilesim::cli {

struct ExpectedOptions {
  uint64_t seed = 0;
  bool all_values = false;  // of every CTA, not of some
};

struct Judgement {
  traces::ResultReport result;
  std::vector<ir::Diagnostic> findings;
};

class Expected {
 public:
  // Runs the model. Null, with the reason on stderr, when it does not fit.
  static std::unique_ptr<Expected> Of(const Loaded& loaded,
                                      const arch::Arch& arch,
                                      const ExpectedOptions& options);

  const timing::RunStats& stats() const { return stats_; }
  // Compares what the GPU wrote, by the names of the tensors.
  Judgement Judge(const std::map<std::string, values::Tensor>& outputs);

 private:
  explicit Expected(const Loaded& loaded) : loaded_(loaded) {}
  void CompareBits(const std::map<std::string, values::Tensor>& outputs,
                   Judgement& judgement);
  void CompareBounds(Judgement& judgement) const;

  const Loaded& loaded_;
  std::unique_ptr<machine::Memory> memory_;
  timing::RunStats stats_;
};

// Whether each op of the program determines every bit of what it writes.
bool IsBitExact(const ir::Program& program);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_EXPECTED_H_
