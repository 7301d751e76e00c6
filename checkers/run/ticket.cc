#include "checkers/run/ticket.h"

#include <algorithm>
#include <array>
#include <utility>

#include "checkers/run/grid_scalars.h"
#include "checkers/run/log.h"
#include "sim/machine/guide.h"
#include "sim/machine/machine.h"

namespace tilesim::checkers::run {
namespace {

using ir::EffectKind;

// Of larger grids, where each counts is not worked out.
constexpr int64_t kMaxCtas = 1'000'000;

// The operand with the word that the op adds 1 to; -1: none.
int CountsIn(const machine::CompiledOp& op) {
  for (const ir::Effect& e : EffectsIn(op)) {
    bool one = e.kind == EffectKind::kWrite && e.adds && StrongInGrid(e) &&
               op.operands[e.value].expr.constant &&
               op.operands[e.value].expr.value == 1;
    if (one) return e.operand;
  }
  return -1;
}

bool IsCounter(const machine::Code& code, int32_t decl, int32_t op) {
  const machine::CompiledOp& o = code.ops[op];
  int word = CountsIn(o);
  return word >= 0 && ScalarSetBy(o) >= 0 &&
         o.operands[word].fixed.tile.decl == decl;
}

// Where each CTA counts.
class Place {
 public:
  Place(const machine::Code& code, const machine::CompiledOp& op, int word)
      : code_(code), op_(op), word_(op.operands[word]), scalars_(code) {}

  bool Fix() const {
    if (code_.guide != nullptr)
      return true;  // it says where, or that it may not
    return !word_.cta && word_.index.empty() &&
           std::all_of(word_.starts.begin(), word_.starts.end(),
                       [&](const auto& s) { return scalars_.Fix(s.expr); });
  }

  // nullopt: outside.
  std::optional<GlobalWord> Of(int64_t linear) const {
    if (code_.guide != nullptr) {
      std::optional<int64_t> at = code_.guide->ElementOf(op_, linear);
      if (!at) return std::nullopt;
      return GlobalWord{word_.fixed.tile.decl, *at};
    }
    machine::Cta cta = CtaAt(linear);
    machine::Who who(code_.bound, cta, 0);
    std::vector<int64_t> slots = code_.initial_slots;
    for (const machine::Instr* set : scalars_.sets()) {
      auto value = machine::Evaluate(code_, set->expr, slots.data(), who);
      slots[set->a] = value.value_or(0);
    }
    const ir::TileValue& tile = word_.fixed.tile;
    std::array<int64_t, ir::kMaxRank> at = tile.start;
    for (const auto& s : word_.starts) {
      auto value = machine::Evaluate(code_, s.expr, slots.data(), who);
      if (!value) return std::nullopt;
      at[s.dim] = *value;
    }
    return GlobalWordAt(code_, tile.decl, at);
  }

 private:
  machine::Cta CtaAt(int64_t linear) const {
    machine::Cta cta;
    cta.linear = linear;
    for (int d = 0; d < 3; ++d) {
      cta.id[d] = static_cast<int32_t>(linear % code_.bound.grid[d]);
      linear /= code_.bound.grid[d];
    }
    return cta;
  }

  const machine::Code& code_;
  const machine::CompiledOp& op_;
  const machine::CompiledOperand& word_;
  GridScalars scalars_;
};

}  // namespace

std::optional<TicketCounter> TicketCounter::Of(const machine::Code& code) {
  const ir::BoundKernel& b = code.bound;
  if (b.cluster_size() > 1 || b.ctas() > kMaxCtas) return std::nullopt;
  std::optional<TicketCounter> out;
  for (size_t i = 0; i < b.decls.size(); ++i) {
    auto decl = static_cast<int32_t>(i);
    if (!ZeroAtFirst(code, decl)) continue;
    std::vector<int32_t> users = UsersOf(code, decl);
    if (users.size() != 1 || !IsCounter(code, decl, users[0])) continue;
    if (out) return std::nullopt;  // of several, which numbers go together?
    out = TicketCounter(users[0]);
  }
  if (!out || !out->FindWords(code)) return std::nullopt;
  return out;
}

const machine::CompiledOperand& TicketCounter::WordIn(
    const machine::Code& code) const {
  const machine::CompiledOp& op = code.ops[op_];
  return op.operands[CountsIn(op)];
}

bool TicketCounter::FindWords(const machine::Code& code) {
  const machine::CompiledOp& op = code.ops[op_];
  Place place(code, op, CountsIn(op));
  if (!place.Fix()) return false;
  for (int64_t cta = 0; cta < code.bound.ctas(); ++cta) {
    std::optional<GlobalWord> word = place.Of(cta);
    if (!word) return false;
    words_.push_back(*word);
    ++counts_[*word];
  }
  return true;
}

std::vector<Ticket> TicketCounter::TicketsOf(int64_t cta) const {
  std::vector<Ticket> out;
  const GlobalWord& word = words_[cta];
  for (int64_t n = 0; n < counts_.at(word); ++n) out.push_back({word, op_, n});
  return out;
}

bool CountsOnce(const Log& log, const Ticket& ticket) {
  std::vector<int> counts(log.ctas);
  for (const Event& e : log.events) {
    if (e.kind != Event::Kind::kOp || e.op != ticket.op) continue;
    counts[e.cta] += e.threads().threads();
    const int word = CountsIn(log.code->ops[ticket.op]);
    std::optional<GlobalWord> at = GlobalWordAt(*log.code, ticket.word.decl,
                                                e.concrete().tile(word).start);
    if (at != ticket.word) return false;
  }
  return std::all_of(counts.begin(), counts.end(),
                     [](int count) { return count == 1; });
}

}  // namespace tilesim::checkers::run
