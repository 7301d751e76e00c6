#include "ptx/flow/slice.h"

#include <string_view>

namespace tilesim::ptx {
namespace {

class Slice {
 public:
  explicit Slice(const Graph& graph)
      : graph_(graph), wanted_(graph.registers.size()) {
    definitions_.resize(graph.registers.size());
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      for (int32_t reg : graph.nodes[i].defines)
        definitions_[reg].push_back(static_cast<int32_t>(i));
    }
    for (const Node& node : graph.nodes) {
      if (node.op != nullptr && node.op->kind != OpKind::kValue) WantAll(node);
    }
    while (!todo_.empty()) Follow();
  }

  // Whether something that decides needs what the node computes.
  bool Holds(const Node& node) const {
    for (int32_t reg : node.defines) {
      if (wanted_[reg]) return true;
    }
    return false;
  }

 private:
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
  std::vector<bool> wanted_;
  std::vector<std::vector<int32_t>> definitions_;
  std::vector<int32_t> todo_;
};

}  // namespace

std::vector<Plane> PlanesOf(const Graph& graph) {
  Slice slice(graph);
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

std::vector<int32_t> ControlLoads(const Graph& graph) {
  Slice slice(graph);
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
