#include "hwtests/emit/global_tensors.h"

#include <algorithm>
#include <utility>

#include "ir/cat.h"

namespace tilesim::hwtests {

namespace {

using ir::Cat;

ir::Expr Times(ir::Expr a, const ir::Expr& b) {
  ir::Expr out;
  out.kind = ir::ExprKind::kBinary;
  out.op = ir::ExprOp::kMul;
  out.args = {std::move(a), b};
  return out;
}

}  // namespace

int32_t GlobalTensors::Index(int32_t decl) {
  const ir::Decl& d = context_.decl(decl);
  auto& globals = context_.file.plan.globals;
  for (size_t i = 0; i < globals.size(); ++i) {
    if (globals[i].name == d.name) return static_cast<int32_t>(i);
  }
  const ir::BoundDecl& bound = context_.bound.decls[decl];
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
  if (d.domain_low) plan.low = context_.facts.Bound(*d.domain_low);
  if (d.domain_high) plan.high = context_.facts.Bound(*d.domain_high);
  globals.push_back(std::move(plan));
  return static_cast<int32_t>(globals.size()) - 1;
}

void GlobalTensors::MarkRead(int32_t decl) {
  context_.file.plan.globals[Index(decl)].read = true;
}

void GlobalTensors::MarkWritten(int32_t decl) {
  context_.file.plan.globals[Index(decl)].written = true;
}

std::string GlobalTensors::Extent(int32_t decl, int dim) {
  const ir::Expr& e = context_.decl(decl).shape[dim];
  return print_.Term(e);
}

int64_t GlobalTensors::ExtentDivisor(int32_t decl, int dim) const {
  return context_.facts.Divisor(context_.decl(decl).shape[dim]);
}

std::string GlobalTensors::Stride(int32_t decl, int dim) {
  const ir::Decl& d = context_.decl(decl);
  if (!d.strides.empty()) return print_.Factor(d.strides[dim]);
  std::string text = "1";
  size_t first = static_cast<size_t>(dim) + 1;
  if (first < d.shape.size()) {
    ir::Expr product = d.shape[first];
    for (size_t k = first + 1; k < d.shape.size(); ++k)
      product = Times(std::move(product), d.shape[k]);
    if (context_.facts.LeavesInt(product)) return print_.Factor(product);
  }
  for (size_t k = first; k < d.shape.size(); ++k) {
    std::string factor = print_.Factor(d.shape[k]);
    text = text == "1" ? factor : Cat(text, " * ", factor);
  }
  return text;
}

int64_t GlobalTensors::StrideDivisor(int32_t decl, int dim) const {
  const ir::Decl& d = context_.decl(decl);
  if (!d.strides.empty()) return context_.facts.Divisor(d.strides[dim]);
  int64_t product = 1;
  for (size_t k = dim + 1; k < d.shape.size(); ++k)
    product *= std::min<int64_t>(context_.facts.Divisor(d.shape[k]), 4096);
  return product;
}

int32_t GlobalTensors::TensorMap(int32_t decl, const std::vector<int64_t>& box,
                                 ir::Swizzle swizzle) {
  const ir::BoundDecl& bound = context_.bound.decls[decl];
  TensorMapPlan map;
  map.global = Index(decl);
  map.rank = bound.rank;
  map.swizzle = swizzle;
  for (int i = 0; i < bound.rank; ++i) {
    int d = bound.rank - 1 - i;  // innermost first
    map.dims[i] = bound.shape[d];
    map.box[i] = static_cast<int32_t>(box[d]);
    if (i > 0)
      map.strides[i - 1] = values::BytesOf(bound.dtype, bound.strides[d]);
  }
  auto& maps = context_.file.plan.maps;
  bool another = false;
  for (size_t i = 0; i < maps.size(); ++i) {
    TensorMapPlan same = map;
    same.name = maps[i].name;
    if (same == maps[i]) return static_cast<int32_t>(i);
    another = another || maps[i].global == map.global;
  }
  std::string name = Cat(CppName(context_.decl(decl).name), "_map");
  if (another) {
    for (int64_t extent : box) ir::Append(&name, "_", extent);
  }
  map.name = context_.names.Fresh(name);
  maps.push_back(map);
  return static_cast<int32_t>(maps.size()) - 1;
}

}  // namespace tilesim::hwtests
