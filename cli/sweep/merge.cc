#include "cli/sweep/merge.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "cli/sweep/show.h"
#include "ir/cat.h"
#include "nlohmann/json.hpp"

namespace tilesim::cli {
namespace {

absl::Status WrongFile(const std::string& path, std::string_view why) {
  return absl::InvalidArgumentError(ir::Cat(path, ": ", why));
}

std::string GridText(const Sweep& s) {
  std::string out;
  for (const Axis& a : s.axes) {
    ir::Append(&out, out.empty() ? "" : " ", a.name, "=");
    for (size_t i = 0; i < a.values.size(); ++i)
      ir::Append(&out, i == 0 ? "" : ",", a.values[i]);
  }
  return out;
}

// What was asked other than of the first; empty: nothing.
std::string DifferenceOf(const Sweep& first, const Sweep& other) {
  auto differ = [](std::string_view what, std::string_view a,
                   std::string_view b) {
    return ir::Cat(what, " `", b, "`, not `", a, "`");
  };
  if (first.file != other.file) return differ("FILE", first.file, other.file);
  if (first.arch != other.arch) return differ("--arch", first.arch, other.arch);
  if (first.fingerprint != other.fingerprint)
    return ir::Cat("the text of ", first.file, ", or what is known of ",
                   first.arch, ", differs");
  if (first.metric != other.metric)
    return differ("--metric", Name(first.metric), Name(other.metric));
  if (first.axes != other.axes)
    return differ("the grid", GridText(first), GridText(other));
  if (first.checked != other.checked) return "--check was given to one only";
  if (first.valued != other.valued) return "--values was given to one only";
  if (first.max_cycles != other.max_cycles || first.own != other.own ||
      first.tie_percent != other.tie_percent)
    return "--max-cycles or --tie differs";
  if (first.shard->count != other.shard->count)
    return differ("shards of", ir::Cat(first.shard->count),
                  ir::Cat(other.shard->count));
  return "";
}

// Of a shard by itself.
absl::Status Whole(const NamedSweep& n) {
  if (!n.sweep.shard)
    return WrongFile(n.path, "this is a whole sweep, not a part (--shard I/N)");
  if (n.sweep.interrupted)
    return WrongFile(n.path, "this part was interrupted; run it again");
  int64_t want = 0, size = Grid(n.sweep.axes).size();
  const Shard& shard = *n.sweep.shard;
  if (size >= shard.index) want = (size - shard.index) / shard.count + 1;
  int64_t before = -1;
  for (const Point& p : n.sweep.points) {
    if (!shard.Has(p.number) || p.number == before)
      return WrongFile(n.path, ir::Cat("point ", p.number,
                                       " is not of this part, or there twice"));
    before = p.number;
  }
  if (static_cast<int64_t>(n.sweep.points.size()) != want)
    return WrongFile(n.path, ir::Cat("of ", want, " points there are ",
                                     n.sweep.points.size()));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Sweep> Merge(const std::vector<NamedSweep>& shards) {
  std::map<int64_t, std::string> paths;
  for (const NamedSweep& n : shards) {
    if (absl::Status whole = Whole(n); !whole.ok()) return whole;
    std::string difference = DifferenceOf(shards[0].sweep, n.sweep);
    if (!difference.empty()) {
      return WrongFile(n.path, ir::Cat("this is another sweep than ",
                                       shards[0].path, ": ", difference));
    }
    auto [there, added] = paths.emplace(n.sweep.shard->index, n.path);
    if (!added)
      return WrongFile(n.path, ir::Cat("part ", there->first, " is in ",
                                       there->second, " already"));
  }
  Sweep out = shards[0].sweep;
  std::string missing;
  for (int64_t i = 1; i <= out.shard->count; ++i) {
    if (paths.contains(i)) continue;
    ir::Append(&missing, missing.empty() ? "" : ", ", i, "/", out.shard->count);
    if (missing.size() > 60) {
      missing += ", ...";
      break;
    }
  }
  if (!missing.empty())
    return absl::InvalidArgumentError(
        ir::Cat("these parts are missing: ", missing));
  out.shard.reset();
  out.points.clear();
  for (const NamedSweep& n : shards)
    out.points.insert(out.points.end(), n.sweep.points.begin(),
                      n.sweep.points.end());
  std::sort(out.points.begin(), out.points.end(),
            [](const Point& a, const Point& b) { return a.number < b.number; });
  return out;
}

absl::StatusOr<NamedSweep> SweepIn(const ir::Source& printed) {
  const std::string& path = printed.path;
  constexpr std::string_view kWanted =
      "expected what `tilesim sweep --format json` printed";
  auto json = nlohmann::ordered_json::parse(printed.text, nullptr, false);
  if (json.is_discarded()) return WrongFile(path, kWanted);
  auto files = json.is_object() ? json.find("files") : json.end();
  if (!json.is_object() || files == json.end() || !files->is_array() ||
      files->size() != 1)
    return WrongFile(path, kWanted);
  absl::StatusOr<Sweep> sweep = SweepOf((*files)[0]);
  if (!sweep.ok())
    return WrongFile(
        path, ir::Cat(kWanted, ": ", std::string(sweep.status().message())));
  return NamedSweep{path, std::move(*sweep)};
}

}  // namespace tilesim::cli
