#include "checkers/pipeline/turn_words.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "checkers/pipeline/copied_block.h"
#include "checkers/pipeline/word_arrays.h"
#include "checkers/sizes/partition/expressions.h"
#include "ir/cat.h"
#include "ir/concrete.h"
#include "ir/op.h"
#include "ir/printer.h"
#include "ir/values/dtype.h"
#include "ir/walk.h"

namespace tilesim::checkers::pipeline {
using ir::Block;
using ir::Builtin;
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::IsBinary;
using ir::NameKind;
using ir::OpKind;
using ir::Stmt;
using sizes::partition::Binary;
using sizes::partition::NameOf;

namespace {

constexpr int kDims = 3;

// cta.x: 0; -1: it is none of these.
int DimOf(const Expr& e) {
  if (e.kind != ExprKind::kName || e.name_kind != NameKind::kBuiltin) return -1;
  const int dim = e.slot - static_cast<int>(Builtin::kCtaX);
  return dim >= 0 && dim < kDims ? dim : -1;
}

// Ordered and scoped in the same words. nullopt: there is no such store.
std::optional<ir::Op> AsStore(const ir::Op& op) {
  const ir::OpInfo& store = ir::InfoOf(OpKind::kSt);
  ir::Op out = op;
  out.info = &store;
  if (op.mods.size() != store.mods.size()) return std::nullopt;
  for (size_t i = 0; i < op.mods.size(); ++i) {
    const auto& choices = store.mods[i].choices;
    const auto at = std::find(choices.begin(), choices.end(),
                              op.info->mods[i].choices[op.mods[i]]);
    if (at == choices.end()) return std::nullopt;
    out.mods[i] = static_cast<uint8_t>(at - choices.begin());
  }
  return out;
}

// How a kernel uses one tensor of words, and whether that hands on turns.
class TurnWord {
 public:
  TurnWord(const ir::Kernel& kernel, int32_t decl)
      : kernel_(kernel), decl_(decl) {
    for (const ir::Constant& c : kernel.constants) {
      if (c.is_let) lets_.emplace(c.slot, c.value);
    }
    ir::ForEachStmt(kernel.body, [&](const Stmt& s) {
      if (s.kind == Stmt::Kind::kLet) lets_.emplace(s.slot, s.value);
      Stmt alone = s;
      alone.body.clear();
      alone.orelse.clear();
      ir::ForEachExpr(alone, [&](Expr& e) { CountNames(e); });
    });
    Look(kernel.body, Around{OneThread(kernel), {}, {}, false});
  }

  // In which dimension of the grid the turn goes on; -1: it is no such word.
  int dim() const {
    const bool once = wait_ != nullptr && set_ != nullptr && !other_;
    if (!once || set_at_ < wait_at_ || wait_by_ != set_by_) return -1;
    return turn_;
  }

  // Each CTA hands on in the end, the last one 0: so behind the kernel the
  // words are what they were.
  bool IsPutBack() const {
    return dim() >= 0 && set_always_ && set_->op->info->kind == OpKind::kSt &&
           !IsPlusOne(Written(set_->op->operands[1].expr));
  }

  const Stmt* wait() const { return wait_; }
  const Stmt* first_load() const { return first_load_; }
  const Stmt* set() const { return set_; }

 private:
  struct Around {
    OneThread threads;
    std::vector<std::string> scopes;
    std::vector<const Expr*> conditions;  // nullptr: the else of one
    bool looped = false;
  };

  void CountNames(const Expr& e) {
    ++names_[ir::SlotOf(e)];
    for (const Expr& arg : e.args) CountNames(arg);
  }

  // Lets written out.
  Expr Written(const Expr& e) const {
    const auto let =
        e.kind == ExprKind::kName ? lets_.find(ir::SlotOf(e)) : lets_.end();
    if (let != lets_.end()) return Written(let->second);
    Expr out = e;
    for (Expr& arg : out.args) arg = Written(arg);
    return out;
  }

  bool Uses(const ir::Op& op) const {
    return std::any_of(
        op.operands.begin(), op.operands.end(), [&](const ir::Operand& o) {
          return o.kind == ir::Operand::Kind::kRef && o.ref.decl == decl_;
        });
  }

