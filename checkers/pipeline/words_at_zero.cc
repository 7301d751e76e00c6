#include "checkers/pipeline/words_at_zero.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "checkers/pipeline/put_back_words.h"
#include "checkers/pipeline/waits_first.h"
#include "checkers/proof/condition.h"
#include "checkers/sizes/partition/expressions.h"
#include "ir/cat.h"
#include "ir/op.h"
#include "ir/values/dtype.h"
#include "ir/walk.h"

namespace tilesim::checkers::pipeline {
using ir::Block;
using ir::Decl;
using ir::Expr;
using ir::ExprKind;
using ir::Kernel;
using ir::NameKind;
using ir::Operand;
using ir::OpKind;
using ir::Stmt;
using proof::Condition;
using proof::IsJudged;

namespace {

constexpr int kZeroWordBits = 32;

bool Names(const ir::Op& op, int32_t decl) {
  return std::any_of(
      op.operands.begin(), op.operands.end(), [=](const Operand& o) {
        return o.kind == Operand::Kind::kRef && o.ref.decl == decl;
      });
}

// -1: it has no such tensor.
int32_t DeclOf(const Kernel& kernel, const std::string& tensor) {
  for (size_t i = 0; i < kernel.decls.size(); ++i) {
    const Decl& d = kernel.decls[i];
    if (d.space == ir::Space::kGlobal && d.name == tensor)
      return static_cast<int32_t>(i);
  }
  return -1;
}

std::vector<const ir::Op*> UsesOf(const Kernel& kernel, int32_t decl) {
  std::vector<const ir::Op*> out;
  ir::ForEachStmt(kernel.body, [&](const Stmt& s) {
    if (s.op && Names(*s.op, decl)) out.push_back(&*s.op);
  });
  return out;
}

bool IsLiteral(const Operand& o) {
  return o.kind == Operand::Kind::kExpr && o.expr.kind == ExprKind::kInt;
}

// Registers that hold 0 wherever they hold anything.
bool HoldZeros(const Kernel& kernel, int32_t reg) {
  const auto uses = UsesOf(kernel, reg);
  return std::all_of(uses.begin(), uses.end(), [](const ir::Op* op) {
    if (op->info->kind == OpKind::kStGlobal) return true;
    if (op->info->kind != OpKind::kMov) return false;
    const Operand& from = op->operands[1];
    return from.kind == Operand::Kind::kExpr &&
           (from.expr.is_int(0) ||
            (from.expr.kind == ExprKind::kFloat && from.expr.number == 0));
  });
}

// The number that the kernel stores, and does nothing else to the tensor.
std::optional<int64_t> NumberSet(const Kernel& kernel, int32_t decl) {
  std::optional<int64_t> out;
  const auto uses = UsesOf(kernel, decl);
  for (const ir::Op* op : uses) {
    std::optional<int64_t> here;
    const Operand& to = op->operands[0];
    const bool stores = to.kind == Operand::Kind::kRef && to.ref.decl == decl;
    const Operand& from = op->operands[1];
    if (stores && op->info->kind == OpKind::kSt && IsLiteral(from))
      here = from.expr.value;
    if (stores && op->info->kind == OpKind::kStGlobal &&
        from.kind == Operand::Kind::kRef && from.ref.decl != decl &&
        kernel.decls[from.ref.decl].space == ir::Space::kReg &&
        HoldZeros(kernel, from.ref.decl))
      here = 0;
    if (!here || out.value_or(*here) != *here) return std::nullopt;
    out = here;
  }
  return out;
}

// --- what comes behind it ----------------------------------------------------

// The kernels in front of it are over when it comes to the tensor.
bool ComesBehind(const ir::Program& program, size_t kernel, size_t setter,
                 int32_t decl) {
  const Kernel& k = program.kernels[kernel];
  if (!k.programmatic || !IsJudged(Condition::kSetterIsOver)) return true;
  // It waits for the one in front of it, which may have begun before others
  // were over.
  const bool alone =
      kernel == setter + 1 || !program.kernels[kernel - 1].programmatic;
  return alone &&
         WaitsFirst(k.body, [=](const Stmt& s) { return Names(*s.op, decl); });
}

// It says the same in both.
bool IsSame(const Kernel& a, const Kernel& b, const Expr& of_a,
            const Expr& of_b) {
  if (!(of_a == of_b) || of_a.name_kind != of_b.name_kind) return false;
  if (of_a.kind == ExprKind::kName) {
    if (of_a.name_kind == NameKind::kConst) {
      const auto value = [](const Kernel& k, int32_t slot) -> const Expr* {
        for (const ir::Constant& c : k.constants) {
          if (c.slot == slot) return &c.value;
        }
        return nullptr;
      };
      const Expr* one = value(a, of_a.slot);
      const Expr* other = value(b, of_b.slot);
      return one != nullptr && other != nullptr && IsSame(a, b, *one, *other);
    }
    const auto param = [](const Kernel& k, int32_t slot) {
      return std::find_if(k.params.begin(), k.params.end(),
                          [=](const ir::Param& p) { return p.slot == slot; });
    };
    const auto one = param(a, of_a.slot), other = param(b, of_b.slot);
    return one != a.params.end() && other != b.params.end() &&
           one->low == other->low && one->high == other->high &&
           one->step == other->step;
  }
  for (size_t i = 0; i < of_a.args.size(); ++i) {
    if (!IsSame(a, b, of_a.args[i], of_b.args[i])) return false;
  }
  return true;
}

bool IsSameTensor(const Kernel& a, const Decl& of_a, const Kernel& b,
                  const Decl& of_b) {
  if (of_a.dtype != of_b.dtype || of_a.shape.size() != of_b.shape.size())
    return false;
  for (size_t i = 0; i < of_a.shape.size(); ++i) {
    if (!IsSame(a, b, of_a.shape[i], of_b.shape[i])) return false;
  }
  return true;
}

bool MayBeSet(const Kernel& kernel, const Decl& d) {
  const bool result =
      std::any_of(kernel.computes.begin(), kernel.computes.end(),
                  [&](const ir::Computes& c) { return c.target == d.name; });
  return d.space == ir::Space::kGlobal && !result && d.array.empty() &&
         d.strides.empty() && !d.domain_low && !d.domain_high;
}

// Who draws a number has `more` added to it.
bool AddTo(Block& block, int32_t decl, int64_t more) {
  for (size_t i = 0; i < block.size(); ++i) {
    Stmt& s = block[i];
    if (!AddTo(s.body, decl, more) || !AddTo(s.orelse, decl, more))
      return false;
    if (!s.op || !Names(*s.op, decl)) continue;
    const Operand& to = s.op->operands[0];
    if (s.op->info->kind != OpKind::kAtomAdd ||
        to.kind != Operand::Kind::kExpr || to.expr.kind != ExprKind::kName)
      return false;
    Stmt add;
    add.kind = Stmt::Kind::kAssign;
    add.span = s.span;
    add.name = to.expr.name;
    add.slot = to.expr.slot;
    add.value = sizes::partition::Binary(ir::ExprOp::kAdd, to.expr, more);
    block.insert(block.begin() + static_cast<ptrdiff_t>(i) + 1, std::move(add));
    ++i;
  }
  return true;
}

class Setter {
 public:
  Setter(const ir::Program& program, size_t kernel, int32_t decl)
      : program_(program), kernel_(kernel), decl_(decl) {}

