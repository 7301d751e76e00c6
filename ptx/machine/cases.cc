#include "ptx/machine/cases.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "ir/cat.h"
#include "ptx/machine/operands.h"
#include "ptx/machine/spread.h"
#include "ptx/machine/where.h"
#include "ptx/scalar/scalar.h"

namespace tilesim::ptx {
namespace {

constexpr size_t kMostCases = 8;

// What a register holds, as text: equal if it is the same number in every
// thread, whenever it is read. nullopt: it may differ.
using Made = std::optional<std::string>;

class Constants {
 public:
  // `all_run`: what no run has executed is none.
  Constants(const PtxGuide& guide, bool all_run)
      : guide_(guide),
        all_run_(all_run),
        graph_(guide.program().graph),
        made_(graph_.registers.size()),
        defined_(graph_.registers.size()) {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      for (int32_t reg : graph_.nodes[i].defines)
        defined_[reg].push_back(static_cast<int32_t>(i));
    }
  }

  // As it is read at a node.
  Made Of(int32_t reg, int32_t at) {
    if (defined_[reg].size() != 1 || !IsBefore(defined_[reg][0], at))
      return std::nullopt;
    std::optional<Made>& made = made_[reg];
    if (!made) made = ByNode(defined_[reg][0], reg);
    return *made;
  }
  // Whether words of buffers are in it: else it is known.
  static bool IsLoaded(std::string_view made) {
    constexpr std::string_view kLoad = "ld.", kParam = "ld.param";
    for (size_t at = made.find(kLoad); at != made.npos;
         at = made.find(kLoad, at + 1)) {
      if (!made.substr(at).starts_with(kParam)) return true;
    }
    return false;
  }

 private:
  // It has been executed whenever the other is.
  bool IsBefore(int32_t node, int32_t other) const {
    const int32_t block = graph_.BlockOf(node);
    int32_t at = graph_.BlockOf(other);
    if (block == at) return node < other;
    while (at >= 0 && at != block) at = graph_.blocks[at].dominator;
    return at == block;
  }

  Made ByNode(int32_t node, int32_t reg) {
    const Node& n = graph_.nodes[node];
    const std::string_view spelling = n.instruction().opcode;
    if (n.op == nullptr || n.guard >= 0) return std::nullopt;
    const bool param = spelling.starts_with("ld.param");
    const bool loads = !param && IsWeakLoad(n);
    if (!param && !loads && !IsPure(n)) return std::nullopt;
    if (param && guide_.program().inlined != nullptr) return std::nullopt;
    if (loads && !ReadsConstant(node)) return std::nullopt;
    std::string out = ir::Cat(spelling, "(");
    int result = 0, number = 0;
    for (const Leaf& leaf : LeavesOf(graph_, n)) {
      if (leaf.operand->kind == Operand::Kind::kVector) continue;
      if (leaf.of == 0) {
        if (leaf.reg == reg) number = result;
        ++result;
        continue;
      }
      const Made one = OfLeaf(leaf, node, param);
      if (!one) return std::nullopt;
      ir::Append(&out, *one, ",");
    }
    ir::Append(&out, ")", number);
    constexpr size_t kLongest = 1 << 12;
    return out.size() < kLongest ? Made(std::move(out)) : std::nullopt;
  }

  Made OfLeaf(const Leaf& leaf, int32_t node, bool param) {
    if (leaf.reg >= 0) {
      Made one = Of(leaf.reg, node);
      if (one && leaf.operand->has_offset)
        ir::Append(&*one, "+", leaf.operand->number.value());
      if (one && leaf.operand->negated) ir::Append(&*one, "!");
      return one;
    }
    if (leaf.operand->kind == Operand::Kind::kNumber)
      return ir::Cat(leaf.operand->number.bits);
    // Parts of an address are leaves by themselves.
    if (leaf.operand->kind == Operand::Kind::kAddress) return "at";
    const bool name = param && leaf.operand->kind == Operand::Kind::kName;
    if (!name) return std::nullopt;
    return ir::Cat(leaf.operand->name, "+",
                   leaf.operand->has_offset ? leaf.operand->number.value() : 0);
  }

  // Of the same sources it makes the same.
  static bool IsPure(const Node& n) {
    static constexpr std::string_view kPure[] = {
        "mov", "cvta", "cvt", "add", "sub", "mul", "mad", "shl", "shr",
        "and", "or",   "xor", "not", "neg", "min", "max", "abs", "bfe"};
    const std::string_view s = n.instruction().opcode;
    return n.op->kind == OpKind::kValue &&
           s.find(".cc") == std::string_view::npos &&
           s.find(".approx") == std::string_view::npos &&
           std::find(std::begin(kPure), std::end(kPure), n.op->opcode) !=
               std::end(kPure);
  }

  // Nobody writes what it reads while the launch runs.
  bool ReadsConstant(int32_t node) const {
    const std::set<size_t> touched = guide_.BuffersOf(node);
    if (guide_.MayBeLocal(node)) return false;
    if (touched.empty()) return !all_run_;
    if (touched.size() != 1) return false;
    return !guide_.IsFromOutside(*touched.begin()) &&
           IsOnlyRead(*touched.begin(), {&guide_});
  }

