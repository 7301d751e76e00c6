#include "checkers/pipeline/unrolled_waits.h"

#include <cstdint>
#include <utility>

#include "checkers/pipeline/copied_block.h"
#include "checkers/sizes/partition/known_numbers.h"
#include "ir/op.h"
#include "ir/walk.h"

namespace tilesim::checkers::pipeline {
using ir::Block;
using ir::Expr;
using ir::OpKind;
using ir::Stmt;
using sizes::partition::KnownNumbers;

namespace {

constexpr int64_t kMostIterations = 4;

class LoopsOfWaits {
 public:
  LoopsOfWaits(const ir::Overrides& defines, ir::Kernel& kernel)
      : kernel_(kernel), known_(defines, kernel) {}

  bool WriteOut() {
    for (Stmt& s : kernel_.body) {
      // What is in a loop is executed as often as that says.
      if (!Loops(s)) WriteOut(s.body), WriteOut(s.orelse);
    }
    if (any_) kernel_.items.clear();  // they count statements
    return any_;
  }

 private:
  static bool Loops(const Stmt& s) {
    return s.kind == Stmt::Kind::kFor || s.kind == Stmt::Kind::kWhile;
  }

  // A loop that does nothing but load a word that the program writes.
  bool Asks(const Stmt& s) const {
    if (s.kind != Stmt::Kind::kWhile || s.body.size() != 1 || !s.body[0].op ||
        s.body[0].op->info->kind != OpKind::kLd)
      return false;
    const int32_t decl = s.body[0].op->operands[1].ref.decl;
    return decl >= 0 && kernel_.decls[decl].zero &&
           kernel_.decls[decl].space == ir::Space::kGlobal;
  }

  // Whether it is such a loop, and nothing leaves it or declares tiles in it.
  bool Fits(const Stmt& s) const {
    bool waits = false, fits = true;
    ir::ForEachStmt(s.body, [&](const Stmt& inner) {
      waits |= Asks(inner);
      fits &= inner.kind != Stmt::Kind::kBreak &&
              inner.kind != Stmt::Kind::kContinue &&
              inner.kind != Stmt::Kind::kDecl;
    });
    return waits && fits;
  }

  void WriteOut(Block& block) {
    Block out;
    for (Stmt& s : block) {
      const auto low = known_.Of(s.low), high = known_.Of(s.high);
      const bool few = s.kind == Stmt::Kind::kFor && !s.step && low && high &&
                       *high - *low <= kMostIterations;
      if (!few || !Fits(s)) {
        if (!Loops(s)) WriteOut(s.body), WriteOut(s.orelse);
        out.push_back(std::move(s));
        continue;
      }
      for (int64_t k = *low; k < *high; ++k) {
        Block one = CopyOf(s.body, k - *low + 1, kernel_);
        Replace(s.slot, Expr::Int(k, s.span), one);
        std::move(one.begin(), one.end(), std::back_inserter(out));
      }
      any_ = true;
    }
    block = std::move(out);
  }

  ir::Kernel& kernel_;
  const KnownNumbers known_;
  bool any_ = false;
};

}  // namespace

std::optional<ir::Program> WithWaitsWrittenOut(const ir::Program& program,
                                               const ir::Overrides& defines) {
  ir::Program out = program;
  bool any = false;
  for (ir::Kernel& kernel : out.kernels)
    any |= LoopsOfWaits(defines, kernel).WriteOut();
  if (!any) return std::nullopt;
  return out;
}

}  // namespace tilesim::checkers::pipeline
