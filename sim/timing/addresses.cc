#include "sim/timing/addresses.h"

#include <algorithm>
#include <set>

#include "ir/ops/all.h"
#include "sim/machine/reads.h"
#include "sim/timing/cost.h"

namespace tilesim::timing {
namespace {

using machine::Instr;

// Whether compiled code has a branch or a loop there, beyond which nothing is
// scheduled.
bool EndsBlock(const machine::Code& code, const machine::Instr& instr) {
  if (instr.kind != machine::Instr::Kind::kOp) return true;
  const ir::OpKind kind = code.ops[instr.a].op->info->kind;
  return kind == ir::OpKind::kMbarrierWait ||
         kind == ir::OpKind::kMbarrierTestWait || kind == ir::OpKind::kBarSync;
}

// wgmma of a batch whose operands change from turn to turn: their descriptors
// are computed before its first one, or beside register arithmetic that stands
// in front of it with no branch between them (attention_small: 994 cycles a key
// tile, of which the softmax takes 550 and two batches 191 and 179). Those of
// the two ways of a branch are two batches. Of each op how many, at the first
// of its batch, else 0.
void AddProducts(const machine::Code& code, std::vector<int>& out) {
  int32_t first = -1;   // of the batch
  bool beside = false;  // arithmetic
  for (const machine::Instr& instr : code.instrs) {
    if (instr.kind == machine::Instr::Kind::kSet) continue;
    if (EndsBlock(code, instr)) beside = false;
    const bool op = instr.kind == machine::Instr::Kind::kOp;
    if (op && IsArithmetic(code.ops[instr.a].op->info->kind)) beside = true;
    const bool product =
        op && code.ops[instr.a].op->info->async == ir::AsyncUnit::kWgmma &&
        !code.ops[instr.a].varying.empty();
    if (!product) {
      first = -1;
      continue;
    }
    if (first < 0) first = instr.a;
    if (!beside) ++out[first];
  }
}

// Scalars that change in a loop around an instruction.
std::set<int32_t> ChangedAround(const machine::Code& code, int32_t at) {
  std::set<int32_t> out;
  for (int32_t next = at + 1; next < std::ssize(code.instrs); ++next) {
    const Instr& end = code.instrs[next];
    const bool loop =
        end.kind == Instr::Kind::kForNext || end.kind == Instr::Kind::kJump;
    if (!loop || end.b > at) continue;
    for (int32_t i = end.b; i <= next; ++i) {
      const Instr::Kind kind = code.instrs[i].kind;
      if (kind == Instr::Kind::kSet || kind == Instr::Kind::kForNext)
        out.insert(code.instrs[i].a);
    }
  }
  return out;
}

bool Reads(const machine::Code& code, const machine::CompiledExpr& e,
           const std::set<int32_t>& slots) {
  return machine::Reads(code, e, [&](int32_t s) { return slots.contains(s); });
}

// Where the swizzle depends on the origin, nothing of it stays the same from
// iteration to iteration. Who stores what he loaded has the addresses.
bool OriginMoves(const machine::Code& code, int32_t at) {
  const machine::CompiledOp& op = code.ops[code.instrs[at].a];
  const ir::OpKind kind = op.op->info->kind;
  if (kind != ir::OpKind::kLdShared && kind != ir::OpKind::kStShared)
    return false;
  const std::set<int32_t> changed = ChangedAround(code, at);
  return std::any_of(
      op.operands.begin(), op.operands.end(),
      [&](const machine::CompiledOperand& o) {
        return o.fixed.tile.space == ir::Space::kShared &&
               code.bound.decls[o.fixed.tile.decl].layout.swizzle !=
                   ir::Swizzle::kNone &&
               std::any_of(o.starts.begin(), o.starts.end(),
                           [&](const machine::CompiledOperand::Start& s) {
                             return Reads(code, s.expr, changed);
                           });
      });
}

// The shared tile that an op between registers and it names.
int32_t TileOf(const machine::CompiledOp& op) {
  for (const machine::CompiledOperand& o : op.operands) {
    if (o.kind == ir::OperandValue::Kind::kTile &&
        o.fixed.tile.space == ir::Space::kShared)
      return o.fixed.tile.decl;
  }
  return -1;
}

}  // namespace

std::vector<int> AddressesOf(const machine::Code& code) {
  std::vector<int> out(code.ops.size());
  AddProducts(code, out);
  int32_t loaded = -1;  // the tile, in this basic block
  for (int32_t at = 0; at < std::ssize(code.instrs); ++at) {
    if (code.instrs[at].kind != Instr::Kind::kOp) {
      if (code.instrs[at].kind != Instr::Kind::kSet) loaded = -1;
      continue;
    }
    if (!OriginMoves(code, at)) continue;
    const machine::CompiledOp& op = code.ops[code.instrs[at].a];
    const bool again =
        op.op->info->kind == ir::OpKind::kStShared && TileOf(op) == loaded;
    out[code.instrs[at].a] = again ? 0 : 1;
    loaded = TileOf(op);
  }
  return out;
}

}  // namespace tilesim::timing
