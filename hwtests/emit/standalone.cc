#include "hwtests/emit/standalone.h"

#include <algorithm>

#include "hwtests/emit/facts.h"
#include "hwtests/emit/names.h"
#include "hwtests/emit/writer.h"
#include "ir/cat.h"
#include "ir/values/seeded.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;
using ir::DType;
using ir::TensorExpr;

// How standalone.cuh calls a type; empty: it does not know it.
std::string HostType(DType t) {
  switch (t) {
    case DType::kF32:
    case DType::kTF32:
      return "host::F32";
    case DType::kF16:
      return "host::F16";
    case DType::kBF16:
      return "host::BF16";
    case DType::kE4M3:
      return "host::E4M3";
    case DType::kE5M2:
      return "host::E5M2";
    default:
      break;
  }
  if (!values::IsInteger(t)) return "";
  return Cat("host::Integer<", ElementType(t), ">");
}

std::string_view MapType(DType t) {
  switch (t) {
    case DType::kF32:
    case DType::kTF32:
      return "CU_TENSOR_MAP_DATA_TYPE_FLOAT32";
    case DType::kF16:
      return "CU_TENSOR_MAP_DATA_TYPE_FLOAT16";
    case DType::kBF16:
      return "CU_TENSOR_MAP_DATA_TYPE_BFLOAT16";
    case DType::kS32:
      return "CU_TENSOR_MAP_DATA_TYPE_INT32";
    case DType::kU32:
      return "CU_TENSOR_MAP_DATA_TYPE_UINT32";
    case DType::kS64:
      return "CU_TENSOR_MAP_DATA_TYPE_INT64";
    case DType::kU64:
      return "CU_TENSOR_MAP_DATA_TYPE_UINT64";
    case DType::kE2M1:
      return "CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B";
    default:
      return "CU_TENSOR_MAP_DATA_TYPE_UINT8";
  }
}

std::string SwizzleText(ir::Swizzle s) {
  return s == ir::Swizzle::kNone ? "CU_TENSOR_MAP_SWIZZLE_NONE"
                                 : Cat("CU_TENSOR_MAP_SWIZZLE_", ir::Name(s));
}

template <typename Numbers>
std::string List(const Numbers& numbers, int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    ir::Append(&text, i == 0 ? "" : ", ", numbers[i]);
  return Cat("{", text, "}");
}

std::string Dim3(const std::array<int64_t, 3>& d) {
  return Cat("dim3(", d[0], ", ", d[1], ", ", d[2], ")");
}

int64_t Elements(const GlobalPlan& g) {
  int64_t n = 1;
  for (int64_t extent : g.shape) n *= extent;
  return n;
}

class MainText {
 public:
  MainText(const std::vector<ir::BoundKernel>& kernels, const LaunchPlan& plan)
      : kernels_(kernels), plan_(plan) {}

  std::string Run() {
    out_.Line("");
    out_.Open("int main()");
    for (const GlobalPlan& g : plan_.globals) Allocate(g);
    for (const TensorMapPlan& m : plan_.maps) Encode(m);
    out_.Line("cudaLaunchAttribute attributes[2];");
    out_.Open("auto launch = [&]");
    for (const KernelPlan& k : plan_.kernels) Launch(k);
    out_.Close("};");
    out_.Line("launch();");
    out_.Line("HOST_CHECK(cudaDeviceSynchronize());");
    out_.Line("bool ok = true;");
    for (const ir::BoundKernel& k : kernels_) {
      for (const ir::Computes* c : Computed(k)) Check(k, *c);
    }
    Time();
    out_.Line("std::printf(\"%s\\n\", ok ? \"PASS\" : \"FAIL\");");
    out_.Line("return ok ? 0 : 1;");
    out_.Close();
    return out_.text();
  }

 private:
  std::string Name(const GlobalPlan& g) const { return CppName(g.name) + "_p"; }

  // The lines whose `when` holds: this main is written for one set of sizes.
  static std::vector<const ir::Computes*> Computed(const ir::BoundKernel& k) {
    std::vector<const ir::Computes*> lines;
    for (size_t i = 0; i < k.computes.size(); ++i) {
      if (k.computes[i]) lines.push_back(&k.kernel->computes[i]);
    }
    return lines;
  }

