#include "frontend/inline.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/define_fns.h"
#include "frontend/instance.h"
#include "frontend/parser.h"
#include "ir/cat.h"
#include "ir/eval.h"
#include "ir/walk.h"

namespace tilesim::frontend {
namespace {

using Names = std::set<std::string, std::less<>>;
using ParamKind = ir::FnParam::Kind;
using StmtKind = ir::Stmt::Kind;

bool IsBuiltin(const std::string& name) {
  auto all = ir::Functions();
  return name == "bytes" ||
         std::any_of(all.begin(), all.end(),
                     [&](const ir::Function& f) { return f.name == name; });
}

std::string_view NounOf(const ir::FnParam& p) {
  constexpr std::string_view kNouns[] = {
      "a tile of a global tensor", "a tile of shared memory", "tensor memory",
      "a register tile", "an mbarrier"};
  return kNouns[static_cast<size_t>(p.space)];
}

std::string TypeOf(ir::Fragment fragment, const ir::Expr& arg) {
  std::string out(ir::Name(fragment));
  if (fragment == ir::Fragment::kBlocked)
    ir::Append(&out, "(", ir::ToString(arg), ")");
  return out;
}

// A kernel's statements with the calls in them replaced.
class Inliner {
 public:
  Inliner(ir::Program& program, size_t kernel, const ir::Source& source,
          int64_t* budget, ir::Diagnostics& diagnostics)
      : functions_(program.functions),
        kernel_(program.kernels[kernel]),
        source_(source),
        budget_(*budget),
        diagnostics_(diagnostics) {
    for (size_t i = 0; i <= kernel; ++i) TopLevelOf(program.kernels[i]);
  }

  void Run() {
    size_t all = functions_.size();
    ForEachExpr(kernel_, [&](ir::Expr& e) { Replace(e, all); });
    std::vector<size_t> counts;
    Enter(kernel_.body);
    Names& mentioned = levels_.back().mentioned;
    ForEachName(std::as_const(kernel_),
                [&](const std::string& name) { mentioned.insert(name); });
    ir::Block body;
    for (ir::Stmt& s : kernel_.body) {
      size_t before = body.size();
      Expand(std::move(s), all, &body);
      counts.push_back(body.size() - before);
    }
    Leave();
    kernel_.body = std::move(body);
    Itemize(counts);
    CheckCounts();
  }

 private:
  // What stands at the top level of kernels: what functions see.
  void TopLevelOf(const ir::Kernel& k) {
    for (const ir::Param& p : k.params) top_.insert(p.name);
    for (const ir::Constant& c : k.constants) {
      top_.insert(c.name);
      if (!c.is_let) constants_.insert(c.name);
    }
    for (const ir::Decl& d : k.decls) {
      if (d.space == ir::Space::kReg) continue;
      top_.insert(d.name);
      memory_.insert_or_assign(d.name, d);
    }
    for (const ir::Stmt& s : k.body) {
      bool open = s.kind == StmtKind::kFor;
      ir::Stmt alone = s;
      alone.body.clear();
      alone.orelse.clear();
      if (!open)
        ForEachDeclared(alone, [&](const auto& name) { top_.insert(name); });
    }
  }

  // --- names ---------------------------------------------------------------

  struct Level {
    Names own;        // declared in the block itself
    Names inside;     // and in blocks in it
    Names mentioned;  // there
    std::vector<std::string> tiles;
  };

  void Enter(const ir::Block& block) {
    Level& level = levels_.emplace_back();
    AddDeclared(block, &level);
    for (const ir::Stmt& s : block) AddNames(s, &level.mentioned);
  }

  static void AddDeclared(const ir::Block& block, Level* level) {
    for (const ir::Stmt& s : block) {
      ForEachDeclared(s, [&](const auto& name) { level->inside.insert(name); });
      if (s.decl) level->own.insert(s.decl->name);
      if (s.kind == StmtKind::kLet || s.kind == StmtKind::kVar)
        level->own.insert(s.name);
      if (s.call) level->own.insert(s.call->names.begin(), s.call->names.end());
    }
  }

  void Leave() {
    for (const std::string& name : levels_.back().tiles) memory_.erase(name);
    levels_.pop_back();
  }

  bool Taken(const std::string& name) const {
    if (top_.contains(name) || levels_.back().inside.contains(name))
      return true;
    return std::any_of(levels_.begin(), levels_.end(), [&](const Level& level) {
      return level.own.contains(name);
    });
  }

