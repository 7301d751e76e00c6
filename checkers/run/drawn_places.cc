#include "checkers/run/drawn_places.h"

#include <algorithm>
#include <set>

#include "checkers/run/words_used.h"
#include "sim/machine/reads.h"

namespace tilesim::checkers::run {
namespace {

using machine::CompiledExpr;
using machine::CompiledOp;
using machine::CompiledOperand;

// Slots and tiles of a CTA that hold such a number, or what was made of one:
// everything an op sets that reads one, so that none is overlooked.
class Drawn {
 public:
  Drawn(const machine::Code& code, int32_t counts) : code_(code) {
    for (size_t op = 0; op < code.ops.size(); ++op) {
      if (static_cast<int32_t>(op) != counts && Draws(code.ops[op]))
        Grow(ScalarSetBy(code.ops[op]));
    }
    while (grown_) {
      grown_ = false;
      for (const machine::Instr& i : code.instrs) Through(i);
    }
  }

  bool Decides(const CompiledOp& op) const {
    return std::any_of(op.operands.begin(), op.operands.end(),
                       [&](const CompiledOperand& o) { return IsPlace(o); });
  }

 private:
  static bool Draws(const CompiledOp& op) {
    if (ScalarSetBy(op) < 0) return false;
    const std::vector<ir::Effect> effects = EffectsIn(op);
    return std::any_of(effects.begin(), effects.end(), [](const ir::Effect& e) {
      return e.kind == ir::EffectKind::kWrite && StrongInGrid(e);
    });
  }

  bool Reads(const CompiledExpr& e) const {
    return machine::Reads(code_, e,
                          [&](int32_t s) { return slots_.contains(s); });
  }

  bool IsPlace(const CompiledOperand& o) const {
    return std::any_of(o.index.begin(), o.index.end(),
                       [&](const CompiledExpr& e) { return Reads(e); }) ||
           std::any_of(o.starts.begin(), o.starts.end(),
                       [&](const auto& start) { return Reads(start.expr); });
  }

  void Through(const machine::Instr& i) {
    using Kind = machine::Instr::Kind;
    if ((i.kind == Kind::kSet || i.kind == Kind::kForNext) && Reads(i.expr))
      Grow(i.a);
    if (i.kind == Kind::kOp) Through(code_.ops[i.a]);
  }

  void Through(const CompiledOp& op) {
    bool reads = false;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      reads |= Reads(op.operands[i].expr) || IsPlace(op.operands[i]) ||
               (op.fixed.is_tile(static_cast<int>(i)) &&
                tiles_.contains(op.fixed.tile(static_cast<int>(i)).decl));
    }
    if (!reads) return;
    if (ScalarSetBy(op) >= 0) Grow(ScalarSetBy(op));
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (!op.fixed.is_tile(static_cast<int>(i))) continue;
      const ir::TileValue& t = op.fixed.tile(static_cast<int>(i));
      if (t.space != ir::Space::kGlobal) grown_ |= tiles_.insert(t.decl).second;
    }
  }

  void Grow(int32_t slot) { grown_ |= slots_.insert(slot).second; }

  const machine::Code& code_;
  std::set<int32_t> slots_, tiles_;
  bool grown_ = false;
};

}  // namespace

std::vector<bool> PlacesByDraws(const machine::Code& code, int32_t counts) {
  const Drawn drawn(code, counts);
  std::vector<bool> out(code.ops.size());
  for (size_t op = 0; op < out.size(); ++op)
    out[op] = drawn.Decides(code.ops[op]);
  return out;
}

}  // namespace tilesim::checkers::run
