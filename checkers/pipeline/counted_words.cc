#include "checkers/pipeline/counted_words.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "checkers/pipeline/copied_block.h"
#include "checkers/pipeline/unread_atomics.h"
#include "checkers/pipeline/word_arrays.h"
#include "checkers/proof/condition.h"
#include "checkers/sizes/partition/expressions.h"
#include "checkers/sizes/partition/known_numbers.h"
#include "ir/cat.h"
#include "ir/concrete.h"
#include "ir/op.h"
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
using sizes::partition::KnownNumbers;

namespace {

// CTAs along the dimension in which those lie that count in one word, and of
// these those that do.
constexpr int64_t kMostAlong = 64;
constexpr size_t kMostFlags = 32;

// What is done to the words of one tensor.
struct CountedIn {
  int adds = 0, waits = 0;
  bool other = false;            // used otherwise
  int32_t dim = -1;              // of the grid
  std::vector<int64_t> who;      // counts, by its place in it
  std::set<int64_t> waited_for;  // until there are so many
};

// An `if` around, and whether what is asked for holds.
struct AskedAround {
  const Expr* condition = nullptr;
  bool holds = true;
};

// The place in a dimension of the grid as a number.
Expr PlaceAs(Expr e, int32_t dim, int64_t number) {
  if (e.kind == ExprKind::kName && e.name_kind == NameKind::kBuiltin &&
      e.slot == static_cast<int32_t>(Builtin::kCtaX) + dim)
    return Expr::Int(number, e.span);
  for (Expr& arg : e.args) arg = PlaceAs(std::move(arg), dim, number);
  return e;
}

class CountedWords {
 public:
  CountedWords(const ir::Program& program, const ir::Overrides& defines,
               ir::Kernel& kernel)
      : program_(program),
        before_(kernel),
        kernel_(kernel),
        known_(defines, before_) {}

  bool Rewrite() {
    if (!before_.cluster.empty()) return false;
    ir::ForEachStmt(before_.body, [&](const Stmt& s) {
      if (s.kind == Stmt::Kind::kAssign) assigned_.insert(s.slot);
      Stmt alone = s;
      alone.body.clear();
      alone.orelse.clear();
      ir::ForEachExpr(alone, [&](Expr& e) { CountNames(e); });
    });
    Look(before_.body, OneThread(before_), nullptr);
    for (const auto& [decl, w] : words_) {
      if (Fits(decl, w)) flags_[decl] = FlagsFor(decl, w);
    }
    if (flags_.empty()) return false;
    Write(kernel_.body);
    kernel_.items.clear();  // they count declarations and statements
    return true;
  }

 private:
  void CountNames(const Expr& e) {
    ++names_[ir::SlotOf(e)];
    for (const Expr& arg : e.args) CountNames(arg);
  }

  struct Wait {
    int32_t decl = -1;
    int32_t slot = -1;
    int64_t count = 0;
  };

  // A loop that asks for one word until so many have counted in it, and of
  // which nothing but that is left.
  std::optional<Wait> WaitOf(const Stmt& s) const {
    if (s.kind != Stmt::Kind::kWhile || s.body.size() != 1 || !s.body[0].op ||
        s.body[0].op->info->kind != OpKind::kLd)
      return std::nullopt;
    const ir::Op& op = *s.body[0].op;
    const int32_t slot = ir::SlotOf(op.operands[0].expr);
    const auto names = names_.find(slot);
    if (assigned_.contains(slot) || names == names_.end() || names->second != 2)
      return std::nullopt;
    const Expr& e = s.value;
    const bool turned = IsBinary(e, ExprOp::kGt);
    if (!turned && !IsBinary(e, ExprOp::kLt) && !IsBinary(e, ExprOp::kNe))
      return std::nullopt;
    if (ir::SlotOf(e.args[turned ? 1 : 0]) != slot) return std::nullopt;
    const auto count = known_.Of(e.args[turned ? 0 : 1]);
    if (!count || *count < 1) return std::nullopt;
    return Wait{op.operands[1].ref.decl, slot, *count};
  }