  void Look(const Block& block, const Around& around) {
    for (size_t i = 0; i < block.size(); ++i) {
      const Stmt& s = block[i];
      ++at_;
      if (Wait(block, i, around)) continue;
      const bool looks = i + 1 < block.size() && IsFirstLoad(s, block[i + 1]);
      if (s.op && Uses(*s.op) && !looks && !Set(s, around)) other_ = true;
      Around inside = around;
      if (s.kind == Stmt::Kind::kFor || s.kind == Stmt::Kind::kWhile)
        inside.looped = true;
      for (const ir::Scope& scope : s.scopes) inside.threads.Enter(scope);
      if (!s.scopes.empty()) inside.scopes.push_back(ir::ToString(s.scopes));
      if (s.kind == Stmt::Kind::kIf) inside.conditions.push_back(&s.value);
      Look(s.body, inside);
      if (s.kind == Stmt::Kind::kIf) inside.conditions.back() = nullptr;
      Look(s.orelse, inside);
    }
  }

  // A loop that asks for the word, and nothing else.
  const ir::Op* AskOf(const Stmt& s) const {
    const bool asks = s.kind == Stmt::Kind::kWhile && s.body.size() == 1 &&
                      s.body[0].op && s.body[0].op->info->kind == OpKind::kLd &&
                      Uses(*s.body[0].op);
    return asks ? &*s.body[0].op : nullptr;
  }

  // The same load in front of that loop.
  bool IsFirstLoad(const Stmt& s, const Stmt& next) const {
    const ir::Op* ask = AskOf(next);
    return ask != nullptr && s.op && s.op->info == ask->info &&
           ir::ToString(*s.op) == ir::ToString(*ask);
  }

  bool Wait(const Block& block, size_t at, const Around& around) {
    const Stmt& s = block[at];
    const ir::Op* ask = AskOf(s);
    if (ask == nullptr) return false;
    const size_t loads = at > 0 && IsFirstLoad(block[at - 1], s) ? 1 : 0;
    const bool begins = at > loads &&
                        block[at - loads - 1].kind == Stmt::Kind::kVar &&
                        BeginsBelow1(block[at - loads - 1].value);
    const int32_t slot = begins ? block[at - loads - 1].slot : -1;
    const int turn = slot >= 0 ? TurnAskedFor(s.value, slot) : -1;
    // Nobody else asks for what was found.
    const bool own = slot >= 0 && ir::SlotOf(ask->operands[0].expr) == slot &&
                     names_.at(slot) == 2 + static_cast<int>(loads);
    if (wait_ != nullptr || turn < 0 || !own || around.looped ||
        !around.threads.is() || !AllButTheFirst(around, turn) ||
        !IsWordOfTheOthers(ask->operands[1].ref, turn)) {
      other_ = true;
      return true;
    }
    wait_ = &s;
    wait_at_ = at_;
    wait_by_ = around.scopes;
    turn_ = turn;
    word_ = WordOf(ask->operands[1].ref);
    first_load_ = loads == 1 ? &block[at - 1] : nullptr;
    return true;
  }

  static bool BeginsBelow1(const Expr& e) { return e.is_int(0); }

  // turn != cta.z, turn < cta.z
  int TurnAskedFor(const Expr& e, int32_t slot) const {
    if (!IsBinary(e, ExprOp::kNe) && !IsBinary(e, ExprOp::kLt)) return -1;
    const bool turned =
        IsBinary(e, ExprOp::kNe) && ir::SlotOf(e.args[1]) == slot;
    if (!turned && ir::SlotOf(e.args[0]) != slot) return -1;
    return DimOf(Written(e.args[turned ? 0 : 1]));
  }

  // Who has the first turn need not ask.
  bool AllButTheFirst(const Around& around, int turn) const {
    return std::all_of(
        around.conditions.begin(), around.conditions.end(), [&](const Expr* e) {
          if (e == nullptr) return false;
          const Expr is = Written(*e);
          if (DimOf(is) == turn) return true;
          return (IsBinary(is, ExprOp::kGt) || IsBinary(is, ExprOp::kNe)) &&
                 DimOf(is.args[0]) == turn && is.args[1].is_int(0);
        });
  }

  // One word for all CTAs that differ in that dimension alone.
  bool IsWordOfTheOthers(const ir::Ref& ref, int turn) const {
    std::vector<bool> named(kDims, false);
    if (ref.groups.size() != 1 || !ref.cta.empty() || ref.transposed)
      return false;
    for (const ir::Subscript& s : ref.groups[0]) {
      if (s.kind != ir::Subscript::Kind::kIndex) return false;
      const Expr at = Written(s.start);
      const int dim = DimOf(at);
      if (dim == turn || (dim < 0 && at.kind != ExprKind::kInt)) return false;
      if (dim >= 0) named[dim] = true;
    }
    for (int d = 0; d < static_cast<int>(kernel_.grid.size()); ++d) {
      if (d != turn && !named[d] && !kernel_.grid[d].is_int(1)) return false;
    }
    return turn < static_cast<int>(kernel_.grid.size());
  }

