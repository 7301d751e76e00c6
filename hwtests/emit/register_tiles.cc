#include "hwtests/emit/register_tiles.h"

#include "ir/cat.h"

namespace tilesim::hwtests {

using ir::Cat;

RegisterTiles::RegisterTiles(KernelContext& context) : context_(context) {
  FindAsynchronous(context.kernel().body);
}

int64_t RegisterTiles::Words(int32_t decl) {
  ir::FragmentLayout f = context_.bound.decls[decl].fragment;
  if (f.threads == 0)
    f.threads = static_cast<int32_t>(threads_[decl].threads());
  if (f.threads == 0) return 0;
  int64_t bits = values::BitsOf(context_.bound.decls[decl].dtype);
  return (f.per_thread() * bits + 31) / 32;
}

std::string RegisterTiles::Extents(int32_t decl) {
  const ir::BoundDecl& bound = context_.bound.decls[decl];
  std::string text;
  for (int d = 0; d < bound.array_rank; ++d)
    ir::Append(&text, "[", bound.array[d], "]");
  return Cat(text, "[", Words(decl), "]");
}

std::string_view RegisterTiles::Type(int32_t decl) const {
  return WordType(context_.bound.decls[decl].dtype);
}

void RegisterTiles::MustUnroll(const ir::Expr& expr, const ir::Span& span) {
  bool other = false;
  context_.facts.LoopsOf(expr, &unrolled_, &other);
  if (!other) return;
  context_.diagnostics.Error(
      "lower/unsupported", span,
      Cat("`", ir::ToString(expr),
          "` picks a register, so that "
          "it must follow from constants and loop counters"));
}

void RegisterTiles::FindAsynchronous(const ir::Block& block) {
  for (const ir::Stmt& stmt : block) {
    if (stmt.op && (stmt.op->info->async == ir::AsyncUnit::kWgmma ||
                    stmt.op->info->async == ir::AsyncUnit::kTmemLd)) {
      for (const ir::Operand& operand : stmt.op->operands) {
        if (operand.kind != ir::Operand::Kind::kRef) continue;
        if (context_.bound.decls[operand.ref.decl].space == ir::Space::kReg)
          asynchronous_.insert(operand.ref.decl);
      }
    }
    FindAsynchronous(stmt.body);
    FindAsynchronous(stmt.orelse);
  }
}

std::vector<int32_t> RegisterTiles::Asynchronous(const Frame& frame) const {
  std::vector<int32_t> visible;
  for (int32_t decl : asynchronous_) {
    for (const Frame* f = &frame; f != nullptr; f = f->parent) {
      if (f->open.contains(decl)) visible.push_back(decl);
    }
  }
  return visible;
}

}  // namespace tilesim::hwtests