  // `loop`: the innermost around.
  void Look(const Block& block, const OneThread& threads, const Stmt* loop) {
    for (const Stmt& s : block) {
      if (s.kind == Stmt::Kind::kVar && s.value.is_int(0))
        begins_[s.slot] = loop;
      if (const auto wait = WaitOf(s); wait && Begins(wait->slot, loop)) {
        CountedIn& w = words_[wait->decl];
        ++w.waits;
        w.waited_for.insert(wait->count);
        continue;
      }
      if (s.op) Op(*s.op, threads, loop != nullptr);
      OneThread inside = threads;
      for (const ir::Scope& scope : s.scopes) inside.Enter(scope);
      const bool loops =
          s.kind == Stmt::Kind::kFor || s.kind == Stmt::Kind::kWhile;
      const bool asks = s.kind == Stmt::Kind::kIf;
      if (asks) guards_.push_back({&s.value, true});
      const Stmt* around = loops ? &s : loop;
      Look(s.body, inside, around);
      if (asks) guards_.back().holds = false;
      Look(s.orelse, inside, around);
      if (asks) guards_.pop_back();
    }
  }

  // Whether it is 0 each time that what stands in the loop is come to.
  bool Begins(int32_t slot, const Stmt* loop) const {
    const auto at = begins_.find(slot);
    return at != begins_.end() && at->second == loop;
  }

  void Op(const ir::Op& op, const OneThread& threads, bool looped) {
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (op.operands[i].kind != ir::Operand::Kind::kRef) continue;
      const ir::Ref& ref = op.operands[i].ref;
      if (ref.decl < 0) continue;
      CountedIn& w = words_[ref.decl];
      const bool adds = i == 0 && op.info->kind == OpKind::kRedAdd &&
                        op.operands[1].expr.is_int(1) && threads.is() &&
                        threads.always() && !looped;
      w.other |= !adds || w.adds > 0 || !InPlaceOf(OpKind::kSt, op) ||
                 !FindWho(ref, w);
      ++w.adds;
    }
  }

  // The CTAs that count in one word differ in one dimension of the grid alone,
  // and constants say where in it they lie.
  bool FindWho(const ir::Ref& ref, CountedIn& w) {
    if (ref.groups.size() != 1 || !ref.cta.empty() || ref.transposed)
      return false;
    std::set<int32_t> named;
    for (const ir::Subscript& at : ref.groups[0]) {
      if (at.kind != ir::Subscript::Kind::kIndex) return false;
      const bool place = at.start.kind == ExprKind::kName &&
                         at.start.name_kind == NameKind::kBuiltin;
      if (place)
        named.insert(at.start.slot - static_cast<int32_t>(Builtin::kCtaX));
      else if (!known_.Of(at.start))
        return false;
    }
    for (size_t d = 0; d < before_.grid.size(); ++d) {
      if (before_.grid[d].is_int(1) || named.contains(static_cast<int>(d)))
        continue;
      if (w.dim >= 0) return false;
      w.dim = static_cast<int32_t>(d);
    }
    const auto along =
        w.dim < 0 ? std::nullopt : known_.Of(before_.grid[w.dim]);
    if (!along || *along > kMostAlong) return false;
    for (int64_t place = 0; place < *along; ++place) {
      const auto counts = Counts(w.dim, place);
      if (!counts) return false;
      if (*counts) w.who.push_back(place);
    }
    return true;
  }

  // Whether a CTA at that place comes to it; nullopt: more decides that.
  std::optional<bool> Counts(int32_t dim, int64_t place) const {
    bool all = true;
    for (const AskedAround& g : guards_) {
      const auto is = known_.Of(PlaceAs(*g.condition, dim, place));
      if (!is) return std::nullopt;
      all &= (*is != 0) == g.holds;
    }
    return all;
  }

  bool Fits(int32_t decl, const CountedIn& w) const {
    const ir::Decl& d = before_.decls[decl];
    const bool result =
        std::any_of(before_.computes.begin(), before_.computes.end(),
                    [&](const ir::Computes& c) { return c.target == d.name; });
    const bool words =
        d.space == ir::Space::kGlobal && d.zero && !result && d.array.empty() &&
        d.strides.empty() && !values::IsFloat(d.dtype) &&
        std::ssize(d.shape) < ir::kMaxRank && IsOfOne(program_, d.name);
    const bool all = w.waited_for == std::set<int64_t>{std::ssize(w.who)} ||
                     !proof::IsJudged(proof::Condition::kAllCount);
    return words && !w.other && w.adds == 1 && w.waits > 0 && all &&
           !w.who.empty() && w.who.size() <= kMostFlags;
  }

