#include "cli/check_ptx.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checkers/pipeline/judge_code.h"
#include "checkers/pipeline/practice.h"
#include "cli/add_report.h"
#include "cli/input.h"
#include "cli/launch_input.h"
#include "cli/lower_followed.h"
#include "cli/not_judged.h"
#include "cli/source_lines.h"
#include "cli/uninitialised_reads.h"
#include "ir/cat.h"
#include "ptx/launch/kernel.h"
#include "ptx/launch/launch.h"
#include "ptx/launch/pieces.h"
#include "ptx/machine/cases.h"
#include "ptx/machine/discarded.h"
#include "ptx/machine/host_maps.h"
#include "ptx/machine/lower.h"
#include "ptx/machine/ways.h"
#include "ptx/machine/where.h"
#include "ptx/text/parser.h"
#include "sim/machine/byte_sets.h"

namespace tilesim::cli {
namespace {

// Of what decides; tables are shorter.
constexpr uint64_t kMostContents = uint64_t{1} << 24;
// After so many changes, buffers are taken as a whole.
constexpr int kMostCuts = 6;

// A file of PTX with kernels of the launches. The first is the one at hand; of
// the others, spans lie in places (ir::Place) of their own.
struct PtxFile {
  std::string path;
  ptx::Module module;
  int32_t place = 0;
};

// All launches of a description whose kernels are in the PTX that was given, as
// one program. Told is what is wrong in the file at hand.
class Launches {
 public:
  Launches(const CheckRequest& request, const std::vector<PtxFile>& files,
           const ptx::LaunchFile& launches, CheckedFile& file)
      : request_(request),
        files_(files),
        launches_(launches),
        file_(file),
        purpose_(request.options.strict.count(checkers::pipeline::kStrictPtx)
                     ? ptx::Purpose::kLetter
                     : ptx::Purpose::kCheck),
        pieces_(launches) {}

  // What a cluster that was not run before asks for is followed in another
  // round.
  //
  // Where data decide whether accesses are executed, all are, and then none
  // (ptx/machine/walk_either.cc). What is wrong then, or not followed, may be
  // so in no execution: where all threads compare the same words with
  // constants, each case is looked at by itself (ptx/machine/cases.h).
  //
  // False: elements that are distinct say more than where something is, so that
  // they have to be given.
  bool Check(const std::vector<std::string>& given) {
    followed_.resize(launches_.launches.size());
    std::optional<checkers::CheckReport> report = Rounds();
    if (report && FollowsDistinct()) return false;
    const std::vector<ptx::ReadAs> cases = Cases();
    const bool either = Either(), where = TakesElements();
    std::optional<std::vector<std::string>> apart = NotApart();
    if (report && either) AddSkipping(report);
    if (report && where) {
      if (apart) AddEach(*std::move(apart), report);
      elements_ = Taken::kGreatest;
      Add(Rounds(), report);
      elements_ = Taken::kLeast;
    }
    if (report && !where &&
        (report->verdict == checkers::Verdict::kIncomplete ||
         (report->verdict == checkers::Verdict::kFindings && either)))
      ByCases(cases, *report);
    if (!report) return true;
    for (const std::string& name : given) {
      report->open.push_back(ir::Cat("checked for one draw of the values of `",
                                     name, "`, which differ"));
      if (report->verdict == checkers::Verdict::kClean)
        report->verdict = checkers::Verdict::kIncomplete;
    }
    file_.exit = ExitOf(report->verdict);
    file_.report = std::move(*report);
    return true;
  }

 private:
  using Report = std::optional<checkers::CheckReport>;

  bool FollowsDistinct() const {
    return std::any_of(followed_.begin(), followed_.end(), [&](const auto& f) {
      return std::any_of(f.words.begin(), f.words.end(), [&](const auto& word) {
        const ptx::Buffer& b = pieces_.cut().buffers[word.second];
        return b.distinct && b.start.bytes.empty();
      });
    });
  }

  bool Either() const {
    return std::any_of(kernels_.begin(), kernels_.end(),
                       [](const auto& k) { return k.second.guide->either(); });
  }
  bool TakesElements() const {
    return std::any_of(followed_.begin(), followed_.end(),
                       [](const auto& f) { return !f.taken.empty(); });
  }
  std::vector<ptx::ReadAs> Cases() const {
    const bool one = launches_.launches.size() == 1 && kernels_.size() == 1;
    return one ? ptx::CasesOf(*kernels_[0].second.guide)
               : std::vector<ptx::ReadAs>();
  }

