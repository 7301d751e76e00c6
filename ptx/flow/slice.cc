#include "ptx/flow/slice.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace tilesim::ptx {
namespace {

class Slice {
 public:
  // `computing`: branches that decide only if something needs what their ways
  // compute.
  Slice(const Graph& graph, std::vector<Computing> computing)
      : graph_(graph),
        computing_(std::move(computing)),
        wanted_(graph.registers.size()) {
    definitions_.resize(graph.registers.size());
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      for (int32_t reg : graph.nodes[i].defines)
        definitions_[reg].push_back(static_cast<int32_t>(i));
    }
    std::vector<bool> later(graph.nodes.size());
    for (const Computing& branch : computing_) later[branch.node] = true;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const Node& node = graph.nodes[i];
      const bool decides =
          node.op != nullptr && node.op->kind != OpKind::kValue;
      if (decides && !later[i]) WantAll(node);
      if (IsAligned(node)) Want(node.guard);
    }
    do {
      while (!todo_.empty()) Follow();
    } while (AddBranches());
  }

  // Those that nothing needs.
  const std::vector<Computing>& idle() const { return computing_; }

  // Whether something that decides needs what the node computes.
  bool Holds(const Node& node) const {
    for (int32_t reg : node.defines) {
      if (wanted_[reg]) return true;
    }
    return false;
  }

 private:
  // Branches that do decide. False: there are no more.
  bool AddBranches() {
    return std::erase_if(computing_, [&](const Computing& branch) {
             const bool decides =
                 std::any_of(branch.defines.begin(), branch.defines.end(),
                             [&](int32_t reg) { return wanted_[reg]; });
             if (decides) WantAll(graph_.nodes[branch.node]);
             return decides;
           }) > 0;
  }

  void Want(int32_t reg) {
    if (reg < 0 || wanted_[reg]) return;
    wanted_[reg] = true;
    todo_.push_back(reg);
  }

  void WantAll(const Node& node) {
    Want(node.guard);
    for (int32_t reg : node.reads) Want(reg);
  }

  void Follow() {
    int32_t reg = todo_.back();
    todo_.pop_back();
    for (int32_t at : definitions_[reg]) {
      const Node& node = graph_.nodes[at];
      WantAll(node);
      // What memory returns is not made of data that is passed to it.
      if (node.op->kind == OpKind::kValue)
        for (int32_t data : node.data) Want(data);
    }
  }

  const Graph& graph_;
  std::vector<Computing> computing_;
  std::vector<bool> wanted_;
  std::vector<std::vector<int32_t>> definitions_;
  std::vector<int32_t> todo_;
};

}  // namespace

bool IsAligned(const Node& node) {
  if (node.op == nullptr || node.op->kind != OpKind::kValue) return false;
  const bool matrix = node.op->opcode == "mma" ||
                      node.op->opcode == "wmma.mma" ||
                      node.op->opcode == "movmatrix";
  return matrix &&
         node.instruction().opcode.find(".aligned") != std::string_view::npos;
}

namespace {

// Whether all that defines the register adds constants to the address of a
// variable.
bool IsInVariable(const Graph& graph, int32_t reg, std::set<int32_t>& seen) {
  if (!seen.insert(reg).second) return true;
  bool any = false;
  for (const Node& n : graph.nodes) {
    if (std::find(n.defines.begin(), n.defines.end(), reg) == n.defines.end())
      continue;
    any = true;
    const std::vector<Operand>& operands = n.instruction().operands;
    if (n.op == nullptr || operands.size() < 2) return false;
    const bool names = n.op->opcode == "mov" && n.reads.empty() &&
                       operands[1].kind == Operand::Kind::kName &&
                       operands[1].name.find('%') == std::string::npos;
    const bool adds = n.op->opcode == "add" && n.reads.size() == 1 &&
                      operands.size() == 3 &&
                      operands[2].kind == Operand::Kind::kNumber &&
                      IsInVariable(graph, n.reads[0], seen);
    if (!names && !adds) return false;
  }
  return any;
}

}  // namespace

bool ReadsTable(const Graph& graph, const Node& node) {
  std::set<int32_t> seen;
  return node.op != nullptr && node.reads.size() == 1 &&
         node.instruction().opcode.starts_with("ld.global.nc") &&
         IsInVariable(graph, node.reads[0], seen);
}

namespace {

std::vector<Plane> Planes(const Graph& graph, const Slice& slice) {
  std::vector<Plane> planes;
  for (const Node& node : graph.nodes) {
    if (node.op == nullptr) {
      planes.push_back(Plane::kUnknown);
    } else if (node.op->kind == OpKind::kAccess) {
      planes.push_back(Plane::kAccess);
    } else if (node.op->kind != OpKind::kValue) {
      planes.push_back(Plane::kOp);
    } else {
      planes.push_back(slice.Holds(node) ? Plane::kControl : Plane::kPayload);
    }
  }
  return planes;
}

}  // namespace

std::vector<Plane> PlanesOf(const Graph& graph) {
  return Planes(graph, Slice(graph, {}));
}

Straightened Straighten(const Graph& graph) {
  Slice slice(graph, ComputingBranches(graph));
  Straightened out{Planes(graph, slice),
                   std::vector<int32_t>(graph.nodes.size(), -1)};
  for (const Computing& branch : slice.idle()) {
    out.planes[branch.node] = Plane::kPayload;
    out.straight[branch.node] = branch.join;
  }
  return out;
}

std::vector<int32_t> ControlLoads(const Graph& graph) {
  Slice slice(graph, {});
  std::vector<int32_t> loads;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (node.op == nullptr || node.op->kind == OpKind::kValue) continue;
    std::string_view opcode = node.instruction().opcode;
    if (opcode.starts_with("ld") && !opcode.starts_with("ld.param") &&
        slice.Holds(node))
      loads.push_back(static_cast<int32_t>(i));
  }
  return loads;
}

}  // namespace tilesim::ptx
