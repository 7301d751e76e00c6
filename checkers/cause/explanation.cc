#include "checkers/cause/explanation.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace tilesim::checkers::cause {
using footprint::Fragments;
using report::Finding;
using report::Findings;
using report::SignatureOf;
using run::Log;
using run::RunOptions;

namespace {

// Runs that are judged anew, of one cluster; the events of one, and of all.
constexpr size_t kMaxRepairs = 48;
constexpr size_t kMaxEventsOfRun = 4'000;
constexpr size_t kMaxEvents = 30'000;

}  // namespace

Explanation::Explanation(Log& log, const RunOptions& options,
                         Fragments& fragments, Findings& findings)
    : options_(options),
      fragments_(fragments),
      findings_(findings),
      log_(&log),
      left_(log.events.size() > kMaxEventsOfRun
                ? 0
                : static_cast<int>(std::min(
                      kMaxRepairs, kMaxEvents / (log.events.size() + 1)))) {
  if (may_run()) seen_ = JudgeRun(log, fragments);
}

Repaired Explanation::Run(const run::PatientOps& patient) {
  return Run(*log_->code, patient);
}
Repaired Explanation::Run(const machine::Code& code,
                          const run::PatientOps& patient) {
  --left_;
  RunOptions o = options_;
  o.patient = &patient;
  Repaired out{RunCluster(code, o), {}};
  out.seen = JudgeRun(out.log, fragments_);
  return out;
}

bool Explanation::FailsAtDefaults(const ir::Kernel& kernel) {
  // What other clusters do is known at these sizes alone.
  if (options_.environment != nullptr) return false;
  const auto text = ChangedAtDefaults(code(), kernel);
  if (text == nullptr) return false;
  RunOptions o;
  o.max_events = kMaxEventsOfRun;
  const Log log = RunCluster(*text->code, o);
  return std::any_of(
      log.findings.begin(), log.findings.end(), [](const ir::Diagnostic& d) {
        return d.severity == ir::Severity::kError && !run::LeftToOrder(d);
      });
}

Findings Explanation::JudgedWith(const run::Lack& lack) {
  --left_;
  log_->assumed = lack;
  Findings still = JudgeRun(*log_, fragments_);
  log_->assumed.reset();
  return still;
}

void Explanation::GoOnWith(Repaired run, run::PatientOps patient) {
  repaired_ = std::move(run);
  log_ = &repaired_->log;
  seen_ = std::move(repaired_->seen);
  patient_ = std::move(patient);
}

// Whether less is wrong, and nothing hides what may be: a run that does not
// come to its end shows nothing of what comes behind.
bool Explanation::IsBetter(const Repaired& r) const {
  return Ends(r.log) && (!Ends(*log_) || ErrorsIn(r.seen) < ErrorsIn(seen_));
}

bool Explanation::IsRight(const Repaired& r) {
  return Ends(r.log) && !r.seen.has_errors() && r.log.undetermined.empty();
}

void Explanation::TellCause(const std::vector<Finding>& told,
                            const Findings& left) {
  TellCause(told, [&](const Finding& f) { return !left.Has(f); });
}
void Explanation::TellCause(
    const std::vector<Finding>& told,
    const std::function<bool(const Finding&)>& follows) {
  for (const Finding& f : told) {
    findings_.AddCopy(f);
    causes_.insert(f.key);
  }
  Finding* cause = findings_.WithKey(told.front().key);
  cause->every_schedule = false;
  for (Finding& f : findings_.all()) {
    if (causes_.contains(f.key) || !f.because.empty() || !follows(f)) continue;
    f.because = cause->key;
    bool better = cause->witness.empty() && !f.witness.empty();
    if (better) cause->witness = f.witness;
    if (better || cause->consequence.code.empty())
      cause->consequence = SignatureOf(f.diagnostic);
    cause->every_schedule |= f.every_schedule;
  }
}

bool Explanation::AreKnown(const Findings& errors) const {
  return std::all_of(
      errors.all().begin(), errors.all().end(),
      [&](const Finding& f) { return !IsError(f) || HasLike(findings_, f); });
}

std::vector<Finding*> Explanation::Left() {
  std::vector<Finding*> out;
  for (Finding& f : findings_.all()) {
    if (f.because.empty() && !causes_.contains(f.key) && seen_.Has(f))
      out.push_back(&f);
  }
  return out;
}

std::vector<Finding*> Explanation::Roots() {
  std::vector<Finding*> out;
  for (Finding& f : findings_.all()) {
    if (IsError(f) && f.because.empty() && !causes_.contains(f.key))
      out.push_back(&f);
  }
  return out;
}

std::vector<Finding*> Explanation::GoneIn(const ChangedText& text,
                                          const std::vector<Finding*>& roots) {
  Repaired r = Run(*text.code, {});
  if (!Ends(r.log) || !AreKnown(r.seen)) return {};
  std::vector<Finding*> out;
  for (Finding* f : roots) {
    const bool shown = !r.seen.has_errors() || seen_.Has(*f);
    if (shown && !HasLike(r.seen, *f)) out.push_back(f);
  }
  return out;
}

Finding* Explanation::Follow(const std::vector<Finding*>& gone,
                             const std::function<bool(const Finding&)>& is,
                             const std::string& help) {
  auto first = std::find_if(gone.begin(), gone.end(),
                            [](const Finding* f) { return f->known; });
  if (first == gone.end())
    first = std::find_if(gone.begin(), gone.end(),
                         [&](const Finding* f) { return is(*f); });
  if (first == gone.end()) first = gone.begin();
  if (!help.empty()) (*first)->diagnostic.help = help;
  for (Finding* f : gone) {
    if (f != *first) f->because = (*first)->key;
  }
  return *first;
}

bool AreOfPhases(const std::vector<Finding*>& roots) {
  return std::any_of(roots.begin(), roots.end(), [](const Finding* f) {
    const std::string_view family = f->diagnostic.code.family();
    return family == "parity" || family == "deadlock" || IsOfNumbers(*f);
  });
}
}  // namespace tilesim::checkers::cause
