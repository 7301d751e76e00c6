// Named barriers and the register pool.
#include "ir/ops/sync.h"

#include "frontend/legality/rules.h"
#include "ir/cat.h"

namespace tilesim::frontend {
namespace {

namespace ops = ir::ops;

constexpr std::string_view kSource = "hardware.md A.2 (PTX 9.7.13.1)";

// 16 barriers a CTA; counts are whole warps, and no more than the CTA has.
void NamedBarrier(OpCheck& c, int id, int threads) {
  c.InRange(id, 0, 15, 1, "barrier/id", kSource);
  std::optional<int64_t> n = c.number(threads);
  if (!n) return;
  if (*n < ir::kWarpThreads || *n % ir::kWarpThreads != 0) {
    c.Error("barrier/threads", threads,
            ir::Cat(*n, " threads are not whole warps of ", ir::kWarpThreads),
            kSource);
  } else if (*n > c.bound().block) {
    c.Error("barrier/threads", threads,
            ir::Cat("the barrier waits for ", *n, " threads; the CTA has ",
                    c.bound().block),
            kSource);
  }
}

// PTX 9.7.13.2. Lanes that only a run knows are judged there
// (ir/operand_rules.h).
void WarpSync(OpCheck& c) {
  using Op = ops::BarWarpSync;
  constexpr std::string_view kWarpSync = "PTX 9.7.13.2";
  if (!c.has(Op::kMask)) return;
  std::optional<int64_t> mask = c.number(Op::kMask);
  if (!mask) {
    c.Error("scope/collective", Op::kMask,
            ir::Cat("the mask of `", c.mnemonic(), "` is a constant"),
            kWarpSync);
    return;
  }
  if (*mask < 1 || *mask > int64_t{ir::kAllLanes}) {
    c.InRange(Op::kMask, 1, ir::kAllLanes, 1, "scope/collective", kWarpSync);
    return;
  }
  if (!c.threads().exact || !c.threads().lanes_known) return;
  for (uint32_t lanes : c.threads().lanes) {
    if (lanes == 0) continue;
    auto wrong = ops::WrongLanesOf(*mask, lanes);
    if (!wrong) continue;
    ir::Diagnostic& d =
        c.Error(wrong->code, Op::kMask, wrong->message, kWarpSync);
    d.notes.push_back(ir::Cat("executed by ", c.threads().Describe()));
    d.help = "name in the mask the lanes that execute it, and no others";
    return;
  }
}

// hardware.md A.9: an immediate, and ignored by ptxas without a declared bound.
void Setmaxnreg(OpCheck& c, int count) {
  constexpr std::string_view kRegs = "hardware.md A.9 (PTX 9.7.19.5)";
  std::optional<int64_t> n = c.number(count);
  if (!n) {
    c.Error("registers/count", count,
            ir::Cat("`", c.mnemonic(), "` takes a constant"), kRegs);
    return;
  }
  c.InRange(count, 24, 256, 8, "registers/count", kRegs);
  if (c.bound().regs != 0) return;
  c.Error("registers/unbounded", -1,
          ir::Cat("`", c.mnemonic(),
                  "` needs to know how many registers a "
                  "thread starts with"),
          kRegs)
      .help = "say it: `block N regs R`";
}

}  // namespace

void CheckOp(ops::BarSync, OpCheck& c) {
  NamedBarrier(c, ops::BarSync::kId, ops::BarSync::kThreads);
}
void CheckOp(ops::BarArrive, OpCheck& c) {
  NamedBarrier(c, ops::BarArrive::kId, ops::BarArrive::kThreads);
}
void CheckOp(ops::BarWarpSync, OpCheck& c) { WarpSync(c); }
void CheckOp(ops::SetmaxnregInc, OpCheck& c) {
  Setmaxnreg(c, ops::SetmaxnregInc::kCount);
}
void CheckOp(ops::SetmaxnregDec, OpCheck& c) {
  Setmaxnreg(c, ops::SetmaxnregDec::kCount);
}

}  // namespace tilesim::frontend
