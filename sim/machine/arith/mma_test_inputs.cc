#include "sim/machine/arith/mma_test_inputs.h"

#include <algorithm>
#include <cmath>

#include "ir/values/convert.h"

namespace tilesim::arith {
namespace {

using values::Encode;
using values::Info;

class Maker {
 public:
  Maker(const MmaRule& rule, InputClass input, uint64_t seed, Inputs& out)
      : rule_(rule), input_(input), random_(seed), out_(out) {}

  void Run() {
    window_ = 1 + Below(20);
    Fill(out_.a_type, out_.a, out_.m * out_.k);
    Fill(out_.b_type, out_.b, out_.n * out_.k);
    if (rule_.is_scaled()) {
      FillScales(out_.a_scales, out_.m);
      FillScales(out_.b_scales, out_.n);
    }
    Shape();
    for (int i = 0; i < out_.m * out_.n; ++i) out_.c.push_back(C());
    out_.accumulate = input_ != InputClass::kWindowsAbsentC;
  }

 private:
  int Below(int bound) {
    return static_cast<int>(random_() % static_cast<uint64_t>(bound));
  }
  bool OneIn(int n) { return Below(n) == 0; }
  double Normal() { return normal_(random_); }
  double Significand() { return 1 + Below(1 << 24) * 0x1p-24; }
  double Signed(double x) { return OneIn(2) ? x : -x; }
  double Power(int low, int high) {
    return Signed(std::ldexp(Significand(), low + Below(high - low + 1)));
  }

  uint32_t Number(DType type, double value) {
    return static_cast<uint32_t>(Encode(type, value));
  }

  // Any finite code; padding bits are junk.
  uint32_t FiniteBits(DType type) {
    for (;;) {
      const auto code = static_cast<uint32_t>(random_() >> 32) &
                        (~uint32_t{0} >> (32 - Info(type).code_bits()));
      if (!values::IsNan(type, code) && !values::IsInf(type, code)) {
        return code;
      }
    }
  }

  uint32_t SubnormalBits(DType type) {
    const int mantissa = Info(type).mantissa_bits + Info(type).pad_bits();
    const uint32_t kept = (1u << mantissa) - 1;
    const uint32_t sign = 1u << Info(type).magnitude_bits();
    return FiniteBits(type) & (kept | sign);
  }

  uint32_t Special(DType type) {
    const double choices[] = {INFINITY, -INFINITY, NAN, 0.0, -0.0};
    const double value = choices[Below(5)];
    // Types without Inf or NaN get their largest number.
    const uint64_t code =
        Encode(type, value, {values::Rounding::kRne, values::Overflow::kIeee});
    return static_cast<uint32_t>(code);
  }

  uint32_t Operand(DType type) {
    if (!Info(type).is_float()) return FiniteBits(type);
    const int top = Info(type).bias;
    switch (input_) {
      case InputClass::kBits:
      case InputClass::kBitsNoC:
        return FiniteBits(type);
      case InputClass::kWindows:
      case InputClass::kWindowsAbsentC:
        return Number(type, Power(-window_, window_));
      case InputClass::kSubnormal:
        return OneIn(4) ? FiniteBits(type) : SubnormalBits(type);
      case InputClass::kSpecials:
        return OneIn(60) ? Special(type) : Number(type, Normal());
      case InputClass::kOverflow:
        return Number(type, Power(top / 2 - 3, top / 2 + 3));
      case InputClass::kTiny:
        return Number(type, Power(-85, -59));
      default:
        return Number(type, Normal());
    }
  }

  void Fill(DType type, std::vector<uint32_t>& codes, int count) {
    for (int i = 0; i < count; ++i) codes.push_back(Operand(type));
  }

  uint32_t ScaleCode() {
    const DType type = *rule_.scale_type;
    const bool power = type == DType::kUE8M0;
    switch (input_) {
      case InputClass::kBits:
      case InputClass::kBitsNoC:
        return FiniteBits(type);
      case InputClass::kSubnormal:
        return Below(8);
      case InputClass::kSpecials:
        if (OneIn(40)) return power ? 0xff : 0x7f;
        return power ? 120 + Below(16) : FiniteBits(type);
      case InputClass::kOverflow:
        return power ? 180 + Below(20) : 0x7e - Below(8);
      case InputClass::kTiny:
        return power ? 45 + Below(30) : 1 + Below(8);
      default:
        return power ? 124 + Below(8) : Number(type, std::fabs(Normal()));
    }
  }

