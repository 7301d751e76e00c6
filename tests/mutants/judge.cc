#include "tests/mutants/judge.h"

#include <algorithm>
#include <utility>

#include "checkers/explore/search.h"
#include "checkers/judge/cluster.h"
#include "checkers/order/certificate.h"
#include "checkers/pairwise/check_run.h"
#include "checkers/run/runner.h"
#include "frontend/check.h"
#include "ir/cat.h"
#include "ir/define.h"

namespace tilesim::mutants {
using checkers::explore::Exploration;
using checkers::report::Findings;
using checkers::run::Log;

namespace {

constexpr int64_t kMaxEvents = 20'000;
// Most mutants that are wrong show it at once.
constexpr int64_t kFirstLook = 1'000;
// What is wrong is compared in full if this many positions are enough.
constexpr int64_t kInFull = 1'000;
constexpr int64_t kCluster = 0;

void AddErrors(const Findings& findings, std::set<std::string>& codes) {
  for (const checkers::report::Finding& f : findings.all()) {
    if (f.diagnostic.severity == ir::Severity::kError)
      codes.emplace(f.diagnostic.code.name());
  }
}

checkers::run::RunOptions OptionsFor(const machine::Code& code) {
  checkers::run::RunOptions out;
  out.cluster = kCluster;
  out.clusters = checkers::judge::SideBySide(code);
  out.max_events = kMaxEvents;
  return out;
}

// The accesses of one schedule to its end, and what it leaves behind.
void JudgeSchedule(const machine::Code& code, const checkers::run::Path& path,
                   checkers::footprint::Fragments& fragments,
                   std::set<std::string>& codes) {
  checkers::run::RunOptions run = OptionsFor(code);
  run.path = &path;
  Log log = checkers::run::RunCluster(code, run);
  Findings found, certified, published;
  checkers::pairwise::CheckRun(log, fragments, found);
  checkers::order::Certify(log, certified);
  // That schedules have an order publishes nothing (a pool of registers).
  checkers::order::CheckInits(log, published);
  found.Merge(certified, [&](const checkers::report::Finding& f) {
    return !f.concluded || published.Has(f);
  });
  AddErrors(found, codes);
}

// Which ops are executed may depend on who is faster: then so may phases.
bool Polls(const machine::Code& code) {
  Log log = checkers::run::RunCluster(code, OptionsFor(code));
  checkers::footprint::Fragments fragments;
  Findings ignored;
  return !checkers::judge::CertifyValues(log, fragments, ignored).determined;
}

struct Searched {
  Opinion opinion;
  bool complete = false;
  int64_t states = 0;
  std::set<std::string> rules;  // that the machine saw broken, and deadlocks
  int64_t wrong_orders = 0;
};

// Every schedule, as far as `max_states` goes; `all`: not only until something
// is wrong. A wait or an arrival that does not always mean the same phase is
// wrong by itself.
Searched Search(const machine::Code& code, bool reduce, int64_t max_states,
                bool all) {
  checkers::explore::ExploreOptions o;
  o.cluster = kCluster;
  o.clusters = checkers::judge::SideBySide(code);
  o.max_states = max_states;
  o.reduce = reduce;
  o.after_finding = all ? max_states : 0;
  Exploration e = checkers::explore::Explore(code, o);
  Searched out;
  out.complete = e.complete;
  out.states = e.states;
  for (const checkers::report::Finding& s : e.findings.all())
    out.rules.emplace(s.diagnostic.code.name());
  std::set<std::string>& codes = out.opinion.codes;
  codes = out.rules;
  checkers::footprint::Fragments fragments;
  for (const checkers::run::Path& path : e.ends) {
    if (!all && !codes.empty()) break;
    std::set<std::string> wrong;
    JudgeSchedule(code, path, fragments, wrong);
    out.wrong_orders += !wrong.empty();
    codes.merge(wrong);
  }
  if (!e.deviations.empty() && !Polls(code)) codes.insert("parity/*");
  out.opinion.answer = !codes.empty() ? Answer::kFindings
                       : e.complete   ? Answer::kClean
                                      : Answer::kUndecided;
  return out;
}

Opinion SearchInSteps(const machine::Code& code, bool reduce,
                      int64_t max_states, int64_t& states) {
  Searched look = Search(code, reduce, std::min(kFirstLook, max_states), false);
  if (look.opinion.answer == Answer::kUndecided && max_states > kFirstLook)
    look = Search(code, reduce, max_states, false);
  states += look.states;
  return look.opinion;
}

Opinion OfCheck(const machine::Code& code, int64_t max_states,
                bool& certified) {
  checkers::footprint::Fragments fragments;
  checkers::judge::ClusterVerdict v = checkers::judge::JudgeCluster(
      code, OptionsFor(code), max_states, fragments);
  certified &= v.holds;
  Opinion out;
  AddErrors(v.findings, out.codes);
  bool proved = v.all_interleavings && v.open.empty();
  out.answer = !out.codes.empty() ? Answer::kFindings
               : proved           ? Answer::kClean
                                  : Answer::kUndecided;
  return out;
}

// A finding in one kernel decides; else all must be decided.
void Join(const Opinion& one, Opinion& all) {
  all.codes.insert(one.codes.begin(), one.codes.end());
  if (one.answer == Answer::kFindings) all.answer = Answer::kFindings;
  if (one.answer == Answer::kUndecided && all.answer == Answer::kClean)
    all.answer = Answer::kUndecided;
}

std::string Told(const Opinion& o) {
  std::string out = o.answer == Answer::kClean      ? "clean"
                    : o.answer == Answer::kFindings ? "findings"
                                                    : "undecided";
  for (const std::string& code : o.codes) ir::Append(&out, " ", code);
  return out;
}

bool Differ(const Opinion& a, const Opinion& b) {
  return a.answer != Answer::kUndecided && b.answer != Answer::kUndecided &&
         a.answer != b.answer;
}

void CompareAnswers(Judgement& j) {
  if (!Differ(j.certificate, j.reduced) && !Differ(j.reduced, j.oracle) &&
      !Differ(j.certificate, j.oracle))
    return;
  j.difference =
      ir::Cat("check: ", Told(j.certificate), "; reduced: ", Told(j.reduced),
              "; every schedule: ", Told(j.oracle));
}

// Which kind of race an order has depends on the schedule it was seen in, so
// that wrong orders are only counted.
void CompareInFull(const machine::Code& code, Judgement& j) {
  Searched plain = Search(code, false, kInFull, true);
  if (!plain.complete) return;
  Searched reduced = Search(code, true, kInFull, true);
  j.in_full = true;
  if (reduced.complete && reduced.rules == plain.rules &&
      reduced.wrong_orders == plain.wrong_orders)
    return;
  j.difference = ir::Cat("in full, reduced: ", Told(reduced.opinion),
                         "; every schedule: ", Told(plain.opinion));
}

}  // namespace

std::optional<std::vector<machine::Code>> Compile(const ir::Program& program,
                                                  const Instance& instance,
                                                  std::string& why) {
  std::vector<machine::Code> out;
  ir::Diagnostics diagnostics;
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    auto bound =
        ir::Bind(program.kernels[i], ir::ParamsOf(program, i, instance.sizes),
                 instance.sm_count, diagnostics);
    if (bound) frontend::CheckBound(*bound, diagnostics);
    std::optional<machine::Code> code;
    if (bound && !diagnostics.has_errors())
      code = machine::Compile(std::move(*bound), diagnostics);
    if (!code || diagnostics.has_errors()) {
      why = diagnostics.all().empty() ? "" : diagnostics.all()[0].message;
      return std::nullopt;
    }
    out.push_back(std::move(*code));
  }
  return out;
}

