#include "checkers/cause/cause.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checkers/cause/missing_wait.h"
#include "checkers/cause/repaired.h"
#include "checkers/cause/rewrites.h"
#include "checkers/cause/rewrites_of.h"
#include "checkers/cause/wrong_number.h"
#include "checkers/order/peeked.h"
#include "checkers/order/repeats.h"
#include "checkers/run/peeks.h"

namespace tilesim::checkers::cause {
using footprint::Fragments;
using order::Repeat;
using report::Finding;
using report::Findings;
using report::SignatureOf;
using run::Log;
using run::RunCluster;
using run::RunOptions;

namespace {

// Runs that are judged anew, of one cluster; the events of one, and of all.
constexpr size_t kMaxRepairs = 48;
constexpr size_t kMaxEventsOfRun = 4'000;
constexpr size_t kMaxEvents = 30'000;

class Explainer {
 public:
  Explainer(Log& log, const RunOptions& options, Fragments& fragments,
            Findings& findings)
      : options_(options),
        fragments_(fragments),
        findings_(findings),
        log_(&log),
        left_(log.events.size() > kMaxEventsOfRun
                  ? 0
                  : static_cast<int>(std::min(
                        kMaxRepairs, kMaxEvents / (log.events.size() + 1)))) {}

  void Run() {
    if (!findings_.has_errors() || left_ == 0) return;
    seen_ = JudgeRun(*log_, fragments_);
    AnswerNo();
    if (MissingWait() || Misdirected() || CountsTooFew()) return;
    while (Waits()) {
    }
    Peeks();
    if (StartsAgain() || (causes_.empty() && Rewritten())) return;
    // Where a phase is over too soon, orders are lacking as well.
    WrongNumbers(true);
    while (Lacks()) {
    }
    WrongNumbers(false);
    TooManyArrivals();
    Pending();
  }

 private:
  // --- peeks ---------------------------------------------------------------

  // A run whose peeks were answered as they came hides waits: on with one in
  // which none is answered with yes.
  void AnswerNo() {
    if (!options_.peeks || run::PeeksOf(*log_->code).asks.empty()) return;
    for (const run::Event& e : log_->events) {
      if (std::any_of(e.uses.begin(), e.uses.end(), run::IsPeek)) return;
    }
    asked_ = Run({});
    log_ = &asked_->log;
    seen_ = std::move(asked_->seen);
  }

  // What a run without any yes does not have comes of the peek that is answered
  // for another phase.
  void Peeks() {
    if (!asked_) return;
    order::OtherPhase other = order::PeekForAnotherPhase(*log_);
    if (other.peek < 0) return;
    Findings told;
    const Finding* cause = order::Tell(*log_, other, told);
    if (cause == nullptr) return;
    auto follows = [&](const Finding& f) {
      return f.because.empty() && !causes_.contains(f.key) && !seen_.Has(f);
    };
    if (std::any_of(findings_.all().begin(), findings_.all().end(), follows))
      TellCause({*cause}, seen_);
  }

  // --- waits that are not there --------------------------------------------

  // A wait for barriers that nothing waits for, with which most is not wrong
  // any more, and nothing else is.
  bool MissingWait() {
    std::optional<Findings> best;
    Finding cause;
    const size_t all = ErrorsIn(findings_);
    for (const WaitPlace& place : PlacesForWaits(*log_->code, findings_)) {
      for (bool fresh : {false, true}) {
        if (left_ <= 0 || (best && !best->has_errors())) break;
        auto with = AddWait(*log_->code, place);
        if (with == nullptr) break;
        Repaired r = Run(*with->text->code,
                         {{with->wait, fresh ? run::LastSeen::kNone : -1}});
        const size_t left = ErrorsIn(r.seen);
        if (!Ends(r.log) || 2 * left >= all || !AreKnown(r.seen) ||
            (best && ErrorsIn(*best) <= left))
          continue;
        Findings told;
        cause = *Tell(*log_->code, place, fresh, told);
        best = std::move(r.seen);
      }
    }
    if (!best) return false;
    TellCause({cause}, [&](const Finding& f) {
      return IsError(f) && !HasLike(*best, f);
    });
    return true;
  }

  bool AreKnown(const Findings& errors) const {
    return std::all_of(
        errors.all().begin(), errors.all().end(),
        [&](const Finding& f) { return !IsError(f) || HasLike(findings_, f); });
  }

