#include "ptx/machine/lower_steps.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ir/cat.h"
#include "ir/ops/memory.h"
#include "ir/ops/tile.h"
#include "ptx/flow/waits.h"
#include "ptx/launch/launch.h"
#include "ptx/machine/atomic_words.h"
#include "ptx/machine/filling.h"
#include "ptx/machine/passed.h"
#include "ptx/machine/reductions.h"
#include "sim/machine/operands.h"

namespace tilesim::ptx {
namespace {

// Hints, and what tells of time: nobody can notice that they are left out.
constexpr std::string_view kNothing[] = {
    "prefetch", "prefetchu", "cp.async.bulk.prefetch", "nanosleep", "pmevent",
    "applypriority", "discard",
    // Of addresses that lead to one place: here a place has one.
    "fence.proxy.alias"};

bool DoesNothing(std::string_view spelling) {
  return std::any_of(
      std::begin(kNothing), std::end(kNothing), [&](std::string_view s) {
        return spelling.starts_with(s) &&
               (spelling.size() == s.size() || spelling[s.size()] == '.');
      });
}

bool IsIgnored(const Program& program, const Node& n) {
  return program.ignores_setmaxnreg && n.op->opcode == "setmaxnreg";
}

bool IsTensorCopy(const Node& n) {
  std::string_view spelling = n.instruction().opcode;
  return spelling.starts_with("cp.async.bulk.tensor") ||
         spelling.starts_with("cp.reduce.async.bulk.tensor");
}

bool IsOwnAccess(std::string_view spelling) {
  return spelling.starts_with("ld.local") || spelling.starts_with("st.local") ||
         spelling.starts_with("ld.const");
}

bool InOwnMemory(std::string_view spelling) {
  return spelling.starts_with("ld.local") || spelling.starts_with("st.local") ||
         spelling.starts_with("st.param");
}

}  // namespace

bool IsExecuted(const Node& node, Plane plane) {
  std::string_view spelling = node.instruction().opcode;
  if (node.op == nullptr || node.op->opcode == "call") return false;
  if (plane == Plane::kPayload || node.op->kind == OpKind::kBranch ||
      DoesNothing(spelling) || InOwnMemory(spelling))
    return true;
  if (node.op->kind != OpKind::kValue) {
    const bool of_its_own =
        spelling.starts_with("ld.param") || spelling.starts_with("ld.const") ||
        spelling.starts_with("clusterlaunchcontrol.query_cancel");
    return of_its_own || FindRow(spelling) != nullptr;
  }
  constexpr std::string_view kOfStrands[] = {
      "cvta", "mapa", "elect.sync", "shfl.sync", "vote.sync", "match."};
  const bool of_strand =
      std::any_of(std::begin(kOfStrands), std::end(kOfStrands),
                  [&](std::string_view s) { return spelling.starts_with(s); });
  std::string why;
  return of_strand || CompileScalar(node.instruction(), &why).has_value();
}

Steps::Steps(Program& program, const Followed& followed,
             std::deque<ir::Op>& ops, machine::Code& code,
             ir::Diagnostics& diagnostics)
    : program_(program),
      followed_(followed),
      ops_(ops),
      code_(code),
      diagnostics_(diagnostics) {}

void Steps::Run() {
  const Graph& g = program_.graph;
  straight_.assign(g.nodes.size(), -1);
  if (program_.whole || program_.timed) {
    planes_ = PlanesOf(g);
  } else {
    Straightened s = Straighten(g);
    planes_ = std::move(s.planes);
    straight_ = std::move(s.straight);
  }
  waits_.resize(g.nodes.size());
  for (const Wait& w : FindWaits(g)) {
    waits_[w.node] = w.loops;
    if (w.peek >= 0) peeks_[w.node] = w.peek;
  }
  FindWanted();
  builds_maps_ = std::any_of(g.nodes.begin(), g.nodes.end(), [](const Node& n) {
    return n.op != nullptr && n.op->opcode == "tensormap.cp_fenceproxy";
  });
  program_.control_in_shared |= builds_maps_;
  touches_ = TouchesOf(g);
  if (program_.timed) FindCosts();
  LeaveOut();
  size_t block = 0;
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    while (block < g.blocks.size() &&
           g.blocks[block].first == static_cast<int32_t>(i)) {
      if (i > 0) PayBefore(static_cast<int32_t>(i) - 1);
      first_.push_back(static_cast<int32_t>(program_.steps.size()));
      ++block;
    }
    const auto node = static_cast<int32_t>(i);
    if (!program_.whole && !program_.timed) {
      TouchBefore(node);
      Members(node);
    }
    if (program_.timed) Pay(node);
    const size_t before = program_.steps.size();
    OneNode(node);
    if (program_.whole) ExecuteAt(node, before);
  }
  Emit(Step::Kind::kEnd,
       g.nodes.empty() ? -1 : static_cast<int32_t>(g.nodes.size()) - 1);
  TellRefused();
  CheckGroups();
  Resolve();
  if (program_.timed) ResolveLoads();
  FindLive();
  FindOnlySet();
  FindExits();
  if (program_.control_in_shared) MarkControl();
}

