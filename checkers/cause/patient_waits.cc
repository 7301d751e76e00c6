#include "checkers/cause/patient_waits.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "checkers/order/repeats.h"

namespace tilesim::checkers::cause {
using order::Repeat;
using report::Finding;
using report::Findings;
using run::Log;

namespace {

class PatientWaits {
 public:
  explicit PatientWaits(Explanation& x) : x_(x) {}

  // Waits that are taken to wait for the next phase: the one after which least
  // is wrong; where none alone makes it better, as few as do together. False:
  // none do.
  bool Tell() {
    Candidates all;
    AddCandidates(x_.log(), all);
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
    for (const Candidate& c : of) told.push_back(c.finding);
    x_.TellCause(told, best->seen);
    x_.GoOnWith(std::move(*best), With(of));
    return true;
  }

 private:
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
      bool again = x_.patient().contains(op) ||
                   std::any_of(known.begin(), known.end(),
                               [&](const Candidate& c) { return c.op == op; });
      Findings told;
      const Finding* f = again ? nullptr : order::Tell(log, r, told);
      // On a fresh barrier the first wait may pass, if that is not the mistake.
      int64_t seen = r.before < 0 || r.ahead ? -1 : run::kAsWritten;
      if (f != nullptr) known.push_back({op, seen, r.ahead, *f});
    }
  }

  run::PatientOps With(const Candidates& waits) const {
    run::PatientOps patient = x_.patient();
    for (const Candidate& c : waits) patient.emplace(c.op, c.seen);
    return patient;
  }

  std::optional<Repaired> Better(const Candidates& waits) {
    if (!x_.may_run()) return std::nullopt;
    Repaired r = x_.Run(With(waits));
    return x_.IsBetter(r) ? std::optional(std::move(r)) : std::nullopt;
  }

  // Once those wait, others may be seen to pass that the run did not come to.
  Candidates WithThoseBehind(Candidates waits, bool fresh) {
    constexpr int kRounds = 3;
    auto left_out = [&](const Candidate& c) {
      return c.ahead || (!fresh && c.seen == -1);
    };
    std::erase_if(waits, left_out);
    for (int i = 0; i < kRounds && x_.may_run() && !waits.empty(); ++i) {
      size_t before = waits.size();
      AddCandidates(x_.Run(With(waits)).log, waits);
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

  Explanation& x_;
};

}  // namespace

bool TellWaits(Explanation& x) { return PatientWaits(x).Tell(); }

}  // namespace tilesim::checkers::cause
