#include "frontend/resolve_op.h"

#include <utility>
#include <vector>

#include "frontend/suggest.h"
#include "frontend/token.h"
#include "ir/cat.h"

namespace tilesim::frontend {
namespace {

struct TypeNoun {
  ir::OperandType type;
  std::string_view noun;
};
constexpr TypeNoun kTypeNouns[] = {
    {ir::kTakesInt, "an integer"},
    {ir::kTakesFloat, "a constant number"},
    {ir::kTakesVar, "a var"},
    {ir::kTakesBarrier, "an mbarrier"},
    {ir::kTakesGlobal, "a global tensor"},
    {ir::kTakesShared, "a shared tile"},
    {ir::kTakesTmem, "a tile of tensor memory"},
    {ir::kTakesReg, "a register tile"},
    {ir::kTakesPool, "an allocation of tensor memory"}};

std::string Wanted(uint16_t types) {
  std::vector<std::string_view> nouns;
  for (const TypeNoun& row : kTypeNouns) {
    if (types & row.type) nouns.push_back(row.noun);
  }
  std::string out;
  for (size_t i = 0; i < nouns.size(); ++i) {
    std::string_view link = i == 0 ? "" : i + 1 == nouns.size() ? " or " : ", ";
    ir::Append(&out, link, nouns[i]);
  }
  return out;
}

ir::OperandType TypeOf(const Symbol& s, const ir::Kernel& kernel) {
  switch (s.space) {
    case ir::Space::kGlobal:
      return ir::kTakesGlobal;
    case ir::Space::kShared:
      return ir::kTakesShared;
    case ir::Space::kReg:
      return ir::kTakesReg;
    case ir::Space::kMbarrier:
      return ir::kTakesBarrier;
    case ir::Space::kTmem:
      break;
  }
  return kernel.decls[s.decl].columns ? ir::kTakesPool : ir::kTakesTmem;
}

class OpResolver {
 public:
  OpResolver(ir::Op& op, const ir::Kernel& kernel, Symbols& symbols,
             ExprChecker& exprs, ir::Diagnostics& diagnostics)
      : op_(op),
        kernel_(kernel),
        symbols_(symbols),
        exprs_(exprs),
        diagnostics_(diagnostics) {}

  void Run() {
    Target();
    for (size_t i = 0; i < op_.operands.size(); ++i) {
      if (op_.has(i)) Operand(op_.operands[i], op_.info->operands[i]);
    }
  }

 private:
  // An op of the other GPU.
  void Target() {
    if (op_.info->IsOn(kernel_.target)) return;
    ir::Diagnostic& d =
        diagnostics_.Error("target/op", op_.span,
                           ir::Cat("`", op_.info->mnemonic, "` is not on ",
                                   ir::Name(kernel_.target)));
    d.notes.push_back(std::string(op_.info->source));
  }

  void Mismatch(const ir::Operand& o, const ir::OperandSpec& spec,
                std::string found, std::string_view in_memory = "") {
    ir::Diagnostic& d = diagnostics_.Error(
        "type/operand", o.span,
        ir::Cat("`", op_.info->mnemonic, "` takes ", Wanted(spec.types),
                " as `", spec.name, "`; ", found));
    if (in_memory.empty() || (spec.types & ir::kTakesReg) == 0) return;
    d.help = ir::Cat("ops on registers take no memory: `ld.", in_memory,
                     "` into a register tile first, or `st.", in_memory,
                     "` from one after it");
  }

  void Operand(ir::Operand& o, const ir::OperandSpec& spec) {
    if (o.kind == ir::Operand::Kind::kRef) {
      const Symbol* s = symbols_.Find(o.ref.name);
      if (s == nullptr) return symbols_.Unknown(o.ref.name, o.ref.span);
      if (s->is_decl()) return Reference(o, spec, *s);
      if (!MakeExpr(o, spec, *s)) return;
    }
    if (spec.types & ir::kTakesVar) return Variable(o, spec);
    if (spec.types & ir::kTakesFloat) {
      exprs_.Number(o.expr, Known::kRun);
      FloatIsKnown(o.expr);
    } else {
      exprs_.Int(o.expr, Known::kRun);
    }
  }

  // A scalar where the parser saw a tile.
  bool MakeExpr(ir::Operand& o, const ir::OperandSpec& spec, const Symbol& s) {
    constexpr uint16_t kNumbers = ir::kTakesInt | ir::kTakesFloat;
    bool plain = o.ref.groups.empty() && o.ref.cta.empty() && !o.ref.transposed;
    if ((spec.types & kNumbers) == 0 || !plain) {
      Mismatch(o, spec, ir::Cat(Quoted(o.ref.name), " is ", Noun(s)));
      return false;
    }
    o.kind = ir::Operand::Kind::kExpr;
    o.expr.kind = ir::ExprKind::kName;
    o.expr.name = std::move(o.ref.name);
    o.expr.span = o.ref.span;
    o.ref = ir::Ref();
    return true;
  }

