#include "cli/input.h"

#include <list>
#include <sstream>
#include <utility>

#include "cli/integer.h"
#include "fmt/format.h"
#include "frontend/bind.h"
#include "frontend/directives.h"
#include "frontend/parse.h"
#include "ir/cat.h"
#include "ir/values/read_file.h"

namespace tilesim::cli {
namespace {

constexpr int64_t kMaxFileBytes = int64_t{1} << 30;

}  // namespace

absl::StatusOr<ir::Source> OpenSource(const std::string& path) {
  absl::StatusOr<std::string> text = values::ReadFile(path, kMaxFileBytes);
  if (!text.ok()) return text.status();
  return ir::Source{path, std::move(*text)};
}

std::optional<ir::Source> ReadSource(const std::string& path) {
  absl::StatusOr<ir::Source> source = OpenSource(path);
  if (source.ok()) return std::move(*source);
  fmt::print(stderr, "tilesim: {}\n", std::string(source.status().message()));
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
      fmt::print(stderr,
                 "tilesim: -D {}: expected NAME=VALUE with a 64-bit integer\n",
                 text);
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

void PrintDiagnostics(const ir::Diagnostics& diagnostics,
                      const ir::Source& source) {
  for (const ir::Diagnostic& d : diagnostics.all())
    fmt::print(stderr, "{}\n", ir::Render(d, source));
  size_t hidden = diagnostics.errors() > ir::Diagnostics::kLimit
                      ? diagnostics.errors() - ir::Diagnostics::kLimit
                      : 0;
  if (hidden > 0) fmt::print(stderr, "... and {} more errors\n", hidden);
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

namespace {

// As the built-in ones, to the end.
const arch::Arch* Kept(arch::Arch arch) {
  static std::list<arch::Arch> kept;
  return &kept.emplace_back(std::move(arch));
}

// A built-in one, or that of a data file. nullptr, said on stderr: none.
const arch::Arch* ArchNamed(const std::string& name) {
  if (name.ends_with(".toml")) {
    absl::StatusOr<std::string> text = values::ReadFile(name, kMaxFileBytes);
    std::string error(text.status().message());
    std::optional<arch::Arch> read;
    if (text.ok()) read = arch::ParseArch(*text, &error);
    if (read) return Kept(std::move(*read));
    fmt::print(stderr, "tilesim: {}: {}\n", name, error);
    return nullptr;
  }
  const arch::Arch* arch = arch::FindArch(name);
  if (arch != nullptr) return arch;
  std::string known;
  for (const arch::Arch& a : arch::AllArchs())
    ir::Append(&known, known.empty() ? "" : ", ", a.name);
  fmt::print(stderr, "tilesim: no architecture `{}`; there are {}\n", name,
             known);
  return nullptr;
}

}  // namespace

const arch::Arch* ArchFor(const Loaded& loaded, const std::string& name,
                          const std::vector<std::string>& set) {
  ir::Target target = loaded.program.kernels[0].target;
  const arch::Arch* arch =
      name.empty() ? &arch::DefaultArch(target) : ArchNamed(name);
  if (arch != nullptr && arch->target != target) {
    fmt::print(stderr, "tilesim: {} is written for {}; {} is {}\n",
               loaded.source.path, ir::Name(target), arch->name,
               ir::Name(arch->target));
    return nullptr;
  }
  if (arch == nullptr || set.empty()) return arch;
  std::string error;
  std::optional<arch::Arch> changed = arch::WithValues(*arch, set, &error);
  if (!changed) {
    fmt::print(stderr, "tilesim: --set: {}\n", error);
    return nullptr;
  }
  return Kept(std::move(*changed));
}

}  // namespace tilesim::cli