  // A name like `name` that neither the caller nor the function has, nor the
  // caller uses: what a function declares ends with it.
  std::string Fresh(const std::string& name, const Names& of_function,
                    bool stays = true) {
    std::string out = name;
    auto used = [&](bool own) {
      return Taken(out) || levels_.back().mentioned.contains(out) ||
             (!own && of_function.contains(out));
    };
    for (int i = 2; used(out == name); ++i) out = ir::Cat(name, "_", i);
    if (stays) levels_.back().own.insert(out);
    if (stays) levels_.back().inside.insert(out);
    return out;
  }

  // --- statements ----------------------------------------------------------

  void Expand(ir::Stmt s, size_t known, ir::Block* out) {
    ForEachExpr(s, [&](ir::Expr& e) { Replace(e, known); });
    if (s.kind == StmtKind::kCall) return Call(s, known, out);
    if (s.decl) {
      if (s.decl_id < 0) {
        s.decl_id = static_cast<int32_t>(kernel_.decls.size());
        kernel_.decls.push_back(*s.decl);
      }
      memory_.insert_or_assign(s.decl->name, *s.decl);
      levels_.back().tiles.push_back(s.decl->name);
    }
    bool counter = s.kind == StmtKind::kFor;
    if (++depth_ > kMaxBlockDepth) TooDeep(s.span);
    for (ir::Block* block : {&s.body, &s.orelse}) {
      if (block->empty() || stopped_) continue;
      Enter(*block);
      if (counter) levels_.back().own.insert(s.name);
      ir::Block body;
      for (ir::Stmt& inner : *block) Expand(std::move(inner), known, &body);
      Leave();
      *block = std::move(body);
    }
    --depth_;
    out->push_back(std::move(s));
  }

  void TooDeep(ir::Span span) {
    if (!std::exchange(stopped_, true))
      diagnostics_.Error("syntax/too-deep", span,
                         ir::Cat("with what is called, blocks are nested more "
                                 "than ",
                                 kMaxBlockDepth, " deep"));
  }

  // --- calls ---------------------------------------------------------------

  // Blank lines stay: lowered code has them too.
  void Call(const ir::Stmt& call, size_t known, ir::Block* out) {
    size_t first = out->size();
    PutBody(call, known, out);
    if (out->size() == first) return;
    std::vector<std::string>& above = (*out)[first].comments.above;
    above.insert(above.begin(), call.comments.above.begin(),
                 call.comments.above.end());
  }

  void PutBody(const ir::Stmt& call, size_t known, ir::Block* out) {
    if (stopped_) return;
    const ir::Fn* f =
        FindFn(functions_, known, call.name, call.span, diagnostics_);
    if (f == nullptr || !CountsFit(*f, call)) return;
    Instance instance(diagnostics_);
    if (!NewPlace(*f, call.span, &instance)) return;
    Names free = FreeNames(*f);
    if (!SeesAll(*f, free, instance)) return;
    for (size_t i = 0; i < f->params.size(); ++i) {
      if (!Bind(f->params[i], call, i, free, &instance, out)) return;
    }
    Names names = free;
    Level body;
    AddDeclared(f->body, &body);
    names.insert(body.inside.begin(), body.inside.end());
    for (const std::string& name : body.inside)
      instance.renamed[name] = Fresh(name, names, body.own.contains(name));
    size_t index = static_cast<size_t>(f - functions_.data());
    for (const ir::Stmt& s : f->body) {
      ir::Stmt copy = s;
      instance.Rewrite(copy);
      if (!Spend(instance, call.span)) return;
      if (copy.kind == StmtKind::kReturn) {
        ForEachExpr(copy, [&](ir::Expr& e) { Replace(e, index); });
        Results(call, copy, out);
      } else {
        Expand(std::move(copy), index, out);
      }
    }
    budget_ -= instance.nodes();
  }

