// Role functions and the kernel function: what they take, what they compute at
// their head; constants and the layout of shared memory.
#include <algorithm>

#include "hwtests/emit/kernel_emitter.h"
#include "ir/cat.h"
#include "ir/occupancy.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;

std::string ShapeText(const ir::Decl& decl) {
  std::string text;
  for (const ir::Expr& e : decl.shape)
    ir::Append(&text, text.empty() ? "" : ", ", ir::ToString(e));
  return text;
}

std::string ArrayText(const ir::Decl& decl) {
  std::string text;
  for (const ir::Expr& e : decl.array)
    ir::Append(&text, text.empty() ? "" : ", ", ir::ToString(e));
  return text.empty() ? "" : Cat("[", text, "]");
}

std::string Joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts)
    ir::Append(&text, text.empty() ? "" : ", ", part);
  return text;
}

}  // namespace

KernelEmitter::KernelEmitter(const ir::BoundKernel& bound,
                             const EmitOptions& options, FileState& file,
                             ir::Diagnostics& diagnostics)
    : bound_(bound),
      options_(options),
      file_(file),
      diagnostics_(diagnostics),
      facts_(bound),
      function_(file.kernels[file.plan.kernels.size()]),
      names_(*bound.kernel, function_) {
  threads_.warps = ir::WarpsOf(bound.block);
  FindAsyncRegisters(bound.kernel->body);
}

std::string KernelEmitter::Run() {
  Writer body(2);
  out_ = &body;
  EmitBlock(kernel().body);
  std::string text = KernelFunction(body);
  std::string code =
      Cat(Constants(Cat(functions_, text)), "\n", functions_, text);
  if (options_.HasHostSide()) {
    HostCode host = HostSide(file_.plan.kernels.back());
    std::string constants = Constants(host.text);
    host.text = Cat(constants, constants.empty() ? "" : "\n", host.text);
    file_.hosts.push_back(std::move(host));
  }
  return code;
}

// A role as a function of its own, called from here.
void KernelEmitter::EmitRole(const ir::Stmt& stmt) {
  Frame frame;
  frame.parent = frame_;
  Writer* outer = out_;
  Writer body(2);
  frame_ = &frame;
  out_ = &body;
  EmitBlock(stmt.body);
  std::string head = Head(frame);
  frame_ = frame.parent;
  out_ = outer;
  std::string base = CppName(stmt.name);
  if (names_.IsObject(base) || base == function_) base += "_role";
  std::string name = base;
  for (int i = 2; !function_names_.insert(name).second; ++i)
    name = Cat(base, "_", i);
  std::vector<std::string> parameters, arguments;
  for (const Capture& capture : frame.captures) {
    arguments.push_back(Argument(capture));
    frame_ = &frame;
    parameters.push_back(Parameter(capture));
    frame_ = frame.parent;
  }
  Writer function;
  function.Open(Cat("__device__ __forceinline__ void ", name, "(",
                    Joined(parameters), ")"));
  ir::Append(&functions_, function.text(), head, body.text(), "}\n\n");
  out_->Statement(Cat(name, "(", Joined(arguments), ");"));
}

std::string KernelEmitter::Head(const Frame& frame) {
  Writer head(2);
  for (const ir::Constant& c : kernel().constants) {
    if (!frame.derived.contains(c.slot)) continue;
    head.Statement(Cat("const ", ScalarType(c.slot), " ", CppName(c.name),
                       " = ", Text(c.value), ";"));
  }
  return head.text();
}

std::string KernelEmitter::Parameter(const Capture& capture) {
  switch (capture.kind) {
    case Capture::Kind::kShared:
      return "uint32_t smem";
    case Capture::Kind::kWarp:
      return "int warp";
    case Capture::Kind::kTrace:
      return "tile::Trace& trace";
    case Capture::Kind::kMap:
      return Cat("const CUtensorMap& ", file_.plan.maps[capture.id].name);
    case Capture::Kind::kGlobal: {
      const ir::Decl& decl = kernel().decls[capture.id];
      return Cat(ElementType(decl.dtype), "* ", CppName(decl.name));
    }
    case Capture::Kind::kParam:
    case Capture::Kind::kValue:
      return Cat(ScalarType(capture.id), " ",
                 CppName(kernel().slot_names[capture.id]));
    case Capture::Kind::kVar:
      return Cat(ScalarType(capture.id), "& ",
                 CppName(kernel().slot_names[capture.id]));
    case Capture::Kind::kReg: {
      const ir::Decl& decl = kernel().decls[capture.id];
      return Cat(RegType(capture.id), " (&", CppName(decl.name), ")",
                 RegExtents(capture.id));
    }
  }
  return "";
}

