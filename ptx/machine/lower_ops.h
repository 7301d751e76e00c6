// Which op of the table an instruction is, and who fills in its operands.
#ifndef TILESIM_PTX_MACHINE_LOWER_OPS_H_
#define TILESIM_PTX_MACHINE_LOWER_OPS_H_

#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "ir/code.h"
#include "ir/modifier.h"
#include "ir/op.h"
#include "ptx/machine/operands.h"
#include "ptx/machine/program.h"

namespace tilesim::ptx {

inline constexpr ir::Code kUnsupported = "lower/unsupported";
inline constexpr ir::Code kNoLaunch = "shape/block";

// The number of the choice of a modifier M that means `value`.
template <class M>
constexpr uint8_t ChoiceOf(ir::ValueOf<M> value) {
  uint8_t at = 0;
  for (const auto& choice : M::kChoices) {
    if (choice.value == value) break;
    ++at;
  }
  return at;
}

// An instruction that is being made an operation.
struct Making {
  const Graph& graph;
  const Node& node;
  const Memory& memory;
  std::vector<Leaf> leaves;
  // Numbers of graph registers that are followed; -1: nobody wants it.
  const std::vector<int32_t>& slots;

  // What came of it.
  Step& step;
  bool waits = false;       // it is the test of a loop that only waits
  bool letter = false;      // Program::letter
  bool only_reads = false;  // Followed::only_read
  ir::OpKind op = ir::OpKind::kBarSync;
  std::vector<uint8_t> mods = {};
  std::vector<ir::OpKind> before = {};  // without operands, by the same threads
  // Kinds and spaces of operands, as far as they are known beforehand.
  struct Fixed {
    int operand;
    ir::OperandValue::Kind kind;
    ir::Space space = ir::Space::kGlobal;
  };
  std::vector<Fixed> fixed = {};
  std::string why = {};  // it cannot be executed

  std::string_view spelling() const { return node.instruction().opcode; }
  bool Has(std::string_view modifier) const {
    return node.instruction().Has(modifier);
  }
  // The choice of a modifier M that the spelling has; the first: none.
  template <class M>
  uint8_t Written() const {
    for (size_t i = 0; i < std::size(M::kChoices); ++i) {
      std::string_view word = M::kChoices[i].spelling;
      if (!word.empty() && HasWord(word)) return static_cast<uint8_t>(i);
    }
    return 0;
  }
  bool HasWord(std::string_view word) const;  // Has(".WORD")
  const Operand& operand(size_t i) const {
    return node.instruction().operands[i];
  }
  size_t operands() const { return node.instruction().operands.size(); }
  // The first leaf of an operand as a source, added to the step.
  bool Add(size_t operand, size_t part = 0);
  bool AddConstant(int64_t n);
  // Targets of the registers that an operand names.
  void Results(size_t operand);
  bool Refuse(std::string reason);
  void Tile(int operand, ir::Space space) {
    fixed.push_back({operand, ir::OperandValue::Kind::kTile, space});
  }
  void Int(int operand) {
    fixed.push_back({operand, ir::OperandValue::Kind::kInt});
  }
  void BarrierAt(int operand) {
    fixed.push_back({operand, ir::OperandValue::Kind::kBarrier});
  }
};

// False: `why` says why it cannot be executed.
using Make = bool (*)(Making& making);

struct OpRow {
  std::string_view opcode;  // the longest that begins a spelling is its row
  Make make;
};

// The files fill_*.cc have them.
const std::vector<OpRow>& BarrierRows();
const std::vector<OpRow>& BulkRows();
const std::vector<OpRow>& CopyRows();
const std::vector<OpRow>& MemoryRows();
const std::vector<OpRow>& SyncRows();
const std::vector<OpRow>& Tcgen05Rows();
const std::vector<OpRow>& TensormapRows();
const std::vector<OpRow>& WgmmaRows();

// Of fence.proxy.tensormap, and of the read of its map before a tensor copy
// (fill_tensormap.cc).
bool MakeTensormapFence(Making& making);
bool FillMapRead(Filling& filling, const Step& step, ir::ConcreteOp& out);

// Null: no operation.
const OpRow* FindRow(std::string_view spelling);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_LOWER_OPS_H_
