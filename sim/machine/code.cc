#include "sim/machine/code.h"

#include <algorithm>
#include <utility>

#include "ir/cat.h"
#include "sim/machine/control.h"
#include "sim/machine/divisions.h"
#include "sim/machine/expressions.h"
#include "sim/machine/lane_reads.h"
#include "sim/machine/operands.h"
#include "sim/machine/start.h"

namespace tilesim::machine {
namespace {

using ir::Expr;
using ir::ExprKind;
using ir::Stmt;

class Compiler {
 public:
  Compiler(ir::BoundKernel bound, ir::Diagnostics& diagnostics, Params params)
      : diagnostics_(diagnostics) {
    code_.bound = std::move(bound);
    known_ = code_.bound.slots;
    KeepParams(written_);
    if (params != Params::kKept) return;
    known_ = written_;
    code_.sized_by_params = !KnownLayout(code_.kernel());
  }

  std::optional<Code> Run() {
    size_t before = diagnostics_.errors();
    const ir::Kernel& kernel = code_.kernel();
    next_slot_ = kernel.slots;
    code_.control_decl.resize(kernel.decls.size());
    group_threads_ = static_cast<int32_t>(code_.bound.block);
    RuntimeLets(kernel);
    for (size_t i = 0; i < code_.grid.size(); ++i) {
      code_.grid[i].value = 1;
      if (i < kernel.grid.size()) code_.grid[i] = CompileExpr(kernel.grid[i]);
    }
    CompileBlock(kernel.body);
    Emit(Instr::Kind::kExit, kernel.span);
    for (CompiledOp& op : code_.ops) {
      FixOperands(code_, op);
      if (ReturnsWhatItChanges(op.fixed)) op.varies = Varies::kWarp;
    }
    code_.initial_slots.assign(next_slot_, 0);
    MarkControl(code_);
    for (size_t i = 0; i < code_.bound.slots.size(); ++i) {
      if (code_.bound.slots[i])
        code_.initial_slots[i] = code_.bound.slots[i]->number;
    }
    if (diagnostics_.errors() > before) return std::nullopt;
    code_.equal_reads = RestsOnEqualReads(code_);
    return std::move(code_);
  }

 private:
  // An atomic: each warp that executes it gets a value of its own.
  static bool ReturnsWhatItChanges(const ir::ConcreteOp& op) {
    const auto& operands = op.info().operands;
    const bool returns = std::any_of(
        operands.begin(), operands.end(),
        [](const auto& o) { return (o.types & ir::kTakesVar) != 0; });
    if (!returns) return false;
    ir::EffectSink sink;
    ir::EffectsOf(op, sink);
    const auto& effects = sink.effects();
    return std::any_of(effects.begin(), effects.end(), [&](const auto& e) {
      return e.kind == ir::EffectKind::kWrite && op.is_tile(e.operand);
    });
  }

  struct Loop {
    std::vector<int32_t> breaks, continues;
    int scopes;  // narrowings open where the loop stands
  };

  // --- parameters ----------------------------------------------------------

  // What is known without them.
  void KeepParams(std::vector<std::optional<ir::Value>>& known) {
    const ir::Kernel& kernel = code_.kernel();
    known = code_.bound.slots;
    for (const ir::Param& p : kernel.params) known[p.slot] = std::nullopt;
    for (const ir::Constant& c : kernel.constants) {
      if (!ir::Evaluate(c.value, Env(known), nullptr))
        known[c.slot] = std::nullopt;
    }
  }

  bool Written(const Expr& e) {
    return ir::Evaluate(e, Env(written_), nullptr).has_value();
  }

  bool Known(const Expr& e) {
    return ir::Evaluate(e, Env(), nullptr).has_value();
  }
  bool Known(const std::vector<Expr>& all) {
    return std::all_of(all.begin(), all.end(),
                       [this](const Expr& e) { return Known(e); });
  }

  // The value that decides a size, parameters included.
  std::optional<ir::Value> Bound(const Expr& e) {
    auto value = ir::Evaluate(e, Env(code_.bound.slots), nullptr);
    code_.sized_by_params |= value.has_value() && !Known(e);
    return value;
  }

  // Of all but global memory, whose extents decide nothing on the chip.
  bool KnownLayout(const ir::Kernel& kernel) {
    bool decls = std::all_of(
        kernel.decls.begin(), kernel.decls.end(), [this](const ir::Decl& d) {
          if (d.space == ir::Space::kGlobal) return true;
          bool place = !d.at || (Known(d.at->index) && Known(d.at->offset));
          return place && Known(d.array) && Known(d.shape) &&
                 (!d.align || Known(*d.align)) &&
                 (!d.columns || Known(*d.columns)) &&
                 (d.fragment != ir::Fragment::kBlocked ||
                  Known(d.fragment_arg));
        });
    return decls && Known(kernel.cluster) && Known(kernel.block) &&
           (!kernel.regs || Known(*kernel.regs));
  }

