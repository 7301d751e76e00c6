#include "checkers/sizes/protocol/tickets.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "checkers/proof/condition.h"
#include "checkers/run/ticket.h"
#include "checkers/sizes/state/launch_shape.h"
#include "frontend/parse.h"
#include "ir/cat.h"

namespace tilesim::checkers::sizes::protocol {
using algebra::Polynomial;
using algebra::Symbol;
using state::Family;

namespace {

// Each 2 or more.
constexpr Symbol kH = 0, kK = 1, kT = 2;

Polynomial Size(Symbol s) { return Polynomial(2) + Polynomial::Of(s); }

// Of CTAs along x that count in the word of such an index.
std::optional<Polynomial> CountOf(const std::string& grid,
                                  const std::string& index) {
  const std::string text = ir::Cat(
      "kernel k target sm_90a {\n  param H : 2.. = 4\n  param K : 2.. = 2\n",
      "  param T : 2.. = 2\n  global Cnt : u32[H * K * T, H * K * T] zero\n",
      "  grid (", grid, ")\n  block 32\n  let t = cta.x / T\n  lane 0 {\n",
      "    var n = 0\n    atom.add.acq_rel.gpu n, Cnt[", index,
      "], 1\n    if n == 1 { fence.acq_rel.gpu }\n  }\n}\n");
  ir::Diagnostics diagnostics;
  auto program = frontend::Parse({"count.tile", text}, diagnostics);
  EXPECT_TRUE(program) << text << diagnostics.all()[0].message;
  if (!program) return std::nullopt;
  auto bound = ir::Bind(program->kernels[0], {}, 132, diagnostics);
  auto code = machine::Compile(*bound, diagnostics, machine::Params::kKept);
  Family family;
  for (size_t i = 0; i < 3; ++i) {
    const int32_t slot = code->kernel().params[i].slot;
    family.params[slot] = Size(static_cast<Symbol>(i));
  }
  family.grid = state::GridOf(*code, family);
  const auto counter = run::TicketCounter::Of(*code);
  EXPECT_TRUE(counter) << text;
  return counter ? protocol::CountOf(*code, *counter, family) : std::nullopt;
}

TEST(Tickets, AsManyCountAsHaveTheDigitsOfTheWord) {
  const Polynomial h = Size(kH), k = Size(kK), t = Size(kT);
  EXPECT_EQ(CountOf("H * K * T", "0, 0"), h * k * t);
  EXPECT_EQ(CountOf("H * K * T", "t, 0"), t);
  EXPECT_EQ(CountOf("H * K * T", "t / K, t % K"), t);
  EXPECT_EQ(CountOf("H * K * T", "t % K, t / K"), t);
  EXPECT_EQ(CountOf("H * K * T", "cta.x / (T * K), cta.x % T"), k);
  EXPECT_EQ(CountOf("H * K * T", "t % K, 0"), h * t);
  EXPECT_EQ(CountOf("H * K * T", "t / K, cta.x % K"), t);
  EXPECT_EQ(CountOf("H * K * T", "cta.x % (K * T) / T, 0"), h * t);
  EXPECT_EQ(CountOf("H * K * T", "t, cta.x % T"), Polynomial(1));
}

TEST(Tickets, OfDigitsThatNothingDividesItIsNotKnown) {
  EXPECT_EQ(CountOf("H * K * T", "t / K, cta.x % H"), std::nullopt);
  EXPECT_EQ(CountOf("H * K * T + 1", "t, 0"), std::nullopt);
  EXPECT_EQ(CountOf("H * K", "t / K, t % K"), std::nullopt);
  EXPECT_EQ(CountOf("H * K * T", "t % H, cta.x % (T * K)"), std::nullopt);
  const char* digit = "cta.x % H % K, 0";
  EXPECT_EQ(CountOf("H * K * T", digit), std::nullopt);
  proof::Weakened without(proof::Condition::kAllOfADigit);
  EXPECT_EQ(CountOf("H * K * T", digit), Size(kH) * Size(kT));
}

}  // namespace
}  // namespace tilesim::checkers::sizes::protocol