  std::string WordOf(const ir::Ref& ref) const {
    std::string out;
    if (ref.groups.size() != 1 || !ref.cta.empty() || ref.transposed)
      return out;
    for (const ir::Subscript& s : ref.groups[0]) {
      const bool index = s.kind == ir::Subscript::Kind::kIndex;
      ir::Append(&out, index ? ir::ToString(Written(s.start)) : ":", ", ");
    }
    return out;
  }

  bool Set(const Stmt& s, const Around& around) {
    const ir::Op& op = *s.op;
    if (set_ != nullptr || around.looped || !around.threads.is() || turn_ < 0 ||
        !HandsOn(op) || WordOf(op.operands[0].ref) != word_)
      return false;
    set_ = &s;
    set_at_ = at_;
    set_by_ = around.scopes;
    set_always_ = around.conditions.empty() && around.threads.always();
    return true;
  }

  // Of who has seen its own number there, adding 1 is storing the next.
  bool HandsOn(const ir::Op& op) const {
    if (op.info->kind == OpKind::kSt)
      return IsNextTurn(Written(op.operands[1].expr));
    return op.info->kind == OpKind::kRedAdd && op.operands[1].expr.is_int(1) &&
           AsStore(op);
  }

  bool IsPlusOne(const Expr& e) const {
    if (!IsBinary(e, ExprOp::kAdd)) return false;
    return (DimOf(e.args[0]) == turn_ && e.args[1].is_int(1)) ||
           (DimOf(e.args[1]) == turn_ && e.args[0].is_int(1));
  }

  // cta.z + 1; of the last one it may be 0.
  bool IsNextTurn(const Expr& e) const {
    if (IsPlusOne(e)) return true;
    const auto is_all = [&](const Expr& x) {
      const bool builtin = x.kind == ExprKind::kName &&
                           x.name_kind == NameKind::kBuiltin &&
                           x.slot == static_cast<int>(Builtin::kGridX) + turn_;
      return builtin ||
             ir::ToString(x) == ir::ToString(Written(kernel_.grid[turn_]));
    };
    if (IsBinary(e, ExprOp::kRem))
      return IsPlusOne(e.args[0]) && is_all(e.args[1]);
    if (e.kind != ExprKind::kSelect) return false;
    const Expr& is_last = e.args[0];
    if (!IsBinary(is_last, ExprOp::kEq) || !e.args[1].is_int(0) ||
        !IsPlusOne(e.args[2]))
      return false;
    const Expr &at = is_last.args[0], &last = is_last.args[1];
    if (IsPlusOne(at)) return is_all(last);
    return DimOf(at) == turn_ && IsBinary(last, ExprOp::kSub) &&
           last.args[1].is_int(1) && is_all(last.args[0]);
  }

  const ir::Kernel& kernel_;
  const int32_t decl_;
  std::map<int32_t, Expr> lets_;
  std::map<int32_t, int> names_;
  int at_ = 0, wait_at_ = 0, set_at_ = 0, turn_ = -1;
  bool other_ = false, set_always_ = false;
  const Stmt *wait_ = nullptr, *first_load_ = nullptr, *set_ = nullptr;
  std::vector<std::string> wait_by_, set_by_;
  std::string word_;
};

// Writes flags of turns in the place of the word.
class Writer {
 public:
  // `which`: of the kernels that use the word.
  Writer(const TurnWord& word, const ir::Kernel& before, int32_t decl,
         size_t which, ir::Kernel& kernel)
      : word_(word), kernel_(kernel) {
    ir::Decl flags = before.decls[decl];
    flags.name = ir::Cat(flags.name, "#turn");
    if (which > 0) ir::Append(&flags.name, std::to_string(which), "");
    flags.shape.push_back(before.grid[word.dim()]);
    flags_ = static_cast<int32_t>(kernel.decls.size());
    kernel.decls.push_back(std::move(flags));
    kernel.body = Written(before.body);
    kernel.items.clear();  // they count declarations
  }

 private:
  Block Written(const Block& block) {
    Block out;
    for (const Stmt& s : block) {
      if (&s == word_.first_load()) continue;
      if (&s == word_.wait()) {
        out.push_back(Wait(s));
        continue;
      }
      Stmt copy = s;
      if (&s == word_.set()) {
        copy.op = AsStore(*s.op);
        Name(copy.op->operands[0].ref, Turn(s.span));
        copy.op->operands[1].expr = Expr::Int(1, s.span);
      }
      copy.body = Written(s.body);
      copy.orelse = Written(s.orelse);
      out.push_back(std::move(copy));
    }
    return out;
  }

