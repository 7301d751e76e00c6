#include "checkers/pipeline/flag_steps.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checkers/pipeline/copied_block.h"
#include "checkers/pipeline/word_arrays.h"
#include "checkers/proof/condition.h"
#include "checkers/sizes/partition/expressions.h"
#include "checkers/sizes/partition/known_numbers.h"
#include "ir/cat.h"
#include "ir/concrete.h"
#include "ir/op.h"
#include "ir/values/dtype.h"
#include "ir/values/seeded.h"
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
using sizes::partition::KnownNumbers;

namespace {

constexpr int64_t kMostSteps = 8;
// More are at no time on a GPU, and all that wait for each other have to be.
constexpr int64_t kMostCtas = 32768;
constexpr int64_t kMostInWord = (int64_t{1} << 31) - 1;

void CountNames(const Expr& e, std::map<int32_t, int>& out) {
  ++out[ir::SlotOf(e)];
  for (const Expr& arg : e.args) CountNames(arg, out);
}

bool AsksForCta(const Expr& e) {
  return (e.kind == ExprKind::kName && e.name_kind != NameKind::kParam &&
          e.name_kind != NameKind::kConst) ||
         std::any_of(e.args.begin(), e.args.end(), AsksForCta);
}

// What of a loop concerns one tensor of words.
struct Words {
  int sets = 0, adds = 0;
  bool other = false;               // used otherwise
  const Block* added_in = nullptr;  // and there it is asked for
  std::optional<int64_t> from;      // the step is that less: of who sets
  std::set<int64_t> asked_from;
  std::vector<std::string> counts;  // of a barrier, how many are waited for
};

class Loop {
 public:
  Loop(const ir::Kernel& kernel, const KnownNumbers& known, const Stmt& loop)
      : kernel_(kernel), loop_(loop) {
    const auto low = known.Of(loop.low), high = known.Of(loop.high);
    if (loop.kind != Stmt::Kind::kFor || loop.step || low.value_or(-1) < 0)
      return;
    low_ = *low;
    most_ = MostOf(loop.high, known);
    if (high && *high - low_ <= kMostSteps)
      steps_ = std::max<int64_t>(*high - low_, 0);
    else
      open_ = most_ && !AsksForCta(loop.high);
    if (steps_ == 0 && !open_) return;
    const auto ctas =
        kernel.grid.empty() ? std::nullopt : MostOf(kernel.grid[0], known);
    ctas_ = std::min(ctas.value_or(kMostCtas), kMostCtas);
    ir::ForEachStmt(kernel.body, [&](const Stmt& s) {
      Stmt copy = s;
      copy.body.clear();
      copy.orelse.clear();
      ir::ForEachExpr(copy, [&](Expr& e) { CountNames(e, names_); });
    });
    Look(loop.body, Around{OneThread(kernel)});
    for (const Stmt& s : kernel.body) {
      if (&s != &loop) UseOtherwise(s);
    }
  }

  int64_t low() const { return low_; }
  int64_t steps() const { return steps_; }
  // Too many steps to unroll it, or nobody knows how many.
  bool open() const { return open_; }

  // Of which all is as it must be.
  std::set<int32_t> Fit() const {
    std::set<int32_t> out;
    for (const auto& [decl, w] : words_) {
      const ir::Decl& d = kernel_.decls[decl];
      const bool flags = w.sets == 1 && w.adds == 0 && w.counts.empty() &&
                         w.asked_from == std::set<int64_t>{*w.from};
      const bool barrier = w.adds == 1 && w.sets == 0 && w.asked_from.empty() &&
                           w.counts.size() == 1;
      if (d.zero && !w.other && !jumps_ && (flags || barrier) &&
          GrowsTo(w, flags) <=
              std::min(kMostInWord, values::RangeOf(d.dtype).hi) &&
          (steps_ > 0 || HasRoom(d)))
        out.insert(decl);
    }
    return out;
  }