  // --- expressions ---------------------------------------------------------

  ir::EvalEnv Env(const std::vector<std::optional<ir::Value>>& slots) {
    return {slots, {}, [this](std::string_view name) { return BytesOf(name); }};
  }
  ir::EvalEnv Env() { return Env(known_); }

  std::optional<int64_t> BytesOf(std::string_view name) const {
    const auto& decls = code_.kernel().decls;
    for (size_t i = 0; i < decls.size(); ++i) {
      if (decls[i].name != name) continue;
      const ir::BoundDecl& d = code_.bound.decls[i];
      // Without the padding to the next stage, which object_bytes has.
      return d.space == ir::Space::kShared ? d.layout.bytes() : d.object_bytes;
    }
    return std::nullopt;
  }

  CompiledExpr CompileExpr(const Expr& e) {
    CompiledExpr out;
    out.varies = VariesInText(e);
    std::optional<ir::Value> known = ir::Evaluate(e, Env(), nullptr);
    if (known) {
      out.value = known->number;
      return out;
    }
    out.constant = false;
    out.divisions = divisions_.Of(e);
    out.begin = static_cast<int32_t>(code_.expr_code.size());
    Generate(e, Env(), code_.expr_code);
    out.end = static_cast<int32_t>(code_.expr_code.size());
    const ExprInstr& first = code_.expr_code[out.begin];
    if (out.end - out.begin == 1 && first.kind == ExprInstr::Kind::kSlot)
      out.slot = first.index;
    return out;
  }

  // --- statements ----------------------------------------------------------

  Instr& Emit(Instr::Kind kind, const ir::Span& span) {
    Instr& i = code_.instrs.emplace_back();
    i.kind = kind;
    i.span = span;
    code_.live.push_back(scope_slots_);
    return i;
  }

  int32_t Here() const { return static_cast<int32_t>(code_.instrs.size()); }

  void Set(int32_t slot, const Expr& value, const ir::Span& span) {
    CompiledExpr e = CompileExpr(value);
    Instr& i = Emit(Instr::Kind::kSet, span);
    i.a = slot;
    i.expr = e;
    scope_slots_.push_back(static_cast<int16_t>(slot));
  }

  // Kernel-level lets that depend on who executes (cta.x ...).
  void RuntimeLets(const ir::Kernel& kernel) {
    for (const ir::Constant& c : kernel.constants) {
      const bool set =
          !known_[c.slot] || VariesInText(c.value) != Varies::kUniform;
      if (set) Set(c.slot, c.value, c.span);
    }
  }

  void CompileBlock(const ir::Block& block) {
    size_t mark = scope_slots_.size();
    divisions_.Forget();
    for (const Stmt& s : block) CompileStmt(s);
    divisions_.Forget();
    scope_slots_.resize(mark);
  }

  void CompileStmt(const Stmt& s) {
    switch (s.kind) {
      case Stmt::Kind::kDecl:
        return;
      case Stmt::Kind::kLet:
      case Stmt::Kind::kVar:
        return Set(s.slot, s.value, s.span);
      case Stmt::Kind::kAssign:
        Set(s.slot, s.value, s.span);
        scope_slots_.pop_back();
        return divisions_.Forget();
      case Stmt::Kind::kFor:
        return CompileFor(s);
      case Stmt::Kind::kWhile:
        return CompileWhile(s);
      case Stmt::Kind::kIf:
        return CompileIf(s);
      case Stmt::Kind::kBreak:
        return CompileLeave(s, true);
      case Stmt::Kind::kContinue:
        return CompileLeave(s, false);
      case Stmt::Kind::kScope:
        return CompileScope(s);
      case Stmt::Kind::kOp:
        return CompileOp(s);
      case Stmt::Kind::kCall:
      case Stmt::Kind::kReturn:
        return;
    }
  }

