#include "sim/machine/data/computes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gtest/gtest.h"
#include "ir/cat.h"
#include "ir/values/convert.h"
#include "sim/machine/data/runner_test.h"

namespace tilesim::machine {
namespace {

using ir::Cat;
using ir::DType;

// A kernel that writes what it is given as the answer, G.
std::string Kernel(const std::string& globals, const std::string& shape,
                   const std::string& computes, const char* type = "f32") {
  return Cat(
      "kernel k target sm_90a {\n", globals, "  global G : ", type, "[", shape,
      "]\n  global D : ", type, "[", shape, "]\n  computes D = ", computes,
      "\n  grid (1)\n  block 128\n  reg x : ", type, "[",
      shape.find(',') == shape.rfind(',') ? shape : "96, 32",
      R"(] fragment blocked(1)
  ld.global x, G[)",
      shape.find(',') == shape.rfind(',') ? ":, :" : ":, :, :",
      "]\n  st.global D[",
      shape.find(',') == shape.rfind(',') ? ":, :" : ":, :, :", "], x\n}");
}

values::Tensor TensorOf(DType type, std::vector<int64_t> shape,
                        const std::vector<double>& numbers) {
  values::Tensor t{type, std::move(shape), {}};
  t.data.resize(values::BytesOf(type, t.elements()));
  values::EncodeArray(type, numbers.data(), numbers.size(), t.data.data());
  return t;
}

ComputesResult Check(const std::string& text, Inputs in) {
  TileRun run(text, std::move(in));
  return run.memory().Check()[0];
}

constexpr int kM = 96, kN = 32, kK = 80;
const char* const kGlobals = R"(  global A : f16[96, 80]
  global B : f16[32, 80]
  global C : f32[96, 32]
)";

class ComputesTest : public testing::Test {
 protected:
  ComputesTest()
      : in_{{"A", Normal(DType::kF16, {kM, kK})},
            {"B", Normal(DType::kF16, {kN, kK}, 2)},
            {"C", Normal(DType::kF32, {kM, kN}, 3)}},
        product_(
            Product(NumbersOf(in_["A"]), NumbersOf(in_["B"]), kM, kN, kK)) {}

  ComputesResult Judge(const std::string& computes,
                       const std::vector<double>& answer) {
    Inputs in = in_;
    in["G"] = TensorOf(DType::kF32, {kM, kN}, answer);
    return Check(Kernel(kGlobals, "96, 32", computes), in);
  }

  void ExpectPass(const std::string& computes,
                  const std::vector<double>& answer) {
    ComputesResult r = Judge(computes, answer);
    EXPECT_TRUE(r.pass()) << computes << ": got " << r.got << ", want "
                          << r.want << " " << r.skipped;
    EXPECT_EQ(r.checked, kM * kN);
  }

  Inputs in_;
  std::vector<double> product_;
};

TEST_F(ComputesTest, ProductsSumsAndScales) {
  ExpectPass("A * transpose(B)", product_);
  std::vector<double> c = NumbersOf(in_["C"]), sum = c, relu = c;
  for (size_t i = 0; i < c.size(); ++i) {
    sum[i] = 0.5 * product_[i] - c[i];
    relu[i] = std::max(product_[i] + c[i], 0.0);
  }
  ExpectPass("0.5 * (A * transpose(B)) - C", sum);
  ExpectPass("relu(A * transpose(B) + C)", relu);
}

TEST_F(ComputesTest, SoftmaxCausalAndExp2) {
  std::vector<double> soft = product_, exp2 = NumbersOf(in_["C"]);
  for (int r = 0; r < kM; ++r) {
    double sum = 0;
    for (int c = 0; c < kN; ++c) {
      double& v = soft[r * kN + c];
      v = c > r ? 0 : std::exp(0.25 * v);
      sum += v;
    }
    for (int c = 0; c < kN; ++c) soft[r * kN + c] /= sum;
  }
  for (double& v : exp2) v = std::exp2(v);
  ExpectPass("softmax(causal(0.25 * (A * transpose(B))))", soft);
  ExpectPass("exp2(C)", exp2);
}

TEST_F(ComputesTest, FunctionsOfAnElement) {
  const std::vector<double> c = NumbersOf(in_["C"]);
  auto expect = [&](const std::string& computes, double (*f)(double)) {
    std::vector<double> answer = c;
    for (double& v : answer) v = f(v);
    ExpectPass(computes, answer);
  };
  expect("relu(C)", [](double x) { return std::max(x, 0.0); });
  expect("sigmoid(C)", [](double x) { return 1 / (1 + std::exp(-x)); });
  expect("silu(C)", [](double x) { return x / (1 + std::exp(-x)); });
  expect("gelu(C)",
         [](double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); });
  expect("rsqrt(mul(C, C) + 1)",
         [](double x) { return 1 / std::sqrt(x * x + 1); });
  expect("div(1, 2 + exp2(C))",
         [](double x) { return 1 / (2 + std::exp2(x)); });
  expect("1 - C", [](double x) { return 1 - x; });
  std::vector<double> wrong = c;
  for (double& v : wrong) v = v / (1 + std::exp(-v));
  wrong[100] += 1e-4;
  EXPECT_EQ(Judge("silu(C)", wrong).failed, 1);
}

