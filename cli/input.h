// Files and -D options into bound, compiled kernels.
#ifndef TILESIM_CLI_INPUT_H_
#define TILESIM_CLI_INPUT_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/bind.h"
#include "ir/diagnostic.h"
#include "ir/program.h"
#include "sim/arch/arch.h"
#include "sim/machine/code.h"

namespace tilesim::cli {

// The file that is what comes on stdin.
inline constexpr std::string_view kStdin = "-";

// The text of a file, or of stdin, or why it cannot be read.
absl::StatusOr<ir::Source> OpenSource(const std::string& path);
// The text of a file; nullopt (said on stderr) if it cannot be read.
std::optional<ir::Source> ReadSource(const std::string& path);

// NAME=VALUE, a decimal, hexadecimal or binary integer.
std::optional<ir::Overrides> ParseOverrides(
    const std::vector<std::string>& texts);

// A program ready to run. Heap-allocated: codes point into it.
struct Loaded {
  ir::Source source;
  ir::Overrides defines;
  ir::Program program;
  std::vector<machine::Code> codes;

  std::vector<const machine::Code*> pointers() const;
  std::vector<ir::BoundKernel> bound() const;
};

// The program of a file with -D; diagnostics go to stderr. Null on any error.
std::unique_ptr<Loaded> ParseFile(const std::string& path,
                                  const ir::Overrides& defines);
// Binds it for a GPU of that many SMs, and compiles it. BindAll says on stderr
// what is wrong, and is false then.
void Bind(Loaded& loaded, int64_t sm_count, ir::Diagnostics& diagnostics);
bool BindAll(Loaded& loaded, int64_t sm_count);
std::vector<std::string> ArchNames();
// The architecture of that name, or of that file (`.toml`), or what the
// target of the file `path` runs on, with other values of the parameters that
// `set` names. Null, said on stderr: there is none, it is another target's, or
// a value cannot be.
const arch::Arch* ArchFor(const std::string& path, ir::Target target,
                          const std::string& name,
                          const std::vector<std::string>& set);
const arch::Arch* ArchFor(const Loaded& loaded, const std::string& name,
                          const std::vector<std::string>& set = {});

// Sizes that the text itself names: those of its defaults (no override), and of
// its `//! run NAME=VALUE ...`, which says how the test runner runs it.
std::vector<ir::Overrides> OwnSizes(const ir::Source& source);

// As people read them; PrintDiagnostics puts them on stderr.
std::string DiagnosticsText(const ir::Diagnostics& diagnostics,
                            const ir::Source& source);
void PrintDiagnostics(const ir::Diagnostics& diagnostics,
                      const ir::Source& source);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_INPUT_H_