// What the instruction costs is paid by the next step that there is.
void Steps::Pay(int32_t node) {
  owed_ += passed_[node];
  owed_loads_.insert(owed_loads_.end(), awaited_[node].begin(),
                     awaited_[node].end());
}

// A block ends behind the node: the next one may have other blocks before it.
void Steps::PayBefore(int32_t node) {
  if (owed_ == machine::Passed() && owed_loads_.empty()) return;
  Emit(Step::Kind::kPayload, node).guard = -1;
}

// Payload is executed at the first step of an instruction, of operations at the
// operation itself (Operation).
void Steps::ExecuteAt(int32_t node, size_t first) {
  const Node& n = program_.graph.nodes[node];
  if (n.op == nullptr || n.op->kind == OpKind::kBranch ||
      DoesNothing(n.instruction().opcode) || IsIgnored(program_, n))
    return;
  if (program_.steps.size() == first) {
    Step& s = Emit(Step::Kind::kPayload, node);
    s.guard = -1;  // it decides nothing
    s.executes = true;
    return;
  }
  const bool operation =
      std::any_of(program_.steps.begin() + static_cast<int64_t>(first),
                  program_.steps.end(),
                  [](const Step& s) { return s.kind == Step::Kind::kOp; });
  if (!operation) program_.steps[first].executes = true;
}

// Loads of shared memory that decide, and whatever writes it.
void Steps::MarkControl() {
  for (Step& s : program_.steps) {
    if (s.kind != Step::Kind::kOp) continue;
    machine::CompiledOp& op = code_.ops[s.op];
    const ir::OpKind kind = op.op->info->kind;
    op.control |= (kind == ir::OpKind::kLdShared && !s.results.empty()) ||
                  kind == ir::OpKind::kLd;
    ir::EffectSink sink;
    ir::EffectsOf(op.fixed, sink);
    for (const ir::Effect& e : sink.effects()) {
      if (e.kind == ir::EffectKind::kWrite && e.operand >= 0)
        s.writes |= uint32_t{1} << e.operand;
      op.control |= e.kind == ir::EffectKind::kTmemAlloc;
      op.control |= e.kind == ir::EffectKind::kWrite &&
                    op.fixed.is_tile(e.operand) &&
                    op.fixed.tile(e.operand).space == ir::Space::kShared;
    }
  }
}

// Registers that decide anything get a slot.
void Steps::FindWanted() {
  const Graph& g = program_.graph;
  slots_.assign(g.registers.size(), -1);
  auto want = [&](int32_t reg) {
    if (reg < 0 || slots_[reg] >= 0) return;
    slots_[reg] = static_cast<int32_t>(program_.registers.size());
    program_.registers.push_back(g.registers[reg]);
    program_.graph_registers.push_back(reg);
  };
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    const Node& n = g.nodes[i];
    if (IsAligned(n)) want(n.guard);
    if (planes_[i] == Plane::kPayload || planes_[i] == Plane::kUnknown)
      continue;
    want(n.guard);
    for (int32_t reg : n.reads) want(reg);
    if (n.op->kind == OpKind::kValue) {
      for (int32_t reg : n.data) want(reg);
    }
  }
  if (followed_.local) FindLocal();
}

