// One MMA statement: D (+)= A * B^T by the rule of the instruction, and a spot
// check of one element against the slow reference.
#ifndef TILESIM_SIM_MACHINE_DATA_MULTIPLY_H_
#define TILESIM_SIM_MACHINE_DATA_MULTIPLY_H_

#include <cstdint>

#include "sim/machine/arith/mma.h"
#include "sim/machine/data/dense.h"
#include "sim/machine/data/job.h"

namespace tilesim::machine {

// A or B: rows x K codes, or K x rows of them when transposed.
struct MmaOperand {
  Dense codes;
  bool transposed = false;
  Dense scales;  // rows x blocks, for scaled rules

  int64_t rows() const { return transposed ? codes.cols : codes.rows; }
  int64_t k() const { return transposed ? codes.rows : codes.cols; }
};

arith::Prepared PrepareOperand(const arith::MmaRule& rule,
                               const MmaOperand& operand,
                               arith::Prepared::Side side);

// An operand and what it was prepared as.
struct MmaSide {
  MmaSide(const arith::MmaRule& rule, MmaOperand o, arith::Prepared::Side side)
      : operand(std::move(o)), prepared(PrepareOperand(rule, operand, side)) {}

  MmaOperand operand;
  arith::Prepared prepared;
};

// The rule for `key`, or nullptr and a finding: the unit has no such
// instruction, or K is not whole instructions.
const arith::MmaRule* RuleFor(Job& job, arith::MmaKey key, int64_t k);

// Rows and K of an operand's box as the MMA uses it.
inline int64_t MmaRows(const ir::TileValue& t) {
  return t.transposed ? t.cols() : t.rows();
}
inline int64_t MmaK(const ir::TileValue& t) {
  return t.transposed ? t.rows() : t.cols();
}

// Whether A is m x K and B n x K for the same K, in order for packed types.
bool ShapesFit(Job& job, const ir::TileValue& a, const ir::TileValue& b,
               int64_t m, int64_t n);

// d: a.rows x b.rows codes of rule.d.
void Multiply(Job& job, const MmaSide& a, const MmaSide& b, Dense& d,
              bool accumulate);

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_MULTIPLY_H_
