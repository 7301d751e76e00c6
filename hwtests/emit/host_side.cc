#include "hwtests/emit/host_side.h"

#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;
using ir::DType;

std::string_view MapType(DType t) {
  switch (t) {
    case DType::kF32:
    case DType::kTF32:
      return "FLOAT32";
    case DType::kF16:
      return "FLOAT16";
    case DType::kBF16:
      return "BFLOAT16";
    case DType::kS32:
      return "INT32";
    case DType::kU32:
      return "UINT32";
    case DType::kS64:
      return "INT64";
    case DType::kU64:
      return "UINT64";
    case DType::kE2M1:
      return "16U4_ALIGN8B";
    default:
      return "UINT8";
  }
}

std::string_view SwizzleText(ir::Swizzle s) {
  return s == ir::Swizzle::kNone ? "NONE" : ir::Name(s);
}

}  // namespace

int32_t HostSide::DeclOf(const GlobalPlan& global) const {
  for (size_t i = 0; i < context_.kernel().decls.size(); ++i) {
    if (context_.kernel().decls[i].name == global.name)
      return static_cast<int32_t>(i);
  }
  return -1;
}

// One statement: the map's extents, pitches and box, innermost first.
std::string HostSide::EncodeText(const TensorMapPlan& map) {
  const GlobalPlan& global = context_.file.plan.globals[map.global];
  int32_t decl = DeclOf(global);
  int64_t bits = values::BitsOf(global.dtype);
  std::string extents, pitches, box;
  for (int i = 0; i < map.rank; ++i) {
    int d = map.rank - 1 - i;
    AddTo(&extents, globals_.Extent(decl, d));
    AddTo(&box, Cat(map.box[i]));
    if (i == 0) continue;
    std::string elements = globals_.Stride(decl, d);
    AddTo(&pitches, bits < 8 ? Cat("int64_t{1} * ", elements, " / ", 8 / bits)
                             : Cat("int64_t{", bits / 8, "} * ", elements));
  }
  return Cat("HOST_TRY(host::tensor_map(&maps->", map.name, ", ",
             print_.GlobalName(decl), ", CU_TENSOR_MAP_DATA_TYPE_",
             MapType(global.dtype), ", CU_TENSOR_MAP_SWIZZLE_",
             SwizzleText(map.swizzle), ", {", extents, "}, {", pitches, "}, {",
             box, "}));");
}

std::string HostSide::Dim3Text(const std::vector<ir::Expr>& extents) {
  std::string text;
  for (const ir::Expr& e : extents) AddTo(&text, print_.Text(e));
  return Cat("dim3(", text, ")");
}

// A function of what its body uses: first the parameters that are given.
std::string HostSide::FunctionText(std::string_view given,
                                   std::string_view last,
                                   const std::string& statement,
                                   HostFunction* function) {
  std::string head = functions_.Head(), parameters(given);
  for (const Capture& capture : print_.frame().captures) {
    AddTo(&parameters, functions_.Parameter(capture));
    function->args.push_back(functions_.Arg(capture));
  }
  if (!last.empty()) AddTo(&parameters, last);
  Writer out;
  out.Open(Cat("inline cudaError_t ", function->name, "(", parameters, ")"));
  return Cat(out.text(), head, statement, "}\n");
}

std::string HostSide::EncodeFunction(const std::vector<int32_t>& maps,
                                     HostCode* host) {
  Frame frame;
  Within within(print_, &frame);
  Writer fields, body(2);
  fields.Open(Cat("struct ", host->maps));
  for (int32_t map : maps) {
    fields.Line(Cat("CUtensorMap ", context_.file.plan.maps[map].name, ";"));
    body.Statement(EncodeText(context_.file.plan.maps[map]));
  }
  fields.Close("};\n");
  body.Line("return cudaSuccess;");
  return Cat(
      fields.text(), "// Once for a set of sizes and of device pointers.\n",
      FunctionText(Cat(host->maps, "* maps"), "", body.text(), &host->encode),
      "\n");
}

std::string HostSide::LaunchFunction(const KernelPlan& plan,
                                     const Frame& kernel, HostCode* host) {
  Frame frame;
  Within within(print_, &frame);
  std::vector<ir::Expr> block = {context_.kernel().block};
  std::string args = Cat(plan.name, ", ", Dim3Text(context_.kernel().grid),
                         ", ", Dim3Text(context_.kernel().cluster), ", ",
                         Dim3Text(block), ", ", plan.shared_bytes, ", ",
                         plan.programmatic ? "true" : "false", ", stream");
  for (const Capture& capture : kernel.captures) {
    if (capture.kind == Capture::Kind::kMap) {
      AddTo(&args, Cat("maps.", context_.file.plan.maps[capture.id].name));
    } else if (capture.kind == Capture::Kind::kGlobal ||
               capture.kind == Capture::Kind::kParam) {
      AddTo(&args, functions_.Argument(capture));
    }
  }
  Writer body(2);
  body.Statement(Cat("return host::launch(", args, ");"));
  return FunctionText(
      host->maps.empty() ? "" : Cat("const ", host->maps, "& maps"),
      "cudaStream_t stream = nullptr", body.text(), &host->launch);
}

HostCode HostSide::Write(const KernelPlan& plan, const Frame& kernel) {
  HostCode host;
  host.kernel = plan.name;
  host.space = CodeNamespace(context_.kernel().name);
  std::vector<int32_t> maps;
  for (const Capture& capture : kernel.captures) {
    if (capture.kind == Capture::Kind::kMap) maps.push_back(capture.id);
  }
  if (!maps.empty()) host.maps = context_.names.Fresh("Maps");
  host.encode.name = context_.names.Fresh("encode");
  host.launch.name = context_.names.Fresh("launch");
  if (!maps.empty()) host.text = EncodeFunction(maps, &host);
  host.text += LaunchFunction(plan, kernel, &host);
  return host;
}

}  // namespace tilesim::hwtests
