// The ways to show what `tilesim check` found: text for people, JSON for
// programs, SARIF for code-scanning views.
#ifndef TILESIM_CLI_CHECK_SINK_H_
#define TILESIM_CLI_CHECK_SINK_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/checked_file.h"
#include "cli/json.h"
#include "ir/paint.h"

namespace tilesim::cli {

// What becomes of one file.
struct FileAnswer {
  Json shown;  // CheckSink::Shown
  ExitCode exit = kBadInput;
};

class CheckSink {
 public:
  virtual ~CheckSink() = default;
  // What is shown of one file, as a value that can be kept (verdict_cache.h).
  // From any thread.
  virtual Json Shown(const CheckedFile& file) const = 0;
  // File after file, what was Shown of it.
  virtual void Add(const Json& shown) = 0;
  // All files were added, and this is what the command exits with.
  virtual void Finish(ExitCode exit) = 0;
};

std::unique_ptr<CheckSink> TextSink();
std::unique_ptr<CheckSink> JsonSink();
// `help_base`: the URI of the folder with the pages of `explain`; empty: none.
std::unique_ptr<CheckSink> SarifSink(const std::string& help_base = "");

// A finding for a terminal, with its story.
std::string FindingText(const ir::Source& source,
                        const checkers::report::Finding& finding,
                        const ir::Paint& paint = {});
// What is taken for granted, where something is.
std::vector<std::string_view> AssumedTexts(const checkers::CheckScope& scope);
// "; if A and B", or nothing.
std::string AssumedText(const checkers::CheckScope& scope);
// "64", "64, 128, 192", "64 to 640 (10 values)"
std::string ValuesText(const std::set<int64_t>& values);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_CHECK_SINK_H_
