#include "ptx/machine/asking_loop.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "ptx/flow/rounds.h"
#include "ptx/machine/operands.h"

namespace tilesim::ptx {
namespace {

constexpr int kMostInstructions = 256;  // of a round

bool Holds(const Loop& loop, int32_t block) {
  return std::binary_search(loop.blocks.begin(), loop.blocks.end(), block);
}

bool IsSilent(const Node& n) {
  static constexpr std::string_view kNone[] = {
      "call", "exit", "ret", "trap", "mbarrier.test_wait", "mbarrier.try_wait"};
  return n.op != nullptr &&
         std::find(std::begin(kNone), std::end(kNone), n.op->opcode) ==
             std::end(kNone) &&
         (n.op->kind == OpKind::kValue || n.op->kind == OpKind::kBranch);
}

// The least and the greatest number of a comparison's type that it may be.
template <class T>
std::pair<T, T> Between(const SomeBits& v) {
  using Unsigned = std::make_unsigned_t<T>;
  const auto known = static_cast<Unsigned>(v.known),
             bits = static_cast<Unsigned>(v.bits & v.known);
  auto least = bits, most = static_cast<Unsigned>(bits | ~known);
  constexpr auto kSign =
      static_cast<Unsigned>(Unsigned{1} << (8 * sizeof(T) - 1));
  if (std::is_signed_v<T> && (known & kSign) == 0) {
    least |= kSign;
    most &= static_cast<Unsigned>(~kSign);
  }
  return {static_cast<T>(least), static_cast<T>(most)};
}

// nullopt: not for all of the numbers that the two may be.
template <class T>
std::optional<bool> Compared(Comparison how, const SomeBits& a,
                             const SomeBits& b) {
  const auto [a0, a1] = Between<T>(a);
  const auto [b0, b1] = Between<T>(b);
  const auto both = static_cast<std::make_unsigned_t<T>>(a.known & b.known &
                                                         (a.bits ^ b.bits));
  auto less = [](T low, T high, T from, T to) -> std::optional<bool> {
    if (high < from) return true;
    if (low >= to) return false;
    return std::nullopt;
  };
  auto inverse = [](std::optional<bool> v) {
    return v ? std::optional(!*v) : v;
  };
  switch (how) {
    case Comparison::kLt:
      return less(a0, a1, b0, b1);
    case Comparison::kGe:
      return inverse(less(a0, a1, b0, b1));
    case Comparison::kGt:
      return less(b0, b1, a0, a1);
    case Comparison::kLe:
      return inverse(less(b0, b1, a0, a1));
    case Comparison::kEq:
      return both != 0 ? std::optional(false) : std::nullopt;
    case Comparison::kNe:
      return both != 0 ? std::optional(true) : std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<bool> Compared(const ScalarOp& op, const SomeBits& a,
                             const SomeBits& b) {
  switch (op.input_types[0]) {
    case Type::kS32:
      return Compared<int32_t>(op.comparison, a, b);
    case Type::kU32:
    case Type::kB32:
      return Compared<uint32_t>(op.comparison, a, b);
    default:
      return std::nullopt;
  }
}

}  // namespace

bool AskingLoop::FindLoop() {
  const int32_t block = graph_->BlockOf(node_);
  for (const Loop& loop : graph_->loops) {  // smallest first
    if (loop_.blocks.empty() && !ptx::Holds(loop, block)) continue;
    if (loop_.blocks.empty()) loop_.head = loop.head;
    if (loop.head != loop_.head) continue;
    std::vector<int32_t> all;
    std::set_union(loop.blocks.begin(), loop.blocks.end(), loop_.blocks.begin(),
                   loop_.blocks.end(), std::back_inserter(all));
    loop_.blocks = std::move(all);
  }
  return !loop_.blocks.empty();
}

bool AskingLoop::Holds(int32_t node) const {
  if (behind_ == nullptr) return ptx::Holds(loop_, graph_->BlockOf(node));
  return behind_->Holds(node) ||
         (node >= node_ && graph_->BlockOf(node) == graph_->BlockOf(node_));
}

// A loop that one way from the end of the node's block leads to, and that asks
// for the same word in the same way.
bool AskingLoop::FindLoopBehind(const Memory& memory) {
  const auto block = static_cast<size_t>(graph_->BlockOf(node_));
  const std::vector<int32_t>& next = graph_->blocks[block].next;
  if (next.size() != 2) return false;
  for (const Loop& loop : graph_->loops) {
    if (loop.head != next[0] && loop.head != next[1]) continue;
    for (int32_t b : loop.blocks) {
      const Block& in = graph_->blocks[static_cast<size_t>(b)];
      for (int32_t i = in.first; i < in.last; ++i) {
        if (!AsksAlike(i)) continue;
        auto found = Around(*graph_, memory, i);
        if (!found || found->loop_.head != loop.head) continue;
        behind_ = std::make_shared<const AskingLoop>(*std::move(found));
        return true;
      }
    }
  }
  return false;
}

bool AskingLoop::AsksAlike(int32_t node) const {
  const Node& a = graph_->nodes[static_cast<size_t>(node_)];
  const Node& b = graph_->nodes[static_cast<size_t>(node)];
  if (b.op == nullptr || a.op == nullptr || a.guard >= 0 || b.guard >= 0 ||
      a.reads != b.reads || a.defines.size() != 1 || b.defines.size() != 1)
    return false;
  const ptx::Instruction &x = a.instruction(), &y = b.instruction();
  return x.opcode == y.opcode && x.operands.size() == y.operands.size() &&
         x.operands.size() >= 2 && x.operands[1] == y.operands[1];
}

// Neither the loop, nor what comes behind it, reads what the answer has made.
bool AskingLoop::NothingOfItIsLeft() {
  const auto block = static_cast<size_t>(graph_->BlockOf(node_));
  const Node& asks = graph_->nodes[static_cast<size_t>(node_)];
  by_answer_.insert(asks.defines.begin(), asks.defines.end());
  for (int32_t i = node_ + 1; i < graph_->blocks[block].last; ++i) {
    const Node& n = graph_->nodes[static_cast<size_t>(i)];
    if (!IsSilent(n)) return false;
    if (Reads(n, by_answer_))
      by_answer_.insert(n.defines.begin(), n.defines.end());
  }
  const std::vector<int32_t>& next = graph_->blocks[block].next;
  return std::none_of(next.begin(), next.end(), [&](int32_t b) {
    return Liveness(*graph_, by_answer_).AnyAt(b);
  });
}

void AskingLoop::CompileFirst(const Memory& memory) {
  std::set<int32_t> inputs(behind_->inputs_.begin(), behind_->inputs_.end());
  std::set<int32_t> defined;
  const auto block = static_cast<size_t>(graph_->BlockOf(node_));
  for (int32_t i = node_; i < graph_->blocks[block].last; ++i) {
    instructions_[i] = CompileOne(memory, i);
    const Node& n = graph_->nodes[static_cast<size_t>(i)];
    if (i != node_) {
      inputs.insert(n.reads.begin(), n.reads.end());
      inputs.insert(n.data.begin(), n.data.end());
      if (n.guard >= 0) inputs.insert(n.guard);
    }
    defined.insert(n.defines.begin(), n.defines.end());
  }
  for (int32_t reg : inputs) {
    if (!defined.contains(reg)) inputs_.push_back(reg);
  }
}

std::optional<AskingLoop> AskingLoop::Before(const Graph& graph,
                                             const Memory& memory,
                                             int32_t node) {
  AskingLoop out(graph, node);
  if (!out.FindLoopBehind(memory) || !out.NothingOfItIsLeft())
    return std::nullopt;
  out.CompileFirst(memory);
  return out;
}

bool AskingLoop::OnlyAsks() const {
  for (int32_t b : loop_.blocks) {
    const Block& block = graph_->blocks[static_cast<size_t>(b)];
    if (block.next.empty()) return false;
    for (int32_t i = block.first; i < block.last; ++i) {
      if (i != node_ && !IsSilent(graph_->nodes[static_cast<size_t>(i)]))
        return false;
    }
  }
  return graph_->nodes[static_cast<size_t>(node_)].guard < 0;
}

bool AskingLoop::NothingIsLeft() const {
  const Carried carried(*graph_, loop_);
  // What is added to the word, its owner knows (LeavesWord).
  const std::vector<int32_t>& at =
      graph_->nodes[static_cast<size_t>(node_)].reads;
  if (!carried.registers().empty() ||
      std::any_of(at.begin(), at.end(),
                  [&](int32_t reg) { return carried.defined().contains(reg); }))
    return false;
  for (int32_t b : loop_.blocks) {
    for (int32_t next : graph_->blocks[static_cast<size_t>(b)].next) {
      if (!ptx::Holds(loop_, next) &&
          Liveness(*graph_, carried.defined()).AnyAt(next))
        return false;
    }
  }
  return true;
}

AskingLoop::Instruction AskingLoop::CompileOne(const Memory& memory,
                                               int32_t node) const {
  const Node& n = graph_->nodes[static_cast<size_t>(node)];
  Instruction out;
  out.node = node;
  out.branches = n.op->kind == OpKind::kBranch;
  out.guard = n.guard;
  out.negated = n.instruction().guard.negated;
  if (out.branches || node == node_ || n.defines.size() != 1) return out;
  std::string why;
  std::optional<ScalarOp> op = CompileScalar(n.instruction(), &why);
  if (!op || op->outputs != 1) return out;
  for (const Leaf& leaf : LeavesOf(*graph_, n)) {
    if (leaf.of == 0) continue;
    if (out.sources.size() >= op->inputs) return out;
    const auto source =
        SourceOf(leaf, *graph_, memory, op->input_types[out.sources.size()]);
    if (!source || source->special != Special::kNone ||
        (source->reg >= 0 && source->bits != 0))
      return out;
    out.sources.push_back(*source);
  }
  if (out.sources.size() == op->inputs) out.op = op;
  return out;
}

void AskingLoop::Compile(const Memory& memory) {
  const Carried carried(*graph_, loop_);
  std::set<int32_t> inputs;
  for (int32_t b : loop_.blocks) {
    const Block& block = graph_->blocks[static_cast<size_t>(b)];
    for (int32_t i = block.first; i < block.last; ++i) {
      instructions_[i] = CompileOne(memory, i);
      const Node& n = graph_->nodes[static_cast<size_t>(i)];
      if (i == node_) continue;
      inputs.insert(n.reads.begin(), n.reads.end());
      inputs.insert(n.data.begin(), n.data.end());
      if (n.guard >= 0) inputs.insert(n.guard);
    }
  }
  for (int32_t reg : inputs) {
    if (!carried.defined().contains(reg)) inputs_.push_back(reg);
  }
}

std::optional<AskingLoop> AskingLoop::Of(const Graph& graph,
                                         const Memory& memory, int32_t node) {
  auto around = Around(graph, memory, node);
  return around ? around : Before(graph, memory, node);
}

std::optional<AskingLoop> AskingLoop::Around(const Graph& graph,
                                             const Memory& memory,
                                             int32_t node) {
  AskingLoop out(graph, node);
  if (!out.FindLoop() || !out.OnlyAsks() || !out.NothingIsLeft())
    return std::nullopt;
  out.Compile(memory);
  return out;
}

SomeBits AskingLoop::Computed(const Instruction& i,
                              const Registers& now) const {
  if (!i.op) return {};
  std::vector<SomeBits> in;
  for (const Source& s : i.sources) {
    SomeBits v = SomeBits::All(s.bits);
    if (s.reg >= 0) {
      const auto found = now.find(s.reg);
      v = found == now.end() ? SomeBits() : found->second;
    }
    if (s.negated) v.bits ^= 1;
    in.push_back(v);
  }
  if (std::all_of(in.begin(), in.end(),
                  [](const auto& v) { return v.all(); })) {
    Words words{};
    for (size_t k = 0; k < in.size(); ++k) words[k] = in[k].bits;
    return SomeBits::All(ptx::Execute(*i.op, words)[0]);
  }
  const std::string_view opcode =
      graph_->nodes[static_cast<size_t>(i.node)].op->opcode;
  if (opcode == "mov" && in.size() == 1) return in[0];
  if (in.size() != 2) return {};
  const SomeBits &a = in[0], &b = in[1];
  if (opcode == "xor") return {a.known & b.known, a.bits ^ b.bits};
  if (opcode == "and")
    return {(a.known & b.known) | (a.known & ~a.bits) | (b.known & ~b.bits),
            a.bits & b.bits & a.known & b.known};
  if (opcode == "or")
    return {(a.known & b.known) | (a.known & a.bits) | (b.known & b.bits),
            (a.bits & a.known) | (b.bits & b.known)};
  if (opcode != "setp" || i.op->combination != Combination::kNone) return {};
  const std::optional<bool> holds = Compared(*i.op, a, b);
  return holds ? SomeBits::All(*holds ? 1 : 0) : SomeBits();
}

void AskingLoop::Execute(const Instruction& i, Registers& now) const {
  const Node& n = graph_->nodes[static_cast<size_t>(i.node)];
  if (n.defines.empty()) return;
  SomeBits v = n.guard < 0 ? Computed(i, now) : SomeBits();
  for (int32_t reg : n.defines) now[reg] = v;
}

std::optional<bool> AskingLoop::GoesOn(
    const std::map<int32_t, SomeBits>& inputs, SomeBits answer) const {
  Registers now = inputs;
  for (int32_t reg : graph_->nodes[static_cast<size_t>(node_)].defines)
    now[reg] = answer;
  if (behind_ != nullptr) return GoesOnBehind(now, answer);
  return Walk(now);
}

// In front of the loop and in it, whatever was answered before.
std::optional<bool> AskingLoop::GoesOnBehind(
    const std::map<int32_t, SomeBits>& inputs, SomeBits answer) const {
  Registers now = inputs;
  const std::optional<bool> here = Walk(now);
  for (int32_t reg : by_answer_) now.erase(reg);
  const std::optional<bool> there = behind_->GoesOn(now, answer);
  return here == there ? here : std::nullopt;
}

std::optional<bool> AskingLoop::Walk(Registers& now) const {
  int32_t at = node_ + 1;
  for (int step = 0; step < kMostInstructions; ++step) {
    if (at == node_) return true;
    if (behind_ != nullptr && at < std::ssize(graph_->nodes) &&
        behind_->Holds(at))
      return true;
    if (at >= std::ssize(graph_->nodes) || !Holds(at)) return false;
    const Instruction& i = instructions_.at(at);
    if (!i.branches) {
      Execute(i, now);
      ++at;
      continue;
    }
    bool taken = true;
    if (i.guard >= 0) {
      const auto guard = now.find(i.guard);
      if (guard == now.end() || (guard->second.known & 1) == 0)
        return std::nullopt;
      taken = ((guard->second.bits & 1) != 0) != i.negated;
    }
    const std::vector<int32_t>& targets =
        graph_->nodes[static_cast<size_t>(at)].targets;
    if (taken && targets.size() != 1) return std::nullopt;
    at = taken ? graph_->blocks[static_cast<size_t>(targets[0])].first : at + 1;
  }
  return std::nullopt;
}

}  // namespace tilesim::ptx
