// Global tensors: what the host allocates, and the tensor maps that ops need.
#include <algorithm>
#include <utility>

#include "hwtests/emit/kernel_emitter.h"
#include "ir/cat.h"

namespace tilesim::hwtests {

using ir::Cat;

namespace {

ir::Expr Times(ir::Expr a, const ir::Expr& b) {
  ir::Expr out;
  out.kind = ir::ExprKind::kBinary;
  out.op = ir::ExprOp::kMul;
  out.args = {std::move(a), b};
  return out;
}

}  // namespace

int32_t KernelEmitter::GlobalIndex(int32_t decl) {
  const ir::Decl& d = kernel().decls[decl];
  auto& globals = file_.plan.globals;
  for (size_t i = 0; i < globals.size(); ++i) {
    if (globals[i].name == d.name) return static_cast<int32_t>(i);
  }
  const ir::BoundDecl& bound = bound_.decls[decl];
  GlobalPlan plan;
  plan.name = d.name;
  plan.dtype = bound.dtype;
  plan.shape.assign(bound.shape.begin(), bound.shape.begin() + bound.rank);
  plan.strides.assign(bound.strides.begin(),
                      bound.strides.begin() + bound.rank);
  int64_t last = 0;
  for (int i = 0; i < bound.rank; ++i)
    last += (bound.shape[i] - 1) * bound.strides[i];
  plan.bytes = values::BytesOf(bound.dtype, last + 1);
  plan.zero = d.zero;
  plan.undefined = d.undefined;
  if (d.domain_low) plan.low = facts_.Bound(*d.domain_low);
  if (d.domain_high) plan.high = facts_.Bound(*d.domain_high);
  globals.push_back(std::move(plan));
  return static_cast<int32_t>(globals.size()) - 1;
}

void KernelEmitter::MarkRead(int32_t decl) {
  file_.plan.globals[GlobalIndex(decl)].read = true;
}

void KernelEmitter::MarkWritten(int32_t decl) {
  file_.plan.globals[GlobalIndex(decl)].written = true;
}

std::string KernelEmitter::GlobalExtent(int32_t decl, int dim) {
  const ir::Expr& e = kernel().decls[decl].shape[dim];
  return Term(e);
}

int64_t KernelEmitter::GlobalExtentDivisor(int32_t decl, int dim) {
  return facts_.Divisor(kernel().decls[decl].shape[dim]);
}

std::string KernelEmitter::GlobalStride(int32_t decl, int dim) {
  const ir::Decl& d = kernel().decls[decl];
  if (!d.strides.empty()) return Factor(d.strides[dim]);
  std::string text = "1";
  size_t first = static_cast<size_t>(dim) + 1;
  if (first < d.shape.size()) {
    ir::Expr product = d.shape[first];
    for (size_t k = first + 1; k < d.shape.size(); ++k)
      product = Times(std::move(product), d.shape[k]);
    if (facts_.LeavesInt(product)) return Factor(product);
  }
  for (size_t k = first; k < d.shape.size(); ++k) {
    std::string factor = Factor(d.shape[k]);
    text = text == "1" ? factor : Cat(text, " * ", factor);
  }
  return text;
}

int64_t KernelEmitter::GlobalStrideDivisor(int32_t decl, int dim) {
  const ir::Decl& d = kernel().decls[decl];
  if (!d.strides.empty()) return facts_.Divisor(d.strides[dim]);
  int64_t product = 1;
  for (size_t k = dim + 1; k < d.shape.size(); ++k)
    product *= std::min<int64_t>(facts_.Divisor(d.shape[k]), 4096);
  return product;
}

int32_t KernelEmitter::TensorMap(int32_t decl, const std::vector<int64_t>& box,
                                 ir::Swizzle swizzle) {
  const ir::BoundDecl& bound = bound_.decls[decl];
  TensorMapPlan map;
  map.global = GlobalIndex(decl);
  map.rank = bound.rank;
  map.swizzle = swizzle;
  for (int i = 0; i < bound.rank; ++i) {
    int d = bound.rank - 1 - i;  // innermost first
    map.dims[i] = bound.shape[d];
    map.box[i] = static_cast<int32_t>(box[d]);
    if (i > 0)
      map.strides[i - 1] = values::BytesOf(bound.dtype, bound.strides[d]);
  }
  auto& maps = file_.plan.maps;
  bool another = false;
  for (size_t i = 0; i < maps.size(); ++i) {
    TensorMapPlan same = map;
    same.name = maps[i].name;
    if (same == maps[i]) return static_cast<int32_t>(i);
    another = another || maps[i].global == map.global;
  }
  std::string name = Cat(CppName(kernel().decls[decl].name), "_map");
  if (another) {
    for (int64_t extent : box) ir::Append(&name, "_", extent);
  }
  map.name = Fresh(name);
  maps.push_back(map);
  return static_cast<int32_t>(maps.size()) - 1;
}

void KernelEmitter::MustUnroll(const ir::Expr& expr, const ir::Span& span) {
  bool other = false;
  facts_.LoopsOf(expr, &unrolled_, &other);
  if (!other) return;
  diagnostics_.Error("lower/unsupported", span,
                     Cat("`", ir::ToString(expr),
                         "` picks a register, so that "
                         "it must follow from constants and loop counters"));
}

void KernelEmitter::FindAsyncRegisters(const ir::Block& block) {
  for (const ir::Stmt& stmt : block) {
    if (stmt.op && (stmt.op->info->async == ir::AsyncUnit::kWgmma ||
                    stmt.op->info->async == ir::AsyncUnit::kTmemLd)) {
      for (const ir::Operand& operand : stmt.op->operands) {
        if (operand.kind != ir::Operand::Kind::kRef) continue;
        if (bound_.decls[operand.ref.decl].space == ir::Space::kReg)
          async_registers_.insert(operand.ref.decl);
      }
    }
    FindAsyncRegisters(stmt.body);
    FindAsyncRegisters(stmt.orelse);
  }
}

std::vector<int32_t> KernelEmitter::AsyncRegisters() const {
  std::vector<int32_t> visible;
  for (int32_t decl : async_registers_) {
    for (const Frame* f = frame_; f != nullptr; f = f->parent) {
      if (f->decls.contains(decl)) visible.push_back(decl);
    }
  }
  return visible;
}

}  // namespace tilesim::hwtests
