#include "ptx/machine/predicated.h"

#include <algorithm>
#include <string_view>

namespace tilesim::ptx {
namespace {

constexpr int kMost = 6, kMostWithLoads = 16;  // instructions

bool IsFormOf(std::string_view s, std::string_view with) {
  return s.starts_with(with) &&
         (s.size() == with.size() || s[with.size()] == '.');
}

bool IsLoad(std::string_view s) {
  return IsFormOf(s, "ld.global") || IsFormOf(s, "ld.shared");
}

// Of operations: those that take a predicate where ptxas does it.
bool MayBePredicated(const Node& n) {
  if (n.op == nullptr || n.guard >= 0) return false;
  const std::string_view s = n.instruction().opcode;
  if (n.op->kind == OpKind::kValue)
    return n.op->unit != Unit::kCrossLane && n.op->unit != Unit::kTensorCore &&
           !IsFormOf(s, "div") && !IsFormOf(s, "rem");
  return IsLoad(s) || IsFormOf(s, "st.global") || IsFormOf(s, "st.shared") ||
         IsFormOf(s, "mbarrier.arrive") || IsFormOf(s, "mbarrier.init") ||
         IsFormOf(s, "mbarrier.inval") || IsFormOf(s, "cp.async.ca") ||
         IsFormOf(s, "cp.async.cg");
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
