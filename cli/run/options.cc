#include "cli/run/options.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "cli/numbers.h"

namespace tilesim::cli {
namespace {

// A range beyond every GPU and grid is a slip of the keyboard.
constexpr int64_t kMostNumber = int64_t{1} << 31;
constexpr int64_t kMostInRange = int64_t{1} << 20;

}  // namespace

void AddRunOptions(Command to, RunOptions& o) {
  to.AddOption("FILE", o.file, "a .tile file; - for stdin").Required();
  to.AddOption("-D", o.defines, "NAME=VALUE: a param or const").OneValueEach();
  AddArch(to, o.arch, o.set);
  to.AddFlag("--timing-only", o.timing_only, "times, computes no values");
  to.AddOption("--values", o.values,
               "which CTAs compute values: all, or how many (sampled)")
      .Excludes("--timing-only");
  to.AddOption("--in", o.in, "NAME=file.npy").OneValueEach();
  to.AddOption("--seed", o.seed, "of the inputs that are not given")
      .Check(WholeNumber(0));
  to.AddOption(
        "--jobs,-j", o.jobs,
        "threads, default 1. With more, some compute values while one runs "
        "the clock (not in a run that is traced), and all compare them "
        "with `computes`")
      .Check(WholeNumber(1, kMostJobs));
  to.AddOption("--max-cycles", o.max_cycles,
               "stop when the modelled clock has come that far (exit 3)")
      .Check(WholeNumber(1));
  to.AddOption(
        "--l2", o.l2,
        "what L2 holds at the start: warm, what the same launch left there; "
        "cold, other data")
      .OneOf({"warm", "cold"});
  to.AddFlag("--hints", o.hints,
             "run it with other values of its constants, and say which is "
             "faster");
}

std::optional<Chosen> ParseChosen(const std::string& text) {
  Chosen chosen;
  if (text == "all") {
    chosen.all = true;
    return chosen;
  }
  const std::vector<std::string> parts = absl::StrSplit(text, ',');
  for (const std::string& part : parts) {
    const std::pair<std::string, std::string> ends =
        absl::StrSplit(part, absl::MaxSplits('-', 1));
    const bool range = part.find('-') != std::string::npos;
    int64_t from = 0, to = 0;
    if (!absl::SimpleAtoi(ends.first, &from) ||
        !absl::SimpleAtoi(range ? ends.second : ends.first, &to) || from < 0 ||
        to < from || to > kMostNumber || to - from >= kMostInRange)
      return std::nullopt;
    for (int64_t n = from; n <= to; ++n) chosen.numbers.push_back(n);
  }
  return chosen;
}

}  // namespace tilesim::cli
