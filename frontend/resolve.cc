#include "frontend/resolve.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/endless.h"
#include "frontend/first_warp.h"
#include "frontend/import.h"
#include "frontend/resolve_op.h"
#include "frontend/suggest.h"
#include "frontend/symbols.h"
#include "frontend/token.h"
#include "ir/cat.h"
#include "ir/reference_functions.h"
#include "ir/walk.h"

namespace tilesim::frontend {
namespace {

class Resolver {
 public:
  Resolver(ir::Kernel& kernel, ir::Diagnostics& diagnostics)
      : kernel_(kernel),
        diagnostics_(diagnostics),
        symbols_(diagnostics),
        exprs_(symbols_, symbols_, diagnostics) {}

  void Run() {
    AssignSlots();
    AnnounceTopLevel();
    ResolveImported();
    for (const ir::Item& item : kernel_.items) ResolveItem(item);
    kernel_.slots = next_slot_;
  }

  size_t op_errors() const { return op_errors_; }
  OpSet TakeWrongOps() { return std::move(wrong_ops_); }

 private:
  using Kind = ir::Item::Kind;

  void AssignSlots() {
    for (ir::Param& p : kernel_.params) p.slot = NewSlot(p.name);
    for (ir::Constant& c : kernel_.constants) c.slot = NewSlot(c.name);
    known_.resize(next_slot_);
  }

  int32_t NewSlot(const std::string& name) {
    kernel_.slot_names.push_back(name);
    return next_slot_++;
  }

  void AnnounceTopLevel() {
    for (const ir::Param& p : kernel_.params) symbols_.Announce(p.name, p.span);
    for (const ir::Constant& c : kernel_.constants)
      symbols_.Announce(c.name, c.span);
    for (const ir::Decl& d : kernel_.decls) {
      if (d.space != ir::Space::kReg) symbols_.Announce(d.name, d.span);
    }
  }

  // What an item shows is resolved where the item stands; the rest was
  // imported and comes before everything, with what it depends on.
  void ResolveImported() {
    size_t params = kernel_.params.size(), constants = kernel_.constants.size();
    size_t decls = kernel_.decls.size();
    for (const ir::Item& item : kernel_.items) {
      auto first = static_cast<size_t>(item.first);
      if (item.kind == Kind::kParam) params = std::min(params, first);
      if (item.kind == Kind::kConstants) constants = std::min(constants, first);
      if (item.kind == Kind::kDecls) decls = std::min(decls, first);
    }
    for (const ir::Stmt& s : kernel_.body) ImportedBefore(s, decls);
    if (params + constants + decls == 0) return;
    FindEarly(params, constants, decls);
    // A parameter's numbers may use constants and a let may use parameters.
    for (ir::Constant& c : kernel_.constants) {
      if (!c.is_let && early_.contains(c.name)) Constant(c);
    }
    for (ir::Param& p : kernel_.params) {
      if (early_.contains(p.name)) Param(p);
    }
    for (ir::Constant& c : kernel_.constants) {
      if (c.is_let && early_.contains(c.name)) Constant(c);
    }
    for (size_t i = 0; i < decls; ++i) Decl(static_cast<int32_t>(i));
  }

  // The names of what was imported and of what it depends on: some of that
  // may be declared again by this kernel.
  void FindEarly(size_t params, size_t constants, size_t decls) {
    ir::NameFn add = [this](const std::string& name) { early_.insert(name); };
    for (size_t i = 0; i < params; ++i) add(kernel_.params[i].name);
    for (size_t i = 0; i < constants; ++i) add(kernel_.constants[i].name);
    for (size_t i = 0; i < decls; ++i) ForEachName(kernel_.decls[i], add);
    // What depends on something stands below it.
    for (size_t i = kernel_.constants.size(); i-- > 0;) {
      if (early_.contains(kernel_.constants[i].name))
        ForEachName(kernel_.constants[i], add);
    }
    for (size_t i = kernel_.params.size(); i-- > 0;) {
      if (early_.contains(kernel_.params[i].name))
        ForEachName(kernel_.params[i], add);
    }
    for (size_t i = kernel_.constants.size(); i-- > 0;) {
      if (early_.contains(kernel_.constants[i].name))
        ForEachName(kernel_.constants[i], add);
    }
  }

