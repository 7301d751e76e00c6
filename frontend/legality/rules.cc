#include "frontend/legality/rules.h"

#include "frontend/legality/layout.h"
#include "ir/cat.h"

namespace tilesim::frontend {
namespace {

using CheckFn = void (*)(OpCheck&);
constexpr CheckFn kCheck[] = {
#define TILE_OP(Name) [](OpCheck& c) { CheckOp(ir::ops::Name(), c); },
#include "ir/ops.def"
#undef TILE_OP
};

// Constant subscripts must lie inside. Boxes of global tensors may reach past
// the end where loads fill and stores drop (hardware.md A.5); what lies there
// of others is for `check`, which knows the sizes.
void CheckBox(OpCheck& c, int operand) {
  Tile t = c.tile(operand);
  for (const Tile::Dim& d : t.dims) {
    if (d.extent < 1) {
      c.Error("shape/extent", operand,
              ir::Cat("an extent of ", d.extent, " is less than 1"));
      return;
    }
    if (t.space() == ir::Space::kGlobal) continue;
    int64_t start = d.start.value_or(0);
    if (start >= 0 && start <= d.size && d.extent <= d.size - start) continue;
    c.Error("bounds/tile", operand,
            ir::Cat("elements ", start, " to ", start + d.extent - 1, " of ",
                    d.size, " in ", c.Text(operand)));
    return;
  }
}

void CheckIndex(OpCheck& c, int operand) {
  const ir::Ref& r = c.ref(operand);
  const ir::BoundDecl& d = c.bound().decls[r.decl];
  int i = 0;
  for (const auto& group : r.groups) {
    for (const ir::Subscript& s : group) {
      if (i >= d.array_rank) return;
      std::optional<int64_t> n = c.Evaluate(s.start);
      if (n && (*n < 0 || *n >= d.array[i])) {
        c.Error("bounds/index", operand,
                ir::Cat("`", r.name, "` has ", d.array[i],
                        " objects; this is number ", *n));
      }
      ++i;
    }
  }
}

void CheckRank(OpCheck& c, int operand) {
  const ir::Ref& r = c.ref(operand);
  if (r.cta.empty()) return;
  std::optional<int64_t> rank = c.Evaluate(r.cta[0]);
  int64_t ctas = c.bound().cluster_size();
  if (!rank || (*rank >= 0 && *rank < ctas)) return;
  c.Error("cluster/rank", operand,
          ir::Cat("rank ", *rank, " of a cluster of ", ctas));
}

// What threads hold, and tensor memory, are matrices: a part of one has rows
// and columns.
void CheckMatrix(OpCheck& c, int operand) {
  const Tile t = c.tile(operand);
  const bool matrix =
      t.space() == ir::Space::kReg || t.space() == ir::Space::kTmem;
  if (!matrix || t.dims.size() <= 2) return;
  if (std::all_of(t.dims.begin(), t.dims.end(),
                  [](const Tile::Dim& d) { return d.extent == d.size; }))
    return;
  c.Error("layout/slice", operand,
          ir::Cat(c.Text(operand), " is a part of a tile of ", t.dims.size(),
                  " dimensions, which is used as a whole only"))
      .help = "declare it as a matrix, its rows and its columns";
}

// Only descriptors (and ldmatrix.trans) can read a tile the other way.
void CheckTransposed(OpCheck& c, int operand) {
  if (!c.ref(operand).transposed) return;
  const ir::OpInfo& info = *c.op().info;
  bool source = operand > 0;
  bool can = source && (info.AccumulatesInTmem() ||
                        info.kind == ir::OpKind::kWgmmaMmaAsync ||
                        info.kind == ir::OpKind::kLdmatrix);
  bool shared = c.tile(operand).space() == ir::Space::kShared;
  if (can && shared) return;
  c.Error("type/transpose", operand,
          ir::Cat("`", c.mnemonic(), "` cannot transpose ",
                  shared ? "this operand" : "what is not shared memory"));
}

}  // namespace

#define TILE_NO_RULES(Name)                                               \
  static_assert(ir::ops::Name::kOperands.empty(), #Name " has operands"); \
  void CheckOp(ir::ops::Name, OpCheck&) {}
#include "frontend/legality/no_rules.def"
#undef TILE_NO_RULES

void CheckLegality(OpCheck& op) {
  for (size_t i = 0; i < op.op().operands.size(); ++i) {
    int operand = static_cast<int>(i);
    if (!op.has(operand) || !op.is_ref(operand)) continue;
    CheckIndex(op, operand);
    CheckBox(op, operand);
    CheckMatrix(op, operand);
    CheckRank(op, operand);
    CheckTransposed(op, operand);
    Placed(op, operand);
  }
  kCheck[static_cast<size_t>(op.op().info->kind)](op);
}

}  // namespace tilesim::frontend
