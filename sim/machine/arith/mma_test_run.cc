#include "sim/machine/arith/mma_test_run.h"

#include <span>

#include "ir/values/convert.h"
#include "sim/machine/arith/mma.h"
#include "sim/machine/arith/mma_reference.h"

namespace tilesim::arith {
namespace {

std::vector<uint8_t> Pack(DType type, const std::vector<uint32_t>& codes) {
  std::vector<uint8_t> packed(values::BytesOf(type, codes.size()));
  for (size_t i = 0; i < codes.size(); ++i) {
    values::StoreCode(type, packed.data(), i, codes[i]);
  }
  return packed;
}

Prepared Prepare(const MmaRule& rule, DType type, int rows, int k,
                 const std::vector<uint32_t>& codes,
                 const std::vector<uint32_t>& scales, bool is_a) {
  const std::vector<uint8_t> data = Pack(type, codes);
  const std::vector<uint8_t> scale_data(scales.begin(), scales.end());
  const CodeView view{data.data(), type, k, 1};
  const ScaleView scale_view{scale_data.data(),
                             rule.is_scaled() ? k / rule.scale_block : 0, 1};
  return is_a ? PrepareA(rule, view, rows, k, scale_view)
              : PrepareB(rule, view, rows, k, scale_view);
}

template <typename D>
std::vector<uint32_t> RunTyped(const MmaRule& rule, const Inputs& in,
                               const Prepared& a, const Prepared& b) {
  std::vector<D> d(in.c.size());
  for (size_t i = 0; i < d.size(); ++i) {
    values::StoreCode(rule.d, d.data(), i, in.c[i]);
  }
  Mma(a, b, d.data(), in.n, in.accumulate);
  std::vector<uint32_t> codes(d.size());
  for (size_t i = 0; i < d.size(); ++i) {
    codes[i] = static_cast<uint32_t>(values::LoadCode(rule.d, d.data(), i));
  }
  return codes;
}

// Codes of one row that one instruction reads.
std::span<const uint32_t> Piece(const std::vector<uint32_t>& codes, int row,
                                int row_length, int first, int count) {
  return std::span(codes).subspan(row * row_length + first, count);
}

ReferenceOperand Operand(const MmaRule& rule, const Inputs& in, bool is_a,
                         int row, int first) {
  ReferenceOperand operand{is_a ? in.a_type : in.b_type,
                           Piece(is_a ? in.a : in.b, row, in.k, first, rule.k)};
  if (rule.is_scaled()) {
    operand.scales =
        Piece(is_a ? in.a_scales : in.b_scales, row, in.k / rule.scale_block,
              first / rule.scale_block, rule.k / rule.scale_block);
  }
  return operand;
}

}  // namespace

std::vector<uint32_t> RunFast(const MmaRule& rule, const Inputs& in) {
  const Prepared a =
      Prepare(rule, in.a_type, in.m, in.k, in.a, in.a_scales, true);
  const Prepared b =
      Prepare(rule, in.b_type, in.n, in.k, in.b, in.b_scales, false);
  switch (rule.d) {
    case DType::kF16:
      return RunTyped<uint16_t>(rule, in, a, b);
    case DType::kS32:
      return RunTyped<int32_t>(rule, in, a, b);
    default:
      return RunTyped<float>(rule, in, a, b);
  }
}

std::vector<uint32_t> RunReference(const MmaRule& rule, const Inputs& in) {
  std::vector<uint32_t> d;
  for (int m = 0; m < in.m; ++m) {
    for (int n = 0; n < in.n; ++n) {
      uint32_t c = in.accumulate ? in.c[m * in.n + n] : 0;
      for (int k = 0; k < in.k; k += rule.k) {
        c = ReferenceElement(rule, Operand(rule, in, true, m, k),
                             Operand(rule, in, false, n, k), c);
      }
      d.push_back(c);
    }
  }
  return d;
}

std::vector<std::pair<DType, DType>> TypePairs(const MmaRule& rule) {
  std::vector<DType> types;
  for (const values::DTypeInfo& info : values::kDTypes) {
    if (Contains(rule.operands, info.type)) types.push_back(info.type);
  }
  std::vector<std::pair<DType, DType>> pairs;
  for (size_t i = 0; i < types.size(); ++i) {
    pairs.push_back({types[i], types[i]});
    if (types.size() > 1) {
      pairs.push_back({types[i], types[(i + 1) % types.size()]});
    }
  }
  return pairs;
}

}  // namespace tilesim::arith
