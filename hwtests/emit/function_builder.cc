#include "hwtests/emit/function_builder.h"

#include "ir/cat.h"
#include "ir/occupancy.h"
#include "ir/walk.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;

// All but what the kernel makes itself.
bool IsGivenByHost(const Capture& capture) {
  return capture.kind != Capture::Kind::kShared &&
         capture.kind != Capture::Kind::kWarp &&
         capture.kind != Capture::Kind::kTrace;
}

}  // namespace

void AddTo(std::string* list, std::string_view item) {
  ir::Append(list, list->empty() ? "" : ", ", item);
}

std::string FunctionBuilder::Head() {
  Writer head(2);
  for (const ir::Constant& c : context_.kernel().constants) {
    if (!print_.frame().derived.contains(c.slot)) continue;
    head.Statement(Cat("const ", print_.ScalarType(c.slot), " ",
                       CppName(c.name), " = ", print_.Text(c.value), ";"));
  }
  return head.text();
}

std::string FunctionBuilder::Parameter(const Capture& capture) {
  switch (capture.kind) {
    case Capture::Kind::kShared:
      return "uint32_t smem";
    case Capture::Kind::kWarp:
      return "int warp";
    case Capture::Kind::kTrace:
      return "tile::Trace& trace";
    case Capture::Kind::kMap:
      return Cat("const CUtensorMap& ",
                 context_.file.plan.maps[capture.id].name);
    case Capture::Kind::kGlobal: {
      const ir::Decl& decl = context_.decl(capture.id);
      return Cat(ElementType(decl.dtype), "* ", CppName(decl.name));
    }
    case Capture::Kind::kParam:
    case Capture::Kind::kValue:
      return Cat(print_.ScalarType(capture.id), " ",
                 CppName(context_.kernel().slot_names[capture.id]));
    case Capture::Kind::kVar:
      return Cat(print_.ScalarType(capture.id), "& ",
                 CppName(context_.kernel().slot_names[capture.id]));
    case Capture::Kind::kReg: {
      const ir::Decl& decl = context_.decl(capture.id);
      return Cat(registers_.Type(capture.id), " (&", CppName(decl.name), ")",
                 registers_.Extents(capture.id));
    }
  }
  return "";
}

// What the calling function gives for it.
std::string FunctionBuilder::Argument(const Capture& capture) {
  switch (capture.kind) {
    case Capture::Kind::kShared:
      return print_.Shared();
    case Capture::Kind::kWarp:
      return print_.Warp();
    case Capture::Kind::kTrace:
      return "trace";
    case Capture::Kind::kMap:
      return print_.MapName(capture.id);
    case Capture::Kind::kGlobal:
      return print_.GlobalName(capture.id);
    case Capture::Kind::kReg:
      return print_.RegName(capture.id);
    default:
      return print_.ScalarText(capture.id);
  }
}

ArgPlan FunctionBuilder::Arg(const Capture& capture) {
  ArgPlan arg;
  switch (capture.kind) {
    case Capture::Kind::kMap:
      arg.kind = ArgPlan::Kind::kTensorMap;
      arg.index = capture.id;
      arg.name = context_.file.plan.maps[capture.id].name;
      break;
    case Capture::Kind::kGlobal:
      arg.kind = ArgPlan::Kind::kGlobal;
      arg.index = globals_.Index(capture.id);
      arg.name = CppName(context_.decl(capture.id).name);
      break;
    default:
      arg.kind = context_.facts.IsWide(capture.id) ? ArgPlan::Kind::kInt64
                                                   : ArgPlan::Kind::kInt32;
      arg.value = context_.bound.slots[capture.id]->number;
      arg.name = CppName(context_.kernel().slot_names[capture.id]);
      break;
  }
  return arg;
}

std::string FunctionBuilder::RoleName(std::string_view role) {
  std::string base = CppName(role);
  if (context_.names.IsObject(base) || base == context_.function)
    base += "_role";
  std::string name = base;
  for (int i = 2; !role_names_.insert(name).second; ++i)
    name = Cat(base, "_", i);
  return name;
}