  bool CountsFit(const ir::Fn& f, const ir::Stmt& call) {
    bool returns = !f.body.empty() && f.body.back().kind == StmtKind::kReturn;
    size_t results = returns ? f.body.back().call->args.size() : 0;
    size_t names = call.call->names.size(), args = call.call->args.size();
    bool fits = args == f.params.size() && results == names;
    if (fits) return true;
    ir::Diagnostic& d = diagnostics_.Error(
        "syntax/arguments", call.span,
        args == f.params.size()
            ? ir::Cat("`", f.name, "` returns ", results, " number",
                      results == 1 ? "" : "s", "; ", names, " name",
                      names == 1 ? " takes" : "s take", " them")
            : ir::Cat("`", f.name, "` has ", f.params.size(), " parameter",
                      f.params.size() == 1 ? "" : "s", "; ", args,
                      args == 1 ? " is" : " are", " given"));
    d.labels.push_back({f.span, "declared here"});
    return false;
  }

  bool NewPlace(const ir::Fn& f, ir::Span call, Instance* instance) {
    if (source_.places->size() >= ir::kMaxPlaces) {
      if (!std::exchange(stopped_, true))
        diagnostics_.Error("syntax/too-long", call,
                           ir::Cat("more than ", ir::kMaxPlaces,
                                   " calls: reading stopped here"));
      return false;
    }
    ir::Place place{source_.PathOf(f.span), nullptr, f.name, call};
    if (f.span.place() > 0)
      place.text = (*source_.places)[f.span.place() - 1].text;
    source_.places->push_back(std::move(place));
    instance->place = static_cast<int32_t>(source_.places->size());
    return true;
  }

  bool Spend(const Instance& instance, ir::Span span) {
    bool fits = instance.nodes() <= budget_;
    if (!fits && !std::exchange(stopped_, true))
      diagnostics_.Error("syntax/too-long", span,
                         "with all that is called, the file is too long");
    return fits;
  }

  // Names that the body has from elsewhere.
  static Names FreeNames(const ir::Fn& f) {
    Names out;
    for (const ir::Stmt& s : f.body) AddNames(s, &out);
    for (const ir::FnParam& p : f.params) out.erase(p.name);
    for (const ir::Stmt& s : f.body)
      ForEachDeclared(s, [&](const auto& name) { out.erase(name); });
    return out;
  }

  static void AddNames(const ir::Stmt& s, Names* out) {
    ForEachName(s, [&](const std::string& name) { out->insert(name); });
    for (const ir::Stmt& inner : s.body) AddNames(inner, out);
    for (const ir::Stmt& inner : s.orelse) AddNames(inner, out);
  }

  // What only the caller has is not seen: nothing else says so, as the
  // statements are put where it is known.
  bool SeesAll(const ir::Fn& f, const Names& free, const Instance& instance) {
    for (const std::string& name : free) {
      if (top_.contains(name) || !Taken(name)) continue;
      ir::Span span = f.span.In(instance.place);
      diagnostics_
          .Error("name/unknown", span,
                 ir::Cat("`", f.name, "` does not see `", name,
                         "`, which is the caller's"))
          .help = ir::Cat("make `", name,
                          "` a parameter: a function sees those and the top "
                          "level of the kernel");
      return false;
    }
    return true;
  }

  // --- arguments -----------------------------------------------------------

  bool Bind(const ir::FnParam& p, const ir::Stmt& call, size_t i,
            const Names& free, Instance* instance, ir::Block* out) {
    const ir::Operand& arg = call.call->args[i];
    if (p.kind == ParamKind::kMemory) return BindTile(p, arg, instance);
    bool ref = arg.kind == ir::Operand::Kind::kRef;
    bool name = !ref && arg.expr.kind == ir::ExprKind::kName;
    bool tile = ref || (name && memory_.contains(arg.expr.name));
    if (tile || (p.kind == ParamKind::kVar && !name)) {
      return Wrong("type/operand", p, arg,
                   ir::Cat("`", p.name, "` takes ",
                           p.kind == ParamKind::kVar ? "a var" : "a number",
                           tile ? "; this is memory" : "; this is a value"));
    }
    if (p.kind == ParamKind::kVar || StandsForItself(arg.expr, call, free)) {
      instance->numbers[p.name] = arg.expr;
      return true;
    }
    ir::Stmt let;
    let.kind = StmtKind::kLet;
    let.name = Fresh(p.name, free);
    let.value = arg.expr;
    let.span = p.span.In(instance->place);
    instance->renamed[p.name] = let.name;
    out->push_back(std::move(let));
    return true;
  }

