#include "cli/check_ptx.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checkers/pipeline/judge_code.h"
#include "cli/launch_input.h"
#include "cli/lower_followed.h"
#include "cli/source_lines.h"
#include "ir/cat.h"
#include "ptx/launch/kernel.h"
#include "ptx/launch/launch.h"
#include "ptx/machine/lower.h"
#include "ptx/text/parser.h"
#include "sim/machine/byte_sets.h"

namespace tilesim::cli {
namespace {

// Of what decides; tables are shorter.
constexpr uint64_t kMostContents = uint64_t{1} << 24;

// All launches of a file whose kernels are in the PTX at hand, as one program.
class Launches {
 public:
  Launches(const CheckRequest& request, const ptx::Module& module,
           const ptx::LaunchFile& launches, CheckedFile& file)
      : request_(request), module_(module), launches_(launches), file_(file) {}

  // What a cluster that was not run before asks for is followed in another
  // round.
  void Check() {
    followed_.resize(launches_.launches.size());
    for (int round = 0; round < kMostRounds; ++round) {
      if (!Lower()) return;
      checkers::CheckReport report = Judge();
      const SourceLines lines(module_);
      lines.Merge(report.findings);
      for (auto& finding : report.findings) lines.AddTo(finding.diagnostic);
      AddNotJudged(report);
      file_.exit = ExitOf(report.verdict);
      file_.report = std::move(report);
      bool grown = false;
      for (const auto& [at, kernel] : kernels_)
        grown = kernel.guide->Grow(followed_[at]) || grown;
      if (!grown) return;
    }
  }

 private:
  void AddNotJudged(checkers::CheckReport& report) const {
    using ptx::NotJudged;
    static constexpr std::pair<NotJudged, std::string_view> kTexts[] = {
        {NotJudged::kAssertion,
         "whether assertions hold that depend on values that are not known"},
        {NotJudged::kMembers,
         "whether the lanes that a membermask names execute the instruction "
         "together"},
        {NotJudged::kElection,
         "whether the lanes that elect.sync may choose, of which the lowest "
         "was "
         "taken, do the same where registers or earlier waits differ from lane "
         "to lane"},
        {NotJudged::kWaitByState,
         "whether a wait by state is given that of the current phase or of the "
         "one before"},
        {NotJudged::kNoComplete,
         "whether an arrival that is said to complete no phase (.noComplete) "
         "completes none"},
        {NotJudged::kLoopEnds,
         "whether loops end that only compute, and whose end depends on values "
         "that are not known"},
        {NotJudged::kBarRed,
         "whether bar.red and another barrier instruction meet in one round of "
         "a barrier"},
        {NotJudged::kOwnMemory,
         "whether accesses of local memory and of constants are inside, whose "
         "addresses are not known"}};
    std::map<NotJudged, std::set<int32_t>> all;
    std::set<int32_t> meetings;
    for (const auto& [at, kernel] : kernels_) {
      for (const auto& [what, lines] : kernel.guide->not_judged())
        all[what].insert(lines.begin(), lines.end());
      meetings.merge(kernel.guide->MeetingsNotKnown());
    }
    auto add = [&](std::string_view what, const std::set<int32_t>& lines) {
      if (lines.empty()) return;
      report.not_judged.push_back(
          ir::Cat(what, ": ", LinesText({lines.begin(), lines.end()})));
    };
    for (const auto& [what, text] : kTexts) add(text, all[what]);
    add("whether threads that write the same bytes in one instruction write "
        "the same numbers",
        meetings);
  }

  bool Lower() {
    kernels_.clear();
    open_.clear();
    for (size_t i = 0; i < launches_.launches.size(); ++i) {
      if (!IsLaunchOf(launches_, i, file_.source.path)) {
        open_.push_back(ir::Cat("launch ", i + 1, " is of ",
                                launches_.launches[i].ptx,
                                ": it was not checked"));
      } else if (!Add(i)) {
        return false;
      }
    }
    if (kernels_.empty())
      file_.failure =
          ir::Cat(request_.launch, ": it has no launch of ",
                  std::filesystem::path(file_.source.path).filename().string());
    return !kernels_.empty();
  }

  bool Add(size_t at) {
    std::vector<ptx::LaunchError> errors = ptx::Fits(module_, launches_, at);
    if (!errors.empty()) {
      file_.failure = TextOf(request_.launch, errors);
      return false;
    }
    std::optional<ptx::Lowered> kernel = LowerFollowed(
        module_, launches_, at, ptx::Purpose::kCheck,
        request_.options.max_events, sets_, followed_[at], file_.texts);
    if (!kernel) return false;
    open_.insert(open_.end(), kernel->open.begin(), kernel->open.end());
    kernels_.emplace_back(at, std::move(*kernel));
    return true;
  }

  checkers::CheckReport Judge() {
    ir::Program program;
    program.kernels.reserve(kernels_.size());
    std::vector<std::unique_ptr<machine::Code>> codes;
    for (auto& [at, k] : kernels_) {
      ir::Kernel& kernel =
          program.kernels.emplace_back(std::move(k.program->kernels[0]));
      // A kernel that is launched again is another one.
      const bool again = std::any_of(
          program.kernels.begin(), program.kernels.end() - 1,
          [&](const ir::Kernel& before) { return before.name == kernel.name; });
      if (again) ir::Append(&kernel.name, ", launch ", program.kernels.size());
      k.code->bound.kernel = &kernel;
      codes.push_back(std::move(k.code));
    }
    return checkers::pipeline::CheckCode(program, std::move(codes), open_,
                                         request_.options);
  }

  const CheckRequest& request_;
  const ptx::Module& module_;
  const ptx::LaunchFile& launches_;
  CheckedFile& file_;
  std::vector<std::pair<size_t, ptx::Lowered>> kernels_;  // by launch
  std::vector<ptx::Followed> followed_;                   // likewise
  std::vector<std::string> open_;
  const std::shared_ptr<machine::ByteSets> sets_ =
      std::make_shared<machine::ByteSets>();
};

// Launches of other files may have written what is said to hold nothing.
void ForgetUndefined(const std::string& path, ptx::LaunchFile& launches) {
  for (size_t i = 0; i < launches.launches.size(); ++i) {
    if (IsLaunchOf(launches, i, path)) continue;
    for (ptx::Buffer& b : launches.buffers) {
      if (b.start.kind == ptx::Start::Kind::kUndefined)
        b.start.kind = ptx::Start::Kind::kNotGiven;
    }
  }
}

}  // namespace

void CheckPtx(const CheckRequest& request, CheckedFile& file) {
  const std::string& path = file.source.path;
  if (request.launch.empty()) {
    file.failure = path +
                   ": PTX is checked as it is launched: --launch LAUNCH.json "
                   "(tilesim ptx --skeleton writes one to fill in)";
    return;
  }
  std::optional<ptx::LaunchFile> launches =
      OpenLaunches(request.launch, &file.failure);
  std::optional<ptx::Module> module = ptx::Parse(file.source, file.texts);
  if (!launches || !module) return;
  std::vector<ptx::LaunchError> errors =
      ReadContents(request.launch, kMostContents, *launches);
  if (!errors.empty()) {
    file.failure = TextOf(request.launch, errors);
    return;
  }
  ptx::AddVariables(*module, *launches);
  ForgetUndefined(path, *launches);
  Launches(request, *module, *launches, file).Check();
}

}  // namespace tilesim::cli
