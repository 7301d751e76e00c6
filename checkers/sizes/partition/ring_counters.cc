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

// The variables, and the lets among `lets`, that a statement, or one inside it,
// reads or sets.
Slots VariablesOf(const Stmt& s, const Slots& lets) {
  Slots out, named;
  AddNames(s.value, NameKind::kVar, out);
  AddNames(s.value, NameKind::kLet, named);
  named.insert(s.slot);
  for (int32_t slot : named) {
    if (lets.contains(slot)) out.insert(slot);
  }
  if (s.kind == Stmt::Kind::kAssign) out.insert(s.slot);
  for (const Block* block : {&s.body, &s.orelse}) {
    for (const Stmt& inner : *block) out.merge(VariablesOf(inner, lets));
  }
  return out;
}

// How often lets are asked for, by slot.
using Uses = std::map<int32_t, int64_t>;
void AddUses(const Expr& e, Uses& out) {
  if (e.kind == ExprKind::kName && e.name_kind == NameKind::kLet) ++out[e.slot];
  for (const Expr& arg : e.args) AddUses(arg, out);
}
void AddUses(const Stmt& s, Uses& out) {
  AddUses(s.value, out);
  for (const Block* block : {&s.body, &s.orelse}) {
    for (const Stmt& inner : *block) AddUses(inner, out);
  }
}

// Statements, one behind the other, that only assign variables of one ring.
// Lets among them are asked for by no others.
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
    ir::ForEachStmt(kernel_.body, [&](Stmt& s) {
      ir::ForEachExpr(s, [&](Expr& e) { AddUses(e, uses_); });
    });
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
      return e.name_kind == NameKind::kVar || lets_.contains(e.slot) ||
             known_.Of(e).has_value();
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

  // Behind the last of the statements from `begin` on that only assign.
  size_t EndOfGroup(const Block& block, size_t begin) {
    size_t end = begin;
    for (; end < block.size(); ++end) {
      const Stmt& s = block[end];
      const bool let = s.kind == Stmt::Kind::kLet && Decides(s.value);
      if (let) lets_.insert(s.slot);
      if (!let && !Assigns(s)) break;
    }
    // A let that others ask for as well stays where it is.
    for (size_t i = begin; i < end; ++i) {
      if (block[i].kind != Stmt::Kind::kLet) continue;
      Uses inside;
      for (size_t j = i; j < end; ++j) AddUses(block[j], inside);
      if (inside[block[i].slot] == uses_[block[i].slot]) continue;
      for (size_t j = i; j < end; ++j) lets_.erase(block[j].slot);
      end = i;
      i = begin - 1;
    }
    return end;
  }

  void Look(const Block& block) {
    for (size_t i = 0; i < block.size(); ++i) {
      std::vector<const Stmt*> group;
      for (const size_t end = EndOfGroup(block, i); i < end; ++i)
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
        joined.vars = VariablesOf(*s, lets_);
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
        if (ring.vars.contains(*VariablesOf(*s, lets_).begin()))
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
      if (lets_.contains(slot)) continue;
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
    if (s.kind != Stmt::Kind::kIf) {
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
    std::erase_if(state,
                  [&](const auto& v) { return lets_.contains(v.first); });
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
      if (lets_.contains(slot)) continue;
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

  // Of the counter, which is not there yet: `n % S` of 0 1 2 0 1 2,
  // `(n * 2 + 2) % 3` of 2 1 0 2 1 0, and `(n / S) & 1` of 0 0 0 1 1 1.
  static std::optional<Expr> Digit(const std::vector<int64_t>& values) {
    const bool same = std::all_of(values.begin(), values.end(),
                                  [&](int64_t v) { return v == values[0]; });
    if (same) return Expr::Int(values[0]);
    auto place = Place(values);
    return place ? place : Round(values);
  }

  static Expr Counter() {
    Expr n;
    n.kind = ExprKind::kName;
    n.name_kind = NameKind::kVar;
    return n;
  }

  static Expr Plus(Expr e, int64_t more) {
    return more == 0 ? e : Binary(ExprOp::kAdd, std::move(e), more);
  }

  // (n * step + first) % slots, from one to the next by as much.
  static std::optional<Expr> Place(const std::vector<int64_t>& values) {
    const auto period = static_cast<int64_t>(values.size());
    const int64_t slots = *std::max_element(values.begin(), values.end()) + 1;
    const int64_t first = values[0];
    if (*std::min_element(values.begin(), values.end()) != 0 || slots < 2 ||
        slots > period)
      return std::nullopt;
    const int64_t step = (values[1] - first + slots) % slots;
    if (period * step % slots != 0) return std::nullopt;
    for (int64_t i = 0; i < period; ++i) {
      if (values[i] != (i * step + first) % slots) return std::nullopt;
    }
    Expr n = Counter();
    if (step != 1) n = Binary(ExprOp::kMul, std::move(n), step);
    return Binary(ExprOp::kRem, Plus(std::move(n), first), slots);
  }

  // (n + ahead) / flips & 1, which may begin anywhere in a round.
  static std::optional<Expr> Round(const std::vector<int64_t>& values) {
    const auto period = static_cast<int64_t>(values.size());
    const int64_t begin = values[0];
    if (begin != 0 && begin != 1) return std::nullopt;
    const auto other_than = [&](int64_t from, int64_t value) {
      const auto at = std::find_if(values.begin() + from, values.end(),
                                   [&](int64_t v) { return v != value; });
      return static_cast<int64_t>(at - values.begin());
    };
    const int64_t first = other_than(0, begin);
    if (first == period) return std::nullopt;
    const int64_t second = other_than(first, values[first]);
    const int64_t flips = second - first;
    const int64_t ahead = (flips - first % flips) % flips;
    if (period % (2 * flips) != 0) return std::nullopt;
    const auto digit = [&](int64_t i) { return (i + ahead) / flips & 1; };
    const int64_t turn = digit(0) ^ begin;
    for (int64_t i = 0; i < period; ++i) {
      if (values[i] != (digit(i) ^ turn)) return std::nullopt;
    }
    Expr rounds = Binary(ExprOp::kDiv, Plus(Counter(), ahead), flips);
    return Binary(ExprOp::kBitAnd, Plus(std::move(rounds), turn), 1);
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
    for (int32_t var : ring.vars) {
      if (!lets_.contains(var)) instead_[declared_.at(var).stmt].reset();
    }
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
  Slots lets_;                               // that are of a group
  Uses uses_;                                // in the whole kernel
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