  // A number, a name of what does not change meanwhile, or known before the
  // run: the rest is calculated once, before the function's statements.
  bool StandsForItself(const ir::Expr& e, const ir::Stmt& call,
                       const Names& free) const {
    if (e.kind == ir::ExprKind::kInt || e.kind == ir::ExprKind::kFloat)
      return true;
    if (e.kind != ir::ExprKind::kName) {
      bool constant = true;
      ForEachName(e,
                  [&](const auto& n) { constant &= constants_.contains(n); });
      return constant;
    }
    if (constants_.contains(e.name)) return true;
    const ir::Fn& f = *FnOf(call);
    for (size_t i = 0; i < f.params.size(); ++i) {
      const ir::Operand& arg = call.call->args[i];
      if (f.params[i].kind == ParamKind::kVar && arg.expr.name == e.name)
        return false;
    }
    return !free.contains(e.name);
  }

  const ir::Fn* FnOf(const ir::Stmt& call) const {
    return &*std::find_if(functions_.begin(), functions_.end(),
                          [&](const ir::Fn& f) { return f.name == call.name; });
  }

  bool BindTile(const ir::FnParam& p, const ir::Operand& arg,
                Instance* instance) {
    ir::Ref ref = arg.ref;
    if (arg.kind == ir::Operand::Kind::kExpr) {
      ref = ir::Ref();
      ref.span = arg.span;
      if (arg.expr.kind == ir::ExprKind::kName) ref.name = arg.expr.name;
    }
    auto it = memory_.find(ref.name);
    if (it == memory_.end()) {
      return Wrong("type/operand", p, arg,
                   ir::Cat("`", p.name, "` takes ", NounOf(p),
                           ref.name.empty() ? "; this is a value"
                                            : ir::Cat("; there is no memory `",
                                                      ref.name, "` here")));
    }
    const ir::Decl& d = it->second;
    if (d.space != p.space) {
      return Wrong("type/operand", p, arg,
                   ir::Cat("`", p.name, "` takes ", NounOf(p), "; `", ref.name,
                           "` is in ", ir::Name(d.space)));
    }
    if (p.dtype && (*p.dtype != d.dtype || d.columns)) {
      return Wrong("type/dtype", p, arg,
                   ir::Cat("`", p.name, "` takes ", values::NameOf(*p.dtype),
                           "; `", ref.name, "` holds ",
                           d.columns ? "tiles" : values::NameOf(d.dtype)));
    }
    bool fits = p.fragment == ir::Fragment::kNone ||
                (p.fragment == d.fragment && p.fragment_arg == d.fragment_arg);
    if (!fits) {
      return Wrong("type/operand", p, arg,
                   ir::Cat("`", p.name, "` takes fragment ",
                           TypeOf(p.fragment, p.fragment_arg), "; `", ref.name,
                           "` has ", TypeOf(d.fragment, d.fragment_arg)));
    }
    instance->tiles[p.name] = std::move(ref);
    return true;
  }

  bool Wrong(ir::Code code, const ir::FnParam& p, const ir::Operand& arg,
             std::string message) {
    diagnostics_.Error(code, arg.span, std::move(message))
        .labels.push_back({p.span, "the parameter"});
    return false;
  }

  // --- results -------------------------------------------------------------

  void Results(const ir::Stmt& call, const ir::Stmt& returned, ir::Block* out) {
    using How = ir::Call::Results;
    const ir::Call& names = *call.call;
    std::vector<ir::Expr> values;
    for (const ir::Operand& o : returned.call->args) values.push_back(o.expr);
    // `x, y = swap(x, y)`: all is calculated before the first is assigned.
    if (names.how == How::kAssign && values.size() > 1) {
      for (ir::Expr& value : values) {
        ir::Stmt let;
        let.kind = StmtKind::kLet;
        let.name = Fresh(ir::Cat(call.name, "_result"), {});
        let.value = std::exchange(value, ir::Expr());
        let.span = let.value.span;
        value.kind = ir::ExprKind::kName;
        value.name = let.name;
        value.span = let.span;
        out->push_back(std::move(let));
      }
    }
    for (size_t i = 0; i < values.size(); ++i) {
      ir::Stmt s;
      s.kind = names.how == How::kLet   ? StmtKind::kLet
               : names.how == How::kVar ? StmtKind::kVar
                                        : StmtKind::kAssign;
      s.name = names.names[i];
      s.value = std::move(values[i]);
      s.span = call.span;
      out->push_back(std::move(s));
    }
  }