  // As many as count, where those lie evenly: then each flag is set by one.
  int32_t FlagsFor(int32_t decl, const CountedIn& w) {
    ir::Decl own = before_.decls[decl];
    own.name = ir::Cat(own.name, "#");
    own.shape.push_back(Expr::Int(
        LieEvenly(w) ? std::ssize(w.who) : w.who.back() + 1, ir::Span()));
    kernel_.decls.push_back(std::move(own));
    return static_cast<int32_t>(kernel_.decls.size()) - 1;
  }

  static int64_t Apart(const CountedIn& w) {
    return w.who.size() > 1 ? w.who[1] - w.who[0] : 1;
  }

  static bool LieEvenly(const CountedIn& w) {
    for (size_t i = 0; i < w.who.size(); ++i) {
      if (w.who[i] != w.who[0] + static_cast<int64_t>(i) * Apart(w))
        return false;
    }
    return true;
  }

  // Which flag is that of the CTA that counts.
  Expr FlagOf(const CountedIn& w, ir::Span span) const {
    static constexpr const char* kNames[] = {"cta.x", "cta.y", "cta.z"};
    Expr out = sizes::partition::NameOf(
        NameKind::kBuiltin, kNames[w.dim],
        static_cast<int32_t>(Builtin::kCtaX) + w.dim, span);
    if (!LieEvenly(w)) return out;
    if (w.who[0] != 0) out = Binary(ExprOp::kSub, std::move(out), w.who[0]);
    return Apart(w) == 1 ? out : Binary(ExprOp::kDiv, std::move(out), Apart(w));
  }

  void Name(int32_t flags, Expr place, ir::Ref& ref) const {
    ref.decl = flags;
    ref.name = kernel_.decls[flags].name;
    ir::Subscript at;
    at.start = std::move(place);
    ref.groups[0].push_back(std::move(at));
  }

  void Write(Block& block) {
    Block out;
    for (Stmt& s : block) {
      const auto wait = WaitOf(s);
      if (wait && flags_.contains(wait->decl)) {
        WaitForEach(s, *wait, out);
        continue;
      }
      if (s.op && s.op->info->kind == OpKind::kRedAdd) SetFlag(s);
      Write(s.body);
      Write(s.orelse);
      out.push_back(std::move(s));
    }
    block = std::move(out);
  }

  // Who counts sets its flag.
  void SetFlag(Stmt& s) const {
    const int32_t decl = s.op->operands[0].ref.decl;
    const auto flags = flags_.find(decl);
    if (flags == flags_.end()) return;
    s.op = InPlaceOf(OpKind::kSt, *s.op);
    Name(flags->second, FlagOf(words_.at(decl), s.span), s.op->operands[0].ref);
  }

  // Flag after flag, each with a scalar of its own that begins with 0.
  void WaitForEach(const Stmt& loop, const Wait& wait, Block& out) {
    Stmt zero;
    zero.kind = Stmt::Kind::kVar;
    zero.name = loop.body[0].op->operands[0].expr.name;
    zero.slot = wait.slot;
    zero.value = Expr::Int(0, loop.span);
    zero.span = loop.span;
    int64_t nth = 0;
    const CountedIn& w = words_.at(wait.decl);
    for (int64_t place : w.who) {
      Stmt ask = loop;
      ir::Op& op = *ask.body[0].op;
      ask.value = Binary(ExprOp::kEq, op.operands[0].expr, 0);
      Name(flags_.at(wait.decl),
           Expr::Int(LieEvenly(w) ? nth : place, loop.span),
           op.operands[1].ref);
      Block one{zero, std::move(ask)};
      one = CopyOf(std::move(one), ++nth, kernel_);
      std::move(one.begin(), one.end(), std::back_inserter(out));
    }
  }

  const ir::Program& program_;
  const ir::Kernel before_;
  ir::Kernel& kernel_;
  const KnownNumbers known_;
  std::map<int32_t, int> names_;  // how often scalars are named, by slot
  std::set<int32_t> assigned_;    // scalars
  std::map<int32_t, const Stmt*> begins_;  // with 0, and in which loop
  std::vector<AskedAround> guards_;
  std::map<int32_t, CountedIn> words_;  // by declaration
  std::map<int32_t, int32_t> flags_;    // in their place
};

}  // namespace

std::optional<ir::Program> WithAFlagForEachCount(const ir::Program& program,
                                                 const ir::Overrides& defines) {
  ir::Program out = program;
  bool any = false;
  for (ir::Kernel& kernel : out.kernels)
    any |= CountedWords(program, defines, kernel).Rewrite();
  if (!any) return std::nullopt;
  return out;
}

}  // namespace tilesim::checkers::pipeline
