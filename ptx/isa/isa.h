// What is known of instructions, from isa.def.
//
//   const Op* op = FindOp("ld.shared::cta.v2.b32");   // the row of "ld"
//   RoleOf(*op, 0, 2) == Role::kDefined
#ifndef TILESIM_PTX_ISA_ISA_H_
#define TILESIM_PTX_ISA_ISA_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "ptx/text/module.h"

namespace tilesim::ptx {

enum class Unit : uint8_t {
  kInteger,
  kFloat,
  kSpecialFunction,
  kConversion,
  kMove,
  kCrossLane,
  kBranchUnit,
  kMemory,
  kBarrier,
  kFence,
  kAsyncCopy,
  kTensorCore,
  kTensorMemory,
  kGrid,
  kRegisterPool,
};

enum class OpKind : uint8_t { kValue, kAccess, kOp, kBranch };

// What an instruction does with an operand.
enum class Role : uint8_t {
  kDefined,
  kRead,     // decides what is done
  kData,     // read, and passed on only
  kUpdated,  // data, read and defined
  kAddress,
  kLabel,
  kNone,
};

struct Op {
  std::string_view opcode;
  std::string_view operands;  // letters of isa.def
  Unit unit;
  OpKind kind;
};

std::span<const Op> AllOps();

// The row of a spelling, or null: the instruction is not known.
const Op* FindOp(std::string_view spelling);

// The unit of a spelling: `add.f32` is no integer instruction, though its row
// says so for most types.
Unit UnitOf(const Op& op, std::string_view spelling);

// The role of operand `index` of this instruction.
Role RoleOf(const Op& op, const Instruction& instruction, size_t index);

std::string_view NameOf(Unit unit);

// "%tid.x": a register that PTX predefines (PTX ISA 10), known here or not.
bool IsSpecialRegister(std::string_view name);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_ISA_ISA_H_
