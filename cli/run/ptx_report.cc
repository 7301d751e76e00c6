#include "cli/run/ptx_report.h"

#include "cli/version.h"
#include "fmt/format.h"
#include "ir/cat.h"
#include "traces/summary.h"

namespace tilesim::cli {
namespace {

std::string TextOf(const traces::ExpectedReport& r, double tolerance) {
  if (r.compared == 0)
    return fmt::format(
        "  {:12} nothing to compare with {}: none of it was "
        "written\n",
        r.tensor, r.file);
  const std::string how = r.failed > 0    ? ir::Cat(r.failed, " differ")
                          : tolerance > 0 ? fmt::format("within {}", tolerance)
                                          : "the same bits";
  return fmt::format("  {:12} {} of {} elements compared with {}: {}\n",
                     r.tensor, r.compared, r.elements, r.file, how);
}

// Of values, of time, or of both.
std::vector<std::string> NotCovered(const PtxReport& r) {
  std::vector<std::string> out;
  if (r.others) out.emplace_back("launches of other files: they were not run");
  if (!r.options.timing_only) {
    out.emplace_back("values in other orders (check looks at those)");
    out.emplace_back(
        "errors of .approx, and sums that ptxas fuses with "
        "products");
  }
  if (r.values_only || !r.time) {
    out.emplace_back("time");
  } else {
    out.emplace_back(
        "time of what ptxas makes of the text but estimates: "
        "registers, moves, waits that it adds");
    out.insert(out.end(), r.time->not_covered().begin(),
               r.time->not_covered().end());
  }
  return out;
}

std::string TextOfValues(const PtxReport& r) {
  std::string out;
  for (const PtxReport::Launch& l : r.launches)
    out += fmt::format(
        "{}: {}, values of {} of {} CTAs, {} instructions of "
        "threads{}\n",
        r.options.file, l.kernel, l.valued, l.ctas, l.instructions,
        l.finished ? "" : ", not finished");
  out += fmt::format("  seed {}, {}\n\nResult\n", r.options.seed, Version());
  for (const PtxReport::Written& w : r.written)
    out += fmt::format("  {:12} {} of {} elements written\n", w.buffer,
                       w.written, w.elements);
  for (const traces::ExpectedReport& c : r.compared)
    out += TextOf(c, r.options.tolerance);
  return out + "\n";
}

}  // namespace

std::string TextOf(const PtxReport& r) {
  std::string out;
  if (r.time && r.time->timed()) {
    traces::RunReport timed = r.time->report();
    timed.result.not_compared = {
        r.compared.empty() ? "values: --expect NAME=FILE compares them, such "
                             "as with what `run K.tile --out` writes"
                           : "see below"};
    out += traces::TextSummary(timed) + "\n";
  }
  if (!r.options.timing_only) out += TextOfValues(r);
  if (!r.findings.empty()) out += "Findings\n\n";
  for (const traces::FindingLine& f : r.findings) out += f.text + "\n";
  out += "Not covered\n";
  for (const std::string& s : NotCovered(r)) out += ir::Cat("  ", s, "\n");
  return out;
}

Json JsonOf(const PtxReport& r) {
  Json file = {{"file", r.options.file}, {"version", std::string(Version())},
               {"seed", r.options.seed}, {"finished", r.finished},
               {"time_us", nullptr},     {"incomplete", r.failure}};
  file["launches"] = Json::array();
  for (const PtxReport::Launch& l : r.launches)
    file["launches"].push_back({{"kernel", l.kernel},
                                {"ctas", l.ctas},
                                {"valued_ctas", l.valued},
                                {"instructions", l.instructions},
                                {"finished", l.finished}});
  file["written"] = Json::array();
  for (const PtxReport::Written& w : r.written)
    file["written"].push_back({{"buffer", w.buffer},
                               {"written", w.written},
                               {"elements", w.elements}});
  file["expected"] = Json::array();
  for (const traces::ExpectedReport& c : r.compared)
    file["expected"].push_back({{"buffer", c.tensor},
                                {"file", c.file},
                                {"elements", c.elements},
                                {"compared", c.compared},
                                {"failed", c.failed},
                                {"max_abs_error", c.max_abs_error},
                                {"tolerance", c.tolerance}});
  file["findings"] = Json::array();
  for (const traces::FindingLine& f : r.findings)
    file["findings"].push_back({{"code", f.code},
                                {"severity", f.severity},
                                {"message", f.message},
                                {"file", f.file},
                                {"line", f.line},
                                {"column", f.column}});
  file["not_covered"] = NotCovered(r);
  if (r.time && r.time->timed()) {
    // The numbers of a timed run, beside those of values.
    const Json timed = traces::JsonSummary(r.time->report());
    for (const auto& [key, value] : timed.items()) {
      if (!file.contains(key) || file[key].is_null()) file[key] = value;
    }
  }
  Json out;
  out["schema"] = 1;
  out["files"] = Json::array({file});
  return out;
}

}  // namespace tilesim::cli
