#include "cli/sweep/show.h"
#include "fmt/format.h"

namespace tilesim::cli {
namespace {

// RFC 4180.
std::string Quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string LineOf(const Sweep& sweep, const Grid& grid, const Point& p,
                   size_t rank) {
  std::string out = rank > 0 ? fmt::format("{}", rank) : "";
  std::vector<int64_t> values = grid.ValuesAt(p.number);
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t n = 0; n < sweep.axes[i].names().size(); ++n)
      out += fmt::format(",{}", values[i]);
  }
  out += fmt::format(",{}", Name(p.state));
  if (p.timed()) {
    out += fmt::format(",{},{},{}", p.time_us, p.cycles, p.clock_mhz);
    out += p.flops > 0 ? fmt::format(",{}", p.tflops()) : ",";
    out += fmt::format(",{},{},{}", Quoted(p.bound_by), p.ctas_per_sm,
                       p.shared_bytes);
  } else {
    out += ",,,,,,,";
  }
  if (sweep.checked) out += "," + p.check;
  return out + fmt::format(",{},{}\n", p.code, Quoted(p.reason));
}

}  // namespace

std::string CsvOf(const Sweep& sweep) {
  std::string out = "rank";
  for (const Axis& a : sweep.axes) out += "," + a.name;  // each a column
  out +=
      ",state,time_us,cycles,clock_mhz,tflops,bound_by,ctas_per_sm,"
      "shared_bytes";
  if (sweep.checked) out += ",check";
  out += ",code,reason\n";
  Grid grid(sweep.axes);
  Ranking ranking = RankingOf(sweep);
  for (size_t i = 0; i < ranking.order.size(); ++i)
    out += LineOf(sweep, grid, *ranking.order[i], i + 1);
  for (const Point& p : sweep.points) {
    if (!p.timed()) out += LineOf(sweep, grid, p, 0);
  }
  return out;
}

}  // namespace tilesim::cli
