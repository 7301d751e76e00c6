// Values that decide: what is computed from registers and parameters, as steps.
#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/cat.h"
#include "ptx/machine/lower_steps.h"
#include "ptx/machine/operands.h"
#include "ptx/machine/reductions.h"
#include "ptx/scalar/scalar.h"

namespace tilesim::ptx {

namespace {

// PTX says how far from the exact result an approximation may be, not which
// number it is; and %warpid may change while the thread runs.
bool IsNotSaid(const Node& n) {
  if (n.instruction().opcode.find(".approx") != std::string::npos) return true;
  const std::vector<Operand>& operands = n.instruction().operands;
  return std::any_of(operands.begin(), operands.end(),
                     [](const Operand& o) { return o.name == "%warpid"; });
}

}  // namespace

void Steps::Scalar(int32_t node) {
  const Node& n = program_.graph.nodes[node];
  std::vector<Target> results;
  for (int32_t reg : n.defines) results.push_back(TargetOf(reg));
  if (std::none_of(results.begin(), results.end(),
                   [](const Target& t) { return t.reg >= 0; }))
    return;
  std::string why;
  std::string_view spelling = n.instruction().opcode;
  std::vector<Leaf> leaves = LeavesOf(program_.graph, n);
  if (spelling.starts_with("cvta")) return Window(node, leaves);
  if (spelling.starts_with("mapa")) return Mapa(node, leaves);
  if (spelling.starts_with("mov.b128")) return Pack(node, leaves);
  std::optional<ScalarOp> op = CompileScalar(n.instruction(), &why);
  const bool judged = !program_.whole && !program_.timed;
  if (!op || (judged && IsNotSaid(n))) return Unknown(node, results);
  Step s;
  size_t in = 0;
  for (const Leaf& leaf : leaves) {
    if (leaf.of == 0 && s.results.size() < op->outputs) {
      s.results.push_back(TargetOf(leaf.reg));
      continue;
    }
    std::optional<Source> source =
        in < op->inputs ? Read(leaf, op->input_types[in]) : std::nullopt;
    const auto taken = followed_.read_as.find({node, leaf.reg});
    if (taken != followed_.read_as.end()) {
      source.emplace();
      source->bits = taken->second;
    }
    if (!source) return Unknown(node, results);
    s.sources.push_back(*source);
    ++in;
  }
  if (in != op->inputs || s.results.size() != op->outputs)
    return Unknown(node, results);
  Step& out = Emit(Step::Kind::kScalar, node);
  out.scalar = *op;
  out.adds = (spelling.starts_with("add.s") || spelling.starts_with("add.u") ||
              spelling.starts_with("add.b")) &&
             op->inputs == 2 && op->outputs == 1 && !op->sat;
  const bool divides =
      spelling.starts_with("div.") || spelling.starts_with("rem.");
  out.divides = judged && divides && spelling.find(".f") == spelling.npos;
  out.selects = spelling.starts_with("selp.");
  out.sources = std::move(s.sources);
  out.results = std::move(s.results);
}

// Generic addresses of shared memory lie in a window; those of others are what
// they are (memory.h).
void Steps::Window(int32_t node, const std::vector<Leaf>& leaves) {
  std::string_view spelling = program_.graph.nodes[node].instruction().opcode;
  bool shared = spelling.find(".shared") != std::string_view::npos;
  bool from_generic = spelling.starts_with("cvta.to");
  std::optional<Source> source = Read(leaves[1], Type::kB64);
  if (!source) return Unknown(node, {TargetOf(leaves[0].reg)});
  if (shared) source->bits += from_generic ? -kSharedWindow : kSharedWindow;
  Step& s = Emit(Step::Kind::kConstant, node);
  s.results = {TargetOf(leaves[0].reg)};
  s.sources = {*source};
}

// Of 128 bits the first 64 are followed, which have all of an answer
// (answers.h).
void Steps::Pack(int32_t node, const std::vector<Leaf>& leaves) {
  std::optional<Source> low;
  std::vector<Target> results;
  for (const Leaf& leaf : leaves) {
    if (leaf.operand->kind == Operand::Kind::kVector) continue;
    if (leaf.of == 0) results.push_back(TargetOf(leaf.reg));
    if (leaf.of == 1 && !low) low = Read(leaf, Type::kB64);
  }
  if (!low) return Unknown(node, results);
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].reg < 0) continue;
    Step& s = Emit(Step::Kind::kConstant, node);
    s.results = {results[i]};
    s.sources = {i == 0 ? *low : Source()};
  }
}