  // nullopt: it is no such tensor.
  std::optional<ir::Program> Make() const {
    const Kernel& sets = program_.kernels[kernel_];
    const Decl& d = sets.decls[decl_];
    auto number = MayBeSet(sets, d) ? NumberSet(sets, decl_) : std::nullopt;
    const bool counts =
        !number && MayBeSet(sets, d) && CountsAndPutsBack(sets, decl_);
    if (counts) number = 0;
    if (!number) return std::nullopt;
    const bool word =
        !values::IsFloat(d.dtype) && values::BitsOf(d.dtype) >= kZeroWordBits;
    if (*number != 0 && (*number < 0 || *number > 1'000'000 || !word))
      return std::nullopt;
    ir::Program out = program_;
    bool used = false;
    for (size_t i = 0; i < out.kernels.size(); ++i) {
      if (i == kernel_) continue;
      const int32_t decl = DeclOf(program_.kernels[i], d.name);
      if (decl < 0) continue;
      const bool uses = !UsesOf(program_.kernels[i], decl).empty();
      if (uses && (i < kernel_ || !Behind(i, decl))) return std::nullopt;
      used |= uses;
      Kernel& kernel = out.kernels[i];
      kernel.decls[decl].zero = true;
      kernel.decls[decl].undefined = false;
      if (*number == 0) continue;
      if (!AddTo(kernel.body, decl, *number)) return std::nullopt;
      kernel.items.clear();  // they count statements
    }
    if (!used) return std::nullopt;
    Rename(out.kernels[kernel_]);
    if (counts) StoreAside(out.kernels[kernel_].body, Aside(out));
    AskForAll(counts ? Aside(out) : decl_, out.kernels[kernel_]);
    return out;
  }