  // The report of all cases, if it says more. They stand for all only if in
  // each, too, nobody writes what is compared.
  void ByCases(const std::vector<ptx::ReadAs>& cases,
               checkers::CheckReport& report) {
    std::optional<checkers::CheckReport> all;
    for (const ptx::ReadAs& one : cases) {
      followed_.assign(1, {});
      read_as_ = one;
      std::optional<checkers::CheckReport> now = Rounds();
      const bool right = now && !TakesElements() &&
                         ptx::StaysSo(one, *kernels_[0].second.guide);
      if (right && Either()) AddSkipping(now);
      read_as_.clear();
      if (!right || !now) return;
      if (all)
        AddReport(std::move(*now), *all);
      else
        all = std::move(now);
      if (all->verdict == checkers::Verdict::kIncomplete) return;
    }
    if (all) report = std::move(*all);
  }

  static void Add(Report other, Report& report) {
    if (report && other)
      AddReport(std::move(*other), *report);
    else
      report.reset();
  }

  Report Skipping(ptx::Skips skips) {
    skips_ = skips;
    Report out = Rounds();
    skips_ = ptx::Skips::kNone;
    return out;
  }

  std::vector<ptx::Ways> WaysTaken() const {
    std::vector<ptx::Ways> out;
    for (const auto& [at, kernel] : kernels_)
      out.push_back(kernel.guide->ways());
    return out;
  }

  // What all have stored of whom data decide whether they do (docs/ptx.md 7.2).
  void AddSkipping(Report& report) {
    Report none = Skipping(ptx::Skips::kAll);
    const std::vector<ptx::Ways> all = WaysTaken();
    const bool two = std::any_of(all.begin(), all.end(),
                                 [](const ptx::Ways& w) { return w.any(); });
    if (!none || !two || UninitialisedBut({*report}, *none).empty())
      return Add(std::move(none), report);
    Report one = Skipping(ptx::Skips::kNotTaken);
    const std::vector<ptx::Ways> of_one = WaysTaken();
    Report other = Skipping(ptx::Skips::kTaken);
    const std::vector<ptx::Ways> of_other = WaysTaken();
    const bool same = of_one.size() == of_other.size() &&
                      std::equal(of_one.begin(), of_one.end(), of_other.begin(),
                                 [](const ptx::Ways& a, const ptx::Ways& b) {
                                   return StoreTheSame(a, b);
                                 });
    if (one && other && !same) LeaveOpen({*report, *one, *other}, *none);
    Add(std::move(one), report);
    Add(std::move(other), report);
    if (!same) Add(std::move(none), report);
  }

  std::optional<checkers::CheckReport> Rounds() {
    std::optional<checkers::CheckReport> report;
    bool taken = false;
    for (int round = 0; round < kMostRounds; ++round) {
      if (!Lower()) return std::nullopt;
      report = Judge();
      KeepOwn(*report);
      AddNotJudged(*report);
      bool grown = false;
      for (const auto& [at, kernel] : kernels_)
        grown = kernel.guide->Grow(followed_[at]) || grown;
      const bool cut = CutAnew();
      taken = !cut && TakeAnew();
      const bool discards = DiscardsAnew(*report);
      if (!cut && !taken && !grown && !discards) break;
    }
    // No verdict on what was not as it was taken.
    std::vector<std::string> open = WrittenMaps();
    AddChoices(open);
    if (taken)
      open.emplace_back(
          "what elements of buffers decide was not followed to the end");
    if (!open.empty() && report->verdict == checkers::Verdict::kClean)
      report->verdict = checkers::Verdict::kIncomplete;
    std::move(open.begin(), open.end(), std::back_inserter(report->open));
    return report;
  }

  // What is read where nothing has written it may be taken nowhere
  // (ptx/machine/discarded.h).
  bool DiscardsAnew(const checkers::CheckReport& report) {
    bool anew = false;
    for (size_t i = 0; HasUninitialised(report) && i < kernels_.size(); ++i) {
      bool& discards = followed_[kernels_[i].first].discards;
      if (discards) continue;
      discards =
          ptx::Discarded(kernels_[i].second.guide->program().graph).any();
      anew |= discards;
    }
    return anew;
  }

