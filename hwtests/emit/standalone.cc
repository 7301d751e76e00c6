#include "hwtests/emit/standalone.h"

#include <algorithm>
#include <set>
#include <string>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "hwtests/emit/facts.h"
#include "hwtests/emit/names.h"
#include "hwtests/emit/writer.h"
#include "ir/cat.h"
#include "ir/values/seeded.h"
#include "ir/work.h"

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

int64_t Elements(const GlobalPlan& g) {
  int64_t n = 1;
  for (int64_t extent : g.shape) n *= extent;
  return n;
}

// Where they lie, as a last argument; empty: one after another.
std::string Places(const GlobalPlan& g) {
  bool dense = true;
  int64_t stride = 1;
  for (size_t d = g.shape.size(); d-- > 0; stride *= g.shape[d])
    dense &= g.shape[d] == 1 || g.strides[d] == stride;
  if (dense) return "";
  return fmt::format(", host::Strided{{{}, {{{}}}, {{{}}}}}", g.shape.size(),
                     fmt::join(g.shape, ", "), fmt::join(g.strides, ", "));
}

class MainText {
 public:
  MainText(const std::vector<ir::BoundKernel>& kernels, const LaunchPlan& plan,
           const std::vector<HostCode>& hosts)
      : kernels_(kernels), plan_(plan), hosts_(hosts) {}

  std::string Run() {
    out_.Line("");
    out_.Open("int main()");
    for (const GlobalPlan& g : plan_.globals) Allocate(g);
    for (const HostCode& host : hosts_) Encode(host);
    out_.Open("auto launch = [&]");
    for (const HostCode& host : hosts_) Launch(host);
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
    if (g.zero || g.undefined || !g.read || type.empty()) return;
    std::string to = Cat("static_cast<", type, "::T*>(", Name(g), "), ",
                         Elements(g), ", host::key_of(1, 0x",
                         fmt::format("{:x}", values::TensorId(g.name)), "ull)");
    if (!values::IsInteger(g.dtype)) {
      out_.Statement(Cat("host::fill_normal<", type, "><<<1024, 256>>>(", to,
                         Places(g), ");"));
      return;
    }
    values::IntegerRange range = values::DefaultRange(g.dtype);
    out_.Statement(Cat("host::fill_uniform<", type, "><<<1024, 256>>>(", to,
                       ", ", g.low.value_or(range.lo), ", ",
                       g.high.value_or(range.hi), Places(g), ");"));
  }

  std::string Arguments(const HostFunction& function) const {
    std::string text;
    for (const ArgPlan& a : function.args) {
      std::string value = Cat(a.value);
      if (a.kind == ArgPlan::Kind::kGlobal) {
        const GlobalPlan& g = plan_.globals[a.index];
        value = Cat("static_cast<", ElementType(g.dtype), "*>(", Name(g), ")");
      }
      ir::Append(&text, ", ", value);
    }
    return text;
  }

  static std::string MapsOf(const HostCode& host) {
    return Cat(host.kernel, "_maps");
  }

  void Encode(const HostCode& host) {
    if (host.maps.empty()) return;
    out_.Line(Cat(host.space, "::", host.maps, " ", MapsOf(host), ";"));
    out_.Statement(Cat("HOST_CHECK(", host.space, "::", host.encode.name, "(&",
                       MapsOf(host), Arguments(host.encode), "));"));
  }

  void Launch(const HostCode& host) {
    std::string args = Arguments(host.launch);
    args = host.maps.empty() ? args.substr(std::min<size_t>(2, args.size()))
                             : Cat(MapsOf(host), args);
    out_.Statement(Cat("HOST_CHECK(", host.space, "::", host.launch.name, "(",
                       args, "));"));
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
               elements / (rows * cols), ", ", rows, ", ", cols, Places(*g),
               ")");
  }

  std::string Reference(const Facts& facts, const TensorExpr& e) const {
    using Kind = TensorExpr::Kind;
    if (e.kind == Kind::kTensor) return Load(e.name);
    if (e.kind == Kind::kNumber)
      return Cat("host::number(", facts.ConstantReal(e.number).value_or(0),
                 ")");
    if (e.kind == Kind::kScale) return Scale(facts, e);
    std::vector<std::string> args;
    for (const TensorExpr& arg : e.args) {
      args.push_back(Reference(facts, arg));
      if (args.back().empty()) return "";
    }
    if (e.kind == Kind::kMatmul)
      return Cat("host::multiply(", args[0], ", ", args[1], ")");
    if (e.kind == Kind::kCall) return CallText(e.name, args);
    return Cat("host::combine(host::k", e.kind == Kind::kAdd ? "Add" : "Sub",
               ", ", args[0], ", ", args[1], ")");
  }

  std::string Scale(const Facts& facts, const TensorExpr& e) const {
    bool first = e.args[0].kind == TensorExpr::Kind::kNumber;
    std::string tensor = Reference(facts, e.args[first ? 1 : 0]);
    if (tensor.empty()) return "";
    return Cat("host::apply(host::kScale, ", tensor, ", {}, ",
               facts.ConstantReal(e.args[first ? 0 : 1].number).value_or(0),
               ")");
  }

  // Empty: a function that the host does not know.
  static std::string CallText(const std::string& name,
                              const std::vector<std::string>& args) {
    if (name == "softmax") return Cat("host::softmax(", args[0], ")");
    struct Row {
      std::string_view word, call;
    };
    constexpr Row kRows[] = {{"transpose", "apply(host::kTranspose"},
                             {"mul", "combine(host::kMul"},
                             {"div", "combine(host::kDiv"},
                             {"row_sum", "reduce(host::kRowSum"},
                             {"row_mean", "reduce(host::kRowMean"},
                             {"row_max", "reduce(host::kRowMax"},
                             {"causal", "apply(host::kCausal"},
                             {"relu", "apply(host::kRelu"},
                             {"exp2", "apply(host::kExp2"},
                             {"rsqrt", "apply(host::kRsqrt"},
                             {"sigmoid", "apply(host::kSigmoid"},
                             {"silu", "apply(host::kSilu"},
                             {"gelu", "apply(host::kGelu"},
                             {"block_scale", "apply(host::kBlockScale"}};
    for (const Row& row : kRows) {
      if (name != row.word) continue;
      std::string more = args.size() > 1 ? Cat(", ", args[1]) : "";
      return Cat("host::", row.call, ", ", args[0], more, ")");
    }
    return "";
  }

  void Check(const ir::BoundKernel& bound, const ir::Computes& c) {
    constexpr double kTolerance = 0.01;
    // Of constants alone.
    const std::set<std::string> written;
    const Facts facts(bound, written);
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

  void Time() {
    const double flops = ir::WorkOf(kernels_).flops;
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
    out_.Line(
        "// 2 for each multiply-add of `computes` that no mask leaves out.");
    out_.Statement(Cat("std::printf(\"%.2f us, %.1f TFLOP/s\\n\", us, ",
                       fmt::format("{:.6g}", flops), " / us * 1e-6);"));
  }

  const std::vector<ir::BoundKernel>& kernels_;
  const LaunchPlan& plan_;
  const std::vector<HostCode>& hosts_;
  Writer out_;
};

}  // namespace

std::string StandaloneMain(const std::vector<ir::BoundKernel>& kernels,
                           const LaunchPlan& plan,
                           const std::vector<HostCode>& hosts) {
  return MainText(kernels, plan, hosts).Run();
}

}  // namespace tilesim::hwtests
