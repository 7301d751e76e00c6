#include "ptx/machine/operands.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tilesim::ptx {
namespace {

struct Row {
  std::string_view name;
  Special special;
};
constexpr Row kRows[] = {
    {"%tid.x", Special::kTidX},
    {"%tid.y", Special::kTidY},
    {"%tid.z", Special::kTidZ},
    {"%laneid", Special::kLane},
    {"%warpid", Special::kWarp},
    {"%ctaid.x", Special::kCtaX},
    {"%ctaid.y", Special::kCtaY},
    {"%ctaid.z", Special::kCtaZ},
    {"%cluster_ctarank", Special::kRank},
    {"%cluster_ctaid.x", Special::kCtaInX},
    {"%cluster_ctaid.y", Special::kCtaInY},
    {"%cluster_ctaid.z", Special::kCtaInZ},
    {"%clusterid.x", Special::kClusterX},
    {"%clusterid.y", Special::kClusterY},
    {"%clusterid.z", Special::kClusterZ},
    {"%lanemask_lt", Special::kLaneLt},
    {"%lanemask_le", Special::kLaneLe},
    {"%lanemask_eq", Special::kLaneEq},
    {"%lanemask_ge", Special::kLaneGe},
    {"%lanemask_gt", Special::kLaneGt},
    {"%clock", Special::kAnyNumber},
    {"%clock64", Special::kAnyNumber},
    {"%clock_hi", Special::kAnyNumber},
    {"%globaltimer", Special::kAnyNumber},
    {"%globaltimer_lo", Special::kAnyNumber},
    {"%globaltimer_hi", Special::kAnyNumber},
    {"%smid", Special::kAnyNumber},
    {"%gridid", Special::kAnyNumber},
};

// Registers of a node in the order in which the graph has collected them.
class Registers {
 public:
  Registers(const Graph& graph, const Node& node)
      : graph_(graph), node_(node) {}

  int32_t Find(Role role, std::string_view name) {
    switch (role) {
      case Role::kDefined:
        return Next(node_.defines, defines_, name);
      case Role::kRead:
      case Role::kAddress:
        return Next(node_.reads, reads_, name);
      case Role::kData:
        return Next(node_.data, data_, name);
      case Role::kUpdated:
        Next(node_.data, data_, name);
        return Next(node_.defines, defines_, name);
      case Role::kLabel:
      case Role::kNone:
        break;
    }
    return -1;
  }

 private:
  int32_t Next(const std::vector<int32_t>& all, size_t& at,
               std::string_view name) {
    if (at >= all.size()) return -1;
    std::string_view whole = name.substr(0, name.find('.'));
    return graph_.registers[all[at]] == whole ? all[at++] : -1;
  }

  const Graph& graph_;
  const Node& node_;
  size_t defines_ = 0, reads_ = 0, data_ = 0;
};

void Collect(const Operand& o, size_t of, Role role, Registers& registers,
             std::vector<Leaf>& out) {
  bool group = o.kind == Operand::Kind::kVector ||
               o.kind == Operand::Kind::kAddress ||
               o.kind == Operand::Kind::kPair || o.kind == Operand::Kind::kList;
  if (!group) {
    int32_t reg =
        o.kind == Operand::Kind::kName ? registers.Find(role, o.name) : -1;
    out.push_back({&o, of, reg});
  }
  for (const Operand& part : o.parts) Collect(part, of, role, registers, out);
}

}  // namespace

std::vector<Leaf> LeavesOf(const Graph& graph, const Node& node) {
  std::vector<Leaf> out;
  Registers registers(graph, node);
  const Instruction& i = node.instruction();
  for (size_t k = 0; k < i.operands.size(); ++k)
    Collect(i.operands[k], k, RoleOf(*node.op, i, k), registers, out);
  return out;
}

Special SpecialNamed(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.special;
  }
  return Special::kNone;
}

bool DiffersByThread(Special special) {
  switch (special) {
    case Special::kNone:
    case Special::kCtaX:
    case Special::kCtaY:
    case Special::kCtaZ:
    case Special::kRank:
    case Special::kCtaInX:
    case Special::kCtaInY:
    case Special::kCtaInZ:
    case Special::kClusterX:
    case Special::kClusterY:
    case Special::kClusterZ:
    case Special::kShared:
      return false;
    default:
      return true;
  }
}