  Stmt Wait(const Stmt& s) {
    const Expr turn = Turn(s.span);
    Stmt begin;
    begin.kind = Stmt::Kind::kVar;
    begin.name = "set#";
    begin.slot = kernel_.slots++;
    begin.span = s.span;
    begin.value = Expr::Int(0, s.span);
    kernel_.slot_names.push_back(begin.name);
    const Expr set = NameOf(NameKind::kVar, begin.name, begin.slot, s.span);
    Stmt ask = s;
    ask.value = Binary(ExprOp::kEq, set, 0);
    ir::Op& load = *ask.body[0].op;
    load.operands[0].expr = set;
    Name(load.operands[1].ref, Binary(ExprOp::kSub, turn, 1));
    Stmt out;
    out.kind = Stmt::Kind::kIf;
    out.span = s.span;
    out.value = Binary(ExprOp::kGt, turn, 0);
    out.body = {std::move(begin), std::move(ask)};
    return out;
  }

  Expr Turn(ir::Span span) const {
    static constexpr const char* kNames[] = {"cta.x", "cta.y", "cta.z"};
    return NameOf(NameKind::kBuiltin, kNames[word_.dim()],
                  static_cast<int32_t>(Builtin::kCtaX) + word_.dim(), span);
  }

  void Name(ir::Ref& ref, Expr turn) const {
    ref.decl = flags_;
    ref.name = kernel_.decls[flags_].name;
    ir::Subscript index;
    index.start = std::move(turn);
    ref.groups[0].push_back(std::move(index));
  }

  const TurnWord& word_;
  ir::Kernel& kernel_;
  int32_t flags_ = -1;
};

bool MayBe(const ir::Kernel& kernel, const ir::Decl& d) {
  const bool result =
      std::any_of(kernel.computes.begin(), kernel.computes.end(),
                  [&](const ir::Computes& c) { return c.target == d.name; });
  return d.space == ir::Space::kGlobal && d.zero && !result &&
         d.array.empty() && d.strides.empty() &&
         std::ssize(d.shape) < ir::kMaxRank && !values::IsFloat(d.dtype) &&
         values::BitsOf(d.dtype) >= kWordBits && kernel.cluster.empty();
}

bool Uses(const ir::Kernel& kernel, int32_t decl) {
  bool out = false;
  ir::ForEachStmt(kernel.body, [&](const Stmt& s) {
    for (size_t i = 0; s.op && i < s.op->operands.size(); ++i) {
      const ir::Operand& o = s.op->operands[i];
      out |= o.kind == ir::Operand::Kind::kRef && o.ref.decl == decl;
    }
  });
  return out;
}

// Which of the kernels that use the word this one is. nullopt: it may find
// another number there than 0 at first.
std::optional<size_t> BeginsAsZero(const ir::Program& program,
                                   const ir::Kernel& kernel,
                                   const std::string& name) {
  if (IsOfOne(program, name)) return 0;
  size_t before = 0;
  std::optional<size_t> which;
  for (const ir::Kernel& k : program.kernels) {
    if (k.programmatic) return std::nullopt;
    if (&k == &kernel) which = before;
    for (int32_t decl = 0; decl < std::ssize(k.decls); ++decl) {
      if (k.decls[decl].name != name || !Uses(k, decl)) continue;
      ++before;
      if (!which && !(MayBe(k, k.decls[decl]) && TurnWord(k, decl).IsPutBack()))
        return std::nullopt;
    }
  }
  return which;
}

}  // namespace

std::optional<ir::Program> WithFlagsOfTurns(const ir::Program& program) {
  ir::Program out = program;
  bool any = false;
  for (size_t i = 0; i < out.kernels.size(); ++i) {
    ir::Kernel& kernel = out.kernels[i];
    const auto decls = static_cast<int32_t>(kernel.decls.size());
    for (int32_t decl = 0; decl < decls; ++decl) {
      if (!MayBe(kernel, kernel.decls[decl])) continue;
      const auto which =
          BeginsAsZero(program, program.kernels[i], kernel.decls[decl].name);
      if (!which) continue;
      const ir::Kernel before = kernel;
      const TurnWord word(before, decl);
      if (word.dim() < 0) continue;
      Writer(word, before, decl, *which, kernel);
      any = true;
    }
  }
  if (!any) return std::nullopt;
  return out;
}

}  // namespace tilesim::checkers::pipeline
