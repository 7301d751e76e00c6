// Loads and stores of threads: tiles, and single integers with an order.
#include "ir/ops/memory.h"

#include <algorithm>
#include <bit>

#include "frontend/legality/rules.h"
#include "ir/cat.h"
#include "ir/ops/grid.h"
#include "ir/vectors.h"

namespace tilesim::frontend {
namespace {

using ir::DType;
namespace ops = ir::ops;

constexpr std::string_view kLdSt = "PTX 9.7.9";
constexpr std::string_view kAtomics = "PTX 9.7.13.6";

void Move(OpCheck& c, int dst, int src) {
  c.SameType(dst, src);
  c.SameShape(dst, src);
}

// Elements of less than a byte, in memory that has no smaller address.
void InBytes(OpCheck& c, int reg, int memory) {
  const Tile held = c.tile(reg), at = c.tile(memory);
  if (held.bits() >= 8 || held.bound == nullptr) return;
  // A row that lies along a column has no neighbours there.
  const bool turned = held.cols() != at.cols();
  const int64_t neighbours =
      turned ? 1 : ir::NeighboursOf(held.bound->fragment, held.cols());
  const int64_t bits = ir::WidestVector(neighbours, held.bits()) * held.bits();
  if (bits % 8 == 0) return;
  c.Error("shape/vector", reg,
          ir::Cat("a thread holds ", bits, " bits of ", c.Text(reg),
                  " side by side in fragment ", FragmentOf(held),
                  ", and no instruction takes less than a byte of memory"),
          kLdSt)
      .help =
      "let each thread hold two elements of a row that lie side by side";
}

void MoveBytes(OpCheck& c, int dst, int src, int reg) {
  Move(c, dst, src);
  InBytes(c, reg, reg == dst ? src : dst);
}

// PTX 9.7.9.12.
void StAsync(OpCheck& c) {
  using Op = ops::StAsync;
  constexpr std::string_view kStAsync = "PTX 9.7.9.12";
  Move(c, Op::kDst, Op::kSrc);
  // So measured; of a cluster of 1 as of none.
  if (c.bound().cluster_size() == 1) {
    c.Error("cluster/remote", -1,
            "`st.async` in clusters of one CTA: an H200 takes it for an "
            "illegal instruction",
            "docs/h200-readings.md")
        .help =
        "launch clusters of several CTAs, `cluster (2)`, or use "
        "st.shared";
  }
  if (c.tile(Op::kSrc).bits() != 32) {
    c.Error("type/dtype", Op::kSrc,
            ir::Cat(c.Text(Op::kSrc), " holds ",
                    values::NameOf(c.tile(Op::kSrc).dtype()),
                    "; st.async stores elements of 32 bits"),
            kStAsync);
  }
  if (!(c.ref(Op::kDst).cta == c.ref(Op::kBar).cta)) {
    c.Error("cluster/remote", Op::kBar,
            ir::Cat(c.Text(Op::kDst), " and ", c.Text(Op::kBar),
                    " are in different CTAs"),
            kStAsync)
        .help = "name the same rank for both";
  }
}

bool OneInteger(OpCheck& c, int operand, std::string_view source) {
  Tile t = c.tile(operand);
  if (t.elements() != 1) {
    c.Error("shape/element", operand,
            ir::Cat(c.Text(operand), " is ", t.Shape(),
                    "; this works on one element"),
            source);
    return false;
  }
  if (!values::IsFloat(t.dtype())) return true;
  c.Error("type/dtype", operand,
          ir::Cat(c.Text(operand), " holds ", values::NameOf(t.dtype()),
                  "; scalars are integers"),
          source);
  return false;
}

// PTX 8.5: strong accesses name a scope, weak ones have none.
template <class OpT, class SemT>
void Order(OpCheck& c) {
  bool weak = c.op().choice<OpT, SemT>() == ir::Sem::kWeak;
  bool scoped = c.op().choice<OpT, ops::AccessScope>().has_value();
  if (weak != scoped) return;
  ir::Diagnostic& d =
      c.Error("type/order", -1,
              weak ? ir::Cat("a weak `", c.mnemonic(), "` has no scope")
                   : ir::Cat("an ordered `", c.mnemonic(), "` names no scope"),
              "PTX 8.5, 9.7.9");
  d.help = weak ? "leave it out, or write `.relaxed`"
                : "write `.cta`, `.cluster`, `.gpu` or `.sys`";
}

void Ld(OpCheck& c) {
  OneInteger(c, ops::Ld::kSrc, kLdSt);
  Order<ops::Ld, ops::LdSem>(c);
}

void St(OpCheck& c) {
  OneInteger(c, ops::St::kDst, kLdSt);
  Order<ops::St, ops::StSem>(c);
}

void Atomic(OpCheck& c, int operand) {
  if (!OneInteger(c, operand, kAtomics)) return;
  if (c.tile(operand).bits() >= 32) return;
  c.Error("type/dtype", operand,
          ir::Cat(c.Text(operand), " holds ",
                  values::NameOf(c.tile(operand).dtype()),
                  "; atomics work on 32 and 64 bits"),
          kAtomics);
}

// A scalar is one for all threads that execute together, and each lane would
// draw another number.
void OneLane(OpCheck& c) {
  const Threads& t = c.threads();
  const bool several =
      std::any_of(t.lanes.begin(), t.lanes.end(),
                  [](uint32_t lanes) { return std::popcount(lanes) > 1; });
  if (!several || !t.lanes_known) return;
  c.Error("scope/divergent", -1,
          ir::Cat("`", c.mnemonic(), "` is executed by ", t.Describe(),
                  ": each lane gets another number, and a variable is one for "
                  "all of them"),
          kAtomics)
      .help = "let one lane execute it: `elect { ... }`";
}

void Atom(OpCheck& c, int operand) {
  Atomic(c, operand);
  OneLane(c);
}

}  // namespace

void CheckOp(ops::LdGlobal, OpCheck& c) {
  MoveBytes(c, ops::LdGlobal::kDst, ops::LdGlobal::kSrc, ops::LdGlobal::kDst);
}
void CheckOp(ops::StGlobal, OpCheck& c) {
  MoveBytes(c, ops::StGlobal::kDst, ops::StGlobal::kSrc, ops::StGlobal::kSrc);
}
void CheckOp(ops::LdShared, OpCheck& c) {
  MoveBytes(c, ops::LdShared::kDst, ops::LdShared::kSrc, ops::LdShared::kDst);
}
void CheckOp(ops::StShared, OpCheck& c) {
  MoveBytes(c, ops::StShared::kDst, ops::StShared::kSrc, ops::StShared::kSrc);
}
void CheckOp(ops::StAsync, OpCheck& c) { StAsync(c); }
void CheckOp(ops::Ld, OpCheck& c) { Ld(c); }
void CheckOp(ops::St, OpCheck& c) { St(c); }
void CheckOp(ops::AtomAdd, OpCheck& c) { Atom(c, ops::AtomAdd::kMem); }
void CheckOp(ops::AtomExch, OpCheck& c) { Atom(c, ops::AtomExch::kMem); }
void CheckOp(ops::AtomCas, OpCheck& c) { Atom(c, ops::AtomCas::kMem); }
void CheckOp(ops::RedAdd, OpCheck& c) { Atomic(c, ops::RedAdd::kMem); }

}  // namespace tilesim::frontend