  // Register tiles are no items of their own.
  static void ImportedBefore(const ir::Stmt& s, size_t& decls) {
    if (s.decl_id >= 0) decls = std::min(decls, static_cast<size_t>(s.decl_id));
    for (const ir::Stmt& inner : s.body) ImportedBefore(inner, decls);
    for (const ir::Stmt& inner : s.orelse) ImportedBefore(inner, decls);
  }

  void ResolveItem(const ir::Item& item) {
    switch (item.kind) {
      case Kind::kParam:
        if (!early_.contains(kernel_.params[item.first].name))
          Param(kernel_.params[item.first]);
        return;
      case Kind::kConstants:
        for (int32_t i = 0; i < item.count; ++i) {
          ir::Constant& c = kernel_.constants[item.first + i];
          if (!early_.contains(c.name)) Constant(c);
        }
        return;
      case Kind::kRequires:
        exprs_.Int(kernel_.requirements[item.first].condition, Known::kLaunch);
        return;
      case Kind::kDecls:
        for (int32_t i = 0; i < item.count; ++i) Decl(item.first + i);
        return;
      case Kind::kComputes:
        return Computes(kernel_.computes[item.first]);
      case Kind::kGrid:
        return AllInts(kernel_.grid, Known::kLaunch);
      case Kind::kCluster:
        return AllInts(kernel_.cluster, Known::kAlways);
      case Kind::kBlock:
        exprs_.Int(kernel_.block, Known::kAlways);
        if (kernel_.regs) exprs_.Int(*kernel_.regs, Known::kAlways);
        return;
      case Kind::kStmt:
        return Stmt(kernel_.body[item.first]);
    }
  }

  void AllInts(std::vector<ir::Expr>& exprs, Known limit) {
    for (ir::Expr& e : exprs) exprs_.Int(e, limit);
  }

  // --- sizes ---------------------------------------------------------------

  std::optional<ir::Value> Evaluate(const ir::Expr& e) {
    ir::EvalError error;
    std::optional<ir::Value> v = ir::Evaluate(e, {known_, {}, nullptr}, &error);
    if (!v && error.code != "type/not-constant")
      diagnostics_.Error(error.code, error.span, error.message);
    return v;
  }

  int64_t ParamNumber(ir::Expr& e, int64_t fallback) {
    if (!exprs_.Int(e, Known::kAlways)) return fallback;
    std::optional<ir::Value> v = Evaluate(e);
    return v ? v->number : fallback;
  }

  void Param(ir::Param& p) {
    p.low = ParamNumber(p.text.low, 0);
    if (p.text.high) p.high = ParamNumber(*p.text.high, p.low);
    if (p.text.step) p.step = ParamNumber(*p.text.step, 1);
    p.value = ParamNumber(p.text.value, p.low);
    if (p.step < 1 || (p.high && *p.high < p.low)) {
      diagnostics_.Error(
          "type/domain", p.span,
          ir::Cat("no value is permitted for `", p.name, "`: ", p.low, "..",
                  p.high ? ir::Cat(*p.high) : "", " step ", p.step));
    }
    symbols_.Declare(
        p.name,
        {ir::NameKind::kParam, Known::kLaunch, false, p.slot, -1, {}, p.span});
  }

  void Constant(ir::Constant& c) {
    ExprType type = exprs_.Check(c.value);
    if (!c.is_let && type.ok && type.known != Known::kAlways)
      exprs_.Number(c.value, Known::kAlways);
    if (type.ok && type.is_float && type.known == Known::kRun) {
      diagnostics_.Error("type/float", c.value.span,
                         ir::Cat("`", c.name,
                                 "` would be a float that varies; scalars are "
                                 "integers"));
    }
    if (type.ok && type.known == Known::kAlways)
      known_[c.slot] = Evaluate(c.value);
    Symbol s;
    s.kind = c.is_let ? ir::NameKind::kLet : ir::NameKind::kConst;
    s.known = c.is_let ? type.known : Known::kAlways;
    s.is_float = type.is_float;
    s.slot = c.slot;
    s.span = c.span;
    symbols_.Declare(c.name, s);
  }

  // --- memory --------------------------------------------------------------

  void Decl(int32_t id) {
    ir::Decl& d = kernel_.decls[id];
    ResolveDecl(d);
    Symbol s;
    s.decl = id;
    s.space = d.space;
    s.span = d.span;
    symbols_.Declare(d.name, s);
  }