Step& Steps::Emit(Step::Kind kind, int32_t node) {
  Step& s = program_.steps.emplace_back();
  s.kind = kind;
  s.node = node;
  s.passed = std::exchange(owed_, {});
  s.awaits = std::exchange(owed_loads_, {});
  machine::Instr& i = code_.instrs.emplace_back();
  i.kind = kind == Step::Kind::kOp    ? machine::Instr::Kind::kOp
           : kind == Step::Kind::kEnd ? machine::Instr::Kind::kExit
                                      : machine::Instr::Kind::kJump;
  if (node < 0) return s;
  const Node& n = program_.graph.nodes[node];
  i.span = n.statement->span;
  if (kind == Step::Kind::kEnd || n.guard < 0) return s;
  s.guard = slots_[n.guard];
  s.negated = n.instruction().guard.negated;
  return s;
}

Target Steps::TargetOf(int32_t reg) const {
  if (reg < 0) return {};
  return {slots_[reg], program_.graph.register_bits[reg]};
}

std::optional<Source> Steps::Read(const Leaf& leaf, Type type) const {
  std::optional<Source> s =
      SourceOf(leaf, program_.graph, program_.memory, type);
  if (s && s->reg >= 0) s->reg = slots_[s->reg];
  return s;
}

namespace {

// Numbers of the step: how many registers are read, those, and the written.
bool FillTouch(Filling& f, const Step& s, ir::ConcreteOp& out) {
  using Mov = ir::ops::Mov;
  const auto reads = static_cast<size_t>(s.numbers[0]);
  const size_t writes = s.numbers.size() - 1 - reads;
  if (reads > 0) f.Registers(s.numbers, 1, reads, out.operands[Mov::kSrc]);
  if (writes > 0)
    f.Registers(s.numbers, 1 + reads, writes, out.operands[Mov::kDst]);
  return true;
}

}  // namespace

void Steps::TouchBefore(int32_t node) {
  auto found = touches_.find(node);
  if (found == touches_.end()) return;
  const auto& [reads, writes] = found->second;
  Step step;
  const Node& n = program_.graph.nodes[node];
  Making m{program_.graph, n, program_.memory, {}, slots_, step};
  m.op = ir::OpKind::kMov;
  if (!writes.empty()) m.Tile(ir::ops::Mov::kDst, ir::Space::kReg);
  if (!reads.empty()) m.Tile(ir::ops::Mov::kSrc, ir::Space::kReg);
  Step& s = Emit(Step::Kind::kOp, node);
  s.guard = -1;  // whether it is executed, payload may say
  s.op = AddOp(n, m, m.op);
  code_.instrs.back().a = s.op;
  s.fill = FillTouch;
  s.touch = true;
  s.numbers.push_back(static_cast<int64_t>(reads.size()));
  s.numbers.insert(s.numbers.end(), reads.begin(), reads.end());
  s.numbers.insert(s.numbers.end(), writes.begin(), writes.end());
}

