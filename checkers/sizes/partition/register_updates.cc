#include "checkers/sizes/partition/register_updates.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <utility>

#include "checkers/proof/condition.h"

namespace tilesim::checkers::sizes::partition {
using ir::Block;
using ir::Builtin;
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::NameKind;
using ir::Operand;
using ir::Stmt;

namespace {

bool OnlyUpdates(const Block& block) {
  return std::all_of(block.begin(), block.end(), [](const Stmt& s) {
    if (s.kind == Stmt::Kind::kLet) return true;
    if (s.kind == Stmt::Kind::kIf)
      return OnlyUpdates(s.body) && OnlyUpdates(s.orelse);
    return s.kind == Stmt::Kind::kOp && IsInRegisters(*s.op) && IsUpdate(*s.op);
  });
}

class Always {
 public:
  explicit Always(ir::Kernel& kernel) {
    for (const ir::Param& p : kernel.params) sizes_.insert(p.slot);
    for (const ir::Constant& c : kernel.constants) same_.insert(c.slot);
  }

  bool any() const { return any_; }

  void Walk(Block& block) {
    for (Stmt& s : block) {
      switch (s.kind) {
        case Stmt::Kind::kLet:
          Name(s.slot, s.value);
          break;
        case Stmt::Kind::kFor:
          Counter(s);
          break;
        case Stmt::Kind::kIf:
          If(s);
          break;
        default:
          break;
      }
      Walk(s.body);
      Walk(s.orelse);
    }
  }

 private:
  // What a number is to all threads of a CTA.
  enum class What : uint8_t {
    kFollowed,  // one, a polynomial of counters and constants
    kSame,      // one
    kOthers,    // maybe another in each
  };

  void Name(int32_t slot, const Expr& value) {
    const What what = Of(value);
    if (what == What::kFollowed) same_.insert(slot);
    if (what == What::kSame) sizes_.insert(slot);
  }

  void Counter(const Stmt& s) {
    const What low = Of(s.low), high = Of(s.high);
    const What step = s.step ? Of(*s.step) : What::kFollowed;
    if (std::max({low, high, step}) == What::kOthers) return;
    (std::max(low, step) == What::kFollowed ? same_ : sizes_).insert(s.slot);
  }

  What Of(const Expr& e) const {
    if (e.kind == ExprKind::kInt) return What::kFollowed;
    if (e.kind == ExprKind::kName) return OfName(e);
    What out = What::kFollowed;
    for (const Expr& arg : e.args) out = std::max(out, Of(arg));
    return out;
  }

  What OfName(const Expr& e) const {
    switch (e.name_kind) {
      case NameKind::kParam:
      case NameKind::kConst:
      case NameKind::kLet:
      case NameKind::kLoop:
        return same_.contains(e.slot)    ? What::kFollowed
               : sizes_.contains(e.slot) ? What::kSame
                                         : What::kOthers;
      case NameKind::kBuiltin: {
        const auto which = static_cast<Builtin>(e.slot);
        const bool own =
            which == Builtin::kWarp || which == Builtin::kWarpgroup;
        return own ? What::kOthers : What::kSame;
      }
      default:
        return What::kOthers;
    }
  }

  // What is left of it without the parts that are not followed; it holds
  // wherever the condition does.
  Expr Followed(const Expr& e) const {
    if (Of(e) == What::kFollowed) return e;
    if (e.kind != ExprKind::kBinary || e.op != ExprOp::kAnd)
      return Expr::Int(1, e.span);
    Expr out = e;
    for (Expr& arg : out.args) arg = Followed(arg);
    return out;
  }

  void If(Stmt& s) {
    const bool updates = OnlyUpdates(s.body) && OnlyUpdates(s.orelse);
    const bool may =
        updates || !proof::IsJudged(proof::Condition::kOnlyUpdates);
    if (!may || Of(s.value) != What::kSame) return;
    s.value = s.orelse.empty() ? Followed(s.value) : Expr::Int(1, s.span);
    s.body.insert(s.body.end(), std::make_move_iterator(s.orelse.begin()),
                  std::make_move_iterator(s.orelse.end()));
    s.orelse.clear();
    any_ = true;
  }

  std::set<int32_t> same_;   // slots of numbers that are followed
  std::set<int32_t> sizes_;  // of others that all threads of a CTA share
  bool any_ = false;
};

}  // namespace

bool IsInRegisters(const ir::Op& op) {
  bool registers = false;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const uint16_t types = op.info->operands[i].types;
    registers |= (types & ir::kTakesReg) != 0;
    constexpr uint16_t kOfMemory = ir::kTakesBarrier | ir::kTakesGlobal |
                                   ir::kTakesShared | ir::kTakesTmem |
                                   ir::kTakesPool;
    if ((types & kOfMemory) != 0) return false;
  }
  return registers && op.info->async == ir::AsyncUnit::kNone;
}

bool IsUpdate(const ir::Op& op) {
  const auto& all = op.operands;
  for (size_t i = 0; i < all.size(); ++i) {
    if ((op.info->operands[i].types & ir::kTakesVar) != 0 && op.has(i))
      return false;
  }
  return op.info->kind == ir::OpKind::kMaskCausal ||
         std::any_of(all.begin() + 1, all.end(), [&](const Operand& o) {
           return o.kind == Operand::Kind::kRef && o.ref == all[0].ref;
         });
}

bool AlwaysUpdate(ir::Kernel& kernel) {
  Always always(kernel);
  always.Walk(kernel.body);
  if (always.any()) kernel.items.clear();  // they count statements
  return always.any();
}

}  // namespace tilesim::checkers::sizes::partition