  void ResolveDecl(ir::Decl& d) {
    bool global = d.space == ir::Space::kGlobal;
    AllInts(d.array, Known::kAlways);
    AllInts(d.shape, global ? Known::kLaunch : Known::kAlways);
    AllInts(d.strides, Known::kLaunch);
    if (d.fragment == ir::Fragment::kBlocked)
      exprs_.Int(d.fragment_arg, Known::kAlways);
    if (d.align) exprs_.Int(*d.align, Known::kAlways);
    if (d.columns) exprs_.Int(*d.columns, Known::kAlways);
    if (d.domain_low) exprs_.Int(*d.domain_low, Known::kLaunch);
    if (d.domain_high) exprs_.Int(*d.domain_high, Known::kLaunch);
    if (!d.strides.empty() && d.strides.size() != d.shape.size()) {
      diagnostics_.Error(
          "shape/rank", d.span,
          ir::Cat("`", d.name, "` has ", d.shape.size(), " dimensions and ",
                  d.strides.size(), " strides"));
    }
    if (d.domain_low && values::IsFloat(d.dtype)) {
      diagnostics_.Error(
          "type/dtype", d.span,
          ir::Cat("`", d.name, "` holds ", values::NameOf(d.dtype),
                  "; only integers have a domain"));
    }
    if (!d.slot.empty()) PoolSlot(d);
    if (d.at) Place(d);
  }

  const Symbol* DeclOf(const std::string& name, ir::Span span, ir::Space space,
                       std::string_view what) {
    const Symbol* s = symbols_.Find(name);
    if (s == nullptr) {
      symbols_.Unknown(name, span);
      return nullptr;
    }
    if (s->is_decl() && s->space == space) return s;
    ir::Diagnostic& d = diagnostics_.Error(
        "type/operand", span,
        ir::Cat(Quoted(name), " is ", Noun(*s), ", not ", what));
    d.labels.push_back({s->span, "declared here"});
    return nullptr;
  }

  void PoolSlot(const ir::Decl& d) {
    const Symbol* s = DeclOf(d.slot, d.span, ir::Space::kShared,
                             "shared memory for the address");
    if (s == nullptr) return;
    const ir::Decl& slot = kernel_.decls[s->decl];
    if (values::BitsOf(slot.dtype) == 32 && !values::IsFloat(slot.dtype))
      return;
    diagnostics_.Error("type/dtype", d.span,
                       ir::Cat("the address of `", d.name, "` is a u32; `",
                               d.slot, "` holds ", values::NameOf(slot.dtype)));
  }

  void Place(ir::Decl& d) {
    ir::Placement& at = *d.at;
    AllInts(at.index, Known::kAlways);
    exprs_.Int(at.offset, Known::kAlways);
    bool tmem = d.space == ir::Space::kTmem;
    // Tiles and mbarriers lie in the same memory.
    const Symbol* found = symbols_.Find(at.base);
    bool barrier = !tmem && found != nullptr && found->is_decl() &&
                   found->space == ir::Space::kMbarrier;
    const Symbol* s = barrier
                          ? found
                          : DeclOf(at.base, at.span,
                                   tmem ? ir::Space::kTmem : ir::Space::kShared,
                                   tmem ? "an allocation" : "shared memory");
    if (s == nullptr) return;
    at.decl = s->decl;
    const ir::Decl& base = kernel_.decls[s->decl];
    if (tmem && !base.columns) {
      diagnostics_
          .Error("type/operand", at.span,
                 ir::Cat("`", at.base,
                         "` is a tile, not an "
                         "allocation"))
          .help = "allocations are declared with `columns`";
    }
    bool indexed = at.index.empty() || at.index.size() == base.array.size();
    if (indexed) return;
    diagnostics_.Error(
        "shape/subscripts", at.span,
        ir::Cat("`", at.base, "` has ", base.array.size(),
                " array dimensions; ", at.index.size(), " are given"));
  }

  // --- the reference result ------------------------------------------------

  void Computes(ir::Computes& c) {
    const Symbol* s =
        DeclOf(c.target, c.span, ir::Space::kGlobal, "a global tensor");
    if (s != nullptr) c.decl = s->decl;
    Tensor(c.value);
    if (c.tolerance) exprs_.Number(*c.tolerance, Known::kAlways);
    if (c.when) exprs_.Int(*c.when, Known::kLaunch);
  }

