#include "sim/machine/lane_reads.h"

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "sim/machine/control.h"

namespace tilesim::machine {
namespace {

using ir::Effect;
using ir::EffectKind;
using ir::Expr;
using ir::Scope;
using ir::Stmt;

bool OneLane(const Scope& s) {
  return s.kind == Scope::Kind::kElect ||
         (!s.range &&
          (s.kind == Scope::Kind::kLanes || s.kind == Scope::Kind::kThreads));
}

// `continue` too: a lane then executes fewer instructions of the body.
bool Leaves(const ir::Block& block) {
  return std::any_of(block.begin(), block.end(), [](const Stmt& s) {
    if (s.kind == Stmt::Kind::kBreak || s.kind == Stmt::Kind::kContinue)
      return true;
    bool loop = s.kind == Stmt::Kind::kFor || s.kind == Stmt::Kind::kWhile;
    return !loop && (Leaves(s.body) || Leaves(s.orelse));
  });
}

// Follows scalars that may differ among lanes, and blocks that lanes may
// execute in different numbers, forwards until nothing more is found.
class Reads {
 public:
  explicit Reads(const Code& code)
      : code_(code), differ_(code.initial_slots.size()) {
    for (const CompiledOp& op : code.ops) ops_.emplace(op.op, &op);
  }

  bool Matter() {
    while (grown_ && !matter_) {
      grown_ = false;
      Walk(code_.kernel().body, {});
    }
    return matter_;
  }

 private:
  struct Where {
    bool one_lane = false;
    bool apart = false;  // some lanes only may be here
  };

  bool Differs(const Expr& e) const {
    if (e.kind == ir::ExprKind::kName &&
        e.name_kind != ir::NameKind::kBuiltin && e.slot >= 0 && differ_[e.slot])
      return true;
    return std::any_of(e.args.begin(), e.args.end(),
                       [&](const Expr& arg) { return Differs(arg); });
  }

  void Set(int32_t slot) {
    if (slot < 0 || differ_[slot]) return;
    differ_[slot] = grown_ = true;
  }

  void Walk(const ir::Block& block, Where where) {
    for (const Stmt& s : block) Walk(s, where);
  }

  void Walk(const Stmt& s, Where where) {
    switch (s.kind) {
      case Stmt::Kind::kLet:
      case Stmt::Kind::kVar:
      case Stmt::Kind::kAssign:
        if (where.apart || Differs(s.value)) Set(s.slot);
        return;
      case Stmt::Kind::kFor:
      case Stmt::Kind::kWhile:
        return Loop(s, where);
      case Stmt::Kind::kIf:
        where.apart |= Differs(s.value);
        Walk(s.body, where);
        return Walk(s.orelse, where);
      case Stmt::Kind::kScope:
        for (const Scope& scope : s.scopes) where.one_lane |= OneLane(scope);
        return Walk(s.body, where);
      case Stmt::Kind::kOp:
        return Op(*s.op, where);
      default:
        return;
    }
  }

  void Loop(const Stmt& s, Where where) {
    where.apart |= Differs(s.value) || Differs(s.low) || Differs(s.high) ||
                   (s.step && Differs(*s.step)) || LeftBySome(s.body);
    if (where.apart) Set(s.slot);
    Walk(s.body, where);
  }

  // Whether a branch that lanes may take differently leaves the loop.
  bool LeftBySome(const ir::Block& block) const {
    return std::any_of(block.begin(), block.end(), [&](const Stmt& s) {
      if (s.kind == Stmt::Kind::kFor || s.kind == Stmt::Kind::kWhile)
        return false;
      if (s.kind == Stmt::Kind::kIf && Differs(s.value) &&
          (Leaves(s.body) || Leaves(s.orelse)))
        return true;
      return LeftBySome(s.body) || LeftBySome(s.orelse);
    });
  }

  void Op(const ir::Op& op, Where where) {
    auto found = ops_.find(&op);
    if (found == ops_.end()) return;
    const CompiledOp& compiled = *found->second;
    ir::EffectSink sink;
    ir::EffectsOf(FixedOperands(compiled), sink);
    const std::vector<Effect> effects(sink.effects().begin(),
                                      sink.effects().end());
    const bool named = NamesWhatDiffers(compiled, effects);
    if (Acts(op, effects)) {
      matter_ |= where.apart || named;
      return;
    }
    const bool reads =
        !where.one_lane && std::any_of(effects.begin(), effects.end(), IsTimed);
    if (!reads && !where.apart && !named) return;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (TakesVar(compiled, i)) Set(op.operands[i].expr.slot);
    }
  }

  // What it finds depends on when it is executed.
  static bool IsTimed(const Effect& e) {
    return e.Is(ir::kAsks) ||
           (e.kind == EffectKind::kRead && e.sem != ir::Sem::kWeak);
  }

  // Others see whether, and how often, it is executed.
  static bool Acts(const ir::Op& op, const std::vector<Effect>& effects) {
    return op.info->scope != ir::ExecScope::kThread ||
           std::any_of(effects.begin(), effects.end(), [](const Effect& e) {
             return e.kind != EffectKind::kRead && !e.Is(ir::kAsks);
           });
  }

  // But for the payload that it moves.
  bool NamesWhatDiffers(const CompiledOp& op,
                        const std::vector<Effect>& effects) const {
    const bool payload = OnlyMovesData(op, effects);
    for (size_t i = 0; i < op.op->operands.size(); ++i) {
      const ir::Operand& o = op.op->operands[i];
      if (!payload && !TakesVar(op, i) && Differs(o.expr)) return true;
      for (const auto& group : o.ref.groups) {
        for (const ir::Subscript& s : group) {
          if (Differs(s.start) || Differs(s.extent)) return true;
        }
      }
      for (const Expr& cta : o.ref.cta) {
        if (Differs(cta)) return true;
      }
    }
    return false;
  }

  const Code& code_;
  absl::flat_hash_map<const ir::Op*, const CompiledOp*> ops_;
  std::vector<bool> differ_;  // by slot
  bool grown_ = true;
  bool matter_ = false;
};

}  // namespace

bool RestsOnEqualReads(const Code& code) {
  return code.guide == nullptr && Reads(code).Matter();
}

}  // namespace tilesim::machine