  void FillScales(std::vector<uint32_t>& codes, int rows) {
    const int count = rows * out_.k / rule_.scale_block;
    for (int i = 0; i < count; ++i) codes.push_back(ScaleCode());
  }

  uint32_t Zero(DType type) {
    return Info(type).is_signed() && Info(type).is_float() && OneIn(2)
               ? 1u << Info(type).magnitude_bits()
               : 0;
  }

  // What a class says about the operands together.
  void Shape() {
    const int k = out_.k;
    if (input_ == InputClass::kCancellation) {
      Mirror(out_.a, out_.m, 0);
      Mirror(out_.b, out_.n, 1u << Info(out_.b_type).magnitude_bits());
    }
    if (input_ == InputClass::kFewProducts) {
      const int keep = 1 + Below(3);
      const int start = Below(k);
      ZeroAllBut(out_.a_type, out_.a, start, keep);
    }
    if (input_ == InputClass::kZeroProducts) {
      for (size_t i = 0; i < out_.a.size(); ++i) {
        if (static_cast<int>(i) % k % 2) out_.a[i] = Zero(out_.a_type);
      }
      for (size_t i = 0; i < out_.b.size(); ++i) {
        if (static_cast<int>(i) % k % 2 == 0) out_.b[i] = Zero(out_.b_type);
      }
    }
  }

  void Mirror(std::vector<uint32_t>& codes, int rows, uint32_t flip) {
    for (int row = 0; row < rows; ++row) {
      uint32_t* line = codes.data() + row * out_.k;
      for (int k = 0; k < out_.k / 2; ++k) {
        line[out_.k / 2 + k] = line[k] ^ flip;
      }
      // One product is left over.
      if (OneIn(2)) line[Below(out_.k)] = Operand(out_.a_type) & 0xf;
    }
  }

  void ZeroAllBut(DType type, std::vector<uint32_t>& codes, int start,
                  int keep) {
    for (size_t i = 0; i < codes.size(); ++i) {
      const int at = static_cast<int>(i) % out_.k;
      if (at < start || at >= start + keep) codes[i] = Zero(type);
    }
  }

  uint32_t C() {
    const DType type = rule_.d;
    if (!Info(type).is_float()) return static_cast<uint32_t>(random_());
    switch (input_) {
      case InputClass::kNormalNoC:
      case InputClass::kBitsNoC:
        return Zero(type);
      case InputClass::kNormalLargeC:
        return Number(type, std::ldexp(Normal(), Below(41)));
      case InputClass::kBits:
        return FiniteBits(type);
      case InputClass::kWindows:
      case InputClass::kWindowsAbsentC:
        return Number(type,
                      type == DType::kF16 ? Power(-24, 14) : Power(-35, 35));
      case InputClass::kSubnormal:
        return OneIn(4) ? Number(type, Power(-40, 0)) : SubnormalBits(type);
      case InputClass::kSpecials:
        return OneIn(20) ? Special(type) : Number(type, Normal());
      case InputClass::kOverflow:
        return Number(type, Power(Info(type).bias - 6, Info(type).bias));
      case InputClass::kZeroProducts:
        return OneIn(2) ? Zero(type) : SubnormalBits(type);
      case InputClass::kTiny:
        return OneIn(2) ? Zero(type) : Number(type, Power(-149, -118));
      default:
        return Number(type, Normal());
    }
  }

  const MmaRule& rule_;
  InputClass input_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  Inputs& out_;
  int window_ = 1;
};

}  // namespace

std::string Name(InputClass input) {
  constexpr const char* kNames[kInputClasses] = {
      "NormalNoC", "Normal",      "NormalLargeC", "Bits",     "BitsNoC",
      "Windows",   "Subnormal",   "Cancellation", "Specials", "WindowsAbsentC",
      "Overflow",  "FewProducts", "ZeroProducts", "Tiny"};
  return kNames[static_cast<int>(input)];
}

Inputs MakeInputs(const MmaRule& rule, DType a_type, DType b_type,
                  InputClass input, int m, int n, int instructions,
                  uint64_t seed) {
  Inputs inputs{a_type, b_type, m,  n,  instructions * rule.k,
                {},     {},     {}, {}, {}};
  Maker(rule, input, seed, inputs).Run();
  return inputs;
}

}  // namespace tilesim::arith