  // Whether an op counts in a word, or sets one, that the step names: with the
  // loop unrolled, a number does (word_arrays.h).
  bool CountsInWordOfStep() const {
    return steps_ > 0 && !jumps_ && HasWordOfStep(loop_.body);
  }

  // it + c: c.
  std::optional<int64_t> StepLess(const Expr& e) const {
    if (ir::SlotOf(e) == loop_.slot) return 0;
    if (!IsBinary(e, ExprOp::kAdd)) return std::nullopt;
    for (int i : {0, 1}) {
      const Expr& number = e.args[1 - i];
      if (ir::SlotOf(e.args[i]) == loop_.slot && number.kind == ExprKind::kInt)
        return number.value;
    }
    return std::nullopt;
  }

  struct Ask {
    int32_t decl = -1;
    Expr scalar;
    std::optional<int64_t> from;  // until it is it + from
    std::optional<Expr> count;    // until it is as many for each step
  };

  // A loop that asks for one word until it has grown.
  std::optional<Ask> AskOf(const Stmt& s) const {
    if (s.kind != Stmt::Kind::kWhile || s.body.size() != 1 || !s.body[0].op ||
        s.body[0].op->info->kind != OpKind::kLd)
      return std::nullopt;
    const ir::Op& op = *s.body[0].op;
    Ask out;
    out.decl = op.operands[1].ref.decl;
    out.scalar = op.operands[0].expr;
    const int32_t slot = ir::SlotOf(out.scalar);
    // It begins with 0 in each step, and nobody else asks for it.
    const auto names = names_.find(slot);
    if (!begins_.contains(slot) || names == names_.end() || names->second != 2)
      return std::nullopt;
    const Expr& e = s.value;
    const bool loose = !proof::IsJudged(proof::Condition::kStepsRise) &&
                       IsBinary(e, ExprOp::kNe);
    const bool turned = IsBinary(e, ExprOp::kGt) || IsBinary(e, ExprOp::kGe);
    const bool more = IsBinary(e, ExprOp::kLe) || IsBinary(e, ExprOp::kGe);
    if (!turned && !more && !IsBinary(e, ExprOp::kLt) && !loose)
      return std::nullopt;
    if (ir::SlotOf(e.args[turned ? 1 : 0]) != slot) return std::nullopt;
    const Expr& end = e.args[turned ? 0 : 1];
    out.from = StepLess(end);
    if (out.from && more) ++*out.from;
    if (!out.from && !more) out.count = CountOf(end);
    if (!out.from && !out.count) return std::nullopt;
    return out;
  }

 private:
  struct Around {
    OneThread threads;
    bool always = true;   // whichever CTA it is
    bool looped = false;  // in a loop inside this one
  };

  bool HasWordOfStep(const Block& block) const {
    return std::any_of(block.begin(), block.end(), [&](const Stmt& s) {
      if (HasWordOfStep(s.body) || HasWordOfStep(s.orelse)) return true;
      if (!s.op || (s.op->info->kind != OpKind::kRedAdd &&
                    s.op->info->kind != OpKind::kSt))
        return false;
      const ir::Ref& ref = s.op->operands[0].ref;
      if (ref.decl < 0 || !kernel_.decls[ref.decl].zero ||
          kernel_.decls[ref.decl].space != ir::Space::kGlobal)
        return false;
      return ref.groups.size() == 1 &&
             std::any_of(ref.groups[0].begin(), ref.groups[0].end(),
                         [&](const ir::Subscript& at) {
                           return at.kind == ir::Subscript::Kind::kIndex &&
                                  OfStep(at.start);
                         });
    });
  }

  // A number that the step decides.
  bool OfStep(const Expr& e) const {
    std::map<int32_t, int> names;
    CountNames(e, names);
    Expr at = e;
    const auto set = [&](const auto& self, Expr& part) -> void {
      if (part.kind == ExprKind::kName && ir::SlotOf(part) == loop_.slot)
        part = Expr::Int(low_, part.span);
      for (Expr& arg : part.args) self(self, arg);
    };
    set(set, at);
    return names.contains(loop_.slot) && !AsksForCta(at) && !AsksForParam(at);
  }

