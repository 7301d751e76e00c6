#include "checkers/sizes/partition/ring_counters.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checkers/sizes/partition/expressions.h"
#include "checkers/sizes/partition/known_numbers.h"
#include "ir/cat.h"
#include "ir/walk.h"

namespace tilesim::checkers::sizes::partition {
using ir::Block;
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::NameKind;
using ir::Stmt;

namespace {

// Of a ring that comes back to where it began only after more steps, nothing is
// gained.
constexpr size_t kMaxPeriod = 256;

using Slots = std::set<int32_t>;
using State = std::map<int32_t, int64_t>;  // of variables, by slot

void AddNames(const Expr& e, NameKind kind, Slots& out) {
  if (e.kind == ExprKind::kName && e.name_kind == kind) out.insert(e.slot);
  for (const Expr& arg : e.args) AddNames(arg, kind, out);
}

// The variables that a statement, or one inside it, reads or assigns.
Slots VariablesOf(const Stmt& s) {
  Slots out;
  AddNames(s.value, NameKind::kVar, out);
  if (s.kind == Stmt::Kind::kAssign) out.insert(s.slot);
  for (const Block* block : {&s.body, &s.orelse}) {
    for (const Stmt& inner : *block) out.merge(VariablesOf(inner));
  }
  return out;
}

// Statements, one behind the other, that only assign variables of one ring.
struct Advance {
  std::vector<const Stmt*> stmts;
  int64_t steps = 0;  // by which they move it on
};

// Variables that decide nothing but each other.
struct Ring {
  Slots vars;
  const Stmt* declared = nullptr;  // the first of their declarations
  std::vector<Advance> advances;
  State first;
  std::map<int32_t, Expr> read;  // by slot: as made of the counter
};

class Counters {
 public:
  Counters(const ir::Overrides& defines, ir::Kernel& kernel)
      : kernel_(kernel), known_(defines, kernel) {}

  bool Count() {
    Look(kernel_.body);
    for (Ring& ring : Rings()) {
      if (Declared(ring) && Fits(ring)) Replace(ring);
    }
    if (read_.empty()) return false;
    kernel_.body = Rewritten(kernel_.body);
    ir::ForEachStmt(kernel_.body, [&](Stmt& s) {
      ir::ForEachExpr(s, [&](Expr& e) { Read(e); });
    });
    kernel_.items.clear();  // they count statements
    return true;
  }

 private:
  // --- what there is -------------------------------------------------------

  // Nothing in it but variables and numbers that are known.
  bool Decides(const Expr& e) const {
    if (e.kind == ExprKind::kName)
      return e.name_kind == NameKind::kVar || known_.Of(e).has_value();
    if (e.kind == ExprKind::kFloat) return false;
    return std::all_of(e.args.begin(), e.args.end(),
                       [&](const Expr& arg) { return Decides(arg); });
  }

  // It assigns variables, of variables and constants, and does nothing else.
  bool Assigns(const Stmt& s) const {
    if (!Decides(s.value)) return false;
    if (s.kind == Stmt::Kind::kAssign) return true;
    if (s.kind != Stmt::Kind::kIf) return false;
    auto all = [&](const Block& block) {
      return std::all_of(block.begin(), block.end(),
                         [&](const Stmt& inner) { return Assigns(inner); });
    };
    return !(s.body.empty() && s.orelse.empty()) && all(s.body) &&
           all(s.orelse);
  }

  void Look(const Block& block) {
    for (size_t i = 0; i < block.size(); ++i) {
      std::vector<const Stmt*> group;
      for (; i < block.size() && Assigns(block[i]); ++i)
        group.push_back(&block[i]);
      if (!group.empty()) groups_.push_back(std::move(group));
      if (i == block.size()) return;
      const Stmt& s = block[i];
      if (s.kind == Stmt::Kind::kAssign) others_.insert(s.slot);
      if (s.kind == Stmt::Kind::kVar) Declares(block, i);
      if (s.op) Writes(*s.op);
      Look(s.body);
      Look(s.orelse);
    }
  }

  // Declarations that stand together are executed together.
  void Declares(const Block& block, size_t i) {
    const Stmt& s = block[i];
    bool again = !declared_.emplace(s.slot, Declaration{&s, nullptr}).second;
    if (again) others_.insert(s.slot);
    size_t begin = i;
    while (begin > 0 && OnlyDeclares(block[begin - 1])) --begin;
    declared_[s.slot].together = &block[begin];
  }
  static bool OnlyDeclares(const Stmt& s) {
    return s.kind == Stmt::Kind::kVar || s.kind == Stmt::Kind::kLet ||
           s.kind == Stmt::Kind::kDecl;
  }

