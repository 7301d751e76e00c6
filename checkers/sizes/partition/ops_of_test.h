// For tests of kernels in another form: what one of them does.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_OPS_OF_TEST_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_OPS_OF_TEST_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checkers/run/runner.h"
#include "ir/bind.h"
#include "ir/cat.h"

namespace tilesim::checkers::sizes::partition {

// Of one warp, what it stores where.
inline std::string StoringKernel(const std::string& body) {
  return ir::Cat(
      "kernel k target sm_90a {\n"
      "  param N : 0.. = 8\n  param P : 1.. = 3\n  const S = 3\n"
      "  global D : u32[1000]\n  grid (P)\n  block 32\n  elect {\n"
      "    var one = 1\n",
      body, "  }\n}\n");
}

// Operands, op by op, of CTA `cta`.
inline std::vector<std::string> OpsOf(const ir::Kernel& kernel,
                                      const ir::Overrides& sizes, int64_t cta) {
  ir::Diagnostics diagnostics;
  auto bound = ir::Bind(kernel, sizes, 1, diagnostics);
  EXPECT_TRUE(bound) << diagnostics.all()[0].message;
  auto code = machine::Compile(*bound, diagnostics);
  run::RunOptions options;
  options.cluster = cta;
  const run::Log log = run::RunCluster(*code, options);
  EXPECT_TRUE(log.finished);
  std::vector<std::string> out;
  for (const run::Event& e : log.events) {
    if (e.kind != run::Event::Kind::kOp) continue;
    std::string text(e.concrete().info().mnemonic);
    for (const ir::OperandValue& o : e.concrete().operands) {
      if (o.kind == ir::OperandValue::Kind::kTile)
        ir::Append(&text, " ", o.tile.start[0]);
      if (o.kind == ir::OperandValue::Kind::kInt)
        ir::Append(&text, " ", o.number);
    }
    out.push_back(std::move(text));
  }
  return out;
}

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_OPS_OF_TEST_H_