  // Of what each element is set of.
  static std::string AllOf(const ir::Program& with, size_t kernel) {
    return with.kernels[kernel].computes.back().target;
  }

 private:
  bool Behind(size_t i, int32_t decl) const {
    const Kernel& sets = program_.kernels[kernel_];
    const Kernel& kernel = program_.kernels[i];
    const bool sizes =
        sets.requirements.empty() || sets.requirements == kernel.requirements;
    return sizes && MayBeSet(kernel, kernel.decls[decl]) &&
           ComesBehind(program_, i, kernel_, decl) &&
           IsSameTensor(sets, sets.decls[decl_], kernel, kernel.decls[decl]);
  }

  void Rename(Kernel& kernel) const {
    const std::string name =
        ir::Cat(kernel.decls[decl_].name, "#", kernel.name);
    kernel.decls[decl_].name = name;
    ir::ForEachStmt(kernel.body, [&](Stmt& s) {
      for (size_t i = 0; s.op && i < s.op->operands.size(); ++i) {
        ir::Ref& ref = s.op->operands[i].ref;
        if (s.op->operands[i].kind == Operand::Kind::kRef && ref.decl == decl_)
          ref.name = name;
      }
    });
  }

  static void AskForAll(int32_t decl, Kernel& kernel) {
    ir::Computes all;
    all.target = all.value.name = kernel.decls[decl].name;
    all.decl = all.value.decl = decl;
    all.span = all.value.span = kernel.decls[decl].span;
    kernel.computes.push_back(std::move(all));
    kernel.items.clear();  // they count declarations and statements
  }

  // Words that are counted in are added to, which stores nothing that they are
  // put back to: what puts them back stores to words of its own as well.
  int32_t Aside(ir::Program& out) const {
    Kernel& kernel = out.kernels[kernel_];
    const std::string aside = ir::Cat(kernel.decls[decl_].name, "#");
    if (const int32_t decl = DeclOf(kernel, aside); decl >= 0) return decl;
    Decl d = kernel.decls[decl_];
    d.name = aside;
    d.zero = false;
    kernel.decls.push_back(std::move(d));
    return static_cast<int32_t>(kernel.decls.size()) - 1;
  }
  void StoreAside(Block& block, int32_t aside) const {
    for (size_t i = 0; i < block.size(); ++i) {
      StoreAside(block[i].body, aside);
      StoreAside(block[i].orelse, aside);
      if (!block[i].op || block[i].op->info->kind != OpKind::kSt ||
          block[i].op->operands[0].ref.decl != decl_)
        continue;
      Stmt store = block[i];
      store.op->operands[0].ref.decl = aside;
      ir::Append(&store.op->operands[0].ref.name, "#");
      block.insert(block.begin() + static_cast<ptrdiff_t>(++i),
                   std::move(store));
    }
  }

  const ir::Program& program_;
  const size_t kernel_;
  const int32_t decl_;
};

}  // namespace

std::optional<WordsAtZero> WithWordsAtZero(const ir::Program& program) {
  WordsAtZero out{program, {}};
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    for (size_t d = 0; d < program.kernels[i].decls.size(); ++d) {
      const Setter setter(out.program, i, static_cast<int32_t>(d));
      auto with = setter.Make();
      if (!with) continue;
      out.set.push_back(Setter::AllOf(*with, i));
      out.program = *std::move(with);
    }
  }
  if (out.set.empty()) return std::nullopt;
  return out;
}

}  // namespace tilesim::checkers::pipeline