void Steps::OneNode(int32_t node) {
  const Node& n = program_.graph.nodes[node];
  std::string_view spelling = n.instruction().opcode;
  if (n.op == nullptr) return Refuse(node, "is not known");
  if (DoesNothing(spelling) || IsIgnored(program_, n)) return;
  if (n.op->kind == OpKind::kBranch) return Branch(node);
  if (spelling.starts_with("ld.param")) return LoadParam(node);
  if (spelling.starts_with("clusterlaunchcontrol.query_cancel"))
    return Query(node, LeavesOf(program_.graph, n));
  if (!program_.whole && IsOwnAccess(spelling)) return Own(node);
  if (InOwnMemory(spelling) || spelling.starts_with("ld.const") ||
      (!program_.whole && !program_.timed && ReadsTable(program_.graph, n))) {
    std::vector<Target> results;
    for (int32_t reg : n.defines) results.push_back(TargetOf(reg));
    return Unknown(node, results);
  }
  if (n.op->kind == OpKind::kValue) {
    if (planes_[node] == Plane::kPayload) return;
    if (!OfWarp(node)) Scalar(node);
    return;
  }
  const OpRow* row = FindRow(spelling);
  if (row != nullptr && LoadTwice(node, *row)) return;
  if (row != nullptr) return Operation(node, *row);
  Refuse(node, "cannot be executed yet");
}

void Steps::Refuse(int32_t node, std::string why) {
  const auto opcode = [&](int32_t of) {
    const Node& n = program_.graph.nodes[of];
    return n.op != nullptr ? n.op->opcode
                           : std::string_view(n.instruction().opcode);
  };
  auto known =
      std::find_if(refused_.begin(), refused_.end(), [&](const Refused& r) {
        return opcode(r.first) == opcode(node) && r.why == why;
      });
  if (known == refused_.end())
    known = refused_.insert(known, {node, 0, std::move(why)});
  ++known->count;
}

void Steps::TellRefused() {
  for (const Refused& r : refused_) {
    const Node& n = program_.graph.nodes[r.first];
    std::string text = ir::Cat("`", n.instruction().opcode, "` ", r.why);
    if (r.count > 1)
      ir::Append(&text, "; the first of ", r.count, " such instructions");
    diagnostics_.Error(kUnsupported, n.statement->span, std::move(text)).help =
        "what is executed: ptx/machine/README.md";
  }
}

void Steps::Branch(int32_t node) {
  const Node& n = program_.graph.nodes[node];
  std::string_view op = n.op->opcode;
  const Callee callee = CalleeOf(n);
  if (callee == Callee::kPrintf) return;
  const bool fails = callee == Callee::kAssertFail;
  if (op == "call" && !fails) {
    const auto& left = program_.inlined->left;
    const auto why = left.find(n.statement->span.line);
    return Refuse(
        node, ir::Cat("is not executed: ",
                      why == left.end() ? "it is no function" : why->second));
  }
  Step& s = Emit(Step::Kind::kBranch, node);
  if (straight_[node] >= 0) s.guard = -1;
  // Without a debugger a breakpoint ends the kernel as a trap does.
  s.traps = op == "trap" || op == "brkpt" || fails;
  if (op != "brx.idx") return;
  for (const Leaf& leaf : LeavesOf(program_.graph, n)) {
    if (leaf.of == 0) s.sources.push_back(*Read(leaf, Type::kB32));
  }
}

namespace {

// What people are told an op is. An atomic whose result nobody wants is a
// reduction, whatever it computes, under the name that its line has.
const ir::OpInfo* InfoOf(const Node& node, ir::OpKind kind) {
  using Rows = std::map<std::string, ir::OpInfo, std::less<>>;
  static const Rows* const kReductions = [] {
    auto* rows = new Rows;
    for (std::string_view base : {"atom", "red"}) {
      for (std::string_view does : {"add", "and", "cas", "dec", "exch", "inc",
                                    "max", "min", "or", "xor"}) {
        auto [row, fresh] = rows->try_emplace(ir::Cat(base, ".", does),
                                              ir::InfoOf(ir::OpKind::kRedAdd));
        row->second.mnemonic = row->first;
      }
    }
    return rows;
  }();
  const ir::OpInfo* info = &ir::InfoOf(kind);
  // What cp.async copies and decides is loaded as well (copied_words.cc).
  const bool copied =
      kind == ir::OpKind::kLdGlobal && node.op->opcode == "cp.async";
  if (copied || node.op->opcode.starts_with("wmma.")) {
    static auto* const matrices = new Rows;
    auto [row, fresh] =
        matrices->try_emplace(std::string(node.op->opcode), *info);
    row->second.mnemonic = row->first;
    return &row->second;
  }
  if (kind != ir::OpKind::kRedAdd) return info;
  const std::string spelling = node.instruction().opcode + ".";
  const std::string base = spelling.substr(0, spelling.find('.') + 1);
  for (const auto& [name, row] : *kReductions) {
    const std::string does = name.substr(name.find('.')) + ".";
    if (name.starts_with(base) && spelling.find(does) != std::string::npos)
      return &row;
  }
  return info;
}

}  // namespace

