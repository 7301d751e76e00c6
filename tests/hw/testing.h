// Programs of the repository, lowered, for tests.
#ifndef TILESIM_TESTS_HW_TESTING_H_
#define TILESIM_TESTS_HW_TESTING_H_

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "frontend/bind.h"
#include "frontend/parse.h"
#include "hwtests/emit/emit.h"

namespace tilesim::hwtests {

inline constexpr int64_t kTestSmCount = 132;

inline std::string ReadText(const std::string& path) {
  std::ifstream in(path);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// Every .tile file of the examples and of our own tests, or of other folders,
// sorted. Tests run in the repository's root.
inline std::vector<std::string> TileFiles(
    const std::vector<std::string>& roots = {"examples",
                                             "hwtests/emit/testdata"}) {
  std::vector<std::string> files;
  for (const std::string& root : roots) {
    std::error_code none;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(root, none)) {
      if (entry.path().extension() == ".tile")
        files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Lowered text, or the diagnostics; `parsed` says whether the text was fine.
struct LowerOutcome {
  bool parsed = false;
  std::optional<ir::Program> program;
  std::optional<Lowered> lowered;
  std::string diagnostics;
};

inline LowerOutcome LowerText(const std::string& path, const std::string& text,
                              EmitOptions options = {},
                              const ir::Overrides& overrides = {}) {
  LowerOutcome out;
  ir::Source source{path, text};
  ir::Diagnostics diagnostics;
  options.file = path;
  out.program = frontend::Parse(source, diagnostics, overrides);
  out.parsed = out.program.has_value();
  if (out.program) {
    auto bound = frontend::BindProgram(*out.program, overrides, kTestSmCount,
                                       diagnostics);
    if (bound) out.lowered = Lower(*out.program, *bound, options, diagnostics);
  }
  for (const ir::Diagnostic& d : diagnostics.all())
    out.diagnostics += ir::Render(d, source);
  return out;
}

inline LowerOutcome LowerFile(const std::string& path, EmitOptions options = {},
                              const ir::Overrides& overrides = {}) {
  return LowerText(path, ReadText(path), options, overrides);
}

}  // namespace tilesim::hwtests

#endif  // TILESIM_TESTS_HW_TESTING_H_
