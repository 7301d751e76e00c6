// What a page says of the check, the source and a sweep.
#include "cli/page/page_data.h"

#include "cli/check_sink.h"
#include "cli/sweep/show.h"
#include "ir/cat.h"
#include "ir/values/read_file.h"

namespace tilesim::cli {
namespace {

constexpr int64_t kMaxSweepBytes = int64_t{1} << 28;

PageJson PointsJson(const Sweep& sweep, const Grid& grid) {
  PageJson points = PageJson::array();
  for (const Point* p : RankingOf(sweep).order) {
    PageJson values = PageJson::object();
    const std::vector<int64_t> at = grid.ValuesAt(p->number);
    for (size_t i = 0; i < at.size(); ++i) values[sweep.axes[i].name] = at[i];
    points.push_back(
        {{"values", std::move(values)},
         {"time_us", p->time_us},
         {"tflops", p->flops > 0 ? PageJson(p->tflops()) : PageJson()},
         {"bound_by", p->bound_by}});
  }
  return points;
}

}  // namespace

PageJson CheckJson(const CheckedFile& file) {
  if (!file.checked()) {
    return {
        {"verdict", "rejected"},
        {"says", file.failure.empty() ? "its sizes do not fit" : file.failure}};
  }
  const checkers::CheckReport& r = *file.report;
  std::string says =
      r.scope.all_interleavings ? "all interleavings" : "some interleavings";
  says += r.scope.all_sizes
              ? ", all sizes"
              : ir::Cat(", these sizes (up to ", r.scope.trips, " trips)");
  says += AssumedText(r.scope);
  for (const std::string& why : r.open) ir::Append(&says, "; open: ", why);
  return {{"verdict", checkers::Name(r.verdict)}, {"says", says}};
}

PageJson SourcesJson(const traces::RunReport& report) {
  PageJson out = PageJson::array();
  for (const traces::SourceText& s : report.sources)
    out.push_back({{"path", s.path}, {"lines", s.lines}});
  return out;
}

absl::StatusOr<PageJson> SweepJson(const std::string& path) {
  const auto bad = [&](const std::string& what) {
    return absl::InvalidArgumentError(ir::Cat("--sweep ", path, ": ", what));
  };
  auto text = values::ReadFile(path, kMaxSweepBytes);
  if (!text.ok()) return bad(std::string(text.status().message()));
  const PageJson all =
      PageJson::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!all.is_object() || !all.contains("files") ||
      !all.at("files").is_array() || all.at("files").empty())
    return bad("is not what `tilesim sweep --format json` prints");
  absl::StatusOr<Sweep> sweep = SweepOf(all.at("files")[0]);
  if (!sweep.ok()) return bad(std::string(sweep.status().message()));
  absl::StatusOr<std::string> svg = SvgOf(*sweep);
  if (!svg.ok()) return bad(std::string(svg.status().message()));
  const Grid grid(sweep->axes);
  PageJson axes = PageJson::array();
  for (const Axis& a : sweep->axes) axes.push_back(a.name);
  PageJson points = PointsJson(*sweep, grid);
  const size_t out = sweep->points.size() - points.size();
  return PageJson{
      {"svg", *svg},
      {"axes", axes},
      {"points", points},
      {"left_out",
       out > 0 ? ir::Cat(out, " points could not be ranked.") : ""}};
}

}  // namespace tilesim::cli