  // Of accesses that data decide.
  void AddChoices(std::vector<std::string>& open) const {
    for (const auto& [at, kernel] : kernels_) {
      if (FileOf(at) != &files_[0]) continue;
      for (const auto& [a, b] : kernel.guide->choices().not_shown())
        open.push_back(
            a == b ? ir::Cat("line ", a,
                             ": whether data choose two threads at once that "
                             "touch the same bytes was not shown")
                   : ir::Cat("lines ", a, " and ", b,
                             ": whether data choose both, which touch the same "
                             "bytes, was not shown"));
      for (std::string& text : kernel.guide->ReliedUpon())
        open.push_back(std::move(text));
    }
  }

  std::vector<std::string> WrittenMaps() const {
    std::vector<const ptx::PtxGuide*> all;
    for (const auto& [at, kernel] : kernels_) all.push_back(kernel.guide.get());
    return ptx::WrittenMaps(all);
  }

  // What is wrong in another file is told of that one.
  void KeepOwn(checkers::CheckReport& report) const {
    using checkers::report::Finding;
    std::vector<Finding> own, with_others;
    for (Finding& f : report.findings) {
      const ir::Diagnostic& d = f.diagnostic;
      const bool alone = std::all_of(
          d.labels.begin(), d.labels.end(),
          [](const auto& label) { return label.span.place() == 0; });
      if (d.span.place() == 0)
        (alone ? own : with_others).push_back(std::move(f));
    }
    const SourceLines lines(files_[0].module);
    lines.Merge(own);
    for (Finding& f : own) {
      lines.AddTo(f.diagnostic);
      std::erase_if(f.elsewhere, [](const Finding& e) {
        return e.diagnostic.span.place() != 0;
      });
      for (Finding& e : f.elsewhere) lines.AddTo(e.diagnostic);
    }
    std::move(with_others.begin(), with_others.end(), std::back_inserter(own));
    const bool wrong =
        std::any_of(own.begin(), own.end(), [](const Finding& f) {
          return f.diagnostic.severity == ir::Severity::kError;
        });
    report.findings = std::move(own);
    if (report.verdict != checkers::Verdict::kFindings || wrong) return;
    report.verdict = checkers::Verdict::kIncomplete;
    report.open.emplace_back("a kernel of another file has errors");
  }

  void AddNotJudged(checkers::CheckReport& report) const {
    using ptx::NotJudged;
    std::map<NotJudged, std::set<int32_t>> all;
    std::set<int32_t> meetings;
    for (const auto& [at, kernel] : kernels_) {
      if (FileOf(at) != &files_[0]) continue;
      for (const auto& [what, lines] : kernel.guide->not_judged())
        all[what].insert(lines.begin(), lines.end());
      meetings.merge(kernel.guide->MeetingsNotKnown());
    }
    auto add = [&](std::string_view what, const std::set<int32_t>& lines) {
      if (lines.empty()) return;
      report.not_judged.push_back(
          ir::Cat(what, ": ", LinesText({lines.begin(), lines.end()})));
    };
    for (const auto& [what, lines] : all) add(TextOf(what), lines);
    add("whether threads that write the same bytes in one instruction write "
        "the same numbers",
        meetings);
  }

  // Buffers are cut where runs show words among payload (ptx/launch/pieces.h).
  bool Lower() {
    do {
      if (!LowerAsCut()) return false;
    } while (CutAnew() || TakeAnew());
    return true;
  }

  // Elements that only say where (ptx/machine/where.h) are the least of their
  // domain, or the greatest. True: not those of which kernels_ were made. What
  // turns out to be more is followed for good.
  bool TakeAnew() {
    std::vector<const ptx::PtxGuide*> all;
    for (const auto& [at, kernel] : kernels_) all.push_back(kernel.guide.get());
    bool other = false;
    for (const auto& [at, kernel] : kernels_) {
      ptx::Followed now;
      const ptx::SayWhere where =
          ptx::ElementsThatSayWhere(*kernel.guide, followed_[at], all);
      const bool may = !follows_all_ && NobodyMeets(where, *kernel.guide, all);
      if (may) Take(where, now);
      const ptx::Followed& before = followed_[at];
      if (now.taken == before.taken && now.wide == before.wide &&
          now.rising == before.rising && now.only_read == before.only_read)
        continue;
      other = true;
      follows_all_ |=
          !before.taken.empty() && now.taken.size() != before.taken.size();
      followed_[at] = {};
      if (!follows_all_) followed_[at] = std::move(now);
    }
    return other;
  }