// What the calling function gives for it.
std::string KernelEmitter::Argument(const Capture& capture) {
  switch (capture.kind) {
    case Capture::Kind::kShared:
      return Shared();
    case Capture::Kind::kWarp:
      return Warp();
    case Capture::Kind::kTrace:
      return "trace";
    case Capture::Kind::kMap:
      return MapName(capture.id);
    case Capture::Kind::kGlobal:
      return GlobalName(capture.id);
    case Capture::Kind::kReg:
      return RegName(capture.id);
    default: {
      ir::Expr name;
      name.kind = ir::ExprKind::kName;
      name.name_kind = ir::NameKind::kLet;
      name.name = kernel().slot_names[capture.id];
      name.slot = capture.id;
      return Text(name);
    }
  }
}

std::string KernelEmitter::RegType(int32_t decl) const {
  return std::string(WordType(bound_.decls[decl].dtype));
}

std::string KernelEmitter::RegExtents(int32_t decl) {
  const ir::BoundDecl& bound = bound_.decls[decl];
  std::string text;
  for (int d = 0; d < bound.array_rank; ++d)
    ir::Append(&text, "[", bound.array[d], "]");
  return Cat(text, "[", RegWords(decl), "]");
}

int64_t KernelEmitter::RegWords(int32_t decl) {
  ir::FragmentLayout f = bound_.decls[decl].fragment;
  if (f.threads == 0)
    f.threads = static_cast<int32_t>(decl_threads_[decl].threads());
  if (f.threads == 0) return 0;
  int64_t bits = values::BitsOf(bound_.decls[decl].dtype);
  return (f.per_thread() * bits + 31) / 32;
}

std::string KernelEmitter::ConstantLine(const ir::Constant& c) {
  const ir::Value& value = *bound_.slots[c.slot];
  if (value.is_float) {
    ir::Expr number;
    number.kind = ir::ExprKind::kFloat;
    number.number = value.real;
    return Cat("constexpr float ", CppName(c.name), " = ", FloatText(number),
               ";");
  }
  // As written, unless -D said otherwise.
  bool as_written = facts_.Constant(c.value) == value.number;
  return Cat("constexpr ", ScalarType(c.slot), " ", CppName(c.name), " = ",
             as_written ? Text(c.value) : Cat(value.number), ";");
}

// What a shared declaration or a barrier is, for a comment.
std::string KernelEmitter::DeclText(int32_t id) const {
  const ir::Decl& decl = kernel().decls[id];
  const ir::BoundDecl& bound = bound_.decls[id];
  std::string array = ArrayText(decl);
  if (bound.space == ir::Space::kMbarrier) return Cat("mbarrier", array);
  std::string swizzle = bound.layout.swizzle == ir::Swizzle::kNone
                            ? ""
                            : Cat(", swizzle ", ir::Name(bound.layout.swizzle));
  return Cat(array, array.empty() ? "" : " ", values::NameOf(bound.dtype), "[",
             ShapeText(decl), "]", swizzle);
}

std::string KernelEmitter::Offsets(const Words& words) {
  Writer out;
  for (int32_t id : used_offsets_) {
    const ir::BoundDecl& bound = bound_.decls[id];
    bool barrier = bound.space == ir::Space::kMbarrier;
    std::string name = CppName(kernel().decls[id].name);
    if (words.contains(name) && written_.insert(name).second) {
      out.Statement(Cat("constexpr uint32_t ", name, " = ",
                        barrier ? bound.address : bound.place, ";  // ",
                        DeclText(id)));
    }
    std::string bytes = Cat(name, "_bytes");
    if (words.contains(bytes) && written_.insert(bytes).second) {
      out.Statement(
          Cat("constexpr uint32_t ", bytes, " = ", bound.object_bytes, ";"));
    }
  }
  if (out.empty()) return "";
  return Cat("\n// Bytes from the start of the CTA's shared memory.\n",
             out.text());
}

// Constants and offsets whose names `code` mentions, but those that are there
// already; constants that mention sizes come after these.
std::string KernelEmitter::Constants(std::string_view code) {
  Words words = WordsOf(code);
  std::vector<const ir::Constant*> used;
  const auto& constants = kernel().constants;
  for (size_t i = constants.size(); i-- > 0;) {
    if (!used_constants_.contains(constants[i].slot) ||
        !words.contains(CppName(constants[i].name)))
      continue;
    used.push_back(&constants[i]);
    words.merge(WordsOf(ConstantLine(constants[i])));
  }
  Writer early, late;
  Words sizes;
  for (int32_t id : used_offsets_)
    sizes.insert(Cat(CppName(kernel().decls[id].name), "_bytes"));
  for (size_t i = used.size(); i-- > 0;) {
    if (!written_.insert(CppName(used[i]->name)).second) continue;
    std::string line = ConstantLine(*used[i]);
    Words mentioned = WordsOf(line);
    bool after = std::any_of(
        mentioned.begin(), mentioned.end(),
        [&](const std::string& word) { return sizes.contains(word); });
    (after ? late : early).Statement(line);
    if (after) sizes.insert(CppName(used[i]->name));
  }
  return Cat(early.text(), Offsets(words), late.text());
}

