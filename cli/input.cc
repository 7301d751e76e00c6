#include "cli/input.h"

#include <algorithm>
#include <list>
#include <sstream>
#include <utility>

#include "cli/color.h"
#include "cli/complain.h"
#include "cli/integer.h"
#include "cli/launch_input.h"
#include "cli/suggest_word.h"
#include "fmt/format.h"
#include "frontend/bind.h"
#include "frontend/directives.h"
#include "frontend/parse.h"
#include "ir/cat.h"
#include "ir/values/read_file.h"

namespace tilesim::cli {
namespace {

constexpr int64_t kMaxFileBytes = int64_t{1} << 30;

// What each -D may mean that names nothing of a program: binding rejects it.
void SuggestNames(const ir::Program& program, const ir::Overrides& defines) {
  std::vector<std::string> known;
  for (const ir::Kernel& kernel : program.kernels) {
    for (const ir::Param& p : kernel.params) known.push_back(p.name);
    for (const ir::Constant& c : kernel.constants) {
      if (!c.is_let) known.push_back(c.name);
    }
  }
  for (const auto& [name, value] : defines) {
    const bool there =
        std::find(known.begin(), known.end(), name) != known.end();
    const std::string near = there ? "" : DidYouMean(name, known);
    if (!near.empty()) Complain("-D {}{}", name, near);
  }
}

// As the built-in ones, to the end.
const arch::Arch* Kept(arch::Arch arch) {
  static std::list<arch::Arch> kept;
  return &kept.emplace_back(std::move(arch));
}

// A file such as those of sim/arch. Null, said on stderr.
const arch::Arch* ReadArch(const std::string& path) {
  absl::StatusOr<std::string> text = values::ReadFile(path, kMaxFileBytes);
  std::string error(text.status().message());
  std::optional<arch::Arch> arch;
  if (text.ok()) {
    arch = arch::ParseArch(*text, &error);
    error = ir::Cat(path, ": ", error);
  }
  if (arch) {
    arch->name = path;  // nothing was measured on it, whatever it is called
    return Kept(std::move(*arch));
  }
  Complain("--arch: {}", error);
  return nullptr;
}

// Read once, however often it is asked for.
const absl::StatusOr<std::string>& Stdin() {
  static auto* const kText = new absl::StatusOr<std::string>(
      values::ReadFile("/dev/stdin", kMaxFileBytes));
  return *kText;
}

// Of the first name that is no parameter.
std::string NearestParameter(const std::vector<std::string>& set) {
  std::vector<std::string> known;
  for (const arch::ParamInfo& p : arch::Params()) known.emplace_back(p.name);
  for (const std::string& text : set) {
    const std::string name = text.substr(0, text.find('='));
    if (std::find(known.begin(), known.end(), name) == known.end())
      return DidYouMean(name, known);
  }
  return "";
}

}  // namespace

absl::StatusOr<ir::Source> OpenSource(const std::string& path) {
  if (path == kStdin) {
    if (!Stdin().ok()) return Stdin().status();
    return ir::Source{"<stdin>", *Stdin()};
  }
  absl::StatusOr<std::string> text = values::ReadFile(path, kMaxFileBytes);
  if (!text.ok()) return text.status();
  return ir::Source{path, std::move(*text)};
}

std::optional<ir::Source> ReadSource(const std::string& path) {
  absl::StatusOr<ir::Source> source = OpenSource(path);
  if (source.ok()) return std::move(*source);
  Complain("{}", std::string(source.status().message()));
  return std::nullopt;
}

std::optional<ir::Overrides> ParseOverrides(
    const std::vector<std::string>& texts) {
  ir::Overrides out;
  for (const std::string& text : texts) {
    size_t equals = text.find('=');
    int64_t value = 0;
    if (equals == std::string::npos || equals == 0 ||
        !ParseInteger(std::string_view(text).substr(equals + 1), value)) {
      Complain("-D {}: expected NAME=VALUE with a 64-bit integer", text);
      return std::nullopt;
    }
    out[text.substr(0, equals)] = value;
  }
  return out;
}

std::vector<ir::Overrides> OwnSizes(const ir::Source& source) {
  std::vector<ir::Overrides> out(1);
  for (const auto& d : frontend::FindDirectives(source).directives) {
    std::istringstream words(d.text);
    std::string word;
    if (!(words >> word) || word != "run") continue;
    ir::Overrides sizes;
    while (words >> word) {
      size_t equals = word.find('=');
      int64_t value = 0;
      if (equals != std::string::npos &&
          ParseInteger(std::string_view(word).substr(equals + 1), value))
        sizes[word.substr(0, equals)] = value;
    }
    out.push_back(std::move(sizes));
  }
  return out;
}

std::string DiagnosticsText(const ir::Diagnostics& diagnostics,
                            const ir::Source& source) {
  std::string out;
  for (const ir::Diagnostic& d : diagnostics.all())
    ir::Append(&out, ir::Render(d, source, PaintOn(stderr)), "\n");
  size_t hidden = diagnostics.errors() > ir::Diagnostics::kLimit
                      ? diagnostics.errors() - ir::Diagnostics::kLimit
                      : 0;
  if (hidden > 0) ir::Append(&out, "... and ", hidden, " more errors\n");
  return out;
}

void PrintDiagnostics(const ir::Diagnostics& diagnostics,
                      const ir::Source& source) {
  ComplainOf(diagnostics, source);
}

std::vector<ir::BoundKernel> Loaded::bound() const {
  std::vector<ir::BoundKernel> out;
  for (const machine::Code& code : codes) out.push_back(code.bound);
  return out;
}

std::vector<const machine::Code*> Loaded::pointers() const {
  std::vector<const machine::Code*> out;
  for (const machine::Code& code : codes) out.push_back(&code);
  return out;
}

std::unique_ptr<Loaded> ParseFile(const std::string& path,
                                  const ir::Overrides& defines) {
  if (!IsNoPtx(path)) return nullptr;
  std::optional<ir::Source> source = ReadSource(path);
  if (!source) return nullptr;
  auto loaded = std::make_unique<Loaded>();
  loaded->source = std::move(*source);
  loaded->defines = defines;
  ir::Diagnostics diagnostics;
  std::optional<ir::Program> program =
      frontend::Parse(loaded->source, diagnostics, defines);
  PrintDiagnostics(diagnostics, loaded->source);
  if (!program) return nullptr;
  SuggestNames(*program, defines);
  loaded->program = std::move(*program);
  return loaded;
}

void Bind(Loaded& loaded, int64_t sm_count, ir::Diagnostics& diagnostics) {
  auto kernels = frontend::BindProgram(loaded.program, loaded.defines, sm_count,
                                       diagnostics);
  if (!kernels) return;
  for (ir::BoundKernel& bound : *kernels) {
    std::optional<machine::Code> code =
        machine::Compile(std::move(bound), diagnostics);
    if (code) loaded.codes.push_back(std::move(*code));
  }
}

bool BindAll(Loaded& loaded, int64_t sm_count) {
  ir::Diagnostics diagnostics;
  Bind(loaded, sm_count, diagnostics);
  PrintDiagnostics(diagnostics, loaded.source);
  return !diagnostics.has_errors();
}

std::vector<std::string> ArchNames() {
  std::vector<std::string> out;
  for (const arch::Arch& a : arch::AllArchs()) out.emplace_back(a.name);
  return out;
}

const arch::Arch* ArchFor(const Loaded& loaded, const std::string& name,
                          const std::vector<std::string>& set) {
  return ArchFor(loaded.source.path, loaded.program.kernels[0].target, name,
                 set);
}

const arch::Arch* ArchFor(const std::string& path, ir::Target target,
                          const std::string& name,
                          const std::vector<std::string>& set) {
  const arch::Arch* arch =
      name.empty() ? &arch::DefaultArch(target) : arch::FindArch(name);
  if (arch == nullptr && name.ends_with(".toml")) {
    arch = ReadArch(name);
    if (arch == nullptr) return nullptr;
  }
  if (arch == nullptr) {
    std::vector<std::string> known = ArchNames();
    Complain("no architecture `{}`; there are {}{}", name,
             fmt::join(known, ", "), DidYouMean(name, known));
  } else if (arch->target != target) {
    Complain("{} is written for {}; {} is {}", path, ir::Name(target),
             arch->name, ir::Name(arch->target));
    return nullptr;
  }
  if (arch == nullptr || set.empty()) return arch;
  std::string error;
  std::optional<arch::Arch> changed = arch::WithValues(*arch, set, &error);
  if (!changed) {
    Complain("--set: {}{}", error, NearestParameter(set));
    return nullptr;
  }
  return Kept(std::move(*changed));
}

}  // namespace tilesim::cli