  // Arithmetic on floats happens before the run.
  void FloatIsKnown(ir::Expr& e) {
    ExprType type = exprs_.Check(e);
    if (!type.ok || !type.is_float || type.known != Known::kRun) return;
    diagnostics_.Error(
        "type/float", e.span,
        ir::Cat("`", ir::ToString(e), "` is a float that varies"));
  }

  void Variable(ir::Operand& o, const ir::OperandSpec& spec) {
    if (o.expr.kind != ir::ExprKind::kName)
      return Mismatch(o, spec, "this is an expression");
    const Symbol* s = symbols_.Find(o.expr.name);
    if (s == nullptr) return symbols_.Unknown(o.expr.name, o.expr.span);
    if (s->kind != ir::NameKind::kVar) {
      return Mismatch(o, spec, ir::Cat(Quoted(o.expr.name), " is ", Noun(*s)));
    }
    exprs_.Int(o.expr, Known::kRun);
  }

  void Reference(ir::Operand& o, const ir::OperandSpec& spec, const Symbol& s) {
    ir::Ref& ref = o.ref;
    ref.decl = s.decl;
    Subscripts(ref);
    for (ir::Expr& e : ref.cta) exprs_.Int(e, Known::kRun);
    ir::OperandType type = TypeOf(s, kernel_);
    if ((spec.types & type) == 0) {
      std::string_view noun =
          type == ir::kTakesPool ? "an allocation of tensor memory" : Noun(s);
      return Mismatch(o, spec, ir::Cat(Quoted(ref.name), " is ", noun),
                      s.space == ir::Space::kGlobal   ? "global"
                      : s.space == ir::Space::kShared ? "shared"
                                                      : "");
    }
    bool peer =
        s.space == ir::Space::kShared || s.space == ir::Space::kMbarrier;
    if (!ref.cta.empty() && !peer) {
      diagnostics_.Error("type/peer", ref.span,
                         ir::Cat(Quoted(ref.name), " is ", Noun(s),
                                 "; only shared memory and mbarriers have a "
                                 "copy in each CTA of a cluster"));
    }
    SubscriptCount(ref);
  }

  void Subscripts(ir::Ref& ref) {
    for (auto& group : ref.groups) {
      for (ir::Subscript& s : group) {
        if (s.kind != ir::Subscript::Kind::kAll)
          exprs_.Int(s.start, Known::kRun);
        if (s.kind == ir::Subscript::Kind::kSlice)
          exprs_.Int(s.extent, Known::kAlways);
      }
    }
  }

  // The first subscripts choose the object, the rest a box of it.
  void SubscriptCount(const ir::Ref& ref) {
    const ir::Decl& d = kernel_.decls[ref.decl];
    std::vector<const ir::Subscript*> all;
    for (const auto& group : ref.groups) {
      for (const ir::Subscript& s : group) all.push_back(&s);
    }
    size_t array = d.array.size(), most = array + d.shape.size();
    if (all.size() < array) {
      diagnostics_
          .Error("shape/subscripts", ref.span,
                 ir::Cat("`", ref.name, "` is an array; this names ",
                         "none of its objects"))
          .help = ir::Cat("choose one: `", ref.name, "[i]`");
    } else if (all.size() > most) {
      diagnostics_
          .Error("shape/subscripts", ref.span,
                 ir::Cat("`", ref.name, "` has ", most,
                         most == 1 ? " dimension; " : " dimensions; ",
                         all.size(), " subscripts are given"))
          .help =
          most == 1 && d.space == ir::Space::kGlobal
              ? ir::Cat("where all rows are the same memory, declare `", d.name,
                        "` with two extents and `stride (0, 1)`")
              : "";
    }
    for (size_t i = 0; i < array && i < all.size(); ++i) {
      if (all[i]->kind == ir::Subscript::Kind::kIndex) continue;
      diagnostics_.Error("shape/subscripts", ref.span,
                         ir::Cat("subscript ", i + 1, " of `", ref.name,
                                 "` chooses an object of an array; a range "
                                 "stands there"));
    }
  }

  ir::Op& op_;
  const ir::Kernel& kernel_;
  Symbols& symbols_;
  ExprChecker& exprs_;
  ir::Diagnostics& diagnostics_;
};

}  // namespace

void ResolveOp(ir::Op& op, const ir::Kernel& kernel, Symbols& symbols,
               ExprChecker& exprs, ir::Diagnostics& diagnostics) {
  OpResolver(op, kernel, symbols, exprs, diagnostics).Run();
}

}  // namespace tilesim::frontend