  // In the run in which distinct elements differ they rise, and what they say
  // is stored. In those in which all are the same, nobody is in anybody's way.
  void Take(const ptx::SayWhere& where, ptx::Followed& now) const {
    for (const auto& [node, buffer] : where.loads) {
      const auto& domain = pieces_.cut().buffers[buffer].domain;
      const bool least =
          elements_ != Taken::kGreatest || where.least.contains(node);
      now.taken[node] = !domain ? 0 : least ? domain->first : domain->second;
      if (elements_ == Taken::kEach && where.rising.contains(node))
        now.rising.emplace(node, buffer);
    }
    now.copies = where.copies;
    now.wide = where.wide;
    if (elements_ != Taken::kEach) now.only_read = where.stores;
  }

  // What stores by elements that are distinct leave open (docs/ptx.md 7.4);
  // nullopt: nobody stores so.
  std::optional<std::vector<std::string>> NotApart() const {
    std::vector<const ptx::PtxGuide*> all;
    for (const auto& [at, kernel] : kernels_) all.push_back(kernel.guide.get());
    std::optional<std::vector<std::string>> open;
    for (const auto& [at, kernel] : kernels_) {
      if (followed_[at].only_read.empty()) continue;
      if (!open) open.emplace();
      const ptx::SayWhere where =
          ptx::ElementsThatSayWhere(*kernel.guide, followed_[at], all);
      for (std::string& text : ptx::NotApart(where, *kernel.guide, all))
        open->push_back(std::move(text));
    }
    return open;
  }

  // The run in which these elements differ.
  void AddEach(std::vector<std::string> open, Report& report) {
    elements_ = Taken::kEach;
    Report each = Rounds();
    if (each && Either()) AddSkipping(each);
    elements_ = Taken::kLeast;
    if (each && !open.empty()) {
      if (each->verdict == checkers::Verdict::kClean)
        each->verdict = checkers::Verdict::kIncomplete;
      std::move(open.begin(), open.end(), std::back_inserter(each->open));
    }
    Add(std::move(each), report);
  }

  // True: into other pieces than those of which kernels_ were made.
  bool CutAnew() {
    for (const auto& [at, kernel] : kernels_)
      pieces_.Learn(at, kernel.guide->TouchedBuffers());
    const bool other = pieces_.CutAnew();
    if (other && ++cuts_ >= kMostCuts) pieces_.GiveUp();
    if (other) followed_.assign(launches_.launches.size(), {});
    return other;
  }

  bool LowerAsCut() {
    kernels_.clear();
    open_.clear();
    for (size_t i = 0; i < launches_.launches.size(); ++i) {
      const PtxFile* of = FileOf(i);
      if (of != nullptr && Add(*of, i)) continue;
      if (of == &files_[0]) return false;
      open_.push_back(ir::Cat("launch ", i + 1, " is of ",
                              launches_.launches[i].ptx,
                              ": it was not checked"));
    }
    const bool any = std::any_of(
        kernels_.begin(), kernels_.end(),
        [&](const auto& k) { return FileOf(k.first) == &files_[0]; });
    if (!any)
      file_.failure = NoLaunchOf(request_.launch, launches_, file_.source.path);
    return any;
  }

  // nullptr: none that is here.
  const PtxFile* FileOf(size_t launch) const {
    auto found =
        std::find_if(files_.begin(), files_.end(), [&](const PtxFile& f) {
          return IsLaunchOf(launches_, launch, f.path);
        });
    return found == files_.end() ? nullptr : &*found;
  }

