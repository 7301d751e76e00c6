#include "checkers/run/words_used.h"

#include <algorithm>

#include "checkers/run/log.h"
#include "ir/values/convert.h"

namespace tilesim::checkers::run {

std::optional<GlobalWord> GlobalWordAt(
    const machine::Code& code, int32_t decl,
    const std::array<int64_t, ir::kMaxRank>& start) {
  const ir::BoundDecl& d = code.bound.decls[decl];
  GlobalWord out{decl, 0};
  for (int k = 0; k < d.rank; ++k) {
    if (start[k] < 0 || start[k] >= d.shape[k]) return std::nullopt;
    out.element = out.element * d.shape[k] + start[k];
  }
  return out;
}

bool ZeroAtFirst(const machine::Code& code, int32_t decl) {
  return code.bound.decls[decl].space == ir::Space::kGlobal &&
         code.kernel().decls[decl].zero && code.control_decl[decl];
}

std::vector<int32_t> UsersOf(const machine::Code& code, int32_t decl) {
  std::vector<int32_t> out;
  for (size_t i = 0; i < code.ops.size(); ++i) {
    const auto& operands = code.ops[i].operands;
    bool uses =
        std::any_of(operands.begin(), operands.end(), [=](const auto& o) {
          return o.kind == ir::OperandValue::Kind::kTile &&
                 o.fixed.tile.decl == decl;
        });
    if (uses) out.push_back(static_cast<int32_t>(i));
  }
  return out;
}

bool StrongInGrid(const ir::Effect& f) {
  return f.sem != ir::Sem::kWeak &&
         (f.scope == ir::MemScope::kGpu || f.scope == ir::MemScope::kSys);
}

std::vector<ir::Effect> EffectsIn(const machine::CompiledOp& op) {
  ir::EffectSink sink;
  ir::EffectsOf(machine::FixedOperands(op), sink);
  return sink.effects();
}

bool OnlyDoes(const machine::CompiledOp& op, ir::EffectKind kind) {
  const std::vector<ir::Effect> all = EffectsIn(op);
  return all.size() == 1 && all[0].kind == kind && StrongInGrid(all[0]);
}

int CountsIn(const machine::CompiledOp& op) {
  for (const ir::Effect& e : EffectsIn(op)) {
    bool one = e.kind == ir::EffectKind::kWrite && e.adds && StrongInGrid(e) &&
               op.operands[e.value].expr.constant &&
               op.operands[e.value].expr.value == 1;
    if (one) return e.operand;
  }
  return -1;
}

int32_t ScalarSetBy(const machine::CompiledOp& op) {
  for (size_t i = 0; i < op.operands.size(); ++i) {
    if ((op.op->info->operands[i].types & ir::kTakesVar) != 0)
      return op.operands[i].fixed.slot;
  }
  return -1;
}

values::Tensor Filled(const machine::Code& code, int32_t decl, int64_t number) {
  const ir::BoundDecl& d = code.bound.decls[decl];
  values::Tensor t{d.dtype, {d.shape.begin(), d.shape.begin() + d.rank}, {}};
  t.data.resize(values::BytesOf(d.dtype, t.elements()));
  for (int64_t i = 0; i < t.elements(); ++i)
    values::StoreCode(d.dtype, t.data.data(), i, static_cast<uint64_t>(number));
  return t;
}

std::optional<GlobalWord> WordIn(const Log& log, const Event& e, int32_t decl) {
  for (const ir::Effect& f : e.effects()) {
    const bool here = e.concrete().is_tile(f.operand) &&
                      e.concrete().tile(f.operand).decl == decl;
    if (here)
      return GlobalWordAt(*log.code, decl, e.concrete().tile(f.operand).start);
  }
  return std::nullopt;
}

}  // namespace tilesim::checkers::run
