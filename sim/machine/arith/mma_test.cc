// The fast path against the slow reference, bit for bit: every rule, every
// class of inputs of h200-readings.md 1.3.
#include "sim/machine/arith/mma.h"

#include <bit>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/values/convert.h"
#include "sim/machine/arith/mma_test_inputs.h"
#include "sim/machine/arith/mma_test_run.h"

namespace tilesim::arith {
namespace {

// TILESIM_MMA_TEST_ROUNDS makes the random tests longer.
int Rounds() {
  const char* rounds = std::getenv("TILESIM_MMA_TEST_ROUNDS");
  return rounds == nullptr ? 1 : std::atoi(rounds);
}

std::string RuleName(int index) {
  const MmaRule& rule = AllRules()[index];
  const char* kUnits[] = {"Wgmma", "MmaSync", "Tcgen05"};
  const char* kClasses[] = {"F16",    "BF16", "TF32", "Fp8",
                            "F8F6F4", "Fp4",  "Int8"};
  std::string name = kUnits[static_cast<int>(rule.unit)];
  name += kClasses[static_cast<int>(rule.operands)];
  absl::StrAppend(&name, "To", std::string(values::NameOf(rule.d)), "K",
                  rule.k);
  if (rule.is_scaled()) {
    absl::StrAppend(&name, std::string(values::NameOf(*rule.scale_type)), "x",
                    rule.scale_block);
  }
  return name;
}

void ExpectSame(const MmaRule& rule, const Inputs& inputs) {
  const std::vector<uint32_t> got = RunFast(rule, inputs);
  const std::vector<uint32_t> want = RunReference(rule, inputs);
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i], want[i])
        << "element " << i / inputs.n << "," << i % inputs.n << " of "
        << values::NameOf(inputs.a_type) << " x "
        << values::NameOf(inputs.b_type) << ", C " << std::hex << inputs.c[i];
  }
}

class MmaTest : public ::testing::TestWithParam<int> {
 protected:
  const MmaRule& rule() const { return AllRules()[GetParam()]; }
};

TEST_P(MmaTest, OneInstructionIsTheReference) {
  for (int i = 0; i < kInputClasses * Rounds(); ++i) {
    const auto input = static_cast<InputClass>(i % kInputClasses);
    SCOPED_TRACE(Name(input));
    for (const auto& [a, b] : TypePairs(rule())) {
      ExpectSame(rule(), MakeInputs(rule(), a, b, input, 16, 24, 1, i));
    }
  }
}

TEST_P(MmaTest, ChainsAreTheReference) {
  for (int i = 0; i < kInputClasses * Rounds(); ++i) {
    const auto input = static_cast<InputClass>(i % kInputClasses);
    SCOPED_TRACE(Name(input));
    const auto [a, b] = TypePairs(rule()).front();
    ExpectSame(rule(), MakeInputs(rule(), a, b, input, 3, 70, 9, i + 1000));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, MmaTest, ::testing::Range(0, static_cast<int>(AllRules().size())),
    [](const auto& param) { return RuleName(param.param); });

// ---- layouts and calls

const MmaRule& F16Rule() {
  return *FindRule({Unit::kWgmma, DType::kF16, DType::kF16, DType::kF32});
}

TEST(MmaLayoutTest, TransposedOperandsAndWideRows) {
  const MmaRule& rule = F16Rule();
  const int m = 5, n = 33, k = 32;
  const Inputs in = MakeInputs(rule, DType::kF16, DType::kF16,
                               InputClass::kSpecials, m, n, 2, 1);
  std::vector<uint16_t> a(k * m), b(k * n);  // k rows each
  for (int i = 0; i < k; ++i) {
    for (int j = 0; j < m; ++j) a[i * m + j] = in.a[j * k + i];
    for (int j = 0; j < n; ++j) b[i * n + j] = in.b[j * k + i];
  }
  const Prepared pa = PrepareA(rule, {a.data(), DType::kF16, 1, m}, m, k);
  const Prepared pb = PrepareB(rule, {b.data(), DType::kF16, 1, n}, n, k);
  std::vector<float> d(m * 40, 7);
  Mma(pa, pb, d.data(), 40, false);
  Inputs no_c = in;
  no_c.accumulate = false;
  const std::vector<uint32_t> want = RunReference(rule, no_c);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < 40; ++j) {
      const uint32_t got = std::bit_cast<uint32_t>(d[i * 40 + j]);
      ASSERT_EQ(got, j < n ? want[i * n + j] : 0x40e00000u);
    }
  }
}