bool KernelEmitter::UsesSetmaxnreg(const ir::Block& block) const {
  return std::any_of(block.begin(), block.end(), [this](const ir::Stmt& s) {
    bool here = s.op && (s.op->info->kind == ir::OpKind::kSetmaxnregInc ||
                         s.op->info->kind == ir::OpKind::kSetmaxnregDec);
    return here || UsesSetmaxnreg(s.body) || UsesSetmaxnreg(s.orelse);
  });
}

// Registers a thread has at launch. setmaxnreg counts from them, so there they
// must be exactly `regs`; elsewhere the compiler may use as many as leave room
// for the CTAs that the program's own numbers let an SM hold.
std::string KernelEmitter::Bounds() {
  int64_t regs = ir::RegistersAtLaunch(bound_);
  if (regs > 0 && regs < ir::MostRegisters(bound_.block) &&
      UsesSetmaxnreg(kernel().body))
    return Cat("__maxnreg__(", regs, ")");
  int64_t ctas = regs == 0 ? 1 : ir::CtasPerSm(bound_);
  return Cat("__launch_bounds__(", bound_.block, ", ", ctas, ")");
}

ArgPlan KernelEmitter::Arg(const Capture& capture) {
  ArgPlan arg;
  switch (capture.kind) {
    case Capture::Kind::kMap:
      arg.kind = ArgPlan::Kind::kTensorMap;
      arg.index = capture.id;
      arg.name = file_.plan.maps[capture.id].name;
      break;
    case Capture::Kind::kGlobal:
      arg.kind = ArgPlan::Kind::kGlobal;
      arg.index = GlobalIndex(capture.id);
      arg.name = CppName(kernel().decls[capture.id].name);
      break;
    default:
      arg.kind = facts_.IsWide(capture.id) ? ArgPlan::Kind::kInt64
                                           : ArgPlan::Kind::kInt32;
      arg.value = bound_.slots[capture.id]->number;
      arg.name = CppName(kernel().slot_names[capture.id]);
      break;
  }
  return arg;
}

std::string KernelEmitter::KernelFunction(const Writer& body) {
  std::string head = Head(kernel_frame_);
  KernelPlan plan;
  plan.name = function_;
  plan.grid = bound_.grid;
  plan.cluster = bound_.cluster;
  plan.block = bound_.block;
  plan.shared_bytes = bound_.shared_bytes;
  plan.programmatic = kernel().programmatic;
  std::vector<std::string> parameters;
  bool shared = false, warp = false, trace = false;
  for (const Capture& capture : kernel_frame_.captures) {
    if (capture.kind == Capture::Kind::kShared) {
      shared = true;
    } else if (capture.kind == Capture::Kind::kWarp) {
      warp = true;
    } else if (capture.kind == Capture::Kind::kTrace) {
      trace = true;
    } else if (capture.kind == Capture::Kind::kMap) {
      parameters.push_back(Cat("const __grid_constant__ CUtensorMap ",
                               file_.plan.maps[capture.id].name));
      plan.args.push_back(Arg(capture));
    } else {
      parameters.push_back(Parameter(capture));
      plan.args.push_back(Arg(capture));
    }
  }
  if (options_.spans) parameters.push_back("ulonglong2* tile_spans");
  Writer out;
  out.Line(Cat("extern \"C\" __global__ void ", Bounds()));
  out.Open(Cat(plan.name, "(", Joined(parameters), ")"));
  if (options_.cycles) {
    out.Line(Cat("const tile::CycleCounter cycle_counter(",
                 file_.plan.kernels.size(), ");"));
  }
  if (options_.spans) {
    out.Line(Cat("const tile::Span tile_span(tile_spans, ", bound_.block / 32,
                 ");"));
  }
  if (trace) {
    out.Line(Cat("tile::Trace trace(", file_.plan.kernels.size(), ");"));
    file_.plan.trace = true;
  }
  if (shared) {
    out.Line("extern __shared__ __align__(1024) uint8_t shared_memory[];");
    out.Line("const uint32_t smem = tile::shared_address(shared_memory);");
  }
  if (warp) out.Line("const int warp = tile::warp_index();");
  file_.plan.kernels.push_back(std::move(plan));
  return Cat(out.text(), head, body.text(), "}\n");
}

}  // namespace tilesim::hwtests
