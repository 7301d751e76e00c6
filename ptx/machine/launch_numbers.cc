#include "ptx/machine/launch_numbers.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/machine/operands.h"
#include "ptx/scalar/scalar.h"

namespace tilesim::ptx {
namespace {

constexpr int kMostDefinitions = 8;

class Numbers {
 public:
  Numbers(const Graph& graph, const Memory& memory)
      : graph_(graph), memory_(memory) {}

  std::optional<uint64_t> Of(int32_t reg, int steps) const {
    const Node* n =
        steps >= kMostDefinitions ? nullptr : OnlyDefinition(graph_, reg);
    if (n == nullptr || n->op == nullptr || n->guard >= 0 ||
        n->defines.size() != 1)
      return std::nullopt;
    if (n->instruction().opcode.starts_with("ld.param")) return Param(*n);
    return n->op->kind == OpKind::kValue ? Computed(*n, steps) : std::nullopt;
  }

 private:
  std::optional<uint64_t> Param(const Node& n) const {
    const std::string_view spelling = n.instruction().opcode;
    const std::string_view type = spelling.substr(spelling.rfind('.') + 1);
    const auto bytes = static_cast<int>(ScalarBytes(type));
    for (const Leaf& leaf : LeavesOf(graph_, n)) {
      if (leaf.of != 1) continue;
      const auto at = SourceOf(leaf, graph_, memory_);
      if (!at || at->reg >= 0 || at->special != Special::kNone || bytes == 0)
        return std::nullopt;
      auto bits = memory_.ParamBits(at->bits, bytes);
      if (bits && type[0] == 's' && bytes < 8 &&
          (*bits >> (8 * bytes - 1) & 1) != 0)
        *bits |= ~uint64_t{0} << (8 * bytes);
      return bits;
    }
    return std::nullopt;
  }

  std::optional<uint64_t> Computed(const Node& n, int steps) const {
    std::string why;
    const auto op = CompileScalar(n.instruction(), &why);
    if (!op || op->outputs != 1) return std::nullopt;
    Words in{};
    size_t count = 0;
    for (const Leaf& leaf : LeavesOf(graph_, n)) {
      if (leaf.of == 0) continue;
      if (count >= op->inputs) return std::nullopt;
      const auto source =
          SourceOf(leaf, graph_, memory_, op->input_types[count]);
      if (!source || source->special != Special::kNone || source->negated)
        return std::nullopt;
      std::optional<uint64_t> value = source->bits;
      if (source->reg >= 0) {
        value = source->bits == 0 ? Of(source->reg, steps + 1) : std::nullopt;
      }
      if (!value) return std::nullopt;
      in[count++] = *value;
    }
    if (count != op->inputs) return std::nullopt;
    return Execute(*op, in)[0];
  }

  const Graph& graph_;
  const Memory& memory_;
};

}  // namespace

std::map<int32_t, int64_t> NumbersAtLaunch(const Graph& graph,
                                           const Memory& memory) {
  std::map<int32_t, int64_t> fixed;
  const Numbers numbers(graph, memory);
  for (size_t i = 0; i < graph.registers.size(); ++i) {
    const auto reg = static_cast<int32_t>(i);
    const auto n = numbers.Of(reg, 0);
    if (n) fixed[reg] = static_cast<int64_t>(*n);
  }
  return fixed;
}

const Node* OnlyDefinition(const Graph& graph, int32_t reg) {
  if (reg < 0) return nullptr;
  const int32_t node = graph.defined_by[static_cast<size_t>(reg)];
  return node < 0 ? nullptr : &graph.nodes[static_cast<size_t>(node)];
}

std::optional<uint64_t> NumberAtLaunch(const Graph& graph, const Memory& memory,
                                       int32_t reg) {
  return Numbers(graph, memory).Of(reg, 0);
}

}  // namespace tilesim::ptx