  void CompileFor(const Stmt& s) {
    size_t mark = scope_slots_.size();
    CompiledExpr step;
    step.value = 1;
    if (s.step) step = CompileExpr(*s.step);
    CompiledExpr high = Hoist(s.high, s.span);
    Set(s.slot, s.low, s.span);
    int32_t test = Here();
    Instr& t = Emit(Instr::Kind::kForTest, s.span);
    t.a = s.slot;
    t.tests = Spins(s.body) && !(Written(s.low) && Written(s.high));
    t.expr = high;
    LoopBody(s.body);
    Loop loop = std::move(loops_.back());
    loops_.pop_back();
    for (int32_t pc : loop.continues) code_.instrs[pc].b = Here();
    Instr& next = Emit(Instr::Kind::kForNext, s.span);
    next.a = s.slot;
    next.b = test;
    next.expr = step;
    code_.instrs[test].b = Here();
    for (int32_t pc : loop.breaks) code_.instrs[pc].b = Here();
    scope_slots_.resize(mark);
  }

  // Whether something in it goes round until others have done something: a
  // loop around it stays as it is, others are unrolled.
  static bool Spins(const ir::Block& block) {
    return std::any_of(block.begin(), block.end(), [](const Stmt& s) {
      if (s.kind == Stmt::Kind::kWhile) return true;
      if (s.kind == Stmt::Kind::kOp)
        return s.op->info->kind == ir::OpKind::kMbarrierWait;
      return Spins(s.body) || Spins(s.orelse);
    });
  }

  // A bound that is not constant is evaluated once, into a slot of its own.
  CompiledExpr Hoist(const Expr& e, const ir::Span& span) {
    CompiledExpr value = CompileExpr(e);
    if (value.constant) return value;
    int32_t slot = next_slot_++;
    Instr& set = Emit(Instr::Kind::kSet, span);
    set.a = slot;
    set.expr = value;
    scope_slots_.push_back(static_cast<int16_t>(slot));
    CompiledExpr load;
    load.constant = false;
    load.begin = static_cast<int32_t>(code_.expr_code.size());
    load.slot = slot;
    ExprInstr& read = code_.expr_code.emplace_back();
    read.kind = ExprInstr::Kind::kSlot;
    read.index = slot;
    load.end = load.begin + 1;
    return load;
  }

  void EmitBranch(const Stmt& s) {
    CompiledExpr condition = CompileExpr(s.value);
    Instr& branch = Emit(Instr::Kind::kBranch, s.span);
    branch.tests = !Written(s.value);
    branch.expr = condition;
  }

  void LoopBody(const ir::Block& body) {
    loops_.push_back({{}, {}, open_scopes_});
    CompileBlock(body);
  }

  void CompileWhile(const Stmt& s) {
    int32_t test = Here();
    EmitBranch(s);
    LoopBody(s.body);
    Loop loop = std::move(loops_.back());
    loops_.pop_back();
    Emit(Instr::Kind::kJump, s.span).b = test;
    code_.instrs[test].b = Here();
    for (int32_t pc : loop.continues) code_.instrs[pc].b = test;
    for (int32_t pc : loop.breaks) code_.instrs[pc].b = Here();
  }

  void CompileIf(const Stmt& s) {
    int32_t branch = Here();
    EmitBranch(s);
    CompileBlock(s.body);
    if (s.orelse.empty()) {
      code_.instrs[branch].b = Here();
      return;
    }
    int32_t over = Here();
    Emit(Instr::Kind::kJump, s.span);
    code_.instrs[branch].b = Here();
    CompileBlock(s.orelse);
    code_.instrs[over].b = Here();
  }

  void CompileLeave(const Stmt& s, bool is_break) {
    if (loops_.empty() || loops_.back().scopes != open_scopes_) {
      diagnostics_.Error("scope/divergent", s.span,
                         "only some of the threads of the loop would leave it");
      return;
    }
    auto& list = is_break ? loops_.back().breaks : loops_.back().continues;
    list.push_back(Here());
    Emit(Instr::Kind::kJump, s.span);
  }

  void CompileScope(const Stmt& s) {
    int32_t first = static_cast<int32_t>(code_.scopes.size());
    Varies varies = Varies::kUniform;
    for (const ir::Scope& scope : s.scopes) {
      CompiledScope c;
      c.kind = scope.kind;
      c.also = scope.also;
      c.low = CompileExpr(scope.low);
      c.one = !scope.range;
      c.high = c.one ? c.low : CompileExpr(scope.high);
      varies = std::max({varies, c.low.varies, c.high.varies});
      code_.scopes.push_back(c);
    }
    int32_t narrow = Here();
    Instr& i = Emit(Instr::Kind::kNarrow, s.span);
    i.a = first;
    i.count = static_cast<int32_t>(s.scopes.size());
    i.role = RoleIndex(s.name);
    i.expr.varies = varies;
    int32_t outer_role = role_;
    auto outer_group = std::pair(first_thread_, group_threads_);
    if (i.role >= 0) role_ = i.role;
    NarrowGroup(s.scopes);
    ++open_scopes_;
    CompileBlock(s.body);
    --open_scopes_;
    role_ = outer_role;
    std::tie(first_thread_, group_threads_) = outer_group;
    Emit(Instr::Kind::kWiden, s.span);
    code_.instrs[narrow].b = Here();
  }

