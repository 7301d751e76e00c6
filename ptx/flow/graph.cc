#include "ptx/flow/graph.h"

#include <algorithm>
#include <map>
#include <utility>

#include "ir/cat.h"
#include "ptx/text/scopes.h"

namespace tilesim::ptx {
namespace {

// Of a register of a type, ".b32".
int WidthOf(std::string_view type) {
  if (type == ".pred") return 1;
  size_t digits = type.find_first_of("0123456789");
  int bits = 0;
  for (size_t i = digits; i < type.size() && type[i] >= '0' && type[i] <= '9';
       ++i)
    bits = bits * 10 + (type[i] - '0');
  bool pair = type.ends_with("x2");
  return bits == 0 ? 64 : pair ? 2 * bits : bits;
}

// Labels and registers are looked up in two passes: a branch may go forward.
class Builder {
 public:
  Builder(const Function& function, ir::Diagnostics& diagnostics)
      : function_(function), diagnostics_(diagnostics) {}

  Graph Run() {
    for (const Statement& s : function_.body) OneStatement(s);
    MakeBlocks();
    for (auto& [node, name] : branches_) Resolve(node, name);
    MakeEdges();
    return std::move(graph_);
  }

 private:
  void OneStatement(const Statement& s) {
    switch (s.kind) {
      case Statement::Kind::kOpen:
        registers_.Open();
        path_.push_back(++scopes_);
        return;
      case Statement::Kind::kClose:
        registers_.Close();
        if (path_.size() > 1) path_.pop_back();
        return;
      case Statement::Kind::kVariable:
        if (s.variable[0].space == ".reg") Declare(s.variable[0]);
        return;
      case Statement::Kind::kLabel:
        labels_[{path_.back(), s.name}] = Size();
        return;
      case Statement::Kind::kTargets:
        lists_[s.name] = s.targets[0].names;
        return;
      case Statement::Kind::kInstruction:
        return AddNode(s);
      default:
        return;
    }
  }

  int32_t Size() const { return static_cast<int32_t>(graph_.nodes.size()); }

  void Declare(const Variable& v) {
    for (const Declarator& d : v.names) {
      registers_.Declare(d, ++declared_);
      bits_[declared_] = WidthOf(v.type);
    }
  }

  // The number of a register; -1: no register, as special ones are none.
  int32_t Register(const std::string& name) {
    size_t dot = name.find('.');
    auto found = registers_.Find(std::string_view(name).substr(0, dot));
    if (!found) return -1;
    auto [at, fresh] = numbers_.try_emplace(
        *found, static_cast<int32_t>(graph_.registers.size()));
    if (fresh) {
      graph_.registers.push_back(name.substr(0, dot));
      graph_.register_bits.push_back(bits_[found->first]);
    }
    return at->second;
  }

  void Collect(const Operand& o, std::vector<int32_t>* out) {
    if (o.kind == Operand::Kind::kName) {
      int32_t reg = Register(o.name);
      if (reg >= 0) out->push_back(reg);
    }
    for (const Operand& part : o.parts) Collect(part, out);
  }

  // Other names are of variables, functions and labels, which may stand below.
  void WantDeclared(const Statement& s, const Operand& o) {
    if (o.kind == Operand::Kind::kName && o.name.starts_with('%') &&
        Register(o.name) < 0 && !IsSpecialRegister(o.name))
      Undeclared(s, o.name, "b32");
    for (const Operand& part : o.parts) WantDeclared(s, part);
  }

  void AddNode(const Statement& s) {
    Node node;
    node.statement = &s;
    const Instruction& i = s.instruction;
    node.op = FindOp(i.opcode);
    if (i.guard) {
      node.guard = Register(i.guard.reg);
      if (node.guard < 0) Undeclared(s, i.guard.reg, "pred");
    }
    for (const Operand& o : i.operands) WantDeclared(s, o);
    for (size_t k = 0; node.op != nullptr && k < i.operands.size(); ++k)
      AddOperand(s, k, &node);
    graph_.nodes.push_back(std::move(node));
  }

  void AddOperand(const Statement& s, size_t k, Node* node) {
    const Operand& o = s.instruction.operands[k];
    switch (RoleOf(*node->op, s.instruction, k)) {
      case Role::kDefined:
        return Collect(o, &node->defines);
      case Role::kRead:
      case Role::kAddress:
        return Collect(o, &node->reads);
      case Role::kData:
        return Collect(o, &node->data);
      case Role::kUpdated:
        Collect(o, &node->data);
        return Collect(o, &node->defines);
      case Role::kLabel:
        if (node->op->opcode == "bra" || node->op->opcode == "brx.idx")
          branches_.push_back({Size(), {path_, o.name}});
        return;
      case Role::kNone:
        return;
    }
  }

