#include "ptx/machine/predicated.h"

#include <algorithm>
#include <string_view>

namespace tilesim::ptx {
namespace {

constexpr int kMost = 6, kMostWithLoads = 16;  // instructions

bool Begins(std::string_view s, std::string_view with) {
  return s.starts_with(with) &&
         (s.size() == with.size() || s[with.size()] == '.');
}

bool IsLoad(std::string_view s) {
  return Begins(s, "ld.global") || Begins(s, "ld.shared");
}

// Of operations: those that take a predicate where ptxas does it.
bool MayBePredicated(const Node& n) {
  if (n.op == nullptr || n.guard >= 0) return false;
  const std::string_view s = n.instruction().opcode;
  if (n.op->kind == OpKind::kValue)
    return n.op->unit != Unit::kCrossLane && n.op->unit != Unit::kTensorCore &&
           !Begins(s, "div") && !Begins(s, "rem");
  return IsLoad(s) || Begins(s, "st.global") || Begins(s, "st.shared") ||
         Begins(s, "mbarrier.arrive") || Begins(s, "mbarrier.init") ||
         Begins(s, "mbarrier.inval") || Begins(s, "cp.async.ca") ||
         Begins(s, "cp.async.cg");
}

}  // namespace

bool IsPredicated(const Graph& g, int32_t branch) {
  const int32_t here = g.BlockOf(branch);
  const std::vector<int32_t>& to = g.nodes[branch].targets;
  // Over the next block alone, to which no other way leads.
  if (to.size() != 1 || to[0] != here + 2) return false;
  const Block& over = g.blocks[here + 1];
  if (over.previous != std::vector<int32_t>{here} ||
      over.next != std::vector<int32_t>{here + 2})
    return false;
  int loads = 0;
  for (int32_t i = over.first; i < over.last; ++i) {
    if (!MayBePredicated(g.nodes[i])) return false;
    loads += IsLoad(g.nodes[i].instruction().opcode);
  }
  return over.last - over.first <= (loads > 0 ? kMostWithLoads : kMost);
}

}  // namespace tilesim::ptx
