// What debugging and tracing put around an op: delays before it, and stamps of
// the clock before and behind.
#include "hwtests/emit/kernel_emitter.h"
#include "hwtests/emit/op_table.h"
#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;

// Not between the products of a group, which the compiler must see side by
// side, nor in register arithmetic.
bool OthersNotice(const ir::Op& op, const ir::BoundKernel& bound) {
  if (op.info->async == ir::AsyncUnit::kWgmma ||
      op.info->kind == ir::OpKind::kWgmmaCommitGroup)
    return false;
  bool tiles = false;
  for (const ir::Operand& o : op.operands) {
    if (o.kind != ir::Operand::Kind::kRef) continue;
    tiles = true;
    if (bound.decls[o.ref.decl].space != ir::Space::kReg) return true;
  }
  return !tiles;
}

}  // namespace

void KernelEmitter::EmitOp(const ir::Op& stmt) {
  OpEmitter op(*this, stmt);
  if (op.RefusesRowsApart()) return;
  const bool noticed = OthersNotice(stmt, bound());
  if (options().delays && noticed) {
    file().plan.delays = true;
    out_->Line(Cat("tile::delay(", delays_++, ");"));
  }
  if (!options().trace || !noticed) return EmitOpOf(op);
  print_.Use({Capture::Kind::kTrace});
  const std::string start = context_.names.Fresh("start");
  out_->Line(Cat("const uint32_t ", start, " = tile::stamp();"));
  EmitOpOf(op);
  std::string add = Cat("trace.add(", TraceSiteOf(op), ", ", start, ");");
  if (threads_.lanes == 1) return out_->Line(add);
  // One lane speaks for its warp, which the next op may need together again.
  out_->Line(Cat("if (tile::lane_index() == ", threads_.first_lane, ") ", add));
  if (threads_.whole_warps()) out_->Line("__syncwarp();");
}

// "site, index of the barrier"; adds the site to the plan.
std::string KernelEmitter::TraceSiteOf(OpEmitter& op) {
  TraceSite site;
  site.name = op.op().info->mnemonic;
  site.role = role_;
  site.line = op.op().span.text_line();
  std::string index = "0";
  if (op.op().info->kind == ir::OpKind::kMbarrierWait) {
    constexpr int kBar = ir::ops::MbarrierWait::kBar;
    const ir::Ref& ref = op.op().operands[kBar].ref;
    const ir::BoundDecl& barriers = bound().decls[ref.decl];
    site.wait = true;
    site.name = Cat("WAIT ", kernel().decls[ref.decl].name);
    for (int d = 0; d < barriers.array_rank; ++d)
      site.array.push_back(barriers.array[d]);
    index = Cat("int(", op.BarrierIndex(kBar), ")");
  }
  file().plan.sites.push_back(std::move(site));
  return Cat(file().plan.sites.size() - 1, ", ", index);
}

}  // namespace tilesim::hwtests