  // Errors of other files are told of these.
  bool Add(const PtxFile& of, size_t at) {
    const bool own = &of == &files_[0];
    std::vector<ptx::LaunchError> errors = ptx::Fits(of.module, launches_, at);
    if (!errors.empty()) {
      if (own) file_.failure = TextOf(request_.launch, errors);
      return false;
    }
    ir::Diagnostics others;
    followed_[at].skips = skips_;
    followed_[at].read_as = read_as_;
    std::optional<ptx::Lowered> kernel = LowerFollowed(
        of.module, pieces_.cut(), at, purpose_, request_.options.max_events,
        sets_, followed_[at], own ? file_.texts : others,
        [&](const ptx::PtxGuide& guide) {
          pieces_.Learn(at, guide.TouchedBuffers());
        });
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
  const std::vector<PtxFile>& files_;
  const ptx::LaunchFile& launches_;
  CheckedFile& file_;
  const ptx::Purpose purpose_;
  ptx::Pieces pieces_;
  int cuts_ = 0;                          // so often pieces_ have changed
  ptx::Skips skips_ = ptx::Skips::kNone;  // Followed::skips
  ptx::ReadAs read_as_;                   // Followed::read_as
  enum class Taken : uint8_t { kLeast, kGreatest, kEach };
  Taken elements_ = Taken::kLeast;  // TakeAnew
  bool follows_all_ = false;
  std::vector<std::pair<size_t, ptx::Lowered>> kernels_;  // by launch
  std::vector<ptx::Followed> followed_;                   // likewise
  std::vector<std::string> open_;
  const std::shared_ptr<machine::ByteSets> sets_ =
      std::make_shared<machine::ByteSets>();
};

// The file at hand, and others that were given and that launches name.
std::vector<PtxFile> FilesOf(const CheckRequest& request,
                             const ptx::LaunchFile& launches, ptx::Module own,
                             const ir::Source& source) {
  std::vector<PtxFile> out;
  out.push_back({source.path, std::move(own), 0});
  for (const std::string& path : request.paths) {
    bool named = IsPtx(path) && path != source.path;
    for (const PtxFile& f : out) named = named && f.path != path;
    bool wanted = false;
    for (size_t i = 0; i < launches.launches.size(); ++i)
      wanted |= !launches.launches[i].ptx.empty() &&
                IsLaunchOf(launches, i, path) &&
                !IsLaunchOf(launches, i, source.path);
    if (!named || !wanted) continue;
    absl::StatusOr<ir::Source> other = OpenSource(path);
    ir::Diagnostics errors;
    std::optional<ptx::Module> module;
    if (other.ok()) module = ptx::Parse(*other, errors);
    if (!module) continue;
    ir::Place place;
    place.path = path;
    place.text = std::make_shared<const std::string>(other->text);
    source.places->push_back(std::move(place));
    const auto number = static_cast<int32_t>(source.places->size());
    for (ptx::Function& f : module->functions) {
      f.span = f.span.In(number);
      for (ptx::Statement& s : f.body) s.span = s.span.In(number);
    }
    out.push_back({path, std::move(*module), number});
  }
  return out;
}

// Launches that are not here may have written what is said to hold nothing.
void ForgetUndefined(const std::vector<PtxFile>& files,
                     ptx::LaunchFile& launches) {
  for (size_t i = 0; i < launches.launches.size(); ++i) {
    const bool here = std::any_of(
        files.begin(), files.end(),
        [&](const PtxFile& f) { return IsLaunchOf(launches, i, f.path); });
    if (here) continue;
    for (ptx::Buffer& b : launches.buffers) {
      if (b.start.kind == ptx::Start::Kind::kUndefined)
        b.start.kind = ptx::Start::Kind::kNotGiven;
    }
  }
}

}  // namespace

void CheckPtx(const CheckRequest& request, CheckedFile& file) {
  if (request.launch.empty()) {
    file.failure = file.source.path +
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
  const std::vector<PtxFile> files =
      FilesOf(request, *launches, std::move(*module), file.source);
  for (const PtxFile& f : files) {
    ptx::AddVariables(f.module, *launches);
    ptx::AddWorkspaces(f.module, *launches);
  }
  ForgetUndefined(files, *launches);
  if (Launches(request, files, *launches, file).Check({})) return;
  const std::vector<std::string> given = GiveDistinct(*launches);
  Launches(request, files, *launches, file).Check(given);
}

}  // namespace tilesim::cli
