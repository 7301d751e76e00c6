// mbarriers: ranges of A.1, and what a peer's copy can be used for.
#include "ir/ops/mbarrier.h"

#include "frontend/legality/rules.h"
#include "ir/cat.h"

namespace tilesim::frontend {
namespace {

using ir::OpKind;
namespace ops = ir::ops;

constexpr std::string_view kSource = "hardware.md A.1 (PTX 9.7.13.15)";
constexpr int64_t kMaxCount = (1 << 20) - 1;

void Init(OpCheck& c) {
  using Op = ops::MbarrierInit;
  c.OwnCta(Op::kBar, kSource);
  c.InRange(Op::kCount, 1, kMaxCount, 1, "arrival-count/range", kSource);
}

void Inval(OpCheck& c) { c.OwnCta(ops::MbarrierInval::kBar, kSource); }

void Arrive(OpCheck& c) {
  c.InRange(ops::MbarrierArrive::kCount, 1, kMaxCount, 1, "arrival-count/range",
            kSource);
}

void Bytes(OpCheck& c) {
  c.InRange(ops::MbarrierExpectTx::kBytes, 0, kMaxCount, 1, "tx-count/range",
            kSource);
}

void Parity(OpCheck& c, int bar, int parity) {
  c.OwnCta(bar, kSource);
  std::optional<int64_t> p = c.number(parity);
  if (!p || *p == 0 || *p == 1) return;
  c.Error("parity/range", parity,
          ir::Cat("the parity is ", *p, "; a phase has parity 0 or 1"), kSource)
      .help = "write `& 1`";
}

void Wait(OpCheck& c) {
  Parity(c, ops::MbarrierWait::kBar, ops::MbarrierWait::kParity);
}

void TestWait(OpCheck& c) {
  Parity(c, ops::MbarrierTestWait::kBar, ops::MbarrierTestWait::kParity);
}

void Own(OpCheck& c) { c.OwnCta(0, "hardware.md A.1"); }

// Cluster launch control: a 16-byte answer, on a barrier of this CTA.
void TryCancel(OpCheck& c) {
  Tile t = c.tile(0);
  if (t.bytes() != 16) {
    c.Error("shape/bytes", 0,
            ir::Cat(c.Text(0), " is ", t.bytes(), " bytes; the answer is 16"),
            "hardware.md A.9");
  }
  c.OwnCta(0, "hardware.md A.9");
  c.OwnCta(1, "hardware.md A.9");
}

constexpr Rule kRules[] = {
    {OpKind::kMbarrierInit, Init},
    {OpKind::kMbarrierInval, Inval},
    {OpKind::kMbarrierArrive, Arrive},
    {OpKind::kMbarrierArriveDrop, Arrive},
    {OpKind::kMbarrierArriveExpectTx, Bytes},
    {OpKind::kMbarrierExpectTx, Bytes},
    {OpKind::kMbarrierCompleteTx, Bytes},
    {OpKind::kMbarrierWait, Wait},
    {OpKind::kMbarrierTestWait, TestWait},
    {OpKind::kCpAsyncMbarrierArrive, Own},
    {OpKind::kClcTryCancel, TryCancel},
};

}  // namespace

std::span<const Rule> MbarrierRules() { return kRules; }

}  // namespace tilesim::frontend
