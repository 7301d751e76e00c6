#include "checkers/run/ticket.h"

#include <algorithm>
#include <array>
#include <utility>

#include "checkers/proof/condition.h"
#include "checkers/run/grid_scalars.h"
#include "checkers/run/log.h"
#include "sim/machine/counting.h"
#include "sim/machine/guide.h"
#include "sim/machine/machine.h"

namespace tilesim::checkers::run {

using machine::CountingOf;
namespace {

using ir::EffectKind;

// Of larger grids, where each counts is not worked out.
constexpr int64_t kMaxCtas = 1'000'000;

bool IsCounter(const machine::Code& code, int32_t decl, int32_t op) {
  const machine::CompiledOp& o = code.ops[op];
  int word = CountsIn(o);
  return word >= 0 && ScalarSetBy(o) >= 0 &&
         o.operands[word].fixed.tile.decl == decl;
}

// All that the op does is to store 0; strongly, but for PTX, where who has
// drawn the last number comes behind the others, or what else it is is told.
bool PutsBack(const machine::Code& code, const machine::CompiledOp& op) {
  if (code.guide != nullptr) {
    const machine::Counting* counting = CountingOf(code);
    return counting != nullptr && counting->StoresZero(op);
  }
  const std::vector<ir::Effect> all = EffectsIn(op);
  if (all.size() != 1 || all[0].kind != EffectKind::kWrite || all[0].adds)
    return false;
  return std::any_of(op.operands.begin(), op.operands.end(), [](const auto& o) {
    return o.kind == ir::OperandValue::Kind::kInt && o.expr.constant &&
           o.expr.value == 0;
  });
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
    auto counter = In(code, decl);
    if (!counter) continue;
    if (out) return std::nullopt;  // of several, which numbers go together?
    out = std::move(counter);
  }
  if (!out || !out->FindWords(code)) return std::nullopt;
  return out;
}

// Whether the words are those of a counter, and nothing else is done to them.
std::optional<TicketCounter> TicketCounter::In(const machine::Code& code,
                                               int32_t decl) {
  int32_t counts = -1;
  std::set<int32_t> put_back;
  for (int32_t op : UsersOf(code, decl)) {
    const bool one = counts < 0 && IsCounter(code, decl, op);
    if (one) {
      counts = op;
    } else if (PutsBack(code, code.ops[op])) {
      put_back.insert(op);
    } else {
      return std::nullopt;
    }
  }
  if (counts < 0) return std::nullopt;
  return TicketCounter(counts, std::move(put_back));
}

const machine::CompiledOperand& TicketCounter::WordIn(
    const machine::Code& code) const {
  const machine::CompiledOp& op = code.ops[op_];
  return op.operands[CountsIn(op)];
}

std::optional<std::vector<GlobalWord>> WordsByCta(const machine::Code& code,
                                                  const machine::CompiledOp& op,
                                                  int operand) {
  const Place place(code, op, operand);
  if (code.bound.ctas() > kMaxCtas || !place.Fix()) return std::nullopt;
  std::vector<GlobalWord> out;
  for (int64_t cta = 0; cta < code.bound.ctas(); ++cta) {
    std::optional<GlobalWord> word = place.Of(cta);
    if (!word) return std::nullopt;
    out.push_back(*word);
  }
  return out;
}

bool TicketCounter::FindWords(const machine::Code& code) {
  const machine::CompiledOp& op = code.ops[op_];
  auto words = WordsByCta(code, op, CountsIn(op));
  if (!words) return false;
  words_ = *std::move(words);
  for (const GlobalWord& word : words_) ++counts_[word];
  // One that begins again at 0 does so behind the last at the earliest.
  const machine::Counting* counting = CountingOf(code);
  const std::optional<int64_t> most =
      counting != nullptr ? counting->CountsUpTo(op) : std::nullopt;
  return !most ||
         std::all_of(counts_.begin(), counts_.end(),
                     [&](const auto& c) { return c.second <= *most + 1; });
}

std::vector<Ticket> TicketCounter::TicketsOf(int64_t cta) const {
  std::vector<Ticket> out;
  const GlobalWord& word = words_[cta];
  const int64_t count = counts_.at(word);
  for (int64_t n = 0; n < count; ++n)
    out.push_back({word, op_, n, n + 1 == count, put_back_});
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

// docs/all_sizes.md 3.14.
bool PutsBackLast(const Log& log, const Ticket& ticket) {
  if (!proof::IsJudged(proof::Condition::kPutBackLast)) return true;
  const Event* drawn = nullptr;
  for (const Event& e : log.events) {
    if (e.kind != Event::Kind::kOp) continue;
    if (e.op == ticket.op) drawn = &e;
    if (!ticket.put_back.contains(e.op)) continue;
    const bool by_drawer = drawn != nullptr && e.cta == drawn->cta &&
                           e.threads() == drawn->threads();
    const auto effects = e.effects();
    const auto stores =
        std::find_if(effects.begin(), effects.end(), [&](const ir::Effect& f) {
          return f.kind == EffectKind::kWrite &&
                 e.concrete().tile(f.operand).decl == ticket.word.decl;
        });
    if (!ticket.last || !by_drawer || stores == effects.end() ||
        GlobalWordAt(*log.code, ticket.word.decl,
                     e.concrete().tile(stores->operand).start) != ticket.word)
      return false;
  }
  return true;
}

}  // namespace tilesim::checkers::run