  void Writes(const ir::Op& op) {
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if ((op.info->operands[i].types & ir::kTakesVar) != 0 && op.has(i))
        AddNames(op.operands[i].expr, NameKind::kVar, others_);
    }
  }

  // --- rings ---------------------------------------------------------------

  // Variables of one statement are of one ring.
  std::vector<Ring> Rings() const {
    std::vector<Ring> out;
    for (const auto& group : groups_) {
      for (const Stmt* s : group) {
        Ring joined;
        joined.vars = VariablesOf(*s);
        auto meets = [&](const Ring& r) {
          return std::any_of(r.vars.begin(), r.vars.end(), [&](int32_t slot) {
            return joined.vars.contains(slot);
          });
        };
        for (Ring& r : out) {
          if (meets(r)) joined.vars.insert(r.vars.begin(), r.vars.end());
        }
        std::erase_if(out, meets);
        out.push_back(std::move(joined));
      }
    }
    for (Ring& r : out) AddAdvances(r);
    return out;
  }

  void AddAdvances(Ring& ring) const {
    for (const auto& group : groups_) {
      Advance advance;
      for (const Stmt* s : group) {
        if (ring.vars.contains(*VariablesOf(*s).begin()))
          advance.stmts.push_back(s);
      }
      if (!advance.stmts.empty()) ring.advances.push_back(std::move(advance));
    }
  }

  // All its variables begin together, with numbers that are known, and only
  // the statements of its advances assign them.
  bool Declared(Ring& ring) const {
    const Stmt* together = nullptr;
    for (int32_t slot : ring.vars) {
      auto at = declared_.find(slot);
      if (at == declared_.end() || others_.contains(slot)) return false;
      const Declaration& d = at->second;
      if (together != nullptr && d.together != together) return false;
      together = d.together;
      auto number = known_.Of(d.stmt->value);
      if (!number) return false;
      ring.first[slot] = *number;
      if (ring.declared == nullptr || d.stmt < ring.declared)
        ring.declared = d.stmt;
    }
    return true;
  }

  // --- whether a counter does the same -------------------------------------

  bool Execute(const Stmt& s, State& state) {
    auto value = known_.Of(s.value, state);
    if (!value) return false;
    if (s.kind == Stmt::Kind::kAssign) {
      state[s.slot] = *value;
      return true;
    }
    const Block& taken = *value != 0 ? s.body : s.orelse;
    return std::all_of(taken.begin(), taken.end(), [&](const Stmt& inner) {
      return Execute(inner, state);
    });
  }
  std::optional<State> After(const Advance& advance, State state) {
    for (const Stmt* s : advance.stmts) {
      if (!Execute(*s, state)) return std::nullopt;
    }
    return state;
  }

  // All states that there are: the first one, and what the first advance makes
  // of it until it is back.
  std::vector<State> StatesOf(const Ring& ring) {
    std::vector<State> out = {ring.first};
    while (out.size() <= kMaxPeriod) {
      auto next = After(ring.advances[0], out.back());
      if (!next) break;
      if (*next == out.front()) return out;
      out.push_back(std::move(*next));
    }
    return {};
  }

  // docs/all_sizes.md 3.10: each advance is so many steps in every state, and
  // each variable a digit of their number.
  bool Fits(Ring& ring) {
    const std::vector<State> states = StatesOf(ring);
    if (states.size() < 2) return false;
    for (Advance& advance : ring.advances) {
      if (!Steps(states, advance)) return false;
    }
    for (int32_t slot : ring.vars) {
      std::vector<int64_t> values;
      for (const State& state : states) values.push_back(state.at(slot));
      auto read = Digit(values);
      if (!read) return false;
      ring.read[slot] = std::move(*read);
    }
    return true;
  }

  bool Steps(const std::vector<State>& states, Advance& advance) {
    const size_t period = states.size();
    for (size_t i = 0; i < period; ++i) {
      auto next = After(advance, states[i]);
      if (i == 0) {
        auto at = std::find(states.begin(), states.end(), next);
        if (at == states.end()) return false;
        advance.steps = at - states.begin();
        if (advance.steps == 0) advance.steps = static_cast<int64_t>(period);
      }
      if (next != states[(i + advance.steps) % period]) return false;
    }
    return true;
  }