void Steps::Query(int32_t node, const std::vector<Leaf>& leaves) {
  std::string_view spelling = program_.graph.nodes[node].instruction().opcode;
  auto has = [&](std::string_view word) {
    return spelling.find(word) != std::string_view::npos;
  };
  std::optional<Source> answer;
  std::vector<Target> results;
  for (const Leaf& leaf : leaves) {
    if (leaf.operand->kind == Operand::Kind::kVector) continue;
    if (leaf.of == 0) results.push_back(TargetOf(leaf.reg));
    if (leaf.of == 1) answer = Read(leaf, Type::kB64);
  }
  if (!answer) return Unknown(node, results);
  Step& s = Emit(Step::Kind::kAnswer, node);
  s.sources = {*answer};
  s.results = std::move(results);
  s.numbers = {has("is_canceled") ? -1 : has("::z") ? 2 : has("::y") ? 1 : 0};
}

// The same place in the memory of CTA `rank`.
void Steps::Mapa(int32_t node, const std::vector<Leaf>& leaves) {
  std::optional<Source> at = Read(leaves[1], Type::kB64);
  std::optional<Source> rank = Read(leaves[2], Type::kB32);
  if (!at || !rank) return Unknown(node, {TargetOf(leaves[0].reg)});
  Step& s = Emit(Step::Kind::kMapa, node);
  s.results = {TargetOf(leaves[0].reg)};
  s.sources = {*at, *rank};
}

namespace {

int64_t ModeOf(std::string_view shuffle) {
  auto has = [&](std::string_view s) {
    return shuffle.find(s) != shuffle.npos;
  };
  return has(".idx") ? 0 : has(".bfly") ? 1 : has(".up") ? 2 : 3;
}

}  // namespace

// Which lane a shuffle reads, if that is said by numbers.
void Steps::ReadLane(const std::vector<Leaf>& leaves, Step& step) const {
  std::vector<Source> numbers;
  for (const Leaf& leaf : leaves) {
    if (leaf.of != 2 && leaf.of != 3) continue;
    std::optional<uint64_t> n;
    if (leaf.reg >= 0) n = ConstantIn(program_.graph, leaf.reg);
    if (leaf.operand->kind == Operand::Kind::kNumber)
      n = static_cast<uint64_t>(leaf.operand->number.value());
    if (n) numbers.emplace_back().bits = *n;
  }
  if (numbers.size() != 2) return;
  step.sources = std::move(numbers);
  step.word_bytes =
      ModeOf(program_.graph.nodes[step.node].instruction().opcode);
}

// The membermask is the last operand of all of them. One that varies is not
// followed: it is `activemask`, or what a group of threads has computed. Nor is
// a guard, which may be payload.
void Steps::Members(int32_t node) {
  const Node& n = program_.graph.nodes[node];
  if (IsAligned(n)) {
    Emit(Step::Kind::kMembers, node).numbers = {ir::kAllLanes, 1};
    return;
  }
  const bool by_mask =
      n.op != nullptr && n.op->unit == Unit::kCrossLane &&
      n.op->opcode != "movmatrix" &&
      n.instruction().opcode.find(".sync") != std::string::npos;
  if (!by_mask) return;
  const std::vector<Leaf> leaves = LeavesOf(program_.graph, n);
  if (leaves.empty()) return;
  const Leaf& last = leaves.back();
  std::optional<uint64_t> mask;
  if (last.reg >= 0) mask = ConstantIn(program_.graph, last.reg);
  if (last.operand->kind == Operand::Kind::kNumber)
    mask = static_cast<uint64_t>(last.operand->number.value());
  Step& step = Emit(Step::Kind::kMembers, node);
  if (mask && step.guard < 0)
    step.numbers = {static_cast<int64_t>(static_cast<uint32_t>(*mask))};
  if (n.op->opcode == "shfl.sync") ReadLane(leaves, step);
  step.guard = -1;
}

