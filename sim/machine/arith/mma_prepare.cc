// PrepareA and PrepareB of mma.h: codes to floats and powers.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "ir/values/check.h"
#include "ir/values/convert.h"
#include "sim/machine/arith/mma.h"
#include "sim/machine/arith/mma_kernel.h"

namespace tilesim::arith {
namespace {

using values::Check;

constexpr int32_t kExponentMask = 0x7f800000;
constexpr int32_t kMagnitudeMask = 0x7fffffff;

int64_t RoundUp(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// Reads runs of codes as numbers; types of a byte or less through a table.
class Decoder {
 public:
  explicit Decoder(const CodeView& codes) : codes_(codes) {
    if (values::BitsOf(codes.type) > 8) return;
    for (int code = 0; code < 256; ++code) {
      table_[code] = static_cast<float>(values::Decode(codes.type, code));
    }
  }

  // Elements start, start + stride, ...
  void Line(int64_t start, int64_t stride, int64_t count, float* out) const {
    const int bits = values::BitsOf(codes_.type);
    if (bits <= 8) {
      for (int64_t i = 0; i < count; ++i) {
        out[i] = table_[ByteAt(start + i * stride)];
      }
    } else if (bits == 16) {
      Words<uint16_t>(start, stride, count, out);
    } else {
      Words<uint32_t>(start, stride, count, out);
    }
  }

 private:
  uint8_t ByteAt(int64_t index) const {
    if (codes_.type == DType::kE2M1 && codes_.packed) {
      return static_cast<uint8_t>(
          values::LoadCode(codes_.type, codes_.data, index));
    }
    return static_cast<const uint8_t*>(codes_.data)[index];
  }

  // A strided line is gathered first.
  template <typename Word>
  void Words(int64_t start, int64_t stride, int64_t count, float* out) const {
    const auto* words = static_cast<const Word*>(codes_.data) + start;
    if (stride == 1) {
      return values::DecodeArray(codes_.type, words, count, out);
    }
    std::array<Word, 64> gathered;
    for (int64_t done = 0; done < count; done += 64) {
      const int64_t part = std::min<int64_t>(64, count - done);
      for (int64_t i = 0; i < part; ++i) {
        gathered[i] = words[(done + i) * stride];
      }
      values::DecodeArray(codes_.type, gathered.data(), part, out + done);
    }
  }

  CodeView codes_;
  std::array<float, 256> table_{};
};

// 2^exponent of each value's code: subnormals have the format's minimum.
void Powers(const float* values, int64_t count, int32_t min_power,
            float* powers) {
  for (int64_t i = 0; i < count; ++i) {
    const int32_t bits = std::bit_cast<int32_t>(values[i]);
    const int32_t power = std::max(bits & kExponentMask, min_power);
    const bool zero = (bits & kMagnitudeMask) == 0;
    powers[i] = std::bit_cast<float>(zero ? 0 : power);
  }
}

// Bits of the smallest and of the largest power; zero values do not count.
struct PowerRange {
  int32_t low = kExponentMask;
  int32_t high = 0;
};

PowerRange RangeOf(const std::vector<float>& powers) {
  PowerRange range;
  for (const float power : powers) {
    const int32_t bits = std::bit_cast<int32_t>(power);
    range.low = std::min(range.low, bits == 0 ? kExponentMask : bits);
    range.high = std::max(range.high, bits);
  }
  return range;
}

// Where product k of its instruction is kept: fp8 mma.sync sums k mod 4 in
// {0, 1} first, so these stand first.
int64_t Position(const MmaRule& rule, int64_t k) {
  if (rule.steps != Steps::kTwoHalvesThenAdd) return k;
  const int64_t inside = k % rule.k;
  const int64_t half = inside % 4 / 2;
  return k - inside + half * (rule.k / 2) + inside / 4 * 2 + inside % 2;
}

class Preparer {
 public:
  Preparer(const MmaRule& rule, Prepared::Side side, const CodeView& codes,
           int64_t rows, int64_t k)
      : decoder_(codes), codes_(codes) {
    Check(Contains(rule.operands, codes.type),
          "mma: the rule does not take this operand type");
    Check(rows >= 0 && k >= 0 && k % rule.k == 0,
          "mma: k is not a multiple of the instruction's");
    const bool is_a = side == Prepared::Side::kA;
    padded_ = is_a ? rows : RoundUp(rows, kStripAlign);
    out_.rule = rule;
    out_.side = side;
    out_.rows = rows;
    out_.k = k;
    out_.row_step = is_a ? k : 1;
    out_.k_step = is_a ? 1 : padded_;
    out_.special.assign(padded_, 0);
    for (int64_t i = 0; i < k; ++i) position_.push_back(Position(rule, i));
  }

  Prepared Run(const ScaleView& scales, bool negate) {
    if (out_.rule.is_integer()) {
      Check(!negate, "mma: integer operands cannot be negated");
      Integers();
    } else {
      Floats(negate ? std::bit_cast<int32_t>(-0.0f) : 0);
    }
    if (out_.rule.is_scaled()) Scales(scales);
    return std::move(out_);
  }

 private:
  // out[Index(row, k)] = convert(number) for every element.
  template <typename T, typename Convert>
  void Fill(T* out, const Convert& convert) const {
    if (codes_.row_stride == 1 && codes_.k_stride != 1) {
      return FillAlongRows(out, convert);
    }
    for (int64_t row = 0; row < out_.rows; row += kStripAlign) {
      FillRows(row, std::min<int64_t>(kStripAlign, out_.rows - row), out,
               convert);
    }
  }

  template <typename T, typename Convert>
  void FillAlongRows(T* out, const Convert& convert) const {
    std::vector<float> line(out_.rows);
    for (int64_t k = 0; k < out_.k; ++k) {
      decoder_.Line(k * codes_.k_stride, 1, out_.rows, line.data());
      for (int64_t row = 0; row < out_.rows; ++row) {
        out[Index(row, k)] = convert(line[row]);
      }
    }
  }

  // A few rows at a time, so that both sides stay in cache when B turns
  // them into columns.
  template <typename T, typename Convert>
  void FillRows(int64_t first, int64_t count, T* out,
                const Convert& convert) const {
    const int64_t k_count = out_.k;
    std::vector<float> lines(count * k_count);
    for (int64_t r = 0; r < count; ++r) {
      decoder_.Line((first + r) * codes_.row_stride, codes_.k_stride, k_count,
                    lines.data() + r * k_count);
    }
    const int64_t row_step = out_.row_step;
    for (int64_t k = 0; k < k_count; ++k) {
      T* const to = out + Index(first, k);
      for (int64_t r = 0; r < count; ++r) {
        to[r * row_step] = convert(lines[r * k_count + k]);
      }
    }
  }

  int64_t Index(int64_t row, int64_t k) const {
    return row * out_.row_step + position_[k] * out_.k_step;
  }

  void Floats(int32_t sign) {
    out_.value.assign(padded_ * out_.k, 0);
    out_.power.resize(out_.value.size());
    Fill(out_.value.data(), [sign](float number) {
      return std::bit_cast<float>(std::bit_cast<int32_t>(number) ^ sign);
    });
    const int min_exponent = 1 - values::Info(codes_.type).bias;
    const auto size = static_cast<int64_t>(out_.value.size());
    Powers(out_.value.data(), size, (min_exponent + 127) << 23,
           out_.power.data());
    const PowerRange range = RangeOf(out_.power);
    out_.min_exponent = (range.low >> 23) - 127;
    if (range.high == kExponentMask) MarkSpecial();
  }

  void MarkSpecial() {
    for (int64_t row = 0; row < out_.rows; ++row) {
      for (int64_t k = 0; k < out_.k; ++k) {
        const float value = out_.value[Index(row, k)];
        if (!std::isfinite(value)) out_.special[row] = -1;
      }
    }
  }

  void Integers() {
    out_.number.assign(padded_ * out_.k, 0);
    Fill(out_.number.data(),
         [](float number) { return static_cast<int32_t>(number); });
  }

  void Scales(const ScaleView& scales) {
    Check(scales.data != nullptr || out_.rows * out_.k == 0,
          "mma: the rule needs block scales");
    const int64_t blocks = out_.k / out_.rule.scale_block;
    const bool is_a = out_.side == Prepared::Side::kA;
    out_.scale_row_step = is_a ? blocks : 1;
    out_.scale_block_step = is_a ? 1 : padded_;
    out_.scale_value.assign(padded_ * blocks, 1);
    out_.scale_power.assign(padded_ * blocks, 1);
    out_.scale_exponent.assign(padded_ * blocks, 0);
    for (int64_t row = 0; row < out_.rows; ++row) {
      for (int64_t block = 0; block < blocks; ++block) {
        const uint8_t code =
            scales.data[row * scales.row_stride + block * scales.block_stride];
        Scale(row, block, code);
      }
    }
  }

  void Scale(int64_t row, int64_t block, uint8_t code) {
    const DType type = *out_.rule.scale_type;
    const int64_t i = row * out_.scale_row_step + block * out_.scale_block_step;
    const double value = values::Decode(type, code);
    if (std::isnan(value)) {
      out_.special[row] = -1;
      out_.scale_value[i] = std::numeric_limits<float>::quiet_NaN();
      return;
    }
    // A subnormal scale keeps the minimum exponent, as operands do.
    const int min_exponent =
        type == DType::kUE8M0 ? -127 : 1 - values::Info(type).bias;
    const int exponent =
        value == 0 ? min_exponent : std::max(std::ilogb(value), min_exponent);
    out_.scale_exponent[i] = exponent;
    out_.scale_power[i] = std::ldexp(1.0f, exponent);
    out_.scale_value[i] = static_cast<float>(std::ldexp(value, -exponent));
  }

  Decoder decoder_;
  CodeView codes_;
  int64_t padded_ = 0;
  std::vector<int64_t> position_;
  Prepared out_;
};

}  // namespace

Prepared PrepareA(const MmaRule& rule, const CodeView& codes, int64_t rows,
                  int64_t k, const ScaleView& scales, bool negate) {
  return Preparer(rule, Prepared::Side::kA, codes, rows, k).Run(scales, negate);
}

Prepared PrepareB(const MmaRule& rule, const CodeView& codes, int64_t rows,
                  int64_t k, const ScaleView& scales, bool negate) {
  return Preparer(rule, Prepared::Side::kB, codes, rows, k).Run(scales, negate);
}

}  // namespace tilesim::arith
