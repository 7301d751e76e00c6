// mbarriers: ranges of A.1, and what a peer's copy can be used for.
#include "ir/ops/mbarrier.h"

#include "frontend/legality/rules.h"
#include "ir/cat.h"

namespace tilesim::frontend {
namespace {

namespace ops = ir::ops;

constexpr std::string_view kSource = "hardware.md A.1 (PTX 9.7.13.15)";
constexpr int64_t kMaxCount = (1 << 20) - 1;

void Init(OpCheck& c) {
  using Op = ops::MbarrierInit;
  c.OwnCta(Op::kBar, kSource);
  c.InRange(Op::kCount, 1, kMaxCount, 1, "arrival-count/range", kSource);
}

// Each thread that executes it does: the second finds no mbarrier.
void Inval(OpCheck& c) {
  c.OwnCta(ops::MbarrierInval::kBar, kSource);
  const Threads& t = c.threads();
  if (t.count() <= 1 || !t.exact || !t.lanes_known || t.one_warp) return;
  c.Error("init/after-inval", -1,
          ir::Cat("`", c.mnemonic(), "` is executed by ", t.Describe(),
                  ": each invalidates it, all but the first what is no "
                  "mbarrier any more"),
          kSource)
      .help = "let one thread execute it: `thread 0 { ... }`";
}

void Arrive(OpCheck& c, int count) {
  c.InRange(count, 1, kMaxCount, 1, "arrival-count/range", kSource);
}

void Bytes(OpCheck& c, int bytes) {
  c.InRange(bytes, 0, kMaxCount, 1, "tx-count/range", kSource);
}

void Parity(OpCheck& c, int bar, int parity) {
  c.OwnCta(bar, kSource);
  std::optional<int64_t> p = c.number(parity);
  if (!p || *p == 0 || *p == 1) return;
  c.Error("parity/range", parity,
          ir::Cat("the parity is ", *p, "; a phase has parity 0 or 1"), kSource)
      .help = "write `& 1`";
}

// Cluster launch control: a 16-byte answer, on a barrier of this CTA.
void TryCancel(OpCheck& c) {
  using Op = ops::ClcTryCancel;
  Tile t = c.tile(Op::kResponse);
  if (t.bytes() != 16) {
    c.Error("shape/bytes", Op::kResponse,
            ir::Cat(c.Text(Op::kResponse), " is ", t.bytes(),
                    " bytes; the answer is 16"),
            "hardware.md A.9");
  }
  c.OwnCta(Op::kResponse, "hardware.md A.9");
  c.OwnCta(Op::kBar, "hardware.md A.9");
}

}  // namespace

void CheckOp(ops::MbarrierInit, OpCheck& c) { Init(c); }
void CheckOp(ops::MbarrierInval, OpCheck& c) { Inval(c); }
void CheckOp(ops::MbarrierArrive, OpCheck& c) {
  Arrive(c, ops::MbarrierArrive::kCount);
}
void CheckOp(ops::MbarrierArriveDrop, OpCheck& c) {
  Arrive(c, ops::MbarrierArriveDrop::kCount);
}
void CheckOp(ops::MbarrierArriveExpectTx, OpCheck& c) {
  Bytes(c, ops::MbarrierArriveExpectTx::kBytes);
}
void CheckOp(ops::MbarrierExpectTx, OpCheck& c) {
  Bytes(c, ops::MbarrierExpectTx::kBytes);
}
void CheckOp(ops::MbarrierCompleteTx, OpCheck& c) {
  Bytes(c, ops::MbarrierCompleteTx::kBytes);
}
void CheckOp(ops::MbarrierWait, OpCheck& c) {
  Parity(c, ops::MbarrierWait::kBar, ops::MbarrierWait::kParity);
}
void CheckOp(ops::MbarrierTestWait, OpCheck& c) {
  Parity(c, ops::MbarrierTestWait::kBar, ops::MbarrierTestWait::kParity);
}
void CheckOp(ops::CpAsyncMbarrierArrive, OpCheck& c) {
  c.OwnCta(ops::CpAsyncMbarrierArrive::kBar, "hardware.md A.1");
}
void CheckOp(ops::ClcTryCancel, OpCheck& c) { TryCancel(c); }
// Whether it reads an answer is what a run knows.
void CheckOp(ops::ClcQueryCancel, OpCheck&) {}

}  // namespace tilesim::frontend
