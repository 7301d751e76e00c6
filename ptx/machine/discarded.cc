#include "ptx/machine/discarded.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "ir/cat.h"
#include "ptx/machine/lower_steps.h"
#include "ptx/machine/operands.h"
#include "ptx/scalar/scalar.h"

namespace tilesim::ptx {
namespace {

bool LoadsShared(const Node& n) {
  return n.op != nullptr && n.guard < 0 &&
         n.spelling().starts_with("ld.shared.");
}

}  // namespace

Discarded::Discarded(const Graph& graph)
    : graph_(graph),
      writer_(graph.registers.size(), -1),
      users_(graph.registers.size()) {
  std::vector<int> writes(graph.registers.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& n = graph.nodes[i];
    const auto node = static_cast<int32_t>(i);
    for (int32_t reg : n.defines) writer_[reg] = ++writes[reg] == 1 ? node : -1;
    for (const auto* from : {&n.reads, &n.data}) {
      for (int32_t reg : *from) {
        if (users_[reg].empty() || users_[reg].back() != node)
          users_[reg].push_back(node);
      }
    }
    if (n.guard >= 0) users_[n.guard].push_back(node);
  }
}

const Loop* Discarded::LoopOf(int32_t node) const {
  const int32_t block = graph_.BlockOf(node);
  for (const Loop& loop : graph_.loops) {  // smallest first
    if (std::binary_search(loop.blocks.begin(), loop.blocks.end(), block))
      return &loop;
  }
  return nullptr;
}

bool Discarded::IsIn(const Loop* loop, int32_t node) const {
  return loop != nullptr &&
         std::binary_search(loop->blocks.begin(), loop->blocks.end(),
                            graph_.BlockOf(node));
}

bool Discarded::ComesBefore(int32_t a, int32_t b) const {
  const int32_t first = graph_.BlockOf(a);
  int32_t block = graph_.BlockOf(b);
  if (first == block) return a < b;
  while (block >= 0 && block != first) block = graph_.blocks[block].dominator;
  return block == first;
}

bool Discarded::StaysFrom(int32_t load, int32_t reg) const {
  const int32_t by = writer_[reg];
  return by >= 0 && ComesBefore(by, load) && !IsIn(LoopOf(load), by);
}

std::optional<Discarded::TakenIf> Discarded::ByComparison(int32_t load,
                                                          int32_t reg,
                                                          int32_t user) const {
  const Node& n = graph_.nodes[user];
  if (!n.spelling().starts_with("selp.") || n.guard >= 0 ||
      !ComesBefore(load, user) || LoopOf(load) != LoopOf(user))
    return std::nullopt;
  std::optional<bool> holds;
  int32_t by = -1;
  for (const Leaf& leaf : LeavesOf(graph_, n)) {
    if (leaf.of == 3) by = leaf.reg;
    if (leaf.reg != reg) continue;
    if (leaf.of == 3 || leaf.of == 0 || holds || leaf.operand->negated)
      return std::nullopt;
    holds = leaf.of == 1;
  }
  const int32_t compare = by < 0 ? -1 : writer_[by];
  if (!holds || compare < 0) return std::nullopt;
  const Node& c = graph_.nodes[compare];
  if (!c.spelling().starts_with("setp.") || c.guard >= 0 ||
      c.defines.size() != 1 || !ComesBefore(compare, user))
    return std::nullopt;
  for (const auto* from : {&c.reads, &c.data}) {
    for (int32_t r : *from) {
      if (!StaysFrom(load, r)) return std::nullopt;
    }
  }
  return TakenIf{compare, *holds};
}

std::optional<std::vector<Discarded::TakenIf>> Discarded::Of(
    int32_t load) const {
  const Node& n = graph_.nodes[load];
  if (!LoadsShared(n)) return std::nullopt;
  std::vector<TakenIf> out;
  for (int32_t reg : n.defines) {
    if (writer_[reg] != load) return std::nullopt;
    for (int32_t user : users_[reg]) {
      const auto taken = ByComparison(load, reg, user);
      if (!taken) return std::nullopt;
      out.push_back(*taken);
    }
  }
  if (out.empty()) return std::nullopt;
  return out;
}

bool Discarded::any() const {
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    if (Of(static_cast<int32_t>(i))) return true;
  }
  return false;
}

namespace {

std::optional<ScalarOp> OnPredicates(std::string_view opcode, size_t operands) {
  Instruction made;
  made.opcode = opcode;
  made.operands.resize(operands);
  for (Operand& o : made.operands) o.kind = Operand::Kind::kName;
  std::string why;
  return CompileScalar(made, &why);
}

}  // namespace

// What one comparison says, in a register of its own. -1: that is not followed.
int32_t Steps::SaysTaken(int32_t load, int32_t compare, bool holds) {
  const Node& c = program_.graph.nodes[compare];
  std::string why;
  const std::optional<ScalarOp> op = CompileScalar(c.instruction(), &why);
  const std::optional<ScalarOp> negate = OnPredicates("not.pred", 2);
  if (!op || !negate || op->outputs != 1) return -1;
  std::vector<Source> sources;
  for (const Leaf& leaf : LeavesOf(program_.graph, c)) {
    if (leaf.of == 0 || sources.size() == op->inputs) continue;
    const auto source = Read(leaf, op->input_types[sources.size()]);
    if (!source) return -1;
    sources.push_back(*source);
  }
  if (sources.size() != op->inputs) return -1;
  const Target says{NewRegister("taken"), 1};
  Step& compares = Emit(Step::Kind::kScalar, load);
  compares.scalar = *op;
  compares.sources = std::move(sources);
  compares.results = {says};
  if (holds) return says.reg;
  Step& negates = Emit(Step::Kind::kScalar, load);
  negates.scalar = *negate;
  negates.sources.emplace_back();
  negates.sources[0].reg = says.reg;
  negates.sources[0].width = 1;
  negates.results = {says};
  return says.reg;
}

// A predicate that holds where some selp takes what the load returns; -1: it is
// no load of which comparisons say that.
int32_t Steps::TakenAfter(int32_t load) {
  if (!discarded_) discarded_.emplace(program_.graph);
  const auto taken = discarded_->Of(load);
  const std::optional<ScalarOp> either = OnPredicates("or.pred", 3);
  if (!taken || !either) return -1;
  int32_t any = -1;
  for (const Discarded::TakenIf& t : *taken) {
    const int32_t one = SaysTaken(load, t.compare, t.holds);
    if (one < 0) return -1;
    if (any < 0) {
      any = one;
      continue;
    }
    Step& joins = Emit(Step::Kind::kScalar, load);
    joins.scalar = *either;
    joins.sources.resize(2);
    joins.sources[0].reg = any;
    joins.sources[1].reg = one;
    for (Source& s : joins.sources) s.width = 1;
    joins.results = {{any, 1}};
  }
  return any;
}

// The load is two operations: who takes what it returns executes the first, the
// others the second (Step::in_vain).
bool Steps::LoadTwice(int32_t node, const OpRow& row) {
  if (!followed_.discards || program_.whole || program_.timed) return false;
  const int32_t taken = TakenAfter(node);
  if (taken < 0) return false;
  for (const bool in_vain : {false, true}) {
    const size_t first = program_.steps.size();
    Operation(node, row);
    for (size_t i = first; i < program_.steps.size(); ++i) {
      Step& s = program_.steps[i];
      s.guard = taken;
      s.negated = in_vain;
      s.in_vain = in_vain;
    }
  }
  return true;
}

}  // namespace tilesim::ptx