TEST_F(ComputesTest, RowsAreReducedAndRepeated) {
  const std::vector<double> c = NumbersOf(in_["C"]);
  std::vector<double> centred = c, share = c, below = c;
  for (int r = 0; r < kM; ++r) {
    const auto row = c.begin() + r * kN;
    const double sum = std::accumulate(row, row + kN, 0.0);
    const double top = *std::max_element(row, row + kN);
    for (int i = r * kN; i < (r + 1) * kN; ++i) {
      centred[i] = c[i] - sum / kN;
      share[i] = c[i] / (sum + 1000);
      below[i] = top - c[i];
    }
  }
  ExpectPass("C - row_mean(C)", centred);
  ExpectPass("div(C, row_sum(C) + 1000)", share);
  ExpectPass("row_max(C) - C", below);
  centred[40] += 1e-3;
  EXPECT_EQ(Judge("C - row_mean(C)", centred).failed, 1);
}

// Columns past the first box, of which a reduction needs all.
TEST(WideTest, RowsWiderThanABoxAreReducedWhole) {
  constexpr int kCols = 1536;
  Inputs in{{"A", Small(DType::kF32, {96, kCols})},
            {"V", Small(DType::kF32, {kCols}, 2)},
            {"U", Small(DType::kF32, {96}, 3)}};
  const std::vector<double> a = NumbersOf(in["A"]), v = NumbersOf(in["V"]),
                            u = NumbersOf(in["U"]);
  std::vector<double> answer = a;
  for (int r = 0; r < 96; ++r) {
    const auto row = a.begin() + r * kCols;
    const double top = *std::max_element(row, row + kCols);
    for (int i = 0; i < kCols; ++i)
      answer[r * kCols + i] = (a[r * kCols + i] - top) * v[i] + u[r];
  }
  in["G"] = TensorOf(DType::kF32, {96, kCols}, answer);
  ComputesResult r =
      Check(Kernel(R"(  global A : f32[96, 1536]
  global V : f32[1536]
  global U : f32[96]
)",
                   "96, 1536", "mul(A - row_max(A), V) + transpose(U)"),
            in);
  EXPECT_TRUE(r.pass()) << r.got << " " << r.want << " " << r.skipped;
  EXPECT_EQ(r.checked, 96 * kCols);
}

// A bound says how far a product may be off; functions of it pass that on.
TEST_F(ComputesTest, BoundsGoThroughFunctions) {
  std::vector<double> answer = product_;
  for (double& v : answer) v = 1 / (1 + std::exp(-v));
  ComputesResult r = Judge("sigmoid(A * transpose(B))", answer);
  EXPECT_TRUE(r.pass());
  const double product = Judge("A * transpose(B)", product_).bound;
  EXPECT_GT(r.bound, 1e-6);
  EXPECT_LT(r.bound, product);
}

// f32 rounds the square, which is more than half an ulp of what is left of it.
TEST_F(ComputesTest, WhatIsComputedWithWasRounded) {
  std::vector<double> answer, exact;
  for (double c : NumbersOf(in_["C"])) {
    const auto x = static_cast<float>(c);
    answer.push_back(x * x - 1.0f);
    exact.push_back(c * c - 1);
  }
  ExpectPass("mul(C, C) - 1", answer);
  ExpectPass("mul(C, C) - 1", exact);
  for (double& v : answer) v += 1e-5 * (v + 1);
  EXPECT_FALSE(Judge("mul(C, C) - 1", answer).pass());
}