int32_t Steps::AddOp(const Node& node, const Making& making, ir::OpKind kind) {
  ir::Op& op = ops_.emplace_back();
  op.info = InfoOf(node, kind);
  op.mods = making.op == kind ? making.mods : std::vector<uint8_t>();
  op.mods.resize(op.info->mods.size());
  op.operands.resize(op.info->operands.size());
  op.span = node.statement->span;
  machine::CompiledOp& c = code_.ops.emplace_back();
  c.op = &op;
  c.number = static_cast<int32_t>(code_.ops.size()) - 1;
  c.operands.resize(op.info->operands.size());
  c.fixed.op = &op;
  c.moves_data = machine::MovesData(*op.info);
  if (making.op != kind) return c.number;
  for (const Making::Fixed& f : making.fixed) {
    ir::OperandValue& o = c.fixed.operands[static_cast<size_t>(f.operand)];
    o.kind = c.operands[static_cast<size_t>(f.operand)].kind = f.kind;
    o.tile.space = f.space;
    o.tile.dtype = ir::DType::kU8;
    o.tile.rank = 1;
    o.tile.decl = f.space == ir::Space::kShared ? 0
                  : f.space == ir::Space::kReg  ? 1
                                                : Decls().elsewhere;
    c.operands[static_cast<size_t>(f.operand)].fixed = o;
    c.varying.push_back(static_cast<int8_t>(f.operand));
  }
  return c.number;
}

void Steps::Operation(int32_t node, const OpRow& row) {
  const Node& n = program_.graph.nodes[node];
  Step step;
  Making m{program_.graph, n,   program_.memory, LeavesOf(program_.graph, n),
           slots_,         step};
  m.waits = waits_[node];
  m.letter = program_.letter;
  m.only_reads = followed_.only_read.contains(node);
  if (!row.make(m))
    return Refuse(node, ir::Cat("cannot be executed yet: ", m.why));
  auto emit = [&](ir::OpKind kind) -> Step& {
    Step& s = Emit(Step::Kind::kOp, node);
    s.op = AddOp(n, m, kind);
    code_.instrs.back().a = s.op;
    return s;
  };
  for (ir::OpKind kind : m.before) emit(kind);
  if (builds_maps_ && step.fill != nullptr && IsTensorCopy(n))
    ReadMap(node, step);
  if (m.op == ir::OpKind::kCpAsync) ReadCopied(node, step);
  Step& s = emit(m.op);
  NotePeek(node, s);
  s.executes = program_.whole;
  s.sources = std::move(step.sources);
  s.numbers = std::move(step.numbers);
  s.collective = step.collective;
  s.fill = step.fill;
  s.window = SharedWindowOf(n.instruction().opcode);
  s.each_warp = step.each_warp;
  s.atomic = step.atomic;
  s.word_bytes = step.word_bytes;
  s.data = std::move(step.data);
  FollowMap(m, s);
  if (builds_maps_ && IsTensorCopy(n))
    code_.ops[static_cast<size_t>(s.op)].control = true;
  Return(m, step.results, s);
}

void Steps::NotePeek(int32_t node, const Step& s) {
  auto peek = peeks_.find(node);
  if (peek == peeks_.end()) return;
  const bool test = !waits_[node];
  auto& passed = program_.passed_over;
  (test ? passed.tests : passed.waits)[s.op] = peek->second;
  if (test)
    program_.tests[s.op] = static_cast<int32_t>(program_.steps.size()) - 1;
}

