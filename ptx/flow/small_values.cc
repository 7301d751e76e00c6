#include "ptx/flow/small_values.h"

#include <algorithm>

namespace tilesim::ptx::small_values {
namespace {

// s32, u16, b64; not bf16 or sat
bool IsOfIntegers(std::string_view type) {
  return type.size() > 1 &&
         (type[0] == 's' || type[0] == 'u' || type[0] == 'b') &&
         type[1] >= '0' && type[1] <= '9';
}

// cvt between integers of any width.
Value Converted(std::string_view opcode, int64_t a) {
  const bool integers = IsOfIntegers(Modifier(opcode, 1)) &&
                        IsOfIntegers(Modifier(opcode, 2)) &&
                        Modifier(opcode, 3).empty();
  return integers && a >= 0 && a < 128 ? Value(a) : std::nullopt;
}

}  // namespace

Value Register(int32_t reg, const Known& known) {
  auto found = known.find(reg);
  return found == known.end() ? Value() : found->second;
}

Value Read(const Graph& graph, const Node& node, size_t k, size_t* next,
           const Known& known) {
  const Instruction& i = node.instruction();
  if (k >= i.operands.size()) return std::nullopt;
  const Operand& o = i.operands[k];
  if (o.kind == Operand::Kind::kNumber) return o.number.value();
  bool plain = o.kind == Operand::Kind::kName && !o.has_offset;
  if (!plain || *next >= node.reads.size()) return std::nullopt;
  // Special registers and symbols are none of the reads.
  if (graph.registers[node.reads[*next]] != o.name) return std::nullopt;
  Value value = Register(node.reads[(*next)++], known);
  if (value && o.negated) value = *value == 0;
  return value;
}

std::string_view Modifier(std::string_view opcode, int number) {
  for (; number > 0 && !opcode.empty(); --number)
    opcode.remove_prefix(std::min(opcode.find('.'), opcode.size() - 1) + 1);
  return opcode.substr(0, opcode.find('.'));
}

Value Compare(std::string_view opcode, int64_t a, int64_t b) {
  const std::string_view how = Modifier(opcode, 1);
  if (how == "eq") return a == b;
  if (how == "ne") return a != b;
  const std::string_view type = opcode.substr(opcode.rfind('.') + 1);
  if (!IsSmall(a) || !IsSmall(b) || !IsOfIntegers(type)) return std::nullopt;
  if (how == "lt" || how == "lo") return a < b;
  if (how == "le" || how == "ls") return a <= b;
  if (how == "gt" || how == "hi") return a > b;
  if (how == "ge" || how == "hs") return a >= b;
  return std::nullopt;
}

// Of the instructions that compilers put between a wait and its branch.
Value ValueOf(const Graph& graph, const Node& node, const Known& known) {
  std::string_view op = node.op->opcode;
  size_t next = 0;
  Value a = Read(graph, node, 1, &next, known),
        b = Read(graph, node, 2, &next, known),
        c = Read(graph, node, 3, &next, known);
  if (op == "mov") return a;
  if (op == "not" && node.instruction().opcode == "not.pred" && a)
    return *a == 0;
  if (op == "selp" && c) return *c != 0 ? a : b;
  if (op == "cvt" && a) return Converted(node.instruction().opcode, *a);
  if (!a || !b) return std::nullopt;
  if (op == "and") return *a & *b;
  if (op == "or") return *a | *b;
  if (op == "xor") return *a ^ *b;
  if (op == "setp" && node.instruction().operands.size() == 3)
    return Compare(node.instruction().opcode, *a, *b);
  return std::nullopt;
}

}  // namespace tilesim::ptx::small_values
