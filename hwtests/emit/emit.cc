#include "hwtests/emit/emit.h"

#include "hwtests/emit/device_header.h"
#include "hwtests/emit/kernel_emitter.h"
#include "hwtests/emit/standalone.h"
#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;

std::string Opening(const EmitOptions& options, ir::Target target) {
  size_t slash = options.file.find_last_of('/');
  std::string name =
      options.file.substr(slash == std::string::npos ? 0 : slash + 1);
  size_t dot = name.find_last_of('.');
  // Of a text on stdin the file is named by whoever keeps it.
  if (name == "-") name = "<stdin>";
  std::string cu =
      name == "<stdin>" ? "FILE.cu" : Cat(name.substr(0, dot), ".cu");
  if (!options.out.empty())
    cu = options.out.substr(options.out.find_last_of('/') + 1);
  return Cat("// ", CompileLine(target, cu), options.standalone ? "" : " -c",
             "\n// Lowered from ", name, " by tilesim.\n");
}

// A namespace for each kernel: kernels of a file share names of constants, and
// names of the text may be those of the C library (free, y0) or `tile`.
std::string Wrapped(const std::string& name, const std::string& text) {
  return Cat("namespace ", name, " {\n", text, "}  // namespace ", name, "\n");
}

// NVRTC compiles the device's half only.
std::string HostHalf(const FileState& file, const std::string& main) {
  std::string text(LaunchSupport());
  for (const HostCode& host : file.hosts)
    ir::Append(&text, Wrapped(host.space, host.text), "\n");
  return Cat("#ifndef __CUDACC_RTC__\n", text, main, "#endif\n");
}

// The global tensors that its ops write: the first tile that they name is what
// they write, but for ld, whose result is a `var`.
void AddWritten(const ir::Kernel& kernel, const ir::Block& block,
                std::set<std::string>& out) {
  for (const ir::Stmt& stmt : block) {
    if (stmt.op && stmt.op->info->kind != ir::OpKind::kLd) {
      for (const ir::Operand& o : stmt.op->operands) {
        if (o.kind != ir::Operand::Kind::kRef || o.ref.decl < 0) continue;
        const ir::Decl& d = kernel.decls[o.ref.decl];
        if (d.space == ir::Space::kGlobal) out.insert(d.name);
        break;
      }
    }
    AddWritten(kernel, stmt.body, out);
    AddWritten(kernel, stmt.orelse, out);
  }
}

}  // namespace

std::optional<Lowered> Lower(const ir::Program& program,
                             const std::vector<ir::BoundKernel>& kernels,
                             const EmitOptions& options,
                             ir::Diagnostics& diagnostics) {
  size_t before = diagnostics.errors();
  FileState file;
  file.plan.target = program.kernels.front().target;
  file.plan.debug = options.debug;
  file.plan.cycles = options.cycles;
  file.plan.spans = options.spans;
  std::vector<const ir::Kernel*> texts;
  for (const ir::BoundKernel& bound : kernels) texts.push_back(bound.kernel);
  file.kernels = KernelNames(texts);
  for (const ir::Kernel& kernel : program.kernels)
    AddWritten(kernel, kernel.body, file.written);
  std::string body;
  for (const ir::BoundKernel& bound : kernels) {
    KernelEmitter emitter(bound, options, file, diagnostics);
    ir::Append(&body, Wrapped(CodeNamespace(bound.kernel->name), emitter.Run()),
               "\n");
  }
  if (diagnostics.errors() > before) return std::nullopt;
  std::string wrappers;
  for (const auto& [name, text] : file.wrappers)
    ir::Append(&wrappers, text, "\n");
  std::string main;
  if (options.standalone && options.HasHostSide())
    main = Cat(StandaloneSupport(),
               StandaloneMain(kernels, file.plan, file.hosts));
  std::string host = options.HasHostSide() ? HostHalf(file, main) : "";
  Lowered lowered;
  lowered.cuda = Opening(options, file.plan.target);
  if (options.debug)
    ir::Append(&lowered.cuda, "#define TILE_WAIT_LIMIT_NS ",
               options.wait_limit_ms * 1000000, "ull\n");
  ir::Append(&lowered.cuda, "\n", DeviceCode(Cat(body, host), wrappers), body,
             host);
  lowered.plan = std::move(file.plan);
  return lowered;
}

std::string EmitCuda(const ir::Program& program,
                     const std::vector<ir::BoundKernel>& kernels,
                     const EmitOptions& options, ir::Diagnostics& diagnostics) {
  std::optional<Lowered> lowered =
      Lower(program, kernels, options, diagnostics);
  return lowered ? lowered->cuda : "";
}

std::string CompileLine(ir::Target target, std::string_view file) {
  constexpr std::string_view kReal = "sm_";
  std::string_view name = ir::Name(target);
  return Cat("nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_",
             name.substr(kReal.size()), ",code=", name, " ", file);
}

}  // namespace tilesim::hwtests