  // --- runs with waits that wait -------------------------------------------

  Repaired Run(const run::PatientOps& patient) {
    return Run(*log_->code, patient);
  }
  Repaired Run(const machine::Code& code, const run::PatientOps& patient) {
    --left_;
    RunOptions o = options_;
    o.patient = &patient;
    Repaired out{RunCluster(code, o), {}};
    out.seen = JudgeRun(out.log, fragments_);
    return out;
  }

  // Whether less is wrong, and nothing hides what may be: a run that does not
  // come to its end shows nothing of what comes behind.
  bool IsBetter(const Repaired& r) const {
    return Ends(r.log) && (!Ends(*log_) || ErrorsIn(r.seen) < ErrorsIn(seen_));
  }

  // A wait that may be what others follow from.
  struct Candidate {
    int32_t op = -1;
    int64_t seen = 0;    // what counts as seen before any phase was
    bool ahead = false;  // order::Repeat
    Finding finding;
  };
  using Candidates = std::vector<Candidate>;

  // Of a run, those that are not patient yet, nor among `known`.
  void AddCandidates(const Log& log, Candidates& known) const {
    for (const Repeat& r : order::RepeatsOf(log)) {
      int32_t op = log.events[r.event].op;
      bool again = patient_.contains(op) ||
                   std::any_of(known.begin(), known.end(),
                               [&](const Candidate& c) { return c.op == op; });
      Findings told;
      const Finding* f = again ? nullptr : order::Tell(log, r, told);
      // On a fresh barrier the first wait may pass, if that is not the mistake.
      int64_t seen = r.before < 0 || r.ahead ? -1 : run::kAsWritten;
      if (f != nullptr) known.push_back({op, seen, r.ahead, *f});
    }
  }

  // Waits that are taken to wait for the next phase: the one after which least
  // is wrong; where none alone makes it better, as few as do together. False:
  // none do.
  bool Waits() {
    Candidates all;
    AddCandidates(*log_, all);
    std::optional<Repaired> best;
    Candidates of;
    for (const Candidate& c : all) {
      std::optional<Repaired> r = Better({c});
      if (!r || (best && ErrorsIn(best->seen) <= ErrorsIn(r->seen))) continue;
      // Phases may go by for another reason: arrivals that come too soon.
      if (c.ahead && r->seen.has_errors()) continue;
      best = std::move(r);
      of = {c};
    }
    // Fresh barriers that are waited for are as a rule meant.
    for (bool fresh : {false, true}) {
      if (best) break;
      of = WithThoseBehind(all, fresh);
      if (of.size() > 1) best = Together(of);
    }
    if (!best) return false;
    std::vector<Finding> told;
    for (const Candidate& c : of) {
      patient_.emplace(c.op, c.seen);
      told.push_back(c.finding);
    }
    TellCause(told, best->seen);
    repaired_ = std::move(best);
    log_ = &repaired_->log;
    seen_ = std::move(repaired_->seen);
    return true;
  }

  run::PatientOps With(const Candidates& waits) const {
    run::PatientOps patient = patient_;
    for (const Candidate& c : waits) patient.emplace(c.op, c.seen);
    return patient;
  }

  std::optional<Repaired> Better(const Candidates& waits) {
    if (left_ <= 0) return std::nullopt;
    Repaired r = Run(With(waits));
    return IsBetter(r) ? std::optional(std::move(r)) : std::nullopt;
  }

  // Once those wait, others may be seen to pass that the run did not come to.
  Candidates WithThoseBehind(Candidates waits, bool fresh) {
    constexpr int kRounds = 3;
    auto left_out = [&](const Candidate& c) {
      return c.ahead || (!fresh && c.seen == -1);
    };
    std::erase_if(waits, left_out);
    for (int i = 0; i < kRounds && left_ > 0 && !waits.empty(); ++i) {
      size_t before = waits.size();
      AddCandidates(Run(With(waits)).log, waits);
      std::erase_if(waits, left_out);
      if (waits.size() == before) break;
    }
    return waits;
  }