  void Allocate(const GlobalPlan& g) {
    out_.Statement(Cat("void* ", Name(g), " = host::allocate(", g.bytes, ", ",
                       g.written && !g.zero ? 255 : 0, ");"));
    std::string type = HostType(g.dtype);
    if (g.zero || !g.read || type.empty()) return;
    std::string to = Cat("static_cast<", type, "::T*>(", Name(g), "), ",
                         Elements(g), ", host::key_of(1, 0x",
                         fmt::format("{:x}", values::TensorId(g.name)), "ull)");
    if (!values::IsInteger(g.dtype)) {
      out_.Statement(
          Cat("host::fill_normal<", type, "><<<1024, 256>>>(", to, ");"));
      return;
    }
    values::IntegerRange range = values::DefaultRange(g.dtype);
    out_.Statement(Cat("host::fill_uniform<", type, "><<<1024, 256>>>(", to,
                       ", ", g.low.value_or(range.lo), ", ",
                       g.high.value_or(range.hi), ");"));
  }

  void Encode(const TensorMapPlan& m) {
    const GlobalPlan& g = plan_.globals[m.global];
    out_.Statement(Cat("const CUtensorMap ", m.name, " = host::tensor_map(",
                       Name(g), ", ", MapType(g.dtype), ", ", m.rank, ", ",
                       List(m.dims, m.rank), ", ", List(m.strides, m.rank - 1),
                       ", ", List(m.box, m.rank), ", ", SwizzleText(m.swizzle),
                       ");"));
  }

  void Launch(const KernelPlan& k) {
    std::string function = KernelName(k);
    std::string args;
    for (const ArgPlan& a : k.args) {
      std::string text = Cat(a.value);
      if (a.kind == ArgPlan::Kind::kTensorMap) text = a.name;
      if (a.kind == ArgPlan::Kind::kInt64) text = Cat("int64_t{", a.value, "}");
      if (a.kind == ArgPlan::Kind::kGlobal) {
        const GlobalPlan& g = plan_.globals[a.index];
        text = Cat("static_cast<", ElementType(g.dtype), "*>(", Name(g), ")");
      }
      ir::Append(&args, ", ", text);
    }
    out_.Block();
    out_.Statement(Cat("HOST_CHECK(cudaFuncSetAttribute(", function,
                       ", cudaFuncAttributeMaxDynamicSharedMemorySize, ",
                       k.shared_bytes, "));"));
    if (k.cluster[0] * k.cluster[1] * k.cluster[2] > 8)
      out_.Statement(
          Cat("HOST_CHECK(cudaFuncSetAttribute(", function,
              ", cudaFuncAttributeNonPortableClusterSizeAllowed, 1));"));
    out_.Statement(Cat("const cudaLaunchConfig_t config = host::config(",
                       Dim3(k.grid), ", ", Dim3(k.cluster), ", ", k.block, ", ",
                       k.shared_bytes, ", ", k.programmatic ? "true" : "false",
                       ", attributes);"));
    out_.Statement(
        Cat("HOST_CHECK(cudaLaunchKernelEx(&config, ", function, args, "));"));
    out_.Close();
  }

  std::string KernelName(const KernelPlan& k) const {
    return Cat(CodeNamespace(k.name), "::", k.name);
  }

  const GlobalPlan* Global(std::string_view name) const {
    for (const GlobalPlan& g : plan_.globals) {
      if (g.name == name) return &g;
    }
    return nullptr;
  }

  // A tensor as f64 on the device; empty: cannot be said.
  std::string Load(std::string_view name) const {
    const GlobalPlan* g = Global(name);
    if (g == nullptr || HostType(g->dtype).empty()) return "";
    int64_t cols = g->shape.back(), elements = Elements(*g);
    int64_t rows = g->shape.size() > 1 ? g->shape[g->shape.size() - 2] : 1;
    return Cat("host::load<", HostType(g->dtype), ">(", Name(*g), ", ",
               elements / (rows * cols), ", ", rows, ", ", cols, ")");
  }

  std::string Reference(const Facts& facts, const TensorExpr& e) const {
    using Kind = TensorExpr::Kind;
    if (e.kind == Kind::kTensor) return Load(e.name);
    std::vector<std::string> args;
    double number = 0;
    for (const TensorExpr& arg : e.args) {
      if (arg.kind == Kind::kNumber) {
        number = facts.ConstantReal(arg.number).value_or(0);
        continue;
      }
      args.push_back(Reference(facts, arg));
      if (args.back().empty()) return "";
    }
    if (e.kind == Kind::kMatmul)
      return Cat("host::multiply(", args[0], ", ", args[1], ")");
    if (e.kind == Kind::kScale)
      return Cat("host::apply(host::kScale, ", args[0], ", {}, ", number, ")");
    if (args.size() == 2 && (e.kind == Kind::kAdd || e.kind == Kind::kSub))
      return Cat("host::apply(host::k", e.kind == Kind::kAdd ? "Add" : "Sub",
                 ", ", args[0], ", ", args[1], ")");
    return e.kind == Kind::kCall ? CallText(e.name, args) : "";
  }