bool Steps::OfWarp(int32_t node) {
  const Node& n = program_.graph.nodes[node];
  std::string_view s = n.instruction().opcode;
  std::vector<Leaf> leaves = LeavesOf(program_.graph, n);
  auto results = [&](Step& step) {
    for (const Leaf& leaf : leaves) {
      if (leaf.of == 0) step.results.push_back(TargetOf(leaf.reg));
    }
  };
  auto sources = [&](Step& step, size_t from, size_t count) {
    for (const Leaf& leaf : leaves) {
      if (leaf.of < from || leaf.of >= from + count) continue;
      if (auto source = Read(leaf, Type::kB32)) step.sources.push_back(*source);
    }
  };
  if (s.starts_with("elect.sync")) {
    results(Emit(Step::Kind::kElect, node));
    return true;
  }
  if (s.starts_with("shfl.sync")) {
    Step& step = Emit(Step::Kind::kShuffle, node);
    step.numbers = {ModeOf(s)};
    results(step);
    sources(step, 1, 3);
    return true;
  }
  if (s.starts_with("vote.sync")) {
    Step& step = Emit(Step::Kind::kVote, node);
    step.numbers = {s.find(".ballot") != s.npos ? 0
                    : s.find(".all") != s.npos  ? 1
                    : s.find(".any") != s.npos  ? 2
                                                : 3};
    results(step);
    sources(step, 1, 1);
    return true;
  }
  if (s.starts_with("match.")) {
    Step& step = Emit(Step::Kind::kMatch, node);
    step.numbers = {s.find(".all") != s.npos};
    results(step);
    sources(step, 1, 1);
    return true;
  }
  return false;
}

// The shortest word by which it may be accessed is a register.
void Steps::FindLocal() {
  constexpr int64_t kMostWords = 1024;
  const auto bytes = static_cast<int64_t>(program_.memory.local_bytes());
  int64_t word = 8;
  for (const Node& n : program_.graph.nodes) {
    const std::string_view s = n.instruction().opcode;
    const bool access = n.op != nullptr && (n.op->opcode.starts_with("ld") ||
                                            n.op->opcode.starts_with("st"));
    const auto each =
        static_cast<int64_t>(ScalarBytes(s.substr(s.rfind('.') + 1)));
    if (access && each > 0) word = std::min(word, each);
  }
  const int64_t words = (bytes + word - 1) / word;
  if (words > kMostWords) return;
  program_.local = {static_cast<int32_t>(program_.registers.size()),
                    static_cast<int32_t>(words), word};
  for (int64_t i = 0; i < words; ++i) {
    program_.registers.push_back(ir::Cat("local memory +", i * word));
    program_.graph_registers.push_back(-1);
  }
}