  const PtxGuide& guide_;
  const bool all_run_;
  const Graph& graph_;
  std::vector<std::optional<Made>> made_;
  std::vector<std::vector<int32_t>> defined_;
};

// A comparison of such a number with a constant.
struct Comparing {
  int32_t node = -1, reg = -1;
  ScalarOp op;
  bool first = true;  // the number is the first of the two
  uint64_t constant = 0;

  bool Holds(uint64_t number) const {
    Words in{};
    in[0] = first ? number : constant;
    in[1] = first ? constant : number;
    // What it is combined with has no say.
    in[2] = op.combination == Combination::kAnd ? 1 : 0;
    return Execute(op, in)[0] != 0;
  }
};

bool IsInteger(Type t) {
  switch (t) {
    case Type::kB16:
    case Type::kU16:
    case Type::kS16:
    case Type::kB32:
    case Type::kU32:
    case Type::kS32:
    case Type::kB64:
    case Type::kU64:
    case Type::kS64:
      return true;
    default:
      return false;
  }
}

std::optional<Comparing> ComparingAt(const Graph& graph, int32_t node) {
  const Node& n = graph.nodes[node];
  if (n.op == nullptr || n.op->opcode != "setp") return std::nullopt;
  std::string why;
  const std::optional<ScalarOp> op = CompileScalar(n.instruction(), &why);
  if (!op || op->inputs < 2 || !IsInteger(op->input_types[0]))
    return std::nullopt;
  std::array<const Leaf*, 2> of{};
  const std::vector<Leaf> leaves = LeavesOf(graph, n);
  for (const Leaf& leaf : leaves) {
    if (leaf.of == 1 || leaf.of == 2) of[leaf.of - 1] = &leaf;
  }
  for (const bool first : {true, false}) {
    const Leaf *number = of[first ? 0 : 1], *other = of[first ? 1 : 0];
    if (number == nullptr || other == nullptr || number->reg < 0 ||
        number->operand->has_offset)
      continue;
    std::optional<uint64_t> constant;
    if (other->reg >= 0) constant = ConstantIn(graph, other->reg);
    if (other->operand->kind == Operand::Kind::kNumber)
      constant = other->operand->number.bits;
    if (constant) return Comparing{node, number->reg, *op, first, *constant};
  }
  return std::nullopt;
}

// Numbers of which each other one compares as one of them does: where a
// comparison changes its mind, signed or not.
std::set<uint64_t> Corners(const std::vector<Comparing>& all) {
  std::set<uint64_t> out = {0, ~uint64_t{0}};
  for (const Comparing& c : all) {
    const int bits = BitsOf(c.op.input_types[0]);
    const uint64_t sign = uint64_t{1} << (bits - 1);
    for (uint64_t n : {c.constant, sign}) {
      for (uint64_t m : {n - 1, n, n + 1}) out.insert(m);
    }
  }
  return out;
}

// One number for each answer that the comparisons give together.
std::vector<uint64_t> ToldApart(const std::vector<Comparing>& all) {
  std::map<std::vector<bool>, uint64_t> out;
  for (uint64_t number : Corners(all)) {
    std::vector<bool> holds;
    for (const Comparing& c : all) holds.push_back(c.Holds(number));
    out.try_emplace(holds, number);
  }
  std::vector<uint64_t> numbers;
  for (const auto& [holds, number] : out) numbers.push_back(number);
  return numbers;
}

}  // namespace

// docs/ptx.md 7.6.
std::vector<ReadAs> CasesOf(const PtxGuide& guide) {
  const Graph& graph = guide.program().graph;
  Constants constants(guide, true);
  std::set<int32_t> decide;  // nodes
  for (const Step& s : guide.program().steps) {
    if (s.kind == Step::Kind::kScalar) decide.insert(s.node);
  }
  std::map<std::string, std::vector<Comparing>> by_number;
  for (int32_t node : decide) {
    const std::optional<Comparing> c = ComparingAt(graph, node);
    if (!c) continue;
    const Made made = constants.Of(c->reg, node);
    if (!made || !Constants::IsLoaded(*made)) continue;
    // Read as so many bits.
    by_number[ir::Cat(BitsOf(c->op.input_types[0]), *made)].push_back(*c);
  }
  std::vector<ReadAs> out = {{}};
  for (const auto& [made, all] : by_number) {
    std::vector<ReadAs> longer;
    for (const ReadAs& before : out) {
      for (uint64_t number : ToldApart(all)) {
        ReadAs& with = longer.emplace_back(before);
        for (const Comparing& c : all) with[{c.node, c.reg}] = number;
      }
      if (longer.size() > kMostCases) return {};
    }
    out = std::move(longer);
  }
  return out.size() > 1 ? out : std::vector<ReadAs>();
}

bool StaysSo(const ReadAs& one, const PtxGuide& guide) {
  Constants constants(guide, false);
  return std::all_of(one.begin(), one.end(), [&](const auto& read) {
    const auto& [node, reg] = read.first;
    return constants.Of(reg, node).has_value();
  });
}

}  // namespace tilesim::ptx