  // All, then without those that make no difference.
  std::optional<Repaired> Together(Candidates& waits) {
    std::optional<Repaired> best = Better(waits);
    for (size_t i = waits.size(); best && i-- > 0;) {
      Candidates fewer = waits;
      fewer.erase(fewer.begin() + static_cast<int64_t>(i));
      std::optional<Repaired> r = Better(fewer);
      if (!r || ErrorsIn(r->seen) > ErrorsIn(best->seen)) continue;
      best = std::move(r);
      waits = std::move(fewer);
    }
    return best;
  }

  // All that is not there any more follows from the first of them; the others
  // are mistakes beside it.
  void TellCause(const std::vector<Finding>& told, const Findings& left) {
    TellCause(told, [&](const Finding& f) { return !left.Has(f); });
  }
  void TellCause(const std::vector<Finding>& told,
                 const std::function<bool(const Finding&)>& follows) {
    for (const Finding& f : told) {
      findings_.AddCopy(f);
      causes_.insert(f.key);
    }
    Finding* cause = findings_.WithKey(told.front().key);
    cause->every_schedule = false;
    for (Finding& f : findings_.all()) {
      if (causes_.contains(f.key) || !f.because.empty() || !follows(f))
        continue;
      f.because = cause->key;
      bool better = cause->witness.empty() && !f.witness.empty();
      if (better) cause->witness = f.witness;
      if (better || cause->consequence.code.empty())
        cause->consequence = SignatureOf(f.diagnostic);
      cause->every_schedule |= f.every_schedule;
    }
  }

  // --- orders that are taken to be there -----------------------------------

  // What is left, as far as this run shows it.
  std::vector<Finding*> Left() {
    std::vector<Finding*> out;
    for (Finding& f : findings_.all()) {
      if (f.because.empty() && !causes_.contains(f.key) && seen_.Has(f))
        out.push_back(&f);
    }
    return out;
  }

  // The lack of order of which most comes. False: of none comes anything but
  // itself.
  bool Lacks() {
    std::vector<Finding*> left = Left();
    if (left.size() < 2) return false;
    std::vector<Finding*> most;
    Finding* cause = nullptr;
    std::vector<run::Lack> tried;
    for (Finding* f : left) {
      bool known =
          std::find(tried.begin(), tried.end(), f->lack) != tried.end();
      if (!IsError(*f) || !f->lack.known() || known) continue;
      if (left_-- <= 0) break;
      tried.push_back(f->lack);
      std::vector<Finding*> gone = GoneWith(f, left);
      if (gone.size() <= most.size()) continue;
      most = std::move(gone);
      cause = f;
    }
    for (Finding* f : most) f->because = cause->key;
    return cause != nullptr;
  }

  // What is not there if that order is, besides `cause`; nothing, if `cause`
  // still is.
  std::vector<Finding*> GoneWith(const Finding* cause,
                                 const std::vector<Finding*>& left) {
    log_->assumed = cause->lack;
    Findings still = JudgeRun(*log_, fragments_);
    log_->assumed.reset();
    std::vector<Finding*> out;
    if (still.Has(*cause)) return out;
    for (Finding* f : left) {
      if (f != cause && !still.Has(*f)) out.push_back(f);
    }
    return out;
  }

  // --- other texts -------------------------------------------------------

  // Errors that are told side by side.
  std::vector<Finding*> Roots() {
    std::vector<Finding*> out;
    for (Finding& f : findings_.all()) {
      if (IsError(f) && f.because.empty() && !causes_.contains(f.key))
        out.push_back(&f);
    }
    return out;
  }

