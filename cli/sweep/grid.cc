#include "cli/sweep/grid.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "cli/integer.h"
#include "ir/cat.h"

namespace tilesim::cli {
namespace {

// Of one axis; they are listed.
constexpr int64_t kMostValues = 100'000;

struct Range {
  int64_t low = 0;
  int64_t high = 0;
  int64_t step = 1;

  // Saturated: from any low to any high.
  int64_t count() const {
    uint64_t steps =
        (static_cast<uint64_t>(high) - static_cast<uint64_t>(low)) /
        static_cast<uint64_t>(step);
    uint64_t most = std::numeric_limits<int64_t>::max();
    return static_cast<int64_t>(std::min(steps, most - 1) + 1);
  }
};

struct AxisText {
  std::string name;
  std::vector<Range> ranges;

  int64_t count() const {
    int64_t all = 0;
    for (const Range& r : ranges) {
      if (__builtin_add_overflow(all, r.count(), &all))
        return std::numeric_limits<int64_t>::max();
    }
    return all;
  }
};

absl::Status Wrong(const std::string& text, std::string_view why) {
  return absl::InvalidArgumentError(ir::Cat("-D ", text, ": ", why));
}

constexpr std::string_view kExpected =
    "expected NAME=VALUES (or M,N=VALUES), where VALUES are 64-bit integers N, "
    "ranges A..B or "
    "A..B step S, with commas between";

// Without blanks on either side.
std::string_view Stripped(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool ParseBetweenBlanks(std::string_view text, int64_t& out) {
  return ParseInteger(Stripped(text), out);
}

absl::StatusOr<Range> ParseRange(const std::string& text, std::string_view part,
                                 int64_t own_step) {
  Range range;
  size_t dots = part.find("..");
  if (dots == std::string::npos) {
    if (!ParseBetweenBlanks(part, range.low)) return Wrong(text, kExpected);
    range.high = range.low;
    return range;
  }
  std::string_view low = part.substr(0, dots), high = part.substr(dots + 2);
  range.step = own_step;
  size_t step = high.find("step");
  if (step != std::string::npos) {
    if (!ParseBetweenBlanks(high.substr(step + 4), range.step))
      return Wrong(text, kExpected);
    if (range.step < 1)
      return Wrong(text, ir::Cat("a step is at least 1, not ", range.step));
    high = high.substr(0, step);
  }
  if (!ParseBetweenBlanks(low, range.low) ||
      !ParseBetweenBlanks(high, range.high))
    return Wrong(text, kExpected);
  if (range.low > range.high) {
    return Wrong(text,
                 ir::Cat("the range ", range.low, "..", range.high,
                         " is empty; write ", range.high, "..", range.low));
  }
  return range;
}

std::vector<std::string> SplitNames(std::string_view text) {
  std::vector<std::string> out;
  for (size_t at = 0; at != std::string_view::npos;) {
    size_t comma = text.find(',', at);
    out.emplace_back(Stripped(text.substr(at, comma - at)));
    at = comma == std::string_view::npos ? comma : comma + 1;
  }
  return out;
}

// By which values stay permitted for both; that of one where that is too large.
int64_t CommonStep(int64_t a, int64_t b) {
  int64_t both = 0;
  return __builtin_mul_overflow(a / std::gcd(a, b), b, &both) ? b : both;
}

absl::StatusOr<AxisText> ParseAxis(const std::string& text,
                                   const Grid::StepOf& step_of) {
  size_t at = text.find('=');
  if (at == std::string::npos) return Wrong(text, kExpected);
  AxisText axis;
  int64_t step = 1;
  for (const std::string& name : SplitNames(text.substr(0, at))) {
    if (name.empty()) return Wrong(text, kExpected);
    ir::Append(&axis.name, axis.name.empty() ? "" : ",", name);
    step = CommonStep(step, step_of(name));
  }
  while (at != std::string::npos) {
    size_t comma = text.find(',', at + 1);
    std::string_view part =
        std::string_view(text).substr(at + 1, comma - at - 1);
    absl::StatusOr<Range> range = ParseRange(text, part, step);
    if (!range.ok()) return range.status();
    axis.ranges.push_back(*range);
    at = comma;
  }
  return axis;
}

absl::Status TooMany(int64_t points, int64_t most) {
  bool uncounted = points == std::numeric_limits<int64_t>::max();
  return absl::InvalidArgumentError(ir::Cat(
      "the grid has ", uncounted ? "more than " : "", Grouped(points),
      " points, more than the ", Grouped(most),
      " that are run at a time; take fewer values (A..B step S), search it "
      "(--budget N) or divide it (--shard I/N)"));
}

absl::StatusOr<Axis> Listed(const std::string& text, const AxisText& ranges) {
  Axis axis{ranges.name, {}, false};
  std::set<int64_t> known;
  for (const Range& r : ranges.ranges) {
    for (int64_t i = 0; i < r.count(); ++i) {
      int64_t value = r.low + i * r.step;
      if (!known.insert(value).second)
        return Wrong(text, ir::Cat(value, " is there twice"));
      axis.values.push_back(value);
    }
  }
  return axis;
}

}  // namespace

std::string Grouped(int64_t number) {
  std::string digits = ir::Cat(number);
  size_t first = number < 0 ? 1 : 0;
  for (size_t i = digits.size(); i > first + 3; i -= 3)
    digits.insert(i - 3, ",");
  return digits;
}

std::vector<std::string> Axis::names() const { return SplitNames(name); }

absl::StatusOr<Shard> ParseShard(std::string_view text) {
  Shard shard;
  size_t slash = text.find('/');
  if (slash == std::string_view::npos ||
      !ParseInteger(text.substr(0, slash), shard.index) ||
      !ParseInteger(text.substr(slash + 1), shard.count)) {
    return absl::InvalidArgumentError(
        ir::Cat("--shard ", text, ": expected I/N, as 1/8: part 1 of 8"));
  }
  if (shard.count < 1 || shard.index < 1 || shard.index > shard.count) {
    return absl::InvalidArgumentError(
        ir::Cat("--shard ", text, ": parts of ", shard.count, " are 1/",
                shard.count, " to ", shard.count, "/", shard.count));
  }
  return shard;
}

absl::StatusOr<Grid> Grid::Of(const std::vector<std::string>& texts,
                              const StepOf& step_of, int64_t most) {
  std::vector<AxisText> parsed;
  std::set<std::string> names;
  int64_t points = 1, longest = 0;
  for (const std::string& text : texts) {
    absl::StatusOr<AxisText> axis = ParseAxis(text, step_of);
    if (!axis.ok()) return axis.status();
    for (const std::string& name : SplitNames(axis->name)) {
      if (!names.insert(name).second)
        return Wrong(text, ir::Cat(name,
                                   " is given twice; write its values in one "
                                   "-D, with commas between"));
    }
    longest = std::max(longest, axis->count());
    if (__builtin_mul_overflow(points, axis->count(), &points))
      points = std::numeric_limits<int64_t>::max();
    parsed.push_back(std::move(*axis));
  }
  if (points > most) return TooMany(points, most);
  if (longest > kMostValues) {
    return absl::InvalidArgumentError(
        ir::Cat("an axis has ", Grouped(longest), " values, more than ",
                Grouped(kMostValues), "; say a step: A..B step S"));
  }
  std::vector<Axis> axes;
  for (size_t i = 0; i < parsed.size(); ++i) {
    absl::StatusOr<Axis> axis = Listed(texts[i], parsed[i]);
    if (!axis.ok()) return axis.status();
    axes.push_back(std::move(*axis));
  }
  return Grid(std::move(axes));
}

Grid::Grid(std::vector<Axis> axes) : axes_(std::move(axes)) {
  strides_.resize(axes_.size());
  for (size_t i = axes_.size(); i-- > 0;) {
    strides_[i] = size_;
    size_ *= static_cast<int64_t>(axes_[i].values.size());
  }
}

std::vector<size_t> Grid::varied() const {
  std::vector<size_t> out;
  for (size_t i = 0; i < axes_.size(); ++i) {
    if (axes_[i].values.size() > 1) out.push_back(i);
  }
  return out;
}

std::vector<int64_t> Grid::ValuesAt(int64_t point) const {
  std::vector<int64_t> out;
  for (size_t i = 0; i < axes_.size(); ++i)
    out.push_back(axes_[i].values[PlaceOn(i, point)]);
  return out;
}

ir::Overrides Grid::DefinesAt(int64_t point) const {
  ir::Overrides out;
  std::vector<int64_t> values = ValuesAt(point);
  for (size_t i = 0; i < axes_.size(); ++i) {
    for (const std::string& name : axes_[i].names()) out[name] = values[i];
  }
  return out;
}

int64_t Grid::PlaceOn(size_t axis, int64_t point) const {
  return point / strides_[axis] %
         static_cast<int64_t>(axes_[axis].values.size());
}

int64_t Grid::Moved(int64_t point, size_t axis, int64_t place) const {
  return point + (place - PlaceOn(axis, point)) * strides_[axis];
}

int64_t Grid::Nearest(const ir::Overrides& values) const {
  int64_t point = 0;
  for (size_t i = 0; i < axes_.size(); ++i) {
    auto wanted = values.find(axes_[i].names()[0]);
    if (wanted == values.end()) continue;
    auto far = [&](int64_t v) {  // of any two integers
      uint64_t a = static_cast<uint64_t>(std::max(v, wanted->second));
      return a - static_cast<uint64_t>(std::min(v, wanted->second));
    };
    const std::vector<int64_t>& all = axes_[i].values;
    auto nearest =
        std::min_element(all.begin(), all.end(),
                         [&](int64_t a, int64_t b) { return far(a) < far(b); });
    point = Moved(point, i, nearest - all.begin());
  }
  return point;
}

std::optional<int64_t> Grid::Find(const ir::Overrides& values) const {
  int64_t point = Nearest(values);
  std::vector<int64_t> there = ValuesAt(point);
  for (size_t i = 0; i < axes_.size(); ++i) {
    for (const std::string& name : axes_[i].names()) {
      auto wanted = values.find(name);
      if (wanted == values.end() || wanted->second != there[i])
        return std::nullopt;
    }
  }
  return point;
}

}  // namespace tilesim::cli