  void Tensor(ir::TensorExpr& e) {
    using TKind = ir::TensorExpr::Kind;
    for (ir::TensorExpr& arg : e.args) Tensor(arg);
    if (e.kind == TKind::kNumber) exprs_.Number(e.number, Known::kAlways);
    if (e.kind == TKind::kTensor) TensorName(e);
    size_t numbers = std::count_if(
        e.args.begin(), e.args.end(),
        [](const ir::TensorExpr& a) { return a.kind == TKind::kNumber; });
    if (numbers == 0) return;
    if (e.kind == TKind::kMatmul) e.kind = TKind::kScale;
    if (numbers == e.args.size() || !TakesNumber(e)) {
      diagnostics_.Error("type/operand", e.span,
                         "a number stands beside a tensor only, in a sum, a "
                         "product, `mul` or `div`");
    }
  }

  static bool TakesNumber(const ir::TensorExpr& e) {
    if (e.kind != ir::TensorExpr::Kind::kCall) return true;
    const ir::ReferenceFunction* f = ir::FindReferenceFunction(e.name);
    return f != nullptr && f->result == ir::ResultShape::kBroadcast;
  }

  // The parser cannot tell a constant from a tensor.
  void TensorName(ir::TensorExpr& e) {
    const Symbol* s = symbols_.Find(e.name);
    if (s != nullptr && s->kind == ir::NameKind::kConst) {
      e.kind = ir::TensorExpr::Kind::kNumber;
      e.number.kind = ir::ExprKind::kName;
      e.number.name = std::exchange(e.name, "");
      e.number.span = e.span;
      exprs_.Number(e.number, Known::kAlways);
      return;
    }
    s = DeclOf(e.name, e.span, ir::Space::kGlobal, "a global tensor");
    if (s != nullptr) e.decl = s->decl;
  }

  // --- statements ----------------------------------------------------------

  void Block(ir::Block& block) {
    symbols_.Enter();
    for (ir::Stmt& s : block) Stmt(s);
    symbols_.Leave();
  }

  void Scalar(ir::Stmt& s, ir::NameKind kind) {
    s.slot = NewSlot(s.name);
    symbols_.Declare(s.name,
                     {kind, Known::kRun, false, s.slot, -1, {}, s.span});
  }

  void Stmt(ir::Stmt& s) {
    using SKind = ir::Stmt::Kind;
    switch (s.kind) {
      case SKind::kDecl:
        return RegTile(s);
      case SKind::kLet:
      case SKind::kVar:
        exprs_.Int(s.value, Known::kRun);
        return Scalar(
            s, s.kind == SKind::kLet ? ir::NameKind::kLet : ir::NameKind::kVar);
      case SKind::kAssign:
        return Assign(s);
      case SKind::kFor:
        return For(s);
      case SKind::kWhile:
        exprs_.Int(s.value, Known::kRun);
        Loop(s);
        return CheckEnds(s, diagnostics_);
      case SKind::kIf:
        exprs_.Int(s.value, Known::kRun);
        Block(s.body);
        return Block(s.orelse);
      case SKind::kBreak:
      case SKind::kContinue:
        return Leave(s);
      case SKind::kScope:
        return Scope(s);
      case SKind::kOp:
        return Op(*s.op);
      case SKind::kCall:
      case SKind::kReturn:
        return;  // replaced before (inline.h)
    }
  }

  void Op(ir::Op& op) {
    size_t before = diagnostics_.errors();
    ResolveOp(op, kernel_, symbols_, exprs_, diagnostics_);
    if (diagnostics_.errors() == before) return;
    op_errors_ += diagnostics_.errors() - before;
    wrong_ops_.insert(&op);
  }

  void RegTile(ir::Stmt& s) {
    Decl(s.decl_id);
    s.decl = kernel_.decls[s.decl_id];
  }

  void Assign(ir::Stmt& s) {
    exprs_.Int(s.value, Known::kRun);
    const Symbol* symbol = symbols_.Find(s.name);
    if (symbol == nullptr) {
      symbols_.Unknown(
          s.name, s.span,
          ir::Cat("a name is declared before it is assigned to: `let ", s.name,
                  " = ..`, or `var` if it is assigned again"));
      // What it was meant to be: its uses are no mistakes of their own.
      return Scalar(s, ir::NameKind::kVar);
    }
    if (symbol->kind == ir::NameKind::kVar) {
      s.slot = symbol->slot;
      return;
    }
    ir::Diagnostic& d =
        diagnostics_.Error("type/assign", s.span,
                           ir::Cat(Quoted(s.name), " is ", Noun(*symbol),
                                   " and cannot be assigned"));
    d.labels.push_back({symbol->span, "declared here"});
    if (symbol->kind == ir::NameKind::kLet) d.help = "declare it with `var`";
  }

