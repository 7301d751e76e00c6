#include "sim/machine/data/multiply.h"

#include <vector>

#include "ir/cat.h"
#include "sim/machine/arith/mma_reference.h"

namespace tilesim::machine {
namespace {

using arith::MmaRule;
using arith::Prepared;
using ir::DType;

// Codes [first, first + count) along K of one row.
std::vector<uint32_t> CodesOf(const MmaOperand& o, int64_t row, int64_t first,
                              int64_t count) {
  std::vector<uint32_t> codes(count);
  for (int64_t i = 0; i < count; ++i) {
    int64_t k = first + i;
    codes[i] = static_cast<uint32_t>(
        o.transposed ? values::LoadCode(o.codes.type, o.codes.Row(k), row)
                     : values::LoadCode(o.codes.type, o.codes.Row(row), k));
  }
  return codes;
}

std::vector<uint32_t> ScalesOf(const MmaRule& rule, const MmaOperand& o,
                               int64_t row, int64_t first) {
  if (!rule.is_scaled()) return {};
  const uint8_t* scales = o.scales.Row(row) + first / rule.scale_block;
  return {scales, scales + rule.k / rule.scale_block};
}

// Element (row, col) of D, one instruction after another.
uint32_t ReferenceElement(const MmaSide& a, const MmaSide& b, int64_t row,
                          int64_t col, uint32_t c) {
  const MmaRule& rule = a.prepared.rule;
  for (int64_t k = 0; k < a.operand.k(); k += rule.k) {
    std::vector<uint32_t> x = CodesOf(a.operand, row, k, rule.k);
    std::vector<uint32_t> y = CodesOf(b.operand, col, k, rule.k);
    std::vector<uint32_t> sx = ScalesOf(rule, a.operand, row, k);
    std::vector<uint32_t> sy = ScalesOf(rule, b.operand, col, k);
    c = arith::ReferenceElement(rule, {a.operand.codes.type, x, sx},
                                {b.operand.codes.type, y, sy}, c);
  }
  return c;
}

void Fast(const MmaSide& a, const MmaSide& b, Dense& d, bool accumulate) {
  auto run = [&](auto* codes) {
    arith::Mma(a.prepared, b.prepared, codes, d.cols, accumulate);
  };
  if (d.type == DType::kF16) return run(reinterpret_cast<uint16_t*>(d.Row(0)));
  if (d.type == DType::kS32) return run(reinterpret_cast<int32_t*>(d.Row(0)));
  run(reinterpret_cast<float*>(d.Row(0)));
}

}  // namespace

Prepared PrepareOperand(const MmaRule& rule, const MmaOperand& o,
                        Prepared::Side side) {
  arith::CodeView view{o.codes.data.data(), o.codes.type, o.codes.cols, 1};
  if (o.transposed) std::swap(view.row_stride, view.k_stride);
  arith::ScaleView scales{o.scales.data.data(), o.scales.cols, 1};
  auto prepare = side == Prepared::Side::kA ? arith::PrepareA : arith::PrepareB;
  return prepare(rule, view, o.rows(), o.k(), scales, /*negate=*/false);
}

const MmaRule* RuleFor(Job& job, arith::MmaKey key, int64_t k) {
  const MmaRule* rule = arith::FindRule(key);
  // Some kinds have a shorter instruction too.
  for (int shorter = 32; rule != nullptr && k % rule->k != 0 && shorter >= 4;
       shorter /= 2) {
    key.k = shorter;
    const MmaRule* other = arith::FindRule(key);
    if (other != nullptr && k % other->k == 0) rule = other;
  }
  if (rule != nullptr && k > 0 && k % rule->k == 0) return rule;
  job.Fault("shape/instruction",
            ir::Cat(job.op().info().mnemonic, " has no instruction for ",
                    values::NameOf(key.a), " times ", values::NameOf(key.b),
                    " into ", values::NameOf(key.d), " with K = ", k));
  return nullptr;
}

bool ShapesFit(Job& job, const ir::TileValue& a, const ir::TileValue& b,
               int64_t m, int64_t n) {
  bool packed = values::BitsOf(a.dtype) < 8 || values::BitsOf(b.dtype) < 8;
  bool fits = MmaRows(a) == m && MmaRows(b) == n && MmaK(a) == MmaK(b) &&
              !(packed && (a.transposed || b.transposed));
  if (!fits) {
    job.Fault(
        "shape/mismatch",
        ir::Cat("A is ", MmaRows(a), " x ", MmaK(a), " and B ", MmaRows(b),
                " x ", MmaK(b), "; ", m, " x K and ", n, " x K were needed"));
  }
  return fits;
}

void Multiply(Job& job, const MmaSide& a, const MmaSide& b, Dense& d,
              bool accumulate) {
  MmaTally& tally = job.tally();
  // Any element will do, as long as it is another one each time.
  uint64_t pick = static_cast<uint64_t>(tally.checked + 1) * 0x9e3779b97f4a7c15;
  int64_t row = static_cast<int64_t>((pick >> 16) % d.rows);
  int64_t col = static_cast<int64_t>((pick >> 40) % d.cols);
  auto element = [&] {
    return static_cast<uint32_t>(values::LoadCode(d.type, d.Row(row), col));
  };
  uint32_t c = accumulate ? element() : 0;
  Fast(a, b, d, accumulate);
  ++tally.checked;
  tally.equal += element() == ReferenceElement(a, b, row, col, c) ? 1 : 0;
}

}  // namespace tilesim::machine