namespace {

bool IsLine(const Dim3& block) { return block[1] * block[2] == 1; }

}  // namespace

uint64_t NumberOf(Special special, const Memory& memory,
                  const machine::Cta& cta, int64_t thread) {
  const Dim3& block = memory.block();
  const Dim3& cluster = memory.cluster();
  auto lane = static_cast<uint32_t>(thread % ir::kWarpThreads);
  auto inside = [&](int d) { return uint64_t(cta.id[d] % cluster[d]); };
  auto outside = [&](int d) { return uint64_t(cta.id[d] / cluster[d]); };
  uint32_t bit = uint32_t{1} << lane;
  switch (special) {
    case Special::kTidX:  // that is not there: behind the last one
      return static_cast<uint64_t>(IsLine(block) ? thread : thread % block[0]);
    case Special::kTidY:
      return static_cast<uint64_t>(thread / block[0] % block[1]);
    case Special::kTidZ:
      return static_cast<uint64_t>(thread / block[0] / block[1]);
    case Special::kLane:
      return lane;
    case Special::kWarp:
      return static_cast<uint64_t>(thread / ir::kWarpThreads);
    case Special::kCtaX:
      return static_cast<uint64_t>(cta.id[0]);
    case Special::kCtaY:
      return static_cast<uint64_t>(cta.id[1]);
    case Special::kCtaZ:
      return static_cast<uint64_t>(cta.id[2]);
    case Special::kRank:
      return cta.rank;
    case Special::kCtaInX:
      return inside(0);
    case Special::kCtaInY:
      return inside(1);
    case Special::kCtaInZ:
      return inside(2);
    case Special::kClusterX:
      return outside(0);
    case Special::kClusterY:
      return outside(1);
    case Special::kClusterZ:
      return outside(2);
    case Special::kShared:
      return uint64_t{cta.rank} << kRankShift;
    case Special::kLaneLt:
      return bit - 1;
    case Special::kLaneLe:
      return bit | (bit - 1);
    case Special::kLaneEq:
      return bit;
    case Special::kLaneGe:
      return ~(bit - 1);
    case Special::kLaneGt:
      return ~(bit | (bit - 1));
    case Special::kMissing:
      return thread >= block[0] * block[1] * block[2];
    case Special::kNone:
    case Special::kAnyNumber:
      break;
  }
  return 0;
}

std::optional<Source> SourceOf(const Leaf& leaf, const Graph& graph,
                               const Memory& memory, Type type) {
  const Operand& o = *leaf.operand;
  Source s;
  s.negated = o.negated;
  if (o.kind == Operand::Kind::kNumber) {
    s.bits = ConstantBits(o.number, type);
    return s;
  }
  if (o.has_offset) s.bits = o.number.bits;
  s.reg = leaf.reg;
  if (leaf.reg >= 0) {
    s.width = graph.register_bits[leaf.reg];
    return s;
  }
  s.special = SpecialNamed(o.name);
  if (s.special != Special::kNone) return s;
  if (std::optional<uint64_t> offset = memory.SharedOffset(o.name)) {
    s.special = Special::kShared;
    s.bits += *offset;
    return s;
  }
  std::optional<uint64_t> fixed = memory.Constant(o.name);
  if (!fixed) return std::nullopt;
  s.bits += *fixed;
  return s;
}

namespace {

constexpr int kMostMoves = 16;

std::optional<uint64_t> ConstantIn(const Graph& graph, int32_t reg, int steps) {
  std::optional<uint64_t> out;
  for (const Node& n : graph.nodes) {
    if (std::find(n.defines.begin(), n.defines.end(), reg) == n.defines.end())
      continue;
    const std::vector<Operand>& operands = n.instruction().operands;
    const bool moves = n.op != nullptr && n.op->opcode == "mov" &&
                       n.guard < 0 && operands.size() == 2;
    if (!moves || out) return std::nullopt;
    if (operands[1].kind == Operand::Kind::kNumber)
      out = static_cast<uint64_t>(operands[1].number.value());
    if (n.reads.size() == 1 && steps < kMostMoves)
      out = ConstantIn(graph, n.reads[0], steps + 1);
    if (!out) return std::nullopt;
  }
  return out;
}

}  // namespace

std::optional<uint64_t> ConstantIn(const Graph& graph, int32_t reg) {
  return ConstantIn(graph, reg, 0);
}

}  // namespace tilesim::ptx