  int32_t RoleIndex(std::string_view name) const {
    const auto& roles = code_.kernel().roles;
    auto it = std::find(roles.begin(), roles.end(), name);
    return it == roles.end() || name.empty()
               ? -1
               : static_cast<int32_t>(it - roles.begin());
  }

  // Threads that share a blocked(V) tile: those of the enclosing scopes that
  // are known and made of whole warps.
  void NarrowGroup(const std::vector<ir::Scope>& scopes) {
    for (size_t k = 0; k < scopes.size();) {
      std::vector<Range> united;
      do {
        united.push_back(ThreadsOf(scopes[k]));
      } while (++k < scopes.size() && scopes[k].also);
      const bool one = united.size() == 1;
      auto [first, end] = Joined(std::move(united));
      if (one && first == end) {
        // Which one of them a run decides, `warp w`: as many threads anyway.
        if (ThreadsOfOne(scopes[k - 1]) == 0) continue;
        first_thread_ = -1;
        group_threads_ = ThreadsOfOne(scopes[k - 1]);
        continue;
      }
      if (first == end) continue;
      first_thread_ = static_cast<int32_t>(first);
      group_threads_ = static_cast<int32_t>(end - first);
    }
  }

  using Range = std::pair<int64_t, int64_t>;  // of one end: not known

  // Of a scope that is one of its kind; 0: it may be several, or a part of it.
  static int32_t ThreadsOfOne(const ir::Scope& s) {
    if (s.range) return 0;
    return s.kind == ir::Scope::Kind::kWarpgroups ? ir::kWarpgroupThreads
           : s.kind == ir::Scope::Kind::kWarps    ? ir::kWarpThreads
           : s.kind == ir::Scope::Kind::kThreads  ? 1
                                                  : 0;
  }

  Range ThreadsOf(const ir::Scope& s) {
    std::optional<ir::Value> low = Bound(s.low);
    std::optional<ir::Value> high = s.range ? Bound(s.high) : low;
    int64_t unit = s.kind == ir::Scope::Kind::kWarpgroups
                       ? ir::kWarpgroupThreads
                   : s.kind == ir::Scope::Kind::kWarps   ? ir::kWarpThreads
                   : s.kind == ir::Scope::Kind::kThreads ? 1
                                                         : 0;
    if (!low || !high || unit == 0) return {};
    return {low->number * unit, (high->number + (s.range ? 0 : 1)) * unit};
  }

  // With a gap there is no such group, and the frontend lets nobody ask for it.
  static Range Joined(std::vector<Range> united) {
    std::sort(united.begin(), united.end());
    Range all = united[0];
    for (const Range& r : united) {
      if (r.first == r.second || r.first > all.second) return {};
      all.second = std::max(all.second, r.second);
    }
    return all;
  }

  // --- ops -----------------------------------------------------------------

  void CompileOp(const Stmt& s) {
    CompiledOp out;
    out.op = &*s.op;
    out.role = role_;
    out.first_thread = first_thread_;
    out.group_threads = group_threads_;
    for (size_t i = 0; i < s.op->operands.size(); ++i) {
      bool written = (s.op->info->operands[i].types & ir::kTakesVar) != 0;
      CompiledOperand c = CompileOperand(s.op->operands[i], written);
      out.varies = std::max(out.varies, VariesOf(s.op->operands[i]));
      out.divisions += DivisionsOf(c);
      out.operands.push_back(std::move(c));
    }
    out.moves_data = MovesData(*s.op->info);
    Emit(Instr::Kind::kOp, s.span).a = static_cast<int32_t>(code_.ops.size());
    code_.ops.push_back(std::move(out));
  }

  // Of its text: what is folded parts strands as well (VariesInText).
  static Varies VariesOf(const ir::Operand& o) {
    Varies v = VariesInText(o.expr);
    for (const auto& group : o.ref.groups) {
      for (const ir::Subscript& s : group)
        v = std::max(v, VariesInText(s.start));
    }
    for (const Expr& cta : o.ref.cta) v = std::max(v, VariesInText(cta));
    return v;
  }

  static int32_t DivisionsOf(const CompiledOperand& c) {
    int32_t sum = c.expr.divisions;
    for (const CompiledExpr& e : c.index) sum += e.divisions;
    for (const auto& s : c.starts) sum += s.expr.divisions;
    return sum + (c.cta ? c.cta->divisions : 0);
  }