void Steps::FollowMap(const Making& m, Step& s) {
  s.strong = m.step.strong;
  s.generic = m.step.generic;
  s.buffers_by = m.step.buffers_by;
  s.map = m.step.map;
  s.map_part = m.step.map_part;
  s.map_operand = m.step.map_operand;
  s.one_lane = m.step.one_lane;
  if (s.map != Step::MapPart::kNone)
    code_.ops[static_cast<size_t>(s.op)].control = true;
}

// Who copies by a map that was built comes after who has written it.
void Steps::ReadMap(int32_t node, const Step& copy) {
  Step step;
  Making m{program_.graph,  program_.graph.nodes[node],
           program_.memory, {},
           slots_,          step};
  m.op = ir::OpKind::kLdGlobal;
  m.Tile(ir::ops::LdGlobal::kSrc, ir::Space::kGlobal);
  Step& s = Emit(Step::Kind::kOp, node);
  s.op = AddOp(program_.graph.nodes[node], m, m.op);
  code_.instrs.back().a = s.op;
  s.fill = FillMapRead;
  s.sources = {copy.sources[0]};
  s.collective = 1;
}

// The op names the buffer, as in `.tile` text, and is executed by those at once
// that access one word of it and store one value there.
void Steps::FollowWords(const Making& m, Step& s) {
  const int32_t node = s.node;
  const Memory::Global& buffer =
      program_.memory.globals()[followed_.words.at(node)];
  const ir::BoundDecl& decl =
      code_.bound.decls[static_cast<size_t>(buffer.decl)];
  machine::CompiledOp& op = code_.ops[static_cast<size_t>(s.op)];
  s.words_of = buffer.decl;
  s.word_operand = m.fixed[0].operand;
  s.sources.insert(s.sources.end(), s.data.begin(), s.data.end());
  s.collective = s.sources.size();
  op.control = true;
  for (ir::OperandValue* o : {&op.operands[s.word_operand].fixed,
                              &op.fixed.operands[s.word_operand]}) {
    o->tile.space = ir::Space::kGlobal;
    o->tile.decl = static_cast<int16_t>(buffer.decl);
    o->tile.dtype = decl.dtype;
  }
  const auto& operands = op.op->info->operands;
  for (size_t i = 0, datum = 0; i < operands.size(); ++i) {
    machine::CompiledOperand& o = op.operands[i];
    if ((operands[i].types & ir::kTakesVar) != 0 && !s.results.empty() &&
        s.results[0].reg >= 0)
      o.fixed.slot = static_cast<int16_t>(2 * s.results[0].reg);
    if ((operands[i].types & ir::kTakesInt) == 0 || datum >= s.data.size())
      continue;
    const Source& source = s.data[datum++];
    o.kind = op.fixed.operands[i].kind = ir::OperandValue::Kind::kInt;
    // Whatever a reduction is taken for, what it adds is a number only if it
    // does add.
    const bool adds = m.op != ir::OpKind::kRedAdd || m.Has(".add") ||
                      IsIncrement(m.spelling());
    o.expr.constant =
        adds && source.reg < 0 && source.special == Special::kNone;
    o.expr.value =
        IsIncrement(m.spelling()) ? 1 : static_cast<int64_t>(source.bits);
  }
}

void Steps::Constant(int32_t node, const Target& target, uint64_t bits) {
  if (target.reg < 0) return;
  Step& s = Emit(Step::Kind::kConstant, node);
  s.results = {target};
  s.sources.emplace_back().bits = bits;
}

void Steps::Unknown(int32_t node, const std::vector<Target>& results) {
  std::vector<Target> wanted;
  for (const Target& t : results) {
    if (t.reg >= 0) wanted.push_back(t);
  }
  if (wanted.empty()) return;
  Emit(Step::Kind::kUnknown, node).results = std::move(wanted);
}

}  // namespace tilesim::ptx