  void Undeclared(const Statement& s, const std::string& name,
                  std::string_view type) {
    diagnostics_
        .Error("name/unknown", s.span, ir::Cat("`", name, "` is not declared"))
        .help = ir::Cat("declare it, as in `.reg .", type, " ", name, ";`");
  }

  struct Where {
    std::vector<int32_t> path;  // scopes, the outermost first
    std::string name;
  };

  // The node behind a label; -1: there is none.
  int32_t NodeAt(const Where& where) const {
    for (size_t i = where.path.size(); i-- > 0;) {
      auto found = labels_.find({where.path[i], where.name});
      if (found != labels_.end()) return found->second;
    }
    return -1;
  }

  void Resolve(int32_t node, const Where& where) {
    std::vector<std::string> names = {where.name};
    if (auto list = lists_.find(where.name); list != lists_.end())
      names = list->second;
    for (const std::string& name : names) {
      int32_t to = NodeAt({where.path, name});
      if (to < 0) {
        diagnostics_.Error("name/unknown", graph_.nodes[node].statement->span,
                           ir::Cat("there is no label `", name, "`"));
      } else if (to < Size()) {  // else: behind the last, where the body ends
        graph_.nodes[node].targets.push_back(graph_.BlockOf(to));
      }
    }
  }

  void MakeBlocks() {
    std::vector<bool> begins(graph_.nodes.size() + 1);
    begins[0] = true;
    for (const auto& [label, node] : labels_) begins[node] = true;
    for (int32_t i = 0; i < Size(); ++i) {
      const Op* op = graph_.nodes[i].op;
      if (op != nullptr && op->kind == OpKind::kBranch) begins[i + 1] = true;
    }
    for (int32_t i = 0; i < Size(); ++i) {
      if (begins[i]) graph_.blocks.emplace_back().first = i;
      graph_.blocks.back().last = i + 1;
    }
  }

  // Whether control may go on behind a node.
  static bool FallsThrough(const Node& node) {
    if (node.op == nullptr || node.op->kind != OpKind::kBranch) return true;
    return node.guard >= 0 ||
           (node.op->opcode == "call" && CalleeOf(node) != Callee::kAssertFail);
  }

  void MakeEdges() {
    for (size_t b = 0; b < graph_.blocks.size(); ++b) {
      Block& block = graph_.blocks[b];
      const Node& last = graph_.nodes[block.last - 1];
      block.next = last.targets;
      if (FallsThrough(last) && b + 1 < graph_.blocks.size())
        block.next.push_back(static_cast<int32_t>(b + 1));
      std::sort(block.next.begin(), block.next.end());
      block.next.erase(std::unique(block.next.begin(), block.next.end()),
                       block.next.end());
      for (int32_t to : block.next)
        graph_.blocks[to].previous.push_back(static_cast<int32_t>(b));
    }
  }

  const Function& function_;
  ir::Diagnostics& diagnostics_;
  Graph graph_;
  Scopes<int32_t> registers_;  // which declaration
  int32_t declared_ = 0, scopes_ = 0;
  std::map<int32_t, int> bits_;  // by declaration
  std::vector<int32_t> path_{0};
  std::map<std::pair<int32_t, uint64_t>, int32_t> numbers_;
  std::map<std::pair<int32_t, std::string>, int32_t> labels_;
  std::map<std::string, std::vector<std::string>> lists_;
  std::vector<std::pair<int32_t, Where>> branches_;
};

}  // namespace

int32_t Graph::BlockOf(int32_t node) const {
  auto after = std::upper_bound(
      blocks.begin(), blocks.end(), node,
      [](int32_t n, const Block& block) { return n < block.first; });
  return static_cast<int32_t>(after - blocks.begin()) - 1;
}

Callee CalleeOf(const Node& node) {
  if (node.op == nullptr || node.op->opcode != "call") return Callee::kOther;
  for (const Operand& o : node.instruction().operands) {
    if (o.kind != Operand::Kind::kName) continue;
    return o.name == "__assertfail" ? Callee::kAssertFail
           : o.name == "vprintf"    ? Callee::kPrintf
                                    : Callee::kOther;
  }
  return Callee::kOther;
}

namespace {

void FindDefinitions(Graph& graph) {
  constexpr int32_t kSeveral = -2;
  std::vector<int32_t>& by = graph.defined_by;
  by.assign(graph.registers.size(), -1);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto node = static_cast<int32_t>(i);
    for (int32_t reg : graph.nodes[i].defines) {
      int32_t& only = by[static_cast<size_t>(reg)];
      only = only == -1 || only == node ? node : kSeveral;
    }
  }
  std::replace(by.begin(), by.end(), kSeveral, -1);
}

}  // namespace

Graph BuildGraph(const Function& function, ir::Diagnostics& diagnostics) {
  Graph graph = Builder(function, diagnostics).Run();
  FindDefinitions(graph);
  FindDominators(graph);
  FindLoops(graph);
  return graph;
}

}  // namespace tilesim::ptx
