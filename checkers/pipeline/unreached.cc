#include "checkers/pipeline/unreached.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/cat.h"
#include "ir/eval.h"

namespace tilesim::checkers::pipeline {
using ir::Block;
using ir::Expr;
using ir::Stmt;
using report::Finding;
using report::Findings;
using report::Provenance;
using run::OpsRun;

namespace {

using Slots = std::vector<std::optional<ir::Value>>;

std::optional<int64_t> NumberOf(const Expr& expr, const Slots& slots) {
  ir::EvalError ignored;
  std::optional<ir::Value> value =
      ir::Evaluate(expr, {slots, {}, {}}, &ignored);
  if (!value || value->is_float) return std::nullopt;
  return value->number;
}

bool NamesSomething(const Expr& expr) {
  return expr.kind == ir::ExprKind::kName ||
         std::any_of(expr.args.begin(), expr.args.end(), NamesSomething);
}

// What constants alone decide: a choice of the text, as `if CAUSAL` is.
class Choices {
 public:
  explicit Choices(const ir::Kernel& kernel) : slots_(kernel.slots) {
    for (const ir::Constant& c : kernel.constants) Set(c.slot, c.value);
    AddLets(kernel.body);
  }

  bool BodyOff(const Stmt& s) const {
    if (s.kind == Stmt::Kind::kFor) {
      auto low = NumberOf(s.low, slots_), high = NumberOf(s.high, slots_);
      bool named = NamesSomething(s.low) || NamesSomething(s.high);
      return named && low && high && *low >= *high;
    }
    auto value = Condition(s);
    return value && *value == 0;
  }
  bool ElseOff(const Stmt& s) const { return Condition(s).value_or(0) != 0; }
  bool Known(const Expr& expr) const {
    return NumberOf(expr, slots_) != std::nullopt;
  }

 private:
  std::optional<int64_t> Condition(const Stmt& s) const {
    bool decides = s.kind == Stmt::Kind::kIf || s.kind == Stmt::Kind::kWhile;
    if (!decides || !NamesSomething(s.value)) return std::nullopt;
    return NumberOf(s.value, slots_);
  }

  void Set(int32_t slot, const Expr& expr) {
    ir::EvalError ignored;
    slots_[slot] = ir::Evaluate(expr, {slots_, {}, {}}, &ignored);
  }

  void AddLets(const Block& block) {
    for (const Stmt& s : block) {
      if (s.kind == Stmt::Kind::kLet) Set(s.slot, s.value);
      AddLets(s.body);
      AddLets(s.orelse);
    }
  }

  Slots slots_;
};

// In the order of the text.
struct Text {
  ir::Span span;
  std::string what;
};

class Search {
 public:
  Search(const ir::Kernel& kernel, const OpsRun& ops)
      : choices_(kernel), ops_(ops) {
    In(kernel.body);
  }

  const std::vector<Text>& found() const { return found_; }

 private:
  // True: an op of the block's own is not executed; nor is, for the same
  // reason, what follows.
  bool In(const Block& block) {
    for (const Stmt& s : block) {
      if (s.op && !Executed(s)) {
        Tell(s.span, ir::Cat("`", s.op->info->mnemonic, "`"));
        return true;
      }
      if (!s.op && InParts(s)) return true;
    }
    return false;
  }

  bool InParts(const Stmt& s) {
    // Of a scope that is the same threads at all sizes, what keeps them from
    // its ops stands in it.
    if (s.kind == Stmt::Kind::kScope && SameThreads(s)) return In(s.body);
    bool first = Unreached(s.body) && !choices_.BodyOff(s);
    bool second = Unreached(s.orelse) && !choices_.ElseOff(s);
    if (first && !Any(s.orelse)) {
      Tell(HeadOf(s), "what this block holds");
      return false;
    }
    if (first)
      Tell(HeadOf(s), "what this `if` does where it holds");
    else if (Any(s.body))
      In(s.body);
    if (second)
      Tell(s.orelse.front().span, "what this `else` holds");
    else if (Any(s.orelse))
      In(s.orelse);
    return false;
  }

  static ir::Span HeadOf(const Stmt& s) {
    bool condition = s.kind == Stmt::Kind::kIf || s.kind == Stmt::Kind::kWhile;
    return condition ? s.value.span : s.span;
  }

  bool Executed(const Stmt& s) const {
    bool here = s.op && ops_.Executed({s.op->span.line, s.op->span.column});
    return here || Any(s.body) || Any(s.orelse);
  }
  bool Any(const Block& block) const {
    return std::any_of(block.begin(), block.end(),
                       [this](const Stmt& s) { return Executed(s); });
  }
  bool Unreached(const Block& block) const {
    return Holds(block) && !Any(block);
  }
  bool Holds(const Block& block) const {
    return std::any_of(block.begin(), block.end(), [this](const Stmt& s) {
      return s.op || (!choices_.BodyOff(s) && Holds(s.body)) ||
             (!choices_.ElseOff(s) && Holds(s.orelse));
    });
  }
  bool SameThreads(const Stmt& s) const {
    return std::all_of(s.scopes.begin(), s.scopes.end(),
                       [this](const ir::Scope& scope) {
                         return scope.kind == ir::Scope::Kind::kElect ||
                                (choices_.Known(scope.low) &&
                                 (!scope.range || choices_.Known(scope.high)));
                       });
  }

  void Tell(const ir::Span& span, std::string what) {
    found_.push_back({span, std::move(what)});
  }

  Choices choices_;
  const OpsRun& ops_;
  std::vector<Text> found_;
};

bool HasOps(const Block& block) {
  return std::any_of(block.begin(), block.end(), [](const Stmt& s) {
    return s.op || HasOps(s.body) || HasOps(s.orelse);
  });
}

Finding* Add(const ir::Kernel& kernel, const ir::Span& span,
             const Provenance& seen, Findings& findings) {
  Finding* f = findings.Add(
      "control/unreached",
      ir::Cat("unreached ", kernel.name, " ", span.line, ":", span.column));
  if (f == nullptr) return nullptr;
  f->diagnostic.span = span;
  f->seen = seen;
  return f;
}

void TellKernel(const ir::Kernel& kernel, const std::vector<Text>& found,
                const Provenance& seen, Findings& findings) {
  Finding* f = Add(kernel, kernel.span, seen, findings);
  if (f == nullptr) return;
  ir::Diagnostic& d = f->diagnostic;
  d.message =
      ir::Cat("nothing of kernel `", kernel.name, "` is executed, at any size");
  for (const Text& place : found)
    d.labels.push_back({place.span, ir::Cat(place.what, " is never executed")});
  d.help = "nothing was checked: see what the conditions and the loops ask for";
}

}  // namespace

void JudgeUnreached(const ir::Kernel& kernel, const OpsRun& ops,
                    const Provenance& seen, Findings& findings) {
  if (ops.value_decides() || !HasOps(kernel.body)) return;
  Search search(kernel, ops);
  if (ops.none()) return TellKernel(kernel, search.found(), seen, findings);
  for (const Text& place : search.found()) {
    Finding* f = Add(kernel, place.span, seen, findings);
    if (f == nullptr) continue;
    f->diagnostic.severity = ir::Severity::kWarning;
    f->diagnostic.message = ir::Cat(place.what, " is executed at no size");
  }
}

}  // namespace tilesim::checkers::pipeline