  // Of `roots` what is not there in the run of another text that nothing else
  // is wrong in: where something is left, of what this run shows.
  std::vector<Finding*> GoneIn(const ChangedText& text,
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

  // They follow from one of them: one that was told at other sizes, if any was,
  // or the one that `is` prefers.
  static void Follow(const std::vector<Finding*>& gone,
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
  }

  static bool AreOfPhases(const std::vector<Finding*>& roots) {
    return std::any_of(roots.begin(), roots.end(), [](const Finding* f) {
      const std::string_view family = f->diagnostic.code.family();
      return family == "parity" || family == "deadlock" || IsOfNumbers(*f);
    });
  }
  static bool TellsOfNumbers(const std::vector<Finding*>& gone) {
    auto hangs = [](const Finding* f) {
      return f->diagnostic.code.name().starts_with("deadlock/");
    };
    auto of_numbers = [](const Finding* f) { return IsOfNumbers(*f); };
    return std::any_of(gone.begin(), gone.end(), of_numbers) ||
           (!gone.empty() && std::all_of(gone.begin(), gone.end(), hangs));
  }

  // A small change of the text after which nothing is wrong: all follows from
  // what it mends.
  bool Rewritten() {
    const std::vector<Finding*> roots = Roots();
    return RewrittenAs(RewritesFor(roots), roots);
  }

  // A counter that starts again with each turn of a loop: waits that go by it
  // pass on phases that their threads have seen, which are causes by then.
  bool StartsAgain() {
    std::vector<Finding*> roots;
    for (Finding& f : findings_.all()) {
      if (IsError(f) && f.because.empty()) roots.push_back(&f);
    }
    if (!AreOfPhases(roots) || log_->code->guide != nullptr) return false;
    return RewrittenAs(CountersGoOn(*log_->code), roots);
  }

  // An arrival at another barrier than it is meant for. Waits for that one
  // hang, or pass for phases that nobody has made.
  bool Misdirected() {
    const std::vector<Finding*> roots = Roots();
    if (!AreOfPhases(roots) || log_->code->guide != nullptr) return false;
    return RewrittenAs(OtherArrivals(*log_->code), roots);
  }

  bool RewrittenAs(const std::vector<Rewrite>& rewrites,
                   const std::vector<Finding*>& roots) {
    for (const Rewrite& r : rewrites) {
      if (left_ <= 0) return false;
      auto text = Changed(*log_->code, r.kernel);
      if (text == nullptr) continue;
      Repaired run = Run(*text->code, {});
      if (!Ends(run.log) || run.seen.has_errors() ||
          !run.log.undetermined.empty())
        continue;
      const std::vector<Finding*> gone = GoneWith(r, roots);
      if (gone.empty()) continue;
      Follow(
          gone,
          [&](const Finding& f) {
            return causes_.contains(f.key) ||
                   (causes_.empty() && f.diagnostic.code.family() == r.family);
          },
          r.help);
      return true;
    }
    return false;
  }

  // What other schedules show, and this run does not, comes of a mistake with
  // phases; not of one with groups or places.
  std::vector<Finding*> GoneWith(const Rewrite& r,
                                 const std::vector<Finding*>& roots) const {
    const bool of_phases =
        r.family != "race" && r.family != "wgmma" && r.family != "exit";
    std::vector<Finding*> out;
    for (Finding* f : roots) {
      if (of_phases || seen_.Has(*f)) out.push_back(f);
    }
    return out;
  }

  // Those that what is told speaks for.
  std::vector<Rewrite> RewritesFor(const std::vector<Finding*>& roots) {
    if (log_->code->guide != nullptr) return {};
    std::vector<Rewrite> out = ElectedIn(roots, PlacesOf(roots));
    std::vector<Rewrite> more = RewritesOf(*log_->code, roots);
    std::move(more.begin(), more.end(), std::back_inserter(out));
    return out;
  }

  // Of ops at those places that several threads execute, each for itself: the
  // first that should be one thread's. An arrival too many stops the run: on
  // with one in which none is.
  std::vector<Rewrite> ElectedIn(const std::vector<Finding*>& roots,
                                 const std::vector<ir::Span>& places) {
    const run::Event* found = OfSeveral(*log_, places);
    if (found != nullptr)
      return ByOneThread(*log_->code, *found->concrete().op, found->threads());
    for (const Finding* f : roots) {
      if (f->diagnostic.code != "arrival-count/over" || left_ <= 0) continue;
      const auto high = CountOutOfReach(*log_->code, f->diagnostic.span);
      auto text = high ? WithNumber(*log_->code, *high) : nullptr;
      if (text == nullptr) continue;
      const Repaired all = Run(*text->code, {});
      found = OfSeveral(all.log, places);
      if (found != nullptr)
        return ByOneThread(*log_->code, *found->concrete().op,
                           found->threads());
    }
    return {};
  }

  // Bytes that are expected, or arrivals that are counted.
  void WrongNumbers(bool too_few_bytes) {
    for (const WrongNumber& wrong : WrongNumbersIn(*log_)) {
      if (!too_few_bytes || wrong.too_few_bytes) Try(wrong, too_few_bytes);
    }
  }

  // The text with the right number: what is not there in its run follows from
  // the wrong one.
  void Try(const WrongNumber& wrong, bool too_few_bytes) {
    const std::vector<Finding*> roots = Roots();
    if (roots.empty() || left_ <= 0) return;
    auto text = WithNumber(*log_->code, wrong);
    if (text == nullptr) return;
    const std::vector<Finding*> gone = GoneIn(*text, roots);
    if (gone.empty() || (!too_few_bytes && !TellsOfNumbers(gone))) return;
    Follow(gone, IsOfNumbers, wrong.help);
  }

  // More arrivals come than an init counts, which stops the run: they are
  // counted in one that none stops.
  void TooManyArrivals() {
    for (const WrongNumber& wrong : CountedOutOfReach())
      return Try(wrong, false);
  }

  std::vector<WrongNumber> CountedOutOfReach() {
    std::vector<WrongNumber> out;
    for (const Finding* f : Roots()) {
      if (f->diagnostic.code != "arrival-count/over" || left_ <= 0) continue;
      const auto high = CountOutOfReach(*log_->code, f->diagnostic.span);
      auto text = high ? WithNumber(*log_->code, *high) : nullptr;
      if (text == nullptr) continue;
      const Repaired all = Run(*text->code, {});
      for (WrongNumber& wrong : WrongNumbersIn(all.log)) {
        if (wrong.ops[0]->span.line != high->ops[0]->span.line ||
            wrong.ops[0]->span.column != high->ops[0]->span.column ||
            wrong.number <= CountIn(*log_, *high->ops[0]))
          continue;
        wrong.ops = high->ops;  // of this text, which stays
        out.push_back(std::move(wrong));
      }
    }
    return out;
  }

  // An init that counts fewer arrivals than come each time: phases are over too
  // soon, and whatever comes of that. With the right count nothing is wrong.
  bool CountsTooFew() {
    const std::vector<Finding*> roots = Roots();
    if (!AreOfPhases(roots)) return false;
    std::vector<WrongNumber> all = WrongNumbersIn(*log_);
    for (WrongNumber& stopped : CountedOutOfReach()) {
      stopped.too_few_arrivals = true;
      all.push_back(std::move(stopped));
    }
    for (const WrongNumber& wrong : all) {
      if (!wrong.too_few_arrivals || left_ <= 0) continue;
      auto text = WithNumber(*log_->code, wrong);
      if (text == nullptr) continue;
      const Repaired r = Run(*text->code, {});
      if (!Ends(r.log) || r.seen.has_errors() || !r.log.undetermined.empty())
        continue;
      Follow(roots, IsOfNumbers, wrong.help);
      return true;
    }
    return false;
  }

  // What a wait for groups is there for.
  static bool IsOfGroups(const Finding& f) {
    const ir::Code& code = f.diagnostic.code;
    return code.family() == "race" || code == "wgmma/wait";
  }
  // A wait that leaves too many groups pending: what it does not wait for is
  // read, written and in flight at the end as well.
  void Pending() {
    const std::vector<Finding*> roots = Roots();
    if (std::none_of(roots.begin(), roots.end(),
                     [](const Finding* f) { return IsOfGroups(*f); }))
      return;
    for (const WrongNumber& wrong : FewerPending(*log_)) {
      if (left_ <= 0) return;
      auto text = WithNumber(*log_->code, wrong);
      if (text == nullptr) continue;
      const std::vector<Finding*> gone = GoneIn(*text, roots);
      bool of_groups = false, others = false;
      for (const Finding* f : gone) {
        of_groups |= IsOfGroups(*f);
        others |= !IsOfGroups(*f) && f->diagnostic.code != "exit/in-flight";
      }
      if (of_groups && !others) return Follow(gone, IsOfGroups, wrong.help);
    }
  }

  const RunOptions& options_;
  Fragments& fragments_;
  Findings& findings_;
  Log* log_;                       // the run, or the last one that was repaired
  Findings seen_;                  // in it
  std::set<std::string> causes_;   // keys of waits that were told
  run::PatientOps patient_;        // their ops
  std::optional<Repaired> asked_;  // the run in which all peeks get a no
  std::optional<Repaired> repaired_;
  int left_;
};

}  // namespace

void Explain(Log& log, const RunOptions& options, Fragments& fragments,
             Findings& findings) {
  Explainer(log, options, fragments, findings).Run();
}

}  // namespace tilesim::checkers::cause