  // --- calls in expressions ------------------------------------------------

  // Of functions that only return one number: that is what stands there then.
  void Replace(ir::Expr& e, size_t known) {
    for (ir::Expr& arg : e.args) Replace(arg, known);
    if (e.kind != ir::ExprKind::kCall || IsBuiltin(e.name) || stopped_) return;
    const ir::Fn* f = FindFn(functions_, known, e.name, e.span, diagnostics_);
    if (f == nullptr) return;
    bool simple = f->body.size() == 1 && f->body[0].kind == StmtKind::kReturn &&
                  f->body[0].call->args.size() == 1 &&
                  f->params.size() == e.args.size() &&
                  std::all_of(f->params.begin(), f->params.end(),
                              [](const ir::FnParam& p) {
                                return p.kind == ParamKind::kNumber;
                              });
    if (!simple) {
      ir::Diagnostic& d = diagnostics_.Error(
          "syntax/arguments", e.span,
          ir::Cat("`", f->name, "` cannot be called so in an expression"));
      d.labels.push_back({f->span, "declared here"});
      d.help =
          "an expression calls functions of numbers that only `return` one "
          "number; give the result of others a name: `let x = ...`";
      return;
    }
    Instance instance(diagnostics_);
    if (!NewPlace(*f, e.span, &instance)) return;
    if (!SeesAll(*f, FreeNames(*f), instance)) return;
    for (size_t i = 0; i < f->params.size(); ++i)
      instance.numbers[f->params[i].name] = std::move(e.args[i]);
    ir::Span span = e.span;
    e = f->body[0].call->args[0].expr;
    instance.Rewrite(e);
    if (!Spend(instance, span)) return;
    budget_ -= instance.nodes();
    Replace(e, static_cast<size_t>(f - functions_.data()));
    if (HeightOf(e) <= kMaxExprDepth || std::exchange(stopped_, true)) return;
    diagnostics_.Error("syntax/too-deep", span,
                       ir::Cat("with what is called, the expression is nested "
                               "more than ",
                               kMaxExprDepth, " deep"));
  }

  // --- the kernel ----------------------------------------------------------

  // A line for each statement that stands for one of the text.
  void Itemize(const std::vector<size_t>& counts) {
    std::vector<ir::Item> items;
    int32_t next = 0;
    for (const ir::Item& item : kernel_.items) {
      if (item.kind != ir::Item::Kind::kStmt) {
        items.push_back(item);
        continue;
      }
      for (size_t n = counts[static_cast<size_t>(item.first)]; n > 0; --n) {
        items.push_back(item);
        items.back().first = next++;
      }
    }
    kernel_.items = std::move(items);
  }

  void CheckCounts() {
    size_t scalars = kernel_.params.size() + kernel_.constants.size();
    ForEachStmt(std::as_const(kernel_.body), [&](const ir::Stmt& s) {
      scalars += s.kind == StmtKind::kLet || s.kind == StmtKind::kVar ||
                 s.kind == StmtKind::kFor;
    });
    bool fits = scalars <= kMaxScalars && kernel_.decls.size() <= kMaxDecls;
    if (fits || stopped_) return;
    diagnostics_.Error(
        "syntax/too-long", kernel_.span,
        ir::Cat("with all that is called, a kernel has more "
                "than ",
                kMaxScalars, " scalars or ", kMaxDecls, " declarations"));
  }

  const std::vector<ir::Fn>& functions_;
  ir::Kernel& kernel_;
  const ir::Source& source_;
  int64_t& budget_;
  ir::Diagnostics& diagnostics_;
  Names top_, constants_;
  std::map<std::string, ir::Decl, std::less<>> memory_;
  std::vector<Level> levels_ = {Level()};
  int depth_ = 0;
  bool stopped_ = false;
};

}  // namespace

bool Inline(ir::Program& program, const ir::Source& source,
            ir::Diagnostics& diagnostics) {
  size_t before = diagnostics.errors();
  CheckFns(program.functions, diagnostics);
  int64_t budget = kMaxNodes;
  if (diagnostics.errors() == before) {
    for (size_t i = 0; i < program.kernels.size(); ++i)
      Inliner(program, i, source, &budget, diagnostics).Run();
  }
  program.functions.clear();
  return diagnostics.errors() == before;
}

}  // namespace tilesim::frontend