// ld.local, st.local, ld.const.
void Steps::Own(int32_t node) {
  const Node& n = program_.graph.nodes[node];
  const std::string_view spelling = n.instruction().opcode;
  const std::string_view type = spelling.substr(spelling.rfind('.') + 1);
  const bool stores = spelling.starts_with("st");
  const size_t place = stores ? 0 : 1;
  std::vector<Target> results;
  std::vector<Source> data;
  std::optional<Source> address;
  int64_t words = 0;
  for (const Leaf& leaf : LeavesOf(program_.graph, n)) {
    if (leaf.of == place && !address) address = Read(leaf, Type::kB64);
    if (leaf.of == place || leaf.operand->kind == Operand::Kind::kVector)
      continue;
    ++words;
    if (!stores) results.push_back(TargetOf(leaf.reg));
    if (!stores || program_.local.words == 0) continue;
    const std::optional<Source> datum = Read(leaf, Type::kB64);
    if (datum) data.push_back(*datum);
  }
  const auto bytes =
      static_cast<int64_t>(type == "b128" ? 16 : ScalarBytes(type));
  if (!address || bytes == 0) return Unknown(node, results);
  Step& s = Emit(Step::Kind::kOwn, node);
  s.sources = {*address};
  s.results = std::move(results);
  if (static_cast<int64_t>(data.size()) == words) s.data = std::move(data);
  s.word_bytes = bytes;
  s.numbers = {words};
  s.loads_const = !stores && spelling.starts_with("ld.const");
}

void Steps::LoadParam(int32_t node) {
  const Node& n = program_.graph.nodes[node];
  std::vector<Leaf> leaves = LeavesOf(program_.graph, n);
  std::string_view spelling = n.instruction().opcode;
  std::string_view type = spelling.substr(spelling.rfind('.') + 1);
  Step s;
  bool wanted = false;
  for (const Leaf& leaf : leaves) {
    if (leaf.of == 0) s.results.push_back(TargetOf(leaf.reg));
    if (leaf.of != 1 || !s.sources.empty()) continue;
    if (auto source = Read(leaf, Type::kB64)) s.sources.push_back(*source);
  }
  for (const Target& t : s.results) wanted |= t.reg >= 0;
  if (!wanted) return;
  if (s.sources.empty()) return Unknown(node, s.results);
  Step& out = Emit(Step::Kind::kLoad, node);
  out.results = std::move(s.results);
  out.sources = std::move(s.sources);
  out.numbers = {static_cast<int64_t>(ScalarBytes(type)), type[0] == 's'};
}

namespace {

bool LoadsShared(const Making& m) {
  return m.op == ir::OpKind::kLdShared ||
         (m.op == ir::OpKind::kLd && m.fixed[0].space == ir::Space::kShared);
}

// What it returns is told (PtxGuide::Arrived).
bool Arrives(ir::OpKind op) {
  return op == ir::OpKind::kMbarrierArrive ||
         op == ir::OpKind::kMbarrierArriveExpectTx ||
         op == ir::OpKind::kMbarrierArriveDrop;
}

// Whose result somebody wants.
bool AtomicInShared(const Making& m) {
  return m.step.atomic && m.op != ir::OpKind::kRedAdd &&
         m.fixed[0].space == ir::Space::kShared;
}

// Step::may_skip. A weak access orders nothing, nor does a reduction whose
// buffer nobody reads by its values; what a load returns is not followed.
bool MaySkip(const Making& m, const Step& s) {
  switch (m.op) {
    case ir::OpKind::kLdShared:
    case ir::OpKind::kLdGlobal:
    case ir::OpKind::kStShared:
    case ir::OpKind::kStGlobal:
    case ir::OpKind::kRedAdd:
      return true;
    case ir::OpKind::kLd:
      return !s.strong;
    default:
      return false;
  }
}

}  // namespace

// Registers that a product adds to as well: it writes them, whatever they held.
std::vector<Target> Steps::WrittenBy(int32_t node) const {
  std::vector<Target> out;
  for (int32_t reg : program_.graph.nodes[node].defines)
    out.push_back(TargetOf(reg));
  return out;
}

