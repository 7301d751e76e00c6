#include "ir/bounds.h"

#include "ir/cat.h"

namespace tilesim::ir {
namespace {

Code CodeOf(Space space) {
  switch (space) {
    case Space::kShared:
      return "bounds/shared";
    case Space::kTmem:
      return "bounds/tmem";
    case Space::kReg:
      return "bounds/register";
    default:
      return "bounds/global";
  }
}

}  // namespace

std::optional<OutOfBounds> OutOfBoundsOf(const BoundKernel& kernel,
                                         const ConcreteOp& op, int operand) {
  if (!op.is_tile(operand)) return std::nullopt;
  const TileValue& box = op.tile(operand);
  bool global = box.space == Space::kGlobal;
  There there = global ? MustBeThere(*op.op, operand) : There::kAll;
  if (there == There::kNothing) return std::nullopt;
  const BoundDecl& d = kernel.decls[box.decl];
  for (int i = 0; i < box.rank; ++i) {
    int64_t start = box.start[i], end = start + box.extent[i];
    bool ends = there == There::kStart || end <= d.shape[i];
    if (start >= 0 && ends) continue;
    const std::string& name = kernel.kernel->decls[box.decl].name;
    bool element = global && box.extent[i] == 1;
    std::string message = element
                              ? Cat("index ", start, " of `", name,
                                    "` is outside 0..", d.shape[i])
                              : Cat("`", name, "` is used from ", start, " to ",
                                    end, " in a dimension of ", d.shape[i]);
    return OutOfBounds{CodeOf(box.space), std::move(message)};
  }
  return std::nullopt;
}

}  // namespace tilesim::ir
