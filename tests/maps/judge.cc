#include "tests/maps/judge.h"

#include <algorithm>
#include <optional>

#include "checkers/check.h"
#include "fmt/format.h"
#include "frontend/parse.h"
#include "tests/maps/index_map.h"

namespace tilesim::checkers::maps {
namespace {

constexpr int64_t kTop = 12;  // sizes of the brute force, each

const report::Finding* FirstError(const CheckReport& report) {
  for (const report::Finding& f : report.findings)
    if (f.diagnostic.severity == ir::Severity::kError) return &f;
  return nullptr;
}

// Why a finding is none; empty: the launch that it names has one.
std::string Refuted(const IndexMap& map, const CheckReport& report) {
  const report::Finding* error = FirstError(report);
  if (error == nullptr) return "findings without an error";
  const std::string_view code = error->diagnostic.code.name();
  const ir::Overrides& sizes = error->seen.sizes;
  if (code != "race/waw" && code != "bounds/global")
    return fmt::format("told {}: {}", code, error->diagnostic.message);
  if (code == "race/waw" ? map.CollidesAt(sizes) : map.LeavesAt(sizes))
    return "";
  std::string at;
  for (const auto& [name, value] : sizes)
    at += fmt::format("{} = {} ", name, value);
  return fmt::format("told {}, and there is none at {}", code, at);
}

}  // namespace

void MapCount::Add(const MapCount& other) {
  maps += other.maps;
  injective += other.injective;
  clean += other.clean;
  findings += other.findings;
  wrong += other.wrong;
}

std::string MapJudge::Judge(uint64_t seed) {
  const IndexMap map = RandomIndexMap(seed);
  const std::string text = map.Text();
  ir::Diagnostics diagnostics;
  std::optional<ir::Program> program =
      frontend::Parse({"map.tile", text}, diagnostics);
  if (!program)
    return fmt::format("no program: {}\n{}", diagnostics.all()[0].message,
                       text);
  const CheckReport report = Check(*program, {});
  const bool collides = map.CollidesUpTo(kTop);
  const bool leaves = map.LeavesUpTo(kTop);
  MapCount count;
  count.maps = 1;
  count.clean =
      report.verdict == Verdict::kClean && report.scope.all_sizes ? 1 : 0;
  count.findings = report.verdict == Verdict::kFindings ? 1 : 0;
  open_ = count.decided() != 0  ? ""
          : report.open.empty() ? "some sizes only\n" + text
                                : report.open[0] + "\n" + text;
  std::string wrong;
  if (count.clean != 0 && collides)
    wrong = "clean at all sizes, but two stores meet at small ones";
  if (count.clean != 0 && leaves)
    wrong = "clean at all sizes, but a store leaves the tensor at a small one";
  if (count.findings != 0) wrong = Refuted(map, report);
  // One that collides beyond small sizes alone is told with such a size.
  const report::Finding* error = FirstError(report);
  const bool told =
      error != nullptr && error->diagnostic.code.name() == "race/waw";
  count.injective = !collides && !told ? 1 : 0;
  count.wrong = wrong.empty() ? 0 : 1;
  forms_[map.form].Add(count);
  stores_[map.store].Add(count);
  return wrong.empty() ? "" : wrong + "\n" + text;
}

std::string MapJudge::Page(int64_t first) const {
  const MapCount all = All();
  return fmt::format(
      "# The last long run\n\n"
      "Written by `maps_oracle {} {}`; do not edit.\n\n{}\n"
      "{} of {} are injective, {} are not; {} ({:.1f} %) are decided; {} "
      "wrong.\n",
      first, all.maps, Table(), all.injective, all.maps,
      all.maps - all.injective, all.decided(),
      100.0 * static_cast<double>(all.decided()) /
          static_cast<double>(std::max<int64_t>(all.maps, 1)),
      all.wrong == 0 ? "none" : std::to_string(all.wrong));
}

MapCount MapJudge::All() const {
  MapCount all;
  for (const auto& [name, count] : forms_) all.Add(count);
  return all;
}

std::string MapJudge::Table() const {
  std::string out =
      "| | maps | injective | clean | findings | undecided | wrong |\n"
      "|---|--:|--:|--:|--:|--:|--:|\n";
  auto row = [&](const std::string& name, const MapCount& c) {
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", name, c.maps,
                       c.injective, c.clean, c.findings, c.maps - c.decided(),
                       c.wrong);
  };
  for (const auto& [name, count] : forms_) row(name, count);
  for (const auto& [name, count] : stores_) row("by `" + name + "`", count);
  row("all", All());
  return out;
}

}  // namespace tilesim::checkers::maps