// Of elements that each have a number of their own: that of the first, and how
// many elements it lies behind that one.
void Steps::Rising(int32_t node, int64_t first,
                   const std::vector<Target>& results) {
  const Instruction& load = program_.graph.nodes[node].instruction();
  const uint64_t bytes = ScalarBytes(
      std::string_view(load.opcode).substr(load.opcode.rfind('.') + 1));
  const uint64_t base =
      program_.memory.BufferAddress(followed_.rising.at(node));
  std::optional<Source> address;
  for (const Leaf& leaf :
       LeavesOf(program_.graph, program_.graph.nodes[node])) {
    if (leaf.of == 1 && !address) address = Read(leaf, Type::kB64);
  }
  const bool over =
      address &&
      std::any_of(results.begin(), results.end(), [&](const Target& t) {
        return t.reg >= 0 && t.reg == address->reg;
      });
  if (!address || over) return Unknown(node, results);
  address->bits -= base;
  for (size_t i = 0; i < results.size(); ++i) {
    const Target& t = results[i];
    if (t.reg < 0) continue;
    Instruction shift;
    shift.opcode = t.bits > 32 ? "shr.u64" : "shr.u32";
    shift.operands.resize(3);
    for (Operand& o : shift.operands) o.kind = Operand::Kind::kName;
    std::string why;
    const std::optional<ScalarOp> op = CompileScalar(shift, &why);
    if (!op || t.bits < 32) return Unknown(node, results);
    Source of;
    of.reg = t.reg;
    of.width = t.bits;
    Step& distance = Emit(Step::Kind::kConstant, node);
    distance.results = {t};
    distance.sources = {*address};
    Step& number = Emit(Step::Kind::kScalar, node);
    number.scalar = *op;
    number.results = {t};
    number.sources = {of, {}};
    number.sources[1].bits = static_cast<uint64_t>(std::countr_zero(bytes));
    of.bits = static_cast<uint64_t>(first) + i;
    Step& element = Emit(Step::Kind::kConstant, node);
    element.results = {t};
    element.sources = {of};
  }
}

// What an operation puts into registers.
void Steps::Return(const Making& m, const std::vector<Target>& results,
                   Step& s) {
  const int32_t node = s.node;
  const size_t behind = program_.steps.size();
  const bool words = followed_.words.contains(node) && s.word_bytes > 0 &&
                     m.op != ir::OpKind::kCpAsync;  // ReadCopied
  program_.control_in_shared |=
      s.strong && m.fixed[0].space == ir::Space::kShared;
  if (words) {
    s.results = results;
    s.lane_by_lane = m.step.lane_by_lane;
    FollowWords(m, s);
  } else if (LoadsShared(m) && s.word_bytes > 0) {
    s.results = results;
    bool decides = std::any_of(s.results.begin(), s.results.end(),
                               [](const Target& t) { return t.reg >= 0; });
    if (!decides) s.results.clear();
    program_.control_in_shared |= decides;
  } else if (AtomicInShared(m)) {
    s.results = results;
    s.lane_by_lane = true;
    program_.control_in_shared = true;
  } else if (m.op == ir::OpKind::kMbarrierTestWait || Arrives(m.op)) {
    s.results = results;
  } else if (m.op == ir::OpKind::kMbarrierWait) {
    // It has waited: the phase is complete.
    for (const Target& t : results) Constant(node, t, 1);
  } else if (auto taken = followed_.taken.find(node);
             taken != followed_.taken.end()) {
    const bool rises = followed_.rising.contains(node);
    if (rises) Rising(node, taken->second, results);
    for (const Target& t : results) {
      if (!rises)
        Constant(node, t,
                 ZeroExtend(static_cast<uint64_t>(taken->second), t.bits));
    }
  } else {
    const bool reduces = Reduces(s);  // judged behind it, wanted or not
    Unknown(node, results.empty() ? WrittenBy(node) : results);
    if (reduces && program_.steps.size() == behind)
      Emit(Step::Kind::kUnknown, node);
  }
  program_.steps[behind - 1].may_skip =
      !words && MaySkip(m, program_.steps[behind - 1]);
  for (size_t i = behind; i < program_.steps.size(); ++i)
    program_.steps[i].of_op = true;
}

}  // namespace tilesim::ptx
