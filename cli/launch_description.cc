#include "cli/launch_description.h"

namespace tilesim::cli {
namespace {

using values::DType;

ptx::Start::Kind StartOf(const hwtests::GlobalPlan& g) {
  if (g.zero) return ptx::Start::Kind::kZero;
  if (g.undefined) return ptx::Start::Kind::kUndefined;
  if (g.written) return ptx::Start::Kind::kNotGiven;
  return ptx::Start::Kind::kSeeded;
}

// Dense in the order of its dimensions, so that a shape says where elements
// are.
bool IsDense(const hwtests::GlobalPlan& g) {
  int64_t stride = 1;
  for (size_t i = g.shape.size(); i-- > 0; stride *= g.shape[i])
    if (g.strides[i] != stride) return false;
  return true;
}

ptx::Buffer BufferOf(const hwtests::GlobalPlan& g) {
  ptx::Buffer b;
  b.name = g.name;
  b.bytes = static_cast<uint64_t>(g.bytes);
  const std::string_view dtype = values::NameOf(g.dtype);
  if (ptx::IsBufferType(dtype)) {
    b.dtype = dtype;
    if (IsDense(g)) b.shape = g.shape;
  }
  b.start.kind = StartOf(g);
  if (g.low && g.high) b.domain = {*g.low, *g.high};
  return b;
}

// As the lowered host code encodes it: other formats are bytes.
std::string MapType(DType type) {
  switch (type) {
    case DType::kTF32:
      return "f32";
    case DType::kE2M1:
      return "b4x16";
    case DType::kF32:
    case DType::kF16:
    case DType::kBF16:
    case DType::kS32:
    case DType::kU32:
    case DType::kS64:
    case DType::kU64:
      return std::string(values::NameOf(type));
    default:
      return "u8";
  }
}

ptx::TensorMap MapOf(const hwtests::LaunchPlan& plan,
                     const hwtests::TensorMapPlan& m) {
  ptx::TensorMap out;
  out.buffer = static_cast<size_t>(m.global);
  out.dtype = MapType(plan.globals[out.buffer].dtype);
  out.dims.assign(m.dims.begin(), m.dims.begin() + m.rank);
  out.strides.assign(m.strides.begin(), m.strides.begin() + m.rank - 1);
  out.box.assign(m.box.begin(), m.box.begin() + m.rank);
  if (m.swizzle != ir::Swizzle::kNone) out.swizzle = ir::Name(m.swizzle);
  return out;
}

ptx::Param ParamOf(const hwtests::ArgPlan& a) {
  using Kind = hwtests::ArgPlan::Kind;
  ptx::Param p;  // unnamed: PTX has names of its own
  if (a.kind == Kind::kTensorMap || a.kind == Kind::kGlobal) {
    p.kind = ptx::Param::Kind::kReference;
    p.reference = {a.kind == Kind::kTensorMap, static_cast<size_t>(a.index), 0};
    return p;
  }
  p.type = a.kind == Kind::kInt64 ? "s64" : "s32";
  p.bits = static_cast<uint64_t>(a.value);
  if (a.kind == Kind::kInt32) p.bits &= 0xffffffff;
  return p;
}

ptx::Launch LaunchOf(const hwtests::KernelPlan& k, const std::string& ptx) {
  ptx::Launch l;
  l.kernel = k.name;
  l.ptx = ptx;
  l.grid = k.grid;
  l.block = {k.block, 1, 1};
  l.cluster = k.cluster;
  l.dynamic_shared = static_cast<uint64_t>(k.shared_bytes);
  if (k.registers > 0) l.registers = static_cast<uint64_t>(k.registers);
  l.programmatic = k.programmatic;
  for (const hwtests::ArgPlan& a : k.args) l.params.push_back(ParamOf(a));
  return l;
}

}  // namespace

ptx::LaunchFile DescribeLaunch(const hwtests::LaunchPlan& plan,
                               const std::string& ptx) {
  ptx::LaunchFile file;
  file.target = ir::Name(plan.target);
  file.sms = static_cast<uint64_t>(ir::InfoOf(plan.target).sms);
  for (const hwtests::GlobalPlan& g : plan.globals)
    file.buffers.push_back(BufferOf(g));
  for (const hwtests::TensorMapPlan& m : plan.maps)
    file.tensormaps.push_back(MapOf(plan, m));
  for (const hwtests::KernelPlan& k : plan.kernels)
    file.launches.push_back(LaunchOf(k, ptx));
  return file;
}

}  // namespace tilesim::cli
