#include "checkers/grid/storing_warps.h"

#include <algorithm>

#include "checkers/grid/question.h"
#include "ir/warp.h"

namespace tilesim::checkers::grid {
namespace {

bool Mentions(const Formula& f, const std::vector<Var>& only) {
  for (const auto& [v, c] : f.linear.terms()) {
    if (std::find(only.begin(), only.end(), v) == only.end()) return true;
  }
  return std::any_of(f.parts.begin(), f.parts.end(),
                     [&](const Formula& p) { return Mentions(p, only); });
}

}  // namespace

const OfOneWarp& StoringWarps::Of(int64_t w) {
  auto at = of_warps_.find(w);
  if (at == of_warps_.end())
    at = of_warps_.emplace(w, OfOneWarp(all_, w)).first;
  return at->second;
}

bool StoringWarps::SaysMore(const Formula& f) {
  return Mentions(f, Of(0).known());
}

std::vector<int64_t> StoringWarps::Executing(const Access& a) {
  std::vector<int64_t> out;
  if (a.maybe_no_lane) return out;
  for (const Formula& f : a.warps) {
    if (SaysMore(f)) return out;
  }
  for (int64_t w = 0; w < all_.warps; ++w) {
    const std::vector<int64_t>& values = Of(w).values();
    if (std::all_of(a.warps.begin(), a.warps.end(), [&](const Formula& f) {
          return f.At(values).value_or(false);
        }))
      out.push_back(w);
  }
  return out;
}

std::optional<int64_t> StoringWarps::Places(const Access& a) {
  std::map<std::vector<int64_t>, int64_t> warps;  // by place
  for (int64_t w : Executing(a)) {
    std::vector<int64_t> place;
    for (const Linear& l : a.start) place.push_back(Of(w).Sum(l));
    ++warps[place];
  }
  if (warps.empty() || !OnlyBy(a)) return std::nullopt;
  for (const auto& [place, n] : warps) {
    if (n < Needed(a)) return std::nullopt;
  }
  return static_cast<int64_t>(warps.size());
}

// Whether the place depends on the warp by its number and its group's alone.
bool StoringWarps::OnlyBy(const Access& a) {
  Question q(all_.terms);
  for (const Linear& l : a.start) q.Of(Of(0).Rest(l), Question::Cta::kFirst);
  return !q.Asked(all_.warp, Question::Cta::kFirst);
}

int64_t StoringWarps::Needed(const Access& a) const {
  for (const machine::CompiledOp& op : code_.ops) {
    if (op.op != a.op) continue;
    for (const machine::CompiledOperand& c : op.operands) {
      bool reg = c.kind == ir::OperandValue::Kind::kTile &&
                 c.fixed.tile.space == ir::Space::kReg;
      if (!reg) continue;
      if (a.some_lanes) return ir::kMaxWarps + 1;
      int64_t threads = code_.bound.decls[c.fixed.tile.decl].fragment.threads;
      return ir::WarpsOf(threads == 0 ? op.group_threads : threads);
    }
  }
  return 1;
}

}  // namespace tilesim::checkers::grid
