#include "sim/timing/loads_ahead.h"

#include <algorithm>
#include <optional>

#include "ir/ops/all.h"
#include "ir/walk.h"
#include "sim/timing/cost.h"

namespace tilesim::timing {
namespace {

using machine::Instr;

// A loop without branches: its test, its body, its step.
struct Loop {
  const machine::Code& code;
  int32_t test = -1, next = -1;

  bool Contains(Instr::Kind kind) const {
    return std::any_of(code.instrs.begin() + test + 1,
                       code.instrs.begin() + next,
                       [=](const Instr& i) { return i.kind == kind; });
  }
};

// A load that is long under way: from global memory, or a peer's shared memory
// (lowered to instructions that keep their order, and wait for nothing).
bool IsFarLoad(const machine::CompiledOp& op) {
  const ir::OpKind kind = op.op->info->kind;
  return kind == ir::OpKind::kLdGlobal ||
         (kind == ir::OpKind::kLdShared &&
          op.operands[ir::ops::LdShared::kSrc].cta.has_value());
}

int64_t PerThread(const machine::Code& code, const machine::CompiledOp& op,
                  const machine::CompiledOperand& operand) {
  ir::FragmentLayout layout =
      code.bound.decls[operand.fixed.tile.decl].fragment;
  if (layout.threads <= 0) layout.threads = op.group_threads;
  return layout.threads > 0 ? layout.per_thread() : 1;
}

// Elements that a load of a fragment has in one instruction.
double ElementsOfLoad(const ir::BoundDecl& reg) {
  switch (reg.fragment.fragment) {
    case ir::Fragment::kBlocked:
      return reg.fragment.vector;
    case ir::Fragment::kRow:
      return 128.0 / values::BitsOf(reg.dtype);
    default:
      return 2;
  }
}

// What nvcc sees of an iteration.
struct Body {
  double loads = 0;       // from afar, instructions of a thread
  double stores = 0;      // to shared memory, likewise
  double arithmetic = 0;  // elements of a thread
};

// False: the op keeps loads of the next iteration behind it.
bool Count(const machine::Code& code, const machine::CompiledOp& op,
           Body& body) {
  const ir::OpKind kind = op.op->info->kind;
  const bool load = IsFarLoad(op);
  const bool store = kind == ir::OpKind::kStShared;
  if (!load && !store && !IsArithmetic(kind)) return false;
  double elements = 1, vector = 1;
  for (const machine::CompiledOperand& o : op.operands) {
    if (o.kind != ir::OperandValue::Kind::kTile ||
        o.fixed.tile.space != ir::Space::kReg)
      continue;
    elements = std::max(elements, static_cast<double>(PerThread(code, op, o)));
    vector =
        std::max(vector, ElementsOfLoad(code.bound.decls[o.fixed.tile.decl]));
  }
  const double instructions = std::max(1.0, elements / vector);
  if (load) body.loads += instructions;
  if (store) body.stores += instructions;
  if (!load && !store) body.arithmetic += elements;
  return true;
}

// Iterations of one turn of the unrolled loop, of a loop of `trips` (absent: it
// depends on more than the text). LLVM unrolls a loop until it has some 75
// instructions, by 8 if it knows how often it goes round, else by 4, and all of
// a short one; ptxas by another 4 what is short then (nvcc 13.0, 18 loops of
// one to eight loads, with additions or stores to shared memory).
LoadAhead Unrolled(const Body& body, std::optional<int64_t> trips) {
  constexpr double kMost = 75, kAll = 300, kShort = 40;
  const double size = 2 * body.loads + 7 * body.stores + body.arithmetic + 5;
  if (trips && static_cast<double>(*trips) * size <= kAll)
    return {static_cast<int>(std::max<int64_t>(*trips, 1)), true};
  int by = trips ? 8 : 4;
  while (by > 1 && by * size > kMost) by /= 2;
  const double machine_size =
      by * (body.loads + body.stores + body.arithmetic) + 10;
  return {!trips && machine_size <= kShort ? 4 * by : by, false};
}

// nvcc knows what constants of the text say, and no parameter.
bool NamesConstantsOnly(const ir::Kernel& kernel, const ir::Expr& e) {
  bool only = true;
  ir::ForEachName(e, [&](const std::string& name) {
    only &= std::any_of(
        kernel.constants.begin(), kernel.constants.end(),
        [&](const ir::Constant& c) { return !c.is_let && c.name == name; });
  });
  return only;
}

std::optional<int64_t> TripsOf(const Loop& loop) {
  const Instr& test = loop.code.instrs[loop.test];
  const Instr& next = loop.code.instrs[loop.next];
  bool known = test.expr.constant && next.expr.constant && next.expr.value > 0;
  std::optional<int64_t> low;
  const ir::Kernel& kernel = loop.code.kernel();
  ir::ForEachStmt(kernel.body, [&](const ir::Stmt& s) {
    if (s.kind != ir::Stmt::Kind::kFor || s.slot != test.a) return;
    known &=
        NamesConstantsOnly(kernel, s.low) && NamesConstantsOnly(kernel, s.high);
    const Instr& first = loop.code.instrs[std::max(loop.test - 1, 0)];
    if (first.kind == Instr::Kind::kSet && first.expr.constant)
      low = first.expr.value;
  });
  if (!known || !low) return std::nullopt;
  const int64_t length = std::max<int64_t>(test.expr.value - *low, 0);
  return (length + next.expr.value - 1) / next.expr.value;
}

// The loop that ends there, if it is one that nvcc unrolls.
std::optional<Loop> LoopTo(const machine::Code& code, int32_t next) {
  const Instr& last = code.instrs[next];
  if (last.kind != Instr::Kind::kForNext || last.b >= next) return std::nullopt;
  const Loop loop{code, last.b, next};
  for (Instr::Kind kind :
       {Instr::Kind::kForTest, Instr::Kind::kForNext, Instr::Kind::kJump,
        Instr::Kind::kBranch, Instr::Kind::kNarrow, Instr::Kind::kWiden,
        Instr::Kind::kExit}) {
    if (loop.Contains(kind)) return std::nullopt;
  }
  return loop;
}

// Loads of a basic block with nothing but register arithmetic between them:
// ptxas issues all of them before it waits for the first (two tiles of 64 x 64
// bf16, each converted behind its load: LDG x 32, then the conversions).
void AddBlocks(const machine::Code& code, std::vector<LoadAhead>& out) {
  constexpr double kMostRegisters = 128;  // of a thread, that wait for loads
  int32_t first = -1;
  double registers = 0;
  for (const Instr& instr : code.instrs) {
    if (instr.kind == Instr::Kind::kSet) continue;
    const machine::CompiledOp* op =
        instr.kind == Instr::Kind::kOp ? &code.ops[instr.a] : nullptr;
    if (op != nullptr && IsArithmetic(op->op->info->kind)) continue;
    if (op == nullptr || op->op->info->kind != ir::OpKind::kLdGlobal) {
      first = -1;
      continue;
    }
    const machine::CompiledOperand& dst = op->operands[ir::ops::LdGlobal::kDst];
    const double mine = static_cast<double>(PerThread(code, *op, dst)) *
                        values::BitsOf(dst.fixed.tile.dtype) / 32;
    registers += mine;
    if (first < 0 || registers > kMostRegisters ||
        out[instr.a].iterations > 1) {
      first = instr.a;
      registers = mine;
      continue;
    }
    out[first].leads = true;
    out[instr.a].behind = first;
  }
}

}  // namespace

std::vector<LoadAhead> LoadsAhead(const machine::Code& code) {
  std::vector<LoadAhead> out(code.ops.size());
  for (int32_t next = 0; next < std::ssize(code.instrs); ++next) {
    const std::optional<Loop> loop = LoopTo(code, next);
    if (!loop) continue;
    Body body;
    std::vector<int32_t> loads;
    bool plain = true;
    for (int32_t i = loop->test + 1; i < next && plain; ++i) {
      if (code.instrs[i].kind != Instr::Kind::kOp) continue;
      const machine::CompiledOp& op = code.ops[code.instrs[i].a];
      plain = Count(code, op, body);
      if (IsFarLoad(op)) loads.push_back(code.instrs[i].a);
    }
    if (!plain) continue;
    for (int32_t op : loads) out[op] = Unrolled(body, TripsOf(*loop));
  }
  AddBlocks(code, out);
  return out;
}

}  // namespace tilesim::timing
