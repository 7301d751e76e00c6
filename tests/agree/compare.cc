#include "tests/agree/compare.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "checkers/explore/search.h"
#include "checkers/judge/cluster.h"
#include "checkers/order/certificate.h"
#include "checkers/pairwise/check_run.h"
#include "checkers/run/runner.h"
#include "ir/cat.h"

namespace tilesim::checkers {
using explore::Exploration;
using explore::Explore;
using explore::ExploreOptions;
using footprint::Fragments;
using judge::CertifyValues;
using order::Certify;
using pairwise::CheckRun;
using report::Finding;
using report::Findings;
using run::Log;
using run::Path;
using run::RunCluster;
using run::RunOptions;

namespace {

std::set<std::string> CodesOf(const Exploration& e) {
  std::set<std::string> out;
  for (const Finding& s : e.findings.all())
    out.insert(
        ir::Cat(s.diagnostic.code.name(), " on line ", s.diagnostic.span.line));
  return out;
}

// Whether something is wrong with the accesses of a run or with what it leaves
// behind. What exactly is told depends on which of two unordered accesses came
// first.
Findings FoundIn(const Log& log) {
  Fragments fragments;
  Findings found, certified;
  CheckRun(log, fragments, found);
  Certify(log, certified);
  found.Merge(certified, [](const Finding& f) { return !f.concluded; });
  return found;
}

bool IsWrong(const Log& log) { return !FoundIn(log).all().empty(); }

bool HasError(const Findings& findings) {
  return std::any_of(findings.all().begin(), findings.all().end(),
                     [](const Finding& f) {
                       return f.diagnostic.severity == ir::Severity::kError;
                     });
}

// How many of the orders that a search found are wrong.
int64_t WrongOrders(const machine::Code& code, const Exploration& e) {
  return std::count_if(e.ends.begin(), e.ends.end(), [&](const Path& path) {
    RunOptions along;
    along.path = &path;
    return IsWrong(RunCluster(code, along));
  });
}

// Whether some schedule has an error, warnings aside.
bool SomeHasError(const machine::Code& code, const Exploration& e) {
  return HasError(e.findings) ||
         std::any_of(e.ends.begin(), e.ends.end(), [&](const Path& path) {
           RunOptions along;
           along.path = &path;
           Log log = RunCluster(code, along);
           return !log.finished || HasError(FoundIn(log));
         });
}

std::string Joined(const std::set<std::string>& words) {
  std::string out;
  for (const std::string& word : words) ir::Append(&out, ", ", word);
  return out;
}

std::string Told(const Exploration& e, int64_t wrong) {
  return ir::Cat(e.finishes ? "finishes, " : "", e.sticks ? "sticks, " : "",
                 e.ends.size(), " orders, ", wrong, " wrong",
                 Joined(CodesOf(e)));
}

std::string CompareSearches(const Exploration& plain, int64_t wrong_of_plain,
                            const Exploration& reduced,
                            int64_t wrong_of_reduced) {
  bool same = reduced.complete && plain.finishes == reduced.finishes &&
              plain.sticks == reduced.sticks &&
              plain.ends.size() == reduced.ends.size() &&
              plain.deviations.empty() == reduced.deviations.empty() &&
              CodesOf(plain) == CodesOf(reduced) &&
              wrong_of_plain == wrong_of_reduced;
  if (same) return "";
  return ir::Cat("every schedule: ", Told(plain, wrong_of_plain),
                 "; reduced search: ", Told(reduced, wrong_of_reduced),
                 reduced.why.empty() ? "" : ": ", reduced.why);
}

std::set<std::string> CodesOf(const Log& log) {
  std::set<std::string> out;
  for (const ir::Diagnostic& d : log.findings) {
    // Of barriers that are initialised again the run warns, the search does
    // not.
    if (d.severity != ir::Severity::kError) continue;
    out.insert(ir::Cat(d.code.name(), " on line ", d.span.line));
  }
  return out;
}

// A certified run is the only order there is.
std::string CompareCertificate(const Log& log, const Exploration& plain,
                               int64_t wrong) {
  if (!plain.deviations.empty())
    return "certified, but a barrier is used in different phases";
  if (plain.ends.size() > 1) return "certified, but there are several orders";
  if (plain.findings.all().empty() && plain.finishes != log.finished)
    return "certified, but ends differently";
  // Where the machine stops every schedule there is no end to be judged.
  bool same = plain.ends.empty() || IsWrong(log) == (wrong > 0);
  if (CodesOf(log) == CodesOf(plain) && same) return "";
  return ir::Cat("certified; the run ", IsWrong(log) ? "is wrong" : "is not",
                 Joined(CodesOf(log)),
                 "; every schedule: ", Told(plain, wrong));
}

}  // namespace

Agreement Compare(const ir::Program& program, const ir::Overrides& sizes,
                  int64_t max_states) {
  Agreement out;
  ir::Diagnostics diagnostics;
  std::optional<ir::BoundKernel> bound =
      ir::Bind(program.kernels[0], sizes, 1, diagnostics);
  if (!bound) {
    out.difference = "does not bind";
    return out;
  }
  std::optional<machine::Code> code =
      machine::Compile(std::move(*bound), diagnostics);
  if (!code) {
    out.difference = "does not compile";
    return out;
  }
  ExploreOptions o;
  o.max_states = max_states;
  o.after_finding = max_states;
  Exploration reduced = Explore(*code, o);
  o.reduce = false;
  o.both_milestones = true;
  Exploration plain = Explore(*code, o);
  out.plain = plain.states;
  out.reduced = reduced.states;
  out.decided = plain.complete;
  if (!out.decided) return out;
  int64_t wrong = WrongOrders(*code, plain);
  out.bad = !plain.findings.all().empty() || wrong > 0;
  out.wrong = SomeHasError(*code, plain);
  out.determined = plain.deviations.empty();
  out.difference =
      CompareSearches(plain, wrong, reduced, WrongOrders(*code, reduced));
  Log log = RunCluster(*code, {});
  Fragments fragments;
  Findings certified;
  out.certified = CertifyValues(log, fragments, certified).holds;
  if (out.certified && out.difference.empty())
    out.difference = CompareCertificate(log, plain, wrong);
  return out;
}

}  // namespace tilesim::checkers