  // Of the counter, which is not there yet: `n % S` of 0 1 2 0 1 2, and
  // `(n / S) & 1` of 0 0 0 1 1 1.
  static std::optional<Expr> Digit(const std::vector<int64_t>& values) {
    const auto period = static_cast<int64_t>(values.size());
    auto is = [&](auto value) {
      for (int64_t i = 0; i < period; ++i) {
        if (values[i] != value(i)) return false;
      }
      return true;
    };
    Expr n;
    n.kind = ExprKind::kName;
    n.name_kind = NameKind::kVar;
    int64_t wraps =
        std::find(values.begin() + 1, values.end(), 0) - values.begin();
    if (period % wraps == 0 && is([&](int64_t i) { return i % wraps; }))
      return Binary(ExprOp::kRem, std::move(n), wraps);
    const int64_t begin = values[0];
    int64_t flips = std::find_if(values.begin(), values.end(),
                                 [&](int64_t v) { return v != begin; }) -
                    values.begin();
    bool digit = (begin == 0 || begin == 1) && period % (2 * flips) == 0 &&
                 is([&](int64_t i) { return (i / flips + begin) % 2; });
    if (!digit) return std::nullopt;
    Expr rounds = Binary(ExprOp::kDiv, std::move(n), flips);
    if (begin == 1) rounds = Binary(ExprOp::kAdd, std::move(rounds), 1);
    return Binary(ExprOp::kBitAnd, std::move(rounds), 1);
  }

  // --- the counter instead -------------------------------------------------

  void Replace(Ring& ring) {
    const int32_t slot = kernel_.slots++;
    const std::string name = ir::Cat(ring.declared->name, "#");
    kernel_.slot_names.push_back(name);
    auto counter = [&](Stmt::Kind kind, const Stmt& at) {
      Stmt s;
      s.kind = kind;
      s.span = at.span;
      s.name = name;
      s.slot = slot;
      s.value = Expr::Int(0, at.span);
      return s;
    };
    for (int32_t var : ring.vars) instead_[declared_.at(var).stmt].reset();
    instead_[ring.declared] = counter(Stmt::Kind::kVar, *ring.declared);
    for (const Advance& advance : ring.advances) {
      for (const Stmt* s : advance.stmts) instead_[s].reset();
      Stmt step = counter(Stmt::Kind::kAssign, *advance.stmts[0]);
      step.value =
          Binary(ExprOp::kAdd, NameOf(NameKind::kVar, name, slot, step.span),
                 advance.steps);
      instead_[advance.stmts[0]] = std::move(step);
    }
    for (auto& [var, read] : ring.read) {
      Resolve(read, name, slot);
      read_[var] = std::move(read);
    }
  }

  static void Resolve(Expr& e, const std::string& name, int32_t slot) {
    if (e.kind == ExprKind::kName)
      e = NameOf(NameKind::kVar, name, slot, e.span);
    for (Expr& arg : e.args) Resolve(arg, name, slot);
  }

  Block Rewritten(Block& block) const {
    Block out;
    for (Stmt& s : block) {
      auto instead = instead_.find(&s);
      if (instead != instead_.end()) {
        if (instead->second) out.push_back(*instead->second);
        continue;
      }
      s.body = Rewritten(s.body);
      s.orelse = Rewritten(s.orelse);
      out.push_back(std::move(s));
    }
    return out;
  }

  void Read(Expr& e) const {
    auto read = e.kind == ExprKind::kName && e.name_kind == NameKind::kVar
                    ? read_.find(e.slot)
                    : read_.end();
    if (read != read_.end()) {
      const ir::Span span = e.span;
      e = read->second;
      e.span = span;
      return;
    }
    for (Expr& arg : e.args) Read(arg);
  }

  struct Declaration {
    const Stmt* stmt = nullptr;
    const Stmt* together = nullptr;  // the first of those beside it
  };

  ir::Kernel& kernel_;
  KnownNumbers known_;
  std::vector<std::vector<const Stmt*>> groups_;
  std::map<int32_t, Declaration> declared_;  // by slot
  Slots others_;                             // assigned by what is no advance
  std::map<const Stmt*, std::optional<Stmt>> instead_;  // absent: nothing
  std::map<int32_t, Expr> read_;                        // by slot
};

}  // namespace

bool CountRings(const ir::Overrides& defines, ir::Kernel& kernel) {
  return Counters(defines, kernel).Count();
}

}  // namespace tilesim::checkers::sizes::partition