  // `written`: a var that the op sets; what it holds before does not matter.
  CompiledOperand CompileOperand(const ir::Operand& operand, bool written) {
    CompiledOperand c;
    if (operand.kind == ir::Operand::Kind::kNone) return c;
    if (operand.kind == ir::Operand::Kind::kRef) return CompileRef(operand.ref);
    const Expr& e = operand.expr;
    bool is_var =
        e.kind == ExprKind::kName && e.name_kind == ir::NameKind::kVar;
    c.kind = ir::OperandValue::Kind::kInt;
    if (!written) c.expr = CompileExpr(e);
    c.fixed.slot = is_var ? static_cast<int16_t>(e.slot) : int16_t{-1};
    std::optional<ir::Value> known = ir::Evaluate(e, Env(), nullptr);
    if (known) c.fixed.real = known->real;
    if (known && known->is_float) c.kind = ir::OperandValue::Kind::kFloat;
    return c;
  }

  CompiledOperand CompileRef(const ir::Ref& ref) {
    CompiledOperand c;
    const ir::BoundDecl& decl = code_.bound.decls[ref.decl];
    if (!ref.cta.empty()) c.cta = CompileExpr(ref.cta[0]);
    std::vector<const ir::Subscript*> subs;
    for (const auto& group : ref.groups) {
      for (const ir::Subscript& sub : group) subs.push_back(&sub);
    }
    size_t next = 0;
    for (int i = 0; i < decl.array_rank; ++i, ++next) {
      c.index.push_back(next < subs.size() ? CompileExpr(subs[next]->start)
                                           : CompiledExpr());
    }
    if (decl.space == ir::Space::kMbarrier) {
      c.kind = ir::OperandValue::Kind::kBarrier;
      c.fixed.barrier.decl = static_cast<int16_t>(ref.decl);
      return c;
    }
    c.kind = ir::OperandValue::Kind::kTile;
    ir::TileValue& tile = c.fixed.tile;
    tile.space = decl.space;
    tile.dtype = decl.dtype;
    tile.decl = static_cast<int16_t>(ref.decl);
    tile.rank = static_cast<int8_t>(decl.rank);
    tile.transposed = ref.transposed;
    CompileBox(subs, next, decl, c);
    return c;
  }

  void CompileBox(const std::vector<const ir::Subscript*>& subs, size_t next,
                  const ir::BoundDecl& decl, CompiledOperand& c) {
    for (int d = 0; d < decl.rank; ++d, ++next) {
      ir::TileValue& tile = c.fixed.tile;
      tile.extent[d] =
          static_cast<int32_t>(std::min<int64_t>(decl.shape[d], INT32_MAX));
      if (next >= subs.size()) continue;
      const ir::Subscript& sub = *subs[next];
      if (sub.kind == ir::Subscript::Kind::kAll) continue;
      tile.extent[d] = 1;
      if (sub.kind == ir::Subscript::Kind::kSlice)
        tile.extent[d] = ConstantExtent(sub.extent);
      CompiledExpr start = CompileExpr(sub.start);
      if (start.constant) {
        tile.start[d] = ClampStart(start.value);
      } else {
        c.starts.push_back({static_cast<int8_t>(d), start});
      }
    }
  }

  int32_t ConstantExtent(const Expr& e) {
    std::optional<ir::Value> extent = Bound(e);
    bool usable = extent && extent->number >= 1 && extent->number <= INT32_MAX;
    if (usable) return static_cast<int32_t>(extent->number);
    diagnostics_.Error("shape/extent", e.span,
                       ir::Cat("the extent `", ir::ToString(e),
                               "` is not a constant of at least 1"));
    return 1;
  }

  ir::Diagnostics& diagnostics_;
  Code code_;
  std::vector<std::optional<ir::Value>> known_;    // scalars folded, by slot
  std::vector<std::optional<ir::Value>> written_;  // those without parameters
  Divisions divisions_{[this](const Expr& e) { return Written(e); }};
  std::vector<Loop> loops_;
  std::vector<int16_t> scope_slots_;
  int32_t next_slot_ = 0;
  int32_t role_ = -1;
  int32_t first_thread_ = 0, group_threads_ = 0;
  int open_scopes_ = 0;
};

}  // namespace

std::optional<Code> Compile(ir::BoundKernel bound, ir::Diagnostics& diagnostics,
                            Params params) {
  return Compiler(std::move(bound), diagnostics, params).Run();
}

}  // namespace tilesim::machine