  static std::string CallText(const std::string& name,
                              const std::vector<std::string>& args) {
    if (name == "softmax") return Cat("host::softmax(", args[0], ")");
    constexpr std::pair<std::string_view, std::string_view> kOps[] = {
        {"transpose", "kTranspose"},
        {"causal", "kCausal"},
        {"relu", "kRelu"},
        {"exp2", "kExp2"},
        {"block_scale", "kBlockScale"}};
    for (const auto& [word, op] : kOps) {
      if (name != word) continue;
      std::string more = args.size() > 1 ? Cat(", ", args[1]) : "";
      return Cat("host::apply(host::", op, ", ", args[0], more, ")");
    }
    return "";
  }

  void Check(const ir::BoundKernel& bound, const ir::Computes& c) {
    constexpr double kTolerance = 0.01;
    Facts facts(bound);
    std::string got = Load(c.target), want = Reference(facts, c.value);
    if (got.empty() || want.empty()) {
      out_.Statement(Cat("std::printf(\"", c.target, ": not checked\\n\");"));
      return;
    }
    double tolerance = kTolerance;
    if (c.tolerance)
      tolerance =
          std::max(kTolerance, facts.ConstantReal(*c.tolerance).value_or(0));
    out_.Statement(
        Cat("const host::Tensor ", CppName(c.target), "_want = ", want, ";"));
    out_.Statement(Cat("ok = host::agree(\"", c.target, "\", ", got, ", ",
                       CppName(c.target), "_want, ", tolerance, ") && ok;"));
  }

  // 2 m n k of every product of the reference results.
  double Flops(const Facts& facts, const TensorExpr& e, int64_t* rows,
               int64_t* cols, int64_t* batch) const {
    if (e.kind == TensorExpr::Kind::kTensor) {
      const GlobalPlan* g = Global(e.name);
      if (g == nullptr) return 0;
      *cols = g->shape.back();
      *rows = g->shape.size() > 1 ? g->shape[g->shape.size() - 2] : 1;
      *batch = Elements(*g) / (*rows * *cols);
      return 0;
    }
    double flops = 0;
    int64_t first_cols = 0;
    for (size_t i = 0; i < e.args.size(); ++i) {
      if (e.args[i].kind == TensorExpr::Kind::kNumber) continue;
      int64_t r = 0, c = 0, b = 1;
      flops += Flops(facts, e.args[i], &r, &c, &b);
      bool product = e.kind == TensorExpr::Kind::kMatmul;
      // A product has the rows of its first, the columns of its second; what
      // else there is has the shape of its largest.
      *rows = i == 0 || !product ? std::max(*rows, r) : *rows;
      *cols = product ? c : std::max(*cols, c);
      if (i == 0) first_cols = c;
      *batch = std::max(*batch, b);
    }
    if (e.kind == TensorExpr::Kind::kMatmul)
      flops += 2.0 * static_cast<double>(*rows) * static_cast<double>(*cols) *
               static_cast<double>(first_cols) * static_cast<double>(*batch);
    if (e.kind == TensorExpr::Kind::kCall && e.name == "transpose")
      std::swap(*rows, *cols);
    return flops;
  }

  void Time() {
    double flops = 0;
    for (const ir::BoundKernel& k : kernels_) {
      Facts facts(k);
      for (const ir::Computes* c : Computed(k)) {
        int64_t rows = 0, cols = 0, batch = 1;
        flops += Flops(facts, c->value, &rows, &cols, &batch);
      }
    }
    // Flags and counters start as zeros, each time.
    out_.Open("const double us = host::time([&]");
    for (const GlobalPlan& g : plan_.globals) {
      if (g.zero)
        out_.Statement(
            Cat("HOST_CHECK(cudaMemset(", Name(g), ", 0, ", g.bytes, "));"));
    }
    out_.Close("}, launch);");
    if (flops == 0) {
      out_.Line("std::printf(\"%.2f us\\n\", us);");
      return;
    }
    out_.Statement(Cat("std::printf(\"%.2f us, %.1f TFLOP/s\\n\", us, ",
                       fmt::format("{:.6g}", flops), " / us * 1e-6);"));
  }

  const std::vector<ir::BoundKernel>& kernels_;
  const LaunchPlan& plan_;
  Writer out_;
};

}  // namespace

std::string StandaloneMain(const std::vector<ir::BoundKernel>& kernels,
                           const LaunchPlan& plan) {
  return MainText(kernels, plan).Run();
}

}  // namespace tilesim::hwtests