  // What it is at most, if it is a sum or product of natural numbers.
  std::optional<int64_t> MostOf(const Expr& e,
                                const KnownNumbers& known) const {
    constexpr int64_t kSmall = int64_t{1} << 31;
    std::optional<int64_t> out = known.Of(e);
    if (!out && e.kind == ExprKind::kName && e.name_kind == NameKind::kParam) {
      for (const ir::Param& p : kernel_.params) {
        if (p.slot == e.slot && p.low >= 0) out = p.high;
      }
    }
    if (!out && (IsBinary(e, ExprOp::kAdd) || IsBinary(e, ExprOp::kMul))) {
      const auto a = MostOf(e.args[0], known), b = MostOf(e.args[1], known);
      if (a && b) out = e.op == ExprOp::kAdd ? *a + *b : *a * *b;
    }
    return out && *out >= 0 && *out < kSmall ? out : std::nullopt;
  }

  // At most.
  int64_t GrowsTo(const Words& w, bool flags) const {
    const int64_t end = steps_ > 0 ? low_ + steps_ : *most_;
    return flags ? end + std::max<int64_t>(*w.from, 0) : end * ctas_;
  }

  // For one index more.
  bool HasRoom(const ir::Decl& d) const {
    return open_ && d.array.empty() && d.strides.empty() &&
           std::ssize(d.shape) < ir::kMaxRank;
  }

  static bool AsksForParam(const Expr& e) {
    return (e.kind == ExprKind::kName && e.name_kind == NameKind::kParam) ||
           std::any_of(e.args.begin(), e.args.end(), AsksForParam);
  }

  // (it + c) * CTAs, as many as have added by the end of the step.
  std::optional<Expr> CountOf(const Expr& e) const {
    if (!IsBinary(e, ExprOp::kMul) || kernel_.grid.size() != 1)
      return std::nullopt;
    for (int i : {0, 1}) {
      const auto from = StepLess(e.args[i]);
      if (!from || low_ + *from != 1) continue;
      const std::string ctas = ir::ToString(e.args[1 - i]);
      if (ctas == "grid.x" || ctas == ir::ToString(kernel_.grid[0]))
        return e.args[1 - i];
    }
    return std::nullopt;
  }

  void Look(const Block& block, const Around& around) {
    for (const Stmt& s : block) {
      if (s.kind == Stmt::Kind::kVar && s.value.is_int(0) && !around.looped)
        begins_.insert(s.slot);
      if (s.kind == Stmt::Kind::kAssign) begins_.erase(s.slot);
      jumps_ |= s.kind == Stmt::Kind::kBreak ||
                s.kind == Stmt::Kind::kContinue || s.kind == Stmt::Kind::kDecl;
      Around inside = around;
      if (const auto ask = AskOf(s); ask && !around.looped) {
        Words& w = words_[ask->decl];
        if (ask->from) w.asked_from.insert(*ask->from);
        if (ask->count) w.counts.push_back(ir::ToString(*ask->count));
        w.other |= ask->count && w.added_in != &block;
        continue;
      }
      if (s.op) Op(*s.op, block, around);
      if (s.kind == Stmt::Kind::kIf) inside.always = false;
      if (s.kind == Stmt::Kind::kFor || s.kind == Stmt::Kind::kWhile)
        inside.looped = true;
      for (const ir::Scope& scope : s.scopes) inside.threads.Enter(scope);
      Look(s.body, inside);
      Look(s.orelse, inside);
    }
  }

