// What the ways to find a cause share: the findings of a cluster, a run to
// compare with, runs of something repaired, and who follows from whom.
#ifndef TILESIM_CHECKERS_CAUSE_EXPLANATION_H_
#define TILESIM_CHECKERS_CAUSE_EXPLANATION_H_

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checkers/cause/changed_text.h"
#include "checkers/cause/repaired.h"
#include "checkers/footprint/fragments.h"
#include "checkers/report/findings.h"
#include "checkers/run/log.h"
#include "checkers/run/runner.h"

namespace tilesim::checkers::cause {

class Explanation {
 public:
  Explanation(run::Log& log, const run::RunOptions& options,
              footprint::Fragments& fragments, report::Findings& findings);

  // The run, or the last one that was repaired, and what is wrong in it.
  const run::Log& log() const { return *log_; }
  const machine::Code& code() const { return *log_->code; }
  const report::Findings& seen() const { return seen_; }
  report::Findings& findings() { return findings_; }
  const run::RunOptions& options() const { return options_; }
  // Ops that are taken to wait for the next phase.
  const run::PatientOps& patient() const { return patient_; }

  // Whether another run may be judged.
  bool may_run() const { return left_ > 0; }
  Repaired Run(const run::PatientOps& patient);
  Repaired Run(const machine::Code& code, const run::PatientOps& patient);
  // Whether a cluster of it hangs, or does what is forbidden, at the sizes of
  // the text: what is right at the smallest sizes may mend nothing.
  bool FailsAtDefaults(const ir::Kernel& kernel);
  // The run, if that order were there.
  report::Findings JudgedWith(const run::Lack& lack);
  // What is left is compared with that run from now on.
  void GoOnWith(Repaired run, run::PatientOps patient);

  bool IsBetter(const Repaired& r) const;
  // Nothing is wrong in it, and it shows all there is.
  static bool IsRight(const Repaired& r);
  // Of errors: each was told.
  bool AreKnown(const report::Findings& errors) const;

  // Whether that was told as a cause; whether any was.
  bool IsCause(const report::Finding& f) const {
    return causes_.contains(f.key);
  }
  bool has_causes() const { return !causes_.empty(); }

  // Errors that are told side by side.
  std::vector<report::Finding*> Roots();
  // What is left, as far as this run shows it.
  std::vector<report::Finding*> Left();
  // Of `roots` what is not there in the run of another text that nothing else
  // is wrong in: where something is left, of what this run shows.
  std::vector<report::Finding*> GoneIn(
      const ChangedText& text, const std::vector<report::Finding*>& roots);

  // All that is not there any more follows from the first of them; the others
  // are mistakes beside it.
  void TellCause(const std::vector<report::Finding>& told,
                 const report::Findings& left);
  void TellCause(const std::vector<report::Finding>& told,
                 const std::function<bool(const report::Finding&)>& follows);
  // They follow from one of them, which is returned: one that was told at other
  // sizes, if any was, or the one that `is` prefers.
  static report::Finding* Follow(
      const std::vector<report::Finding*>& gone,
      const std::function<bool(const report::Finding&)>& is,
      const std::string& help);

 private:
  const run::RunOptions& options_;
  footprint::Fragments& fragments_;
  report::Findings& findings_;
  run::Log* log_;
  std::optional<Repaired> repaired_;  // that `log_` is of, if any
  report::Findings seen_;
  std::set<std::string> causes_;  // keys
  run::PatientOps patient_;
  int left_;
};

// Whether some are of phases, or of the numbers that these count.
bool AreOfPhases(const std::vector<report::Finding*>& roots);

}  // namespace tilesim::checkers::cause

#endif  // TILESIM_CHECKERS_CAUSE_EXPLANATION_H_