int64_t PositionsOf(const std::vector<machine::Code>& codes,
                    int64_t max_states) {
  int64_t all = 0;
  for (const machine::Code& code : codes) {
    checkers::explore::ExploreOptions o;
    o.clusters = checkers::judge::SideBySide(code);
    o.max_states = max_states;
    o.reduce = false;
    Exploration e = checkers::explore::Explore(code, o);
    if (!e.complete) return -1;
    all += e.states;
  }
  return all;
}

Judgement Judge(const std::vector<machine::Code>& codes, int64_t max_states) {
  std::vector<const machine::Code*> all;
  for (const machine::Code& code : codes) all.push_back(&code);
  return Judge(all, max_states);
}

Judgement Judge(const std::vector<const machine::Code*>& codes,
                int64_t max_states) {
  Judgement out;
  out.certified = true;
  out.certificate.answer = out.reduced.answer = out.oracle.answer =
      Answer::kClean;
  for (const machine::Code* each : codes) {
    const machine::Code& code = *each;
    int64_t ignored = 0;
    Join(OfCheck(code, max_states, out.certified), out.certificate);
    Join(SearchInSteps(code, true, max_states, ignored), out.reduced);
    if (out.oracle.answer == Answer::kFindings) continue;
    Join(SearchInSteps(code, false, max_states, out.states), out.oracle);
    if (out.oracle.answer == Answer::kFindings) CompareInFull(code, out);
  }
  if (out.difference.empty()) CompareAnswers(out);
  return out;
}

}  // namespace tilesim::mutants