  void Op(const ir::Op& op, const Block& block, const Around& around) {
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (op.operands[i].kind != ir::Operand::Kind::kRef) continue;
      const ir::Ref& ref = op.operands[i].ref;
      if (ref.decl < 0 || kernel_.decls[ref.decl].space != ir::Space::kGlobal)
        continue;
      Words& w = words_[ref.decl];
      const bool plain = around.threads.is() && !around.looped && i == 0;
      if (plain && op.info->kind == OpKind::kSt && IsOwn(ref)) {
        ++w.sets;
        w.from = StepLess(op.operands[1].expr);
        w.other |= !w.from || low_ + *w.from < 1;
      } else if (plain && op.info->kind == OpKind::kRedAdd && around.always &&
                 around.threads.always() && op.operands[1].expr.is_int(1) &&
                 IsOneForAll(ref)) {
        ++w.adds;
        w.added_in = &block;
      } else {
        w.other = true;
      }
    }
  }

  // The word of the CTA's own place, which no other CTA has.
  bool IsOwn(const ir::Ref& ref) const {
    if (!kernel_.cluster.empty()) return false;
    for (size_t d = 0; d < kernel_.grid.size(); ++d) {
      if (kernel_.grid[d].is_int(1)) continue;
      const auto is_cta = [&](const ir::Subscript& s) {
        return s.kind == ir::Subscript::Kind::kIndex &&
               s.start.kind == ExprKind::kName &&
               s.start.name_kind == NameKind::kBuiltin &&
               s.start.slot == static_cast<int32_t>(Builtin::kCtaX) +
                                   static_cast<int32_t>(d);
      };
      const bool has = std::any_of(
          ref.groups.begin(), ref.groups.end(), [&](const auto& group) {
            return std::any_of(group.begin(), group.end(), is_cta);
          });
      if (!has) return false;
    }
    return std::all_of(
        ref.groups.begin(), ref.groups.end(), [](const auto& group) {
          return std::all_of(group.begin(), group.end(), [](const auto& s) {
            return s.kind == ir::Subscript::Kind::kIndex &&
                   (s.start.name_kind == NameKind::kBuiltin ||
                    !AsksForCta(s.start));
          });
        });
  }

  bool IsOneForAll(const ir::Ref& ref) const {
    if (!kernel_.cluster.empty()) return false;
    return std::all_of(
        ref.groups.begin(), ref.groups.end(), [](const auto& group) {
          return std::all_of(group.begin(), group.end(), [](const auto& s) {
            return s.kind == ir::Subscript::Kind::kIndex &&
                   !AsksForCta(s.start);
          });
        });
  }

  void UseOtherwise(const Stmt& s) {
    if (s.op) {
      for (const ir::Operand& o : s.op->operands) {
        if (o.kind == ir::Operand::Kind::kRef && o.ref.decl >= 0)
          words_[o.ref.decl].other = true;
      }
    }
    for (const Block* block : {&s.body, &s.orelse}) {
      for (const Stmt& inner : *block) UseOtherwise(inner);
    }
  }

  const ir::Kernel& kernel_;
  const Stmt& loop_;
  int64_t low_ = 0, steps_ = 0;
  bool open_ = false;
  std::optional<int64_t> most_;  // its end
  int64_t ctas_ = 0;
  bool jumps_ = false;
  std::map<int32_t, int> names_;  // how often scalars are named, by slot
  std::set<int32_t> begins_;      // scalars that begin with 0 in each step
  std::map<int32_t, Words> words_;
};

// Words of its own: `to`, by the declaration before; `step`: the last index, of
// a tensor that has them for all steps.
void WriteWords(Stmt& s, const Loop& loop, const ir::Kernel& kernel,
                const std::map<int32_t, int32_t>& to,
                const std::optional<Expr>& step) {
  if (auto ask = loop.AskOf(s); ask && to.contains(ask->decl))
    s.value = Binary(ExprOp::kLt, ask->scalar,
                     ask->count ? *ask->count : Expr::Int(1, s.span));
  if (s.op) {
    for (ir::Operand& o : s.op->operands) {
      const auto own =
          o.kind == ir::Operand::Kind::kRef ? to.find(o.ref.decl) : to.end();
      if (own == to.end()) continue;
      o.ref.decl = own->second;
      o.ref.name = kernel.decls[own->second].name;
      if (step) {
        ir::Subscript index;
        index.start = *step;
        o.ref.groups[0].push_back(std::move(index));
      }
      if (s.op->info->kind == OpKind::kSt)
        s.op->operands[1].expr = Expr::Int(1, s.span);
    }
  }
  for (Block* block : {&s.body, &s.orelse}) {
    for (Stmt& inner : *block) WriteWords(inner, loop, kernel, to, step);
  }
}

