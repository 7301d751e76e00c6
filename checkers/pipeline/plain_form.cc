#include "checkers/pipeline/plain_form.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "checkers/pipeline/flat_loops.h"
#include "checkers/pipeline/single_iterations.h"
#include "checkers/pipeline/written_out.h"
#include "checkers/sizes/partition/expressions.h"
#include "checkers/sizes/partition/known_numbers.h"
#include "ir/walk.h"

namespace tilesim::checkers::pipeline {
using ir::Block;
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::Stmt;
using sizes::partition::KnownNumbers;

namespace {

// What holds where `e` does not.
Expr Opposite(Expr e) {
  static constexpr std::pair<ExprOp, ExprOp> kOpposites[] = {
      {ExprOp::kLt, ExprOp::kGe},
      {ExprOp::kLe, ExprOp::kGt},
      {ExprOp::kEq, ExprOp::kNe}};
  for (const auto& [a, b] : kOpposites) {
    if (!IsBinary(e, a) && !IsBinary(e, b)) continue;
    e.op = e.op == a ? b : a;
    return e;
  }
  return sizes::partition::Unary(ExprOp::kNot, std::move(e));
}

// if c { break }, or continue
bool IsOnly(const Stmt& s, Stmt::Kind jump) {
  return s.kind == Stmt::Kind::kIf && s.orelse.empty() && s.body.size() == 1 &&
         s.body[0].kind == jump;
}

// --- loops that end at their front -------------------------------------------

// Lets of the iteration in front of it say the same there as in the condition.
bool EndAtFront(Stmt& loop) {
  if (loop.kind != Stmt::Kind::kWhile || !loop.value.is_int(1)) return false;
  Lets lets;
  auto at = loop.body.begin();
  for (; at != loop.body.end() && at->kind == Stmt::Kind::kLet; ++at)
    lets[at->slot] = &at->value;
  if (at == loop.body.end() || !IsOnly(*at, Stmt::Kind::kBreak)) return false;
  loop.value = Opposite(WrittenOut(at->value, lets));
  loop.body.erase(at);
  return true;
}

// In the body of a loop.
bool PassOverInIf(Block& body) {
  const auto at = std::find_if(body.begin(), body.end(), [](const Stmt& s) {
    return IsOnly(s, Stmt::Kind::kContinue);
  });
  if (at == body.end()) return false;
  Block rest(std::make_move_iterator(at + 1),
             std::make_move_iterator(body.end()));
  body.erase(at + 1, body.end());
  PassOverInIf(rest);
  at->value = Opposite(std::move(at->value));
  at->body = std::move(rest);
  return true;
}

bool GoesAround(const Stmt& s) {
  return s.kind == Stmt::Kind::kFor || s.kind == Stmt::Kind::kWhile;
}

// --- sizes -------------------------------------------------------------------

// The parts of `a && b`, each of which has to hold.
void EachPart(const Expr& e, std::vector<const Expr*>& out) {
  if (!IsBinary(e, ExprOp::kAnd)) return out.push_back(&e);
  for (const Expr& part : e.args) EachPart(part, out);
}

// Of low, low + step .. those that `by` divides are such numbers again, or
// there are none.
bool KeepMultiples(int64_t by, ir::Param& p) {
  constexpr int64_t kMost = int64_t{1} << 20;
  if (by < 2 || by > kMost || p.step > kMost || p.value % by != 0) return false;
  const int64_t step = std::lcm(p.step, by);
  if (step == p.step && p.low % by == 0) return false;
  for (int64_t n = 0; n < by; ++n) {
    int64_t low = 0;
    if (__builtin_add_overflow(p.low, n * p.step, &low)) return false;
    if (low % by != 0) continue;
    if (low > p.value) return false;
    p.low = low;
    p.step = step;
    return true;
  }
  return false;
}

// requires K % n == 0
bool CountInMultiples(const ir::Overrides& defines, ir::Kernel& kernel) {
  const KnownNumbers known(defines, kernel);
  bool any = false;
  for (const ir::Requirement& r : kernel.requirements) {
    std::vector<const Expr*> parts;
    EachPart(r.condition, parts);
    for (const Expr* e : parts) {
      if (!IsBinary(*e, ExprOp::kEq) || !e->args[1].is_int(0) ||
          !IsBinary(e->args[0], ExprOp::kRem))
        continue;
      const auto by = known.Of(e->args[0].args[1]);
      for (ir::Param& p : kernel.params) {
        if (by && ir::SlotOf(e->args[0].args[0]) == p.slot &&
            !defines.contains(p.name))
          any |= KeepMultiples(*by, p);
      }
    }
  }
  return any;
}

// --- quotients by sizes ------------------------------------------------------

// Made of sizes, the same all through a launch and at whatever place of it.
bool OfSizes(const ir::Kernel& kernel, const Expr& e) {
  if (e.kind == ExprKind::kName) {
    const auto is = [&](const auto& d) { return d.slot == ir::SlotOf(e); };
    return std::any_of(kernel.params.begin(), kernel.params.end(), is) ||
           std::any_of(kernel.constants.begin(), kernel.constants.end(), is);
  }
  return std::all_of(e.args.begin(), e.args.end(),
                     [&](const Expr& arg) { return OfSizes(kernel, arg); });
}

bool DividesBySize(const KnownNumbers& known, const Expr& e) {
  const bool divides = IsBinary(e, ExprOp::kDiv) || e.name == "cdiv";
  if (divides && e.args.size() == 2 && !known.Of(e.args[1])) return true;
  return std::any_of(e.args.begin(), e.args.end(), [&](const Expr& arg) {
    return DividesBySize(known, arg);
  });
}

// for i in 0..cdiv(TILES, CTAS): the end gets a name, as a number that cannot
// be said otherwise (docs/all_sizes.md 3.5).
bool NameEnds(const ir::Overrides& defines, ir::Kernel& kernel) {
  const KnownNumbers known(defines, kernel);
  bool any = false;
  ir::ForEachStmt(kernel.body, [&](Stmt& s) {
    if (s.kind != Stmt::Kind::kFor || s.high.kind == ExprKind::kName ||
        !DividesBySize(known, s.high) || !OfSizes(kernel, s.high))
      return;
    any = true;
    const std::string name = ToString(s.high);
    auto let = std::find_if(kernel.constants.begin(), kernel.constants.end(),
                            [&](const auto& c) { return c.name == name; });
    if (let == kernel.constants.end()) {
      kernel.slot_names.push_back(name);
      kernel.constants.push_back(
          {name, true, s.high, kernel.slots++, s.high.span});
      let = std::prev(kernel.constants.end());
    }
    s.high = sizes::partition::NameOf(ir::NameKind::kLet, name, let->slot,
                                      s.high.span);
  });
  if (any) kernel.items.clear();  // they count constants
  return any;
}

// Of integers that may be 0 alone: they begin as zeros. In a program of several
// kernels one that runs before may have stored others.
bool BeginAsZeros(ir::Kernel& kernel) {
  bool any = false;
  for (ir::Decl& d : kernel.decls) {
    const bool only_0 = d.domain_low && d.domain_low->is_int(0) &&
                        d.domain_high && d.domain_high->is_int(0);
    if (!only_0 || d.zero || d.undefined) continue;
    d.domain_low.reset();
    d.domain_high.reset();
    d.zero = any = true;
  }
  return any;
}

}  // namespace

std::optional<ir::Program> InPlainForm(const ir::Program& program,
                                       const ir::Overrides& defines) {
  ir::Program out = program;
  bool any = out.kernels.size() == 1 && BeginAsZeros(out.kernels[0]);
  for (ir::Kernel& kernel : out.kernels) {
    any |= CountInMultiples(defines, kernel);
    any |= NestFlatLoops(defines, kernel);
    any |= ExecuteSingleIterations(defines, kernel);
    any |= NameEnds(defines, kernel);
    ir::ForEachStmt(kernel.body, [&](Stmt& s) {
      any |= EndAtFront(s);
      if (GoesAround(s)) any |= PassOverInIf(s.body);
    });
  }
  if (!any) return std::nullopt;
  return out;
}

}  // namespace tilesim::checkers::pipeline