TEST_F(ComputesTest, OtherNumbersAreComparedByTheirBitsOrWithin) {
  Inputs in = in_;
  in["G"] = TensorOf(DType::kF32, {kM, kN}, product_);
  TileRun run(Kernel(kGlobals, "96, 32", "A * transpose(B)"), in);
  std::vector<double> want = NumbersOf(in["G"]);
  ComputesResult same = run.memory().Compare("D", want, 0).value();
  EXPECT_EQ(same.checked, kM * kN);
  EXPECT_EQ(same.failed, 0);
  want[5] += 0.01;
  EXPECT_EQ(run.memory().Compare("D", want, 0)->failed, 1);
  EXPECT_EQ(run.memory().Compare("D", want, 0)->first_mismatch, 5);
  EXPECT_EQ(run.memory().Compare("D", want, 0.1)->failed, 0);
  EXPECT_EQ(run.memory().Compare("A", want, 0).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(run.memory().Compare("C", want, 0).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(run.memory().Compare("E", want, 0).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(ComputesTest, OneWrongElementIsFound) {
  std::vector<double> wrong = product_;
  wrong[17 * kN + 5] += 0.01;
  ComputesResult r = Judge("A * transpose(B)", wrong);
  EXPECT_FALSE(r.pass());
  EXPECT_EQ(r.failed, 1);
  EXPECT_EQ(r.first_mismatch, 17 * kN + 5);
  EXPECT_NEAR(r.got - r.want, 0.01, 1e-5);
  EXPECT_NEAR(r.max_abs_error, 0.01, 1e-5);
  EXPECT_TRUE(Judge("A * transpose(B) within 0.01", wrong).pass());
}

TEST_F(ComputesTest, NanAndInfinityAreFound) {
  std::vector<double> wrong = product_;
  wrong[3] = std::nan("");
  wrong[4] = INFINITY;
  EXPECT_EQ(Judge("A * transpose(B) within 0.5", wrong).failed, 2);
}

TEST_F(ComputesTest, TheBoundIsThatOfTheArithmetic) {
  ComputesResult r = Judge("A * transpose(B)", product_);
  // f32 additions of 80 products: far below a thousandth of the result.
  EXPECT_LT(r.bound, 1e-3);
  EXPECT_GE(r.bound, r.max_abs_error);
}

TEST(BatchTest, LeadingDimensionsAreBatches) {
  Inputs in{{"A", Small(DType::kF32, {3, 32, 16})},
            {"B", Small(DType::kF32, {3, 16, 32}, 2)}};
  std::vector<double> a = NumbersOf(in["A"]), b = NumbersOf(in["B"]), d;
  for (int i = 0; i < 3 * 32 * 32; ++i) {
    int batch = i / 1024, m = i / 32 % 32, n = i % 32;
    double sum = 0;
    for (int k = 0; k < 16; ++k)
      sum += a[batch * 512 + m * 16 + k] * b[batch * 512 + k * 32 + n];
    d.push_back(sum);
  }
  in["G"] = TensorOf(DType::kF32, {3, 32, 32}, d);
  ComputesResult r = Check(Kernel(R"(  global A : f32[3, 32, 16]
  global B : f32[3, 16, 32]
)",
                                  "3, 32, 32", "A * B"),
                           in);
  EXPECT_TRUE(r.pass()) << r.skipped;
  EXPECT_EQ(r.checked, 3 * 32 * 32);
  EXPECT_EQ(r.max_abs_error, 0);
}

TEST(BlockScaleTest, FactorsCoverTheirBlocks) {
  Inputs in{{"A", Small(DType::kE4M3, {96, 64})},
            {"S", Normal(DType::kF32, {48, 4}, 2)}};
  std::vector<double> a = NumbersOf(in["A"]), s = NumbersOf(in["S"]), d;
  for (int i = 0; i < 96 * 64; ++i)
    d.push_back(a[i] * s[i / 64 / 2 * 4 + i % 64 / 16]);
  in["G"] = TensorOf(DType::kF32, {96, 64}, d);
  ComputesResult r = Check(Kernel(R"(  global A : e4m3[96, 64]
  global S : f32[48, 4]
)",
                                  "96, 64", "block_scale(A, S)"),
                           in);
  EXPECT_TRUE(r.pass()) << r.skipped;
}

TEST(UnwrittenTest, EveryElementMustBeWritten) {
  TileRun run(R"(kernel k target sm_90a {
  global X : f16[4, 64]
  global Y : f16[4, 64]
  computes Y = X
  grid (1)
  block 32
  reg x : f16[3, 64] fragment blocked(2)
  ld.global x, X[0 :+ 3, :]
  st.global Y[0 :+ 3, :], x
})");
  ComputesResult r = run.memory().Check()[0];
  EXPECT_EQ(r.failed, 0);
  EXPECT_EQ(r.first_unwritten, 3 * 64);
  EXPECT_FALSE(r.pass());
}

}  // namespace
}  // namespace tilesim::machine