TEST(MmaLayoutTest, EveryOtherElement) {
  const MmaRule& rule = F16Rule();
  std::vector<uint16_t> a(16 * 3, 0x7e00), b(16, 0x3c00);  // NaN between
  for (int k = 0; k < 16; ++k) a[3 * k] = 0x4000;
  const Prepared pa = PrepareA(rule, {a.data(), DType::kF16, 48, 3}, 1, 16);
  const Prepared pb = PrepareB(rule, {b.data(), DType::kF16, 16, 1}, 1, 16);
  float d = 0;
  Mma(pa, pb, &d, 1, true);
  EXPECT_EQ(d, 32);
}

TEST(MmaLayoutTest, UnpackedE2M1) {
  const MmaRule& rule =
      *FindRule({Unit::kTcgen05, DType::kE2M1, DType::kE2M1, DType::kF32});
  const std::vector<uint8_t> bytes(32, 0xf2);  // 1, junk above
  const std::vector<uint8_t> packed(16, 0x22);
  const Prepared a =
      PrepareA(rule, {bytes.data(), DType::kE2M1, 32, 1, false}, 1, 32);
  const Prepared b =
      PrepareB(rule, {packed.data(), DType::kE2M1, 32, 1}, 1, 32);
  float d = 1;
  Mma(a, b, &d, 1, true);
  EXPECT_EQ(d, 33);
}

TEST(MmaLayoutTest, NegatedA) {
  const MmaRule& rule = F16Rule();
  Inputs in = MakeInputs(rule, DType::kF16, DType::kF16, InputClass::kWindows,
                         4, 16, 1, 5);
  const std::vector<uint16_t> a(in.a.begin(), in.a.end());
  const std::vector<uint16_t> b(in.b.begin(), in.b.end());
  const Prepared pa =
      PrepareA(rule, {a.data(), DType::kF16, 16, 1}, 4, 16, {}, true);
  const Prepared pb = PrepareB(rule, {b.data(), DType::kF16, 16, 1}, 16, 16);
  std::vector<float> d(64);
  for (int i = 0; i < 64; ++i) d[i] = std::bit_cast<float>(in.c[i]);
  Mma(pa, pb, d.data(), 16, true);
  for (uint32_t& code : in.a) code ^= 0x8000;
  const std::vector<uint32_t> want = RunReference(rule, in);
  for (int i = 0; i < 64; ++i) {
    ASSERT_EQ(std::bit_cast<uint32_t>(d[i]), want[i]);
  }
}

TEST(MmaLayoutTest, NothingToDo) {
  const MmaRule& rule = F16Rule();
  const Prepared a = PrepareA(rule, {nullptr, DType::kF16, 0, 1}, 1, 0);
  const Prepared b = PrepareB(rule, {nullptr, DType::kF16, 0, 1}, 1, 0);
  float d = 5;
  Mma(a, b, &d, 1, true);
  EXPECT_EQ(d, 5);
  Mma(a, b, &d, 1, false);
  EXPECT_EQ(d, 0);
}

TEST(MmaDeathTest, OurOwnMistakesAbort) {
  const MmaRule& rule = F16Rule();
  const std::vector<uint16_t> x(64);
  const CodeView view{x.data(), DType::kF16, 16, 1};
  EXPECT_DEATH(PrepareA(rule, view, 1, 15), "not a multiple");
  EXPECT_DEATH(PrepareA(rule, {x.data(), DType::kBF16, 16, 1}, 1, 16),
               "does not take this operand type");
  const Prepared a = PrepareA(rule, view, 1, 16);
  float d = 0;
  uint16_t half = 0;
  EXPECT_DEATH(Mma(a, a, &d, 1, true), "swapped");
  EXPECT_DEATH(Mma(a, PrepareB(rule, view, 1, 16), &half, 1, true),
               "another D");
}

}  // namespace
}  // namespace tilesim::arith