// One step of the loop, with words of its own.
Block StepOf(const Loop& loop, const Stmt& text, int64_t number,
             const std::map<int32_t, int32_t>& words, ir::Kernel& kernel) {
  Block body = text.body;
  for (Stmt& s : body) WriteWords(s, loop, kernel, words, std::nullopt);
  body = CopyOf(std::move(body), number - loop.low() + 1, kernel);
  Replace(text.slot, Expr::Int(number, text.span), body);
  return body;
}

// Each step has words of its own, in the same tensor.
void AddSteps(const Loop& loop, const std::set<int32_t>& fit, size_t at,
              ir::Kernel& kernel) {
  std::map<int32_t, int32_t> words;
  Stmt& s = kernel.body[at];
  const auto less_low = [&](Expr e) {
    return loop.low() == 0 ? e : Binary(ExprOp::kSub, std::move(e), loop.low());
  };
  for (int32_t decl : fit) {
    ir::Decl own = kernel.decls[decl];
    own.name = ir::Cat(own.name, "#");
    own.shape.push_back(less_low(s.high));
    words[decl] = static_cast<int32_t>(kernel.decls.size());
    kernel.decls.push_back(std::move(own));
  }
  const Expr step = less_low(
      sizes::partition::NameOf(NameKind::kLoop, s.name, s.slot, s.span));
  Block body = s.body;  // the loop is looked up in what it was
  for (Stmt& inner : body) WriteWords(inner, loop, kernel, words, step);
  s.body = std::move(body);
  kernel.items.clear();  // they count declarations
}

bool Unroll(const ir::Program& program, const ir::Overrides& defines,
            ir::Kernel& kernel) {
  const KnownNumbers known(defines, kernel);
  for (size_t at = 0; at < kernel.body.size(); ++at) {
    const ir::Kernel before = kernel;
    const Loop loop(before, known, before.body[at]);
    std::set<int32_t> fit = loop.Fit();
    std::erase_if(fit, [&](int32_t decl) {
      return !IsOfOne(program, before.decls[decl].name);
    });
    if (fit.empty() && !loop.CountsInWordOfStep()) continue;
    if (loop.open()) {
      AddSteps(loop, fit, at, kernel);
      return true;
    }
    Block body(before.body.begin(), before.body.begin() + at);
    for (int64_t step = 0; step < loop.steps(); ++step) {
      std::map<int32_t, int32_t> words;
      for (int32_t decl : fit) {
        ir::Decl own = before.decls[decl];
        own.name = ir::Cat(own.name, "#", step);
        words[decl] = static_cast<int32_t>(kernel.decls.size());
        kernel.decls.push_back(std::move(own));
      }
      Block one =
          StepOf(loop, before.body[at], loop.low() + step, words, kernel);
      std::move(one.begin(), one.end(), std::back_inserter(body));
    }
    body.insert(body.end(), before.body.begin() + at + 1, before.body.end());
    kernel.body = std::move(body);
    kernel.items.clear();  // they count statements
    return true;
  }
  return false;
}

}  // namespace

std::optional<ir::Program> WithFlagsOfSteps(const ir::Program& program,
                                            const ir::Overrides& defines) {
  ir::Program out = program;
  bool any = false;
  const auto of_one = [&](const ir::Decl& d) {
    return IsOfOne(program, d.name) || d.name.find('#') != std::string::npos;
  };
  for (ir::Kernel& kernel : out.kernels) {
    any |= Unroll(program, defines, kernel);
    any |= SplitWords(defines, of_one, kernel);
  }
  if (!any) return std::nullopt;
  return out;
}

}  // namespace tilesim::checkers::pipeline