std::string FunctionBuilder::AddRole(std::string_view role, Frame& frame,
                                     const Writer& body) {
  std::string head, parameters, arguments;
  {
    Within within(print_, &frame);
    head = Head();
  }
  std::string name = RoleName(role);
  for (const Capture& capture : frame.captures) {
    AddTo(&arguments, Argument(capture));
    Within within(print_, &frame);
    AddTo(&parameters, Parameter(capture));
  }
  Writer function;
  function.Open(
      Cat("__device__ __forceinline__ void ", name, "(", parameters, ")"));
  ir::Append(&roles_, function.text(), head, body.text(), "}\n\n");
  return Cat(name, "(", arguments, ");");
}

// Registers a thread has at launch. setmaxnreg counts from them, so there they
// must be exactly `regs`; elsewhere the compiler may use as many as leave room
// for the CTAs that the program's own numbers let an SM hold.
std::string FunctionBuilder::Bounds() const {
  int64_t regs = ir::RegistersAtLaunch(context_.bound);
  if (regs > 0 && regs < ir::MostRegisters(context_.bound.block) &&
      ir::UsesSetmaxnreg(context_.kernel().body))
    return Cat("__maxnreg__(", regs, ")");
  int64_t ctas = regs == 0 ? 1 : ir::CtasPerSm(context_.bound);
  return Cat("__launch_bounds__(", context_.bound.block, ", ", ctas, ")");
}

// The head of the function, up to what the body uses of threads and memory.
std::string FunctionBuilder::Opening(const KernelPlan& plan,
                                     const std::string& parameters) {
  const EmitOptions& options = context_.options;
  LaunchPlan& file = context_.file.plan;
  const std::set<Capture>& captures = print_.frame().captures;
  auto uses = [&](Capture::Kind kind) { return captures.contains({kind}); };
  Writer out;
  out.Line(Cat("extern \"C\" __global__ void ", Bounds()));
  out.Open(Cat(plan.name, "(", parameters, ")"));
  if (options.cycles) {
    out.Line(Cat("const tile::CycleCounter cycle_counter(", file.kernels.size(),
                 ");"));
  }
  if (options.spans) {
    out.Line(
        Cat("const tile::Span tile_span(tile_spans, ", plan.block / 32, ");"));
  }
  if (uses(Capture::Kind::kTrace)) {
    out.Line(Cat("tile::Trace trace(", file.kernels.size(), ");"));
    file.trace = true;
  }
  if (uses(Capture::Kind::kShared)) {
    out.Line("extern __shared__ __align__(1024) uint8_t shared_memory[];");
    out.Line("const uint32_t smem = tile::shared_address(shared_memory);");
  }
  if (uses(Capture::Kind::kWarp))
    out.Line("const int warp = tile::warp_index();");
  return out.text();
}

std::string FunctionBuilder::Kernel(const Writer& body) {
  std::string head = Head();
  const ir::BoundKernel& bound = context_.bound;
  KernelPlan plan;
  plan.name = context_.function;
  plan.grid = bound.grid;
  plan.cluster = bound.cluster;
  plan.block = bound.block;
  plan.registers = ir::RegistersAtLaunch(bound);
  plan.shared_bytes = bound.shared_bytes;
  plan.programmatic = context_.kernel().programmatic;
  std::string parameters;
  for (const Capture& capture : print_.frame().captures) {
    if (!IsGivenByHost(capture)) continue;
    bool map = capture.kind == Capture::Kind::kMap;
    AddTo(&parameters, map ? Cat("const __grid_constant__ CUtensorMap ",
                                 context_.file.plan.maps[capture.id].name)
                           : Parameter(capture));
    plan.args.push_back(Arg(capture));
  }
  if (context_.options.spans) AddTo(&parameters, "ulonglong2* tile_spans");
  std::string opening = Opening(plan, parameters);
  context_.file.plan.kernels.push_back(std::move(plan));
  return Cat(opening, head, body.text(), "}\n");
}

}  // namespace tilesim::hwtests
