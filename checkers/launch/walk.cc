#include "checkers/launch/walk.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "ir/warp.h"
#include "sim/machine/operands.h"
#include "sim/machine/tile_guide.h"

namespace tilesim::checkers::launch {
using machine::CompiledOp;
using machine::Instr;
using machine::Varies;
using Kind = Instr::Kind;

namespace {

int UnitOf(Varies varies) {
  return varies == Varies::kWarp        ? 1
         : varies == Varies::kWarpgroup ? ir::kWarpgroupWarps
                                        : ir::kMaxWarps;
}

uint32_t WarpSet(int64_t low, int64_t high) {
  low = std::clamp<int64_t>(low, 0, ir::kMaxWarps);
  high = std::clamp<int64_t>(high, low, ir::kMaxWarps);
  return static_cast<uint32_t>((uint64_t{1} << high) - (uint64_t{1} << low));
}

}  // namespace

Walker::Walker(const machine::Code& code, const Outline& outline,
               int64_t& steps, Visitor& visitor)
    : code_(code), outline_(outline), steps_(steps), visitor_(visitor) {}

void Walker::Walk(const machine::Cta& cta) {
  cta_ = &cta;
  const auto end = static_cast<int32_t>(code_.instrs.size());
  const auto warps = static_cast<int>(ir::WarpsOf(code_.bound.block));
  waiting_.push_back({0, 0, end, 0, warps, code_.initial_slots});
  while (!waiting_.empty()) {
    Party next = std::move(waiting_.back());
    waiting_.pop_back();
    Go(std::move(next));
  }
}

void Walker::Go(Party party) {
  while (party.pc >= party.begin && party.pc < party.end && steps_ > 0) {
    --steps_;
    if (!Step(party)) return;
  }
}

machine::Who Walker::WhoIs(const Party& p) const {
  return {code_.bound, *cta_, p.first};
}

bool Walker::Step(Party& p) {
  Leave(p);
  if (outline_.past[p.pc] >= 0) {
    p.pc = outline_.past[p.pc];
    return true;
  }
  const Instr& i = code_.instrs[p.pc];
  switch (i.kind) {
    case Kind::kExit:
      return false;
    case Kind::kWiden:
      ++p.pc;
      return true;
    case Kind::kJump:
      p.pc = i.b;
      return true;
    case Kind::kOp:
      Visits(p, code_.ops[i.a]);
      for (int32_t slot : outline_.refused[i.a]) p.slots[slot] = 0;
      ++p.pc;
      return true;
    default:
      break;
  }
  if (outline_.by_memory[p.pc]) {
    BothWays(p);
    return true;
  }
  Divide(p, i.expr.varies);
  if (i.kind != Kind::kNarrow) return Scalar(p, i);
  Enter(p, i);
  return true;
}

// False: it has no value.
bool Walker::Scalar(Party& p, const Instr& i) {
  const bool sets = i.kind == Kind::kSet || i.kind == Kind::kForNext;
  if (sets && !outline_.needed[i.a]) {
    p.pc = i.kind == Kind::kSet ? p.pc + 1 : i.b;
    return true;
  }
  std::optional<int64_t> value =
      Evaluate(code_, i.expr, p.slots.data(), WhoIs(p));
  bool over = i.kind == Kind::kForNext && value &&
              __builtin_add_overflow(p.slots[i.a], *value, &p.slots[i.a]);
  if (!value || over) {
    if (!outline_.may[p.pc]) visitor_.Fails(*cta_, i.span);
    return false;
  }
  if (i.kind == Kind::kSet) p.slots[i.a] = *value;
  bool leaves = (i.kind == Kind::kForTest && p.slots[i.a] >= *value) ||
                (i.kind == Kind::kBranch && *value == 0);
  p.pc = leaves || i.kind == Kind::kForNext ? i.b : p.pc + 1;
  return true;
}

// A block is walked by those that may execute it, and what comes after it by
// all.
void Walker::BothWays(Party& p) {
  const Instr& i = code_.instrs[p.pc];
  if (i.kind == Kind::kSet || i.kind == Kind::kForNext) {
    p.pc = i.kind == Kind::kSet ? p.pc + 1 : i.b;
    return;
  }
  const int32_t end = outline_.end[p.pc];
  for (auto [from, to] : {std::pair(p.pc + 1, i.b), std::pair(i.b, end)}) {
    if (from >= to) continue;
    Party block = p;
    block.pc = block.begin = from;
    block.end = to;
    if (i.kind == Kind::kNarrow)
      block.inside.push_back({p.pc + 1, i.b, p.lanes});
    waiting_.push_back(std::move(block));
  }
  p.pc = end;
}

// Scopes are left by their ends, and by jumps out of them.
void Walker::Leave(Party& p) {
  while (!p.inside.empty()) {
    const Inside& last = p.inside.back();
    if (p.pc >= last.begin && p.pc < last.end) return;
    p.lanes = last.lanes;
    p.inside.pop_back();
  }
}

void Walker::Enter(Party& p, const Instr& i) {
  const int first = p.first, end = p.first + p.count;
  const std::optional<machine::Part> part = machine::Narrowed(
      code_, i, {WarpSet(first, end), p.lanes}, [&](const auto& e) {
        return Evaluate(code_, e, p.slots.data(), WhoIs(p)).value_or(0);
      });
  if (!part) return Divide(p, Varies::kWarp);  // and once more
  if (part->none()) {
    p.pc = i.b;
    return;
  }
  const uint32_t in = part->warps;
  // The first neighbours that are inside; those behind them come here again.
  const int low = std::countr_zero(in);
  const int high = low + std::countr_one(in >> low);
  Split(p, first, low - first, i.b);
  Split(p, high, end - high, (in & ~WarpSet(0, high)) != 0 ? p.pc : i.b);
  p.first = low;
  p.count = high - low;
  p.inside.push_back({p.pc + 1, i.b, std::exchange(p.lanes, part->lanes)});
  ++p.pc;
}

void Walker::Split(const Party& p, int first, int count, int32_t pc) {
  if (count <= 0) return;
  Party other = p;
  other.first = first;
  other.count = count;
  other.pc = pc;
  waiting_.push_back(std::move(other));
}

// It keeps the warps for which an expression has the value that its first has.
void Walker::Divide(Party& p, Varies varies) {
  const int unit = UnitOf(varies);
  const int end = p.first + p.count, next = (p.first / unit + 1) * unit;
  if (next >= end) return;
  Split(p, next, end - next, p.pc);
  p.count = next - p.first;
}

void Walker::Visits(const Party& p, const CompiledOp& op) {
  const auto& touches = outline_.touches[&op - code_.ops.data()];
  if (touches.empty()) return;
  const int unit = UnitOf(op.varies);
  const int end = p.first + p.count;
  for (int first = p.first; first < end;) {
    const int next = std::min(end, (first / unit + 1) * unit);
    machine::Who who(code_.bound, *cta_, first);
    for (const grid::Touch& t : touches) {
      ir::OperandValue value = op.fixed.operands[t.operand];
      bool there = EvaluateOperand(code_, op.operands[t.operand],
                                   p.slots.data(), who, value);
      if (there) {
        visitor_.Touches({*cta_, op, t, value.tile, first, next - first,
                          static_cast<bool>(outline_.may[p.pc])});
      } else if (!outline_.may[p.pc]) {
        visitor_.Fails(*cta_, op.op->span);
      }
    }
    first = next;
  }
}

}  // namespace tilesim::checkers::launch
