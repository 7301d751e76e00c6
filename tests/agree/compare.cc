#include "tests/agree/compare.h"

#include <optional>
#include <set>
#include <utility>

#include "checkers/explore/search.h"
#include "checkers/order/certificate.h"
#include "checkers/run/runner.h"
#include "ir/cat.h"

namespace tilesim::checkers {
namespace {

std::set<std::string> CodesOf(const Exploration& e) {
  std::set<std::string> out;
  for (const Story& s : e.stories)
    out.insert(ir::Cat(s.diagnostic.code, " on line ", s.diagnostic.span.line));
  return out;
}

std::string Told(const Exploration& e) {
  std::string out =
      ir::Cat(e.finishes ? "finishes, " : "", e.sticks ? "sticks, " : "",
              e.ends.size(), " orders");
  for (const std::string& code : CodesOf(e)) ir::Append(&out, ", ", code);
  return out;
}

std::string CompareSearches(const Exploration& plain,
                            const Exploration& reduced) {
  bool same = reduced.complete && plain.finishes == reduced.finishes &&
              plain.sticks == reduced.sticks &&
              plain.ends.size() == reduced.ends.size() &&
              plain.deviations.empty() == reduced.deviations.empty() &&
              CodesOf(plain) == CodesOf(reduced);
  if (same) return "";
  return ir::Cat("every schedule: ", Told(plain),
                 "; reduced search: ", Told(reduced),
                 reduced.why.empty() ? "" : ": ", reduced.why);
}

std::set<std::string> CodesOf(const Log& log, const Findings& certified) {
  std::set<std::string> out;
  auto add = [&](const ir::Diagnostic& d) {
    out.insert(ir::Cat(d.code, " on line ", d.span.line));
  };
  for (const ir::Diagnostic& d : log.findings) add(d);
  for (const Found& f : certified.all()) {
    if (f.diagnostic.code == "exit/in-flight") add(f.diagnostic);
  }
  return out;
}

// A certified run is the only order there is.
std::string CompareCertificate(const Log& log, const Findings& certified,
                               const Exploration& plain) {
  if (!plain.deviations.empty())
    return "certified, but a barrier is used in different phases";
  if (plain.ends.size() > 1) return "certified, but there are several orders";
  if (plain.stories.empty() && plain.finishes != log.finished)
    return "certified, but ends differently";
  std::set<std::string> codes = CodesOf(log, certified);
  if (codes == CodesOf(plain)) return "";
  std::string out = "certified; the run has";
  for (const std::string& code : codes) ir::Append(&out, " ", code, ",");
  return ir::Cat(out, " every schedule: ", Told(plain));
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
  o.after_story = max_states;
  Exploration reduced = Explore(*code, o);
  o.reduce = false;
  Exploration plain = Explore(*code, o);
  out.plain = plain.states;
  out.reduced = reduced.states;
  out.decided = plain.complete;
  if (!out.decided) return out;
  out.bad = !plain.stories.empty();
  out.determined = plain.deviations.empty();
  out.difference = CompareSearches(plain, reduced);
  Log log = RunCluster(*code, {});
  Findings certified;
  out.certified = Certify(log, certified).holds;
  if (out.certified && out.difference.empty())
    out.difference = CompareCertificate(log, certified, plain);
  return out;
}

}  // namespace tilesim::checkers
