// How many instructions ops are, which is what is fetched of them.
#include <algorithm>

#include "ir/ops/all.h"
#include "sim/timing/cost.h"
#include "sim/timing/extents.h"

namespace tilesim::timing {
namespace {

namespace ops = ir::ops;

// Words of a thread that an instruction moves between registers and memory.
double WordsOfAccess(const CostContext& c, const ir::TileValue& reg) {
  const ir::OpKind kind = c.op.info().kind;
  if (kind == ir::OpKind::kLdmatrix || kind == ir::OpKind::kStmatrix) return 4;
  const ir::FragmentLayout& f = c.bound.decls[reg.decl].fragment;
  const double bits = values::BitsOf(reg.dtype);
  switch (f.fragment) {
    case ir::Fragment::kBlocked:
      return std::clamp(f.vector * bits / 32, 1.0, 4.0);
    case ir::Fragment::kRow:
      return 4;
    default:  // two elements
      return std::max(2 * bits / 32, 1.0);
  }
}

// Of the register tiles of an op, what falls to a thread.
struct OfThread {
  double words = 0, accesses = 0;
  bool memory = false;  // moved from or to it
};
OfThread CountOf(const CostContext& c) {
  OfThread out;
  for (int i = 0; i < static_cast<int>(c.op.info().operands.size()); ++i) {
    if (!c.op.is_tile(i)) continue;
    out.memory |= c.op.tile(i).space != ir::Space::kReg;
    if (c.op.tile(i).space != ir::Space::kReg) continue;
    double threads = c.op.threads.threads() / std::max(c.Share(i), 1e-9);
    const double mine = c.op.tile(i).bytes() / 4.0 / std::max(threads, 1.0);
    out.words = std::max(out.words, mine);
    out.accesses =
        std::max(out.accesses, mine / WordsOfAccess(c, c.op.tile(i)));
  }
  return out;
}

}  // namespace

double AccessesOf(const CostContext& c) {
  const OfThread mine = CountOf(c);
  return mine.memory ? mine.accesses : 0;
}

// One for each word of a register tile that it reads or writes, and addresses.
double InstructionsOf(const CostContext& c) {
  constexpr double kAddresses = 4;
  if (c.op.info().async == ir::AsyncUnit::kWgmma) {
    const ir::TileValue& a = c.op.tile(ops::WgmmaMmaAsync::kA);
    return kAddresses *
           (1 + static_cast<double>(StepsAlongK(a, InnerExtent(a))));
  }
  constexpr double kOfAccess = 3;  // with its address
  const OfThread mine = CountOf(c);
  return kAddresses + (mine.memory ? mine.accesses * kOfAccess : mine.words);
}

}  // namespace tilesim::timing