  void For(ir::Stmt& s) {
    exprs_.Int(s.low, Known::kRun);
    exprs_.Int(s.high, Known::kRun);
    if (s.step) exprs_.Int(*s.step, Known::kRun);
    if (s.step && s.step->kind == ir::ExprKind::kInt && s.step->value < 1) {
      diagnostics_.Error(
          "type/step", s.step->span,
          ir::Cat("a step of ", s.step->value, " never reaches the end"));
    }
    symbols_.Enter();
    Scalar(s, ir::NameKind::kLoop);
    Loop(s);
    symbols_.Leave();
  }

  void Loop(ir::Stmt& s) {
    ++loops_;
    int narrowed = std::exchange(narrowed_, 0);
    Block(s.body);
    narrowed_ = narrowed;
    --loops_;
  }

  // Threads that leave a loop leave it together.
  void Leave(const ir::Stmt& s) {
    std::string_view word =
        s.kind == ir::Stmt::Kind::kBreak ? "break" : "continue";
    if (loops_ == 0) {
      diagnostics_.Error("scope/loop", s.span,
                         ir::Cat("`", word, "` stands in no loop"));
    } else if (narrowed_ > 0) {
      diagnostics_
          .Error("scope/divergent", s.span,
                 "only some of the threads of the loop would leave it")
          .help = "put the loop inside the narrowed block";
    }
  }

  void Scope(ir::Stmt& s) {
    for (ir::Scope& scope : s.scopes) {
      exprs_.Int(scope.low, Known::kRun);
      exprs_.Int(scope.high, Known::kRun);
    }
    if (!s.name.empty() && roles_.insert(s.name).second)
      kernel_.roles.push_back(s.name);
    const size_t around = around_.size();
    FirstWarps(s);
    ++narrowed_;
    Block(s.body);
    --narrowed_;
    around_.resize(around);
  }

  // Before each `elect one` the warp whose thread it takes.
  void FirstWarps(ir::Stmt& s) {
    std::vector<ir::Scope> scopes;
    for (ir::Scope& scope : s.scopes) {
      std::optional<int> first =
          scope.one ? FirstWarpFor(scope.span) : std::nullopt;
      if (first) {
        ir::Scope& warp = scopes.emplace_back();
        warp.kind = ir::Scope::Kind::kWarps;
        warp.low = ir::Expr::Int(*first);
        warp.implied = true;
        warp.span = warp.low.span = scope.span;
      }
      around_.push_back(scope);
      scopes.push_back(std::move(scope));
    }
    s.scopes = std::move(scopes);
  }

  std::optional<int> FirstWarpFor(ir::Span one) {
    FirstWarp first = FirstWarpIn(around_, {known_, {}, nullptr});
    if (first.unknown == nullptr) return first.warp;
    ir::Diagnostic& d = diagnostics_.Error(
        "type/not-constant", one,
        "`elect one` is a thread of the first warp of the scopes around it, "
        "which does not follow from constants");
    d.labels.push_back({first.unknown->span, "of this scope"});
    return std::nullopt;
  }

  ir::Kernel& kernel_;
  ir::Diagnostics& diagnostics_;
  Symbols symbols_;
  ExprChecker exprs_;
  std::vector<std::optional<ir::Value>> known_;  // by slot
  int32_t next_slot_ = 0;
  std::set<std::string> early_;  // resolved before the items
  std::set<std::string> roles_;
  OpSet wrong_ops_;
  size_t op_errors_ = 0;  // in them
  int loops_ = 0;
  int narrowed_ = 0;  // scopes between here and the innermost loop
  std::vector<ir::Scope> around_;
};

}  // namespace

Resolved Resolve(ir::Program& program, size_t index,
                 ir::Diagnostics& diagnostics) {
  size_t before = diagnostics.errors();
  ImportFromEarlier(program, index);
  Resolver resolver(program.kernels[index], diagnostics);
  resolver.Run();
  CheckRedeclared(program, index, diagnostics);
  return {diagnostics.errors() == before + resolver.op_errors(),
          resolver.TakeWrongOps()};
}

}  // namespace tilesim::frontend
