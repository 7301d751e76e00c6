#include <algorithm>
#include <array>
#include <cmath>

#include "absl/status/status.h"
#include "cli/sweep/show.h"
#include "cli/sweep/svg.h"
#include "fmt/format.h"
#include "ir/cat.h"

namespace tilesim::cli {
namespace {

constexpr double kLeft = 80, kTop = 68, kMargin = 24;
constexpr double kMostTimes = 2;  // the end of the scale: that, or more
constexpr std::string_view kInk = "#222", kPale = "#999", kBest = "#d7301f",
                           kOwn = "#ff9f1c";

// From the best to the end of the scale: dark to light.
std::string ColourOf(double t) {
  constexpr std::array<std::array<double, 3>, 5> kStops = {{{8, 48, 107},
                                                            {33, 113, 181},
                                                            {107, 174, 214},
                                                            {198, 219, 239},
                                                            {247, 251, 255}}};
  double at = std::clamp(t, 0.0, 1.0) * (kStops.size() - 1);
  auto low = std::min(static_cast<size_t>(at), kStops.size() - 2);
  std::array<int, 3> c{};
  for (size_t i = 0; i < 3; ++i) {
    double part = at - static_cast<double>(low);
    c[i] = static_cast<int>(
        std::lround(kStops[low][i] * (1 - part) + kStops[low + 1][i] * part));
  }
  return fmt::format("#{:02x}{:02x}{:02x}", c[0], c[1], c[2]);
}

class Plot {
 public:
  explicit Plot(const Sweep& sweep)
      : sweep_(sweep), grid_(sweep.axes), ranking_(RankingOf(sweep)) {
    axes_ = grid_.varied();
    // Most values first; equal ones in the order of the options.
    std::stable_sort(axes_.begin(), axes_.end(),
                     [&](size_t a, size_t b) { return Places(a) > Places(b); });
    for (const Point* p : ranking_.order) worst_ = std::max(worst_, Times(*p));
    end_ = std::clamp(worst_, 1.01, kMostTimes);
    own_ = OwnPoint(sweep);
  }

  std::string Draw() {
    svg_.Raw(
        "<defs><pattern id=\"out\" width=\"6\" height=\"6\" "
        "patternUnits=\"userSpaceOnUse\"><rect width=\"6\" height=\"6\" "
        "fill=\"#f2f2f2\"/><path d=\"M0 6L6 0\" stroke=\"#bbb\"/></pattern>"
        "</defs>\n");
    svg_.Text(kMargin, 24,
              fmt::format("{} on {}{}", sweep_.program, sweep_.arch, Fixed()),
              "start", 15);
    if (ranking_.order.empty()) {
      svg_.Text(kMargin, 44, "no point could be ranked", "start");
    } else {
      svg_.Text(kMargin, 44, BestText(), "start", 12, kBest);
    }
    if (axes_.size() == 1) {
      DrawLine();
    } else {
      DrawMaps();
    }
    return svg_.Write(width_, height_);
  }

 private:
  int64_t Places(size_t axis) const {
    return static_cast<int64_t>(sweep_.axes[axis].values.size());
  }
  double Times(const Point& p) const {
    return TimesLeast(p, *ranking_.least, sweep_.metric);
  }
  bool IsBest(int64_t number) const {
    return !ranking_.order.empty() && ranking_.order[0]->number == number;
  }

  std::string Fixed() const {
    std::string out;
    for (const Axis& a : sweep_.axes) {
      if (a.values.size() == 1)
        out += fmt::format(" {}={}", a.name, a.values[0]);
    }
    return out.empty() ? out : "," + out;
  }

  // What the metric is of a point, with its unit.
  std::string ValueText(const Point& p) const {
    switch (sweep_.metric) {
      case Metric::kTime:
        return fmt::format("{:.2f} us", p.time_us);
      case Metric::kCycles:
        return Grouped(p.cycles) + " cycles";
      case Metric::kTflops:
        return fmt::format("{:.1f} TFLOP/s", p.tflops());
    }
    return "";
  }

  std::string BestText() const {
    const Point& best = *ranking_.order[0];
    return fmt::format("best: {}, {}", NameOf(sweep_, best.number),
                       ValueText(best));
  }

  std::string TitleOf(int64_t number) const {
    const Point* p = sweep_.At(number);
    std::string name = NameOf(sweep_, number);
    if (p == nullptr) return name + ": not checked";
    if (!p->timed()) return fmt::format("{}: {}", name, p->reason);
    return fmt::format("{}: {}, {:.3f} x best", name, ValueText(*p), Times(*p));
  }

  // --- one axis
  // ---------------------------------------------------------------

  struct Scale {
    double low = 0, high = 1;
    double y = 0, height = 0;
    double At(double value) const {
      return y + height * (1 - (value - low) / (high - low));
    }
  };

  double MetricOf(const Point& p) const {
    double cost = CostOf(p, sweep_.metric);
    return sweep_.metric == Metric::kTflops ? -cost : cost;
  }

  Scale ScaleOf(double y, double height) const {
    Scale s{0, 1, y, height};
    if (ranking_.order.empty()) return s;
    double low = MetricOf(*ranking_.least), high = low;
    for (const Point* p : ranking_.order) {
      low = std::min(low, MetricOf(*p));
      high = std::max(high, MetricOf(*p));
    }
    // Round steps, about five of them.
    double span = std::max(high - low, high * 0.02);
    double step = std::pow(10, std::floor(std::log10(span / 4)));
    for (double times : {2.0, 5.0, 10.0}) {
      if (span / step > 5 * times) continue;
      step *= times;
      break;
    }
    s.low = std::floor(low / step) * step;
    s.high = std::ceil(high / step) * step;
    if (s.high <= s.low) s.high = s.low + step;
    for (double v = s.low; v <= s.high + step / 2; v += step)
      ticks_.push_back(v);
    return s;
  }

  void DrawLine() {
    const Axis& axis = sweep_.axes[axes_[0]];
    double gap =
        std::clamp(640.0 / static_cast<double>(Places(axes_[0])), 8.0, 80.0);
    double plot = gap * static_cast<double>(Places(axes_[0]));
    constexpr double kHeight = 280;
    width_ = std::max(kLeft + plot + kMargin, 480.0);
    height_ = kTop + kHeight + 84;
    Scale scale = ScaleOf(kTop + 12, kHeight);
    for (double tick : ticks_) {
      svg_.Line(kLeft, scale.At(tick), kLeft + plot, scale.At(tick),
                {.stroke = "#e5e5e5"});
      svg_.Text(kLeft - 6, scale.At(tick) + 4, fmt::format("{:.6g}", tick),
                "end");
    }
    svg_.Text(kMargin, kTop, kAxisNames[static_cast<size_t>(sweep_.metric)],
              "start");
    double floor = scale.y + scale.height;
    const Point* before = nullptr;
    for (int64_t i = 0; i < Places(axes_[0]); ++i) {
      int64_t number = grid_.Moved(0, axes_[0], i);
      const Point* p = sweep_.At(number);
      double x = kLeft + gap * (static_cast<double>(i) + 0.5);
      bool timed = p != nullptr && p->timed();
      if (timed && before != nullptr)
        svg_.Line(x - gap, scale.At(MetricOf(*before)), x,
                  scale.At(MetricOf(*p)), {.stroke = "#2171b5", .width = 2});
      before = timed ? p : nullptr;
      if (i % LabelStep(gap, axis) == 0)
        svg_.Text(x, floor + 18, ir::Cat(axis.values[i]), "middle");
      if (p != nullptr && !timed)
        svg_.Rect(x - gap * 0.4, scale.y, gap * 0.8, scale.height,
                  {.fill = "url(#out)"}, TitleOf(number));
    }
    for (int64_t i = 0; i < Places(axes_[0]); ++i) {
      int64_t number = grid_.Moved(0, axes_[0], i);
      const Point* p = sweep_.At(number);
      if (p != nullptr && p->timed())
        Mark(kLeft + gap * (static_cast<double>(i) + 0.5),
             scale.At(MetricOf(*p)), number);
    }
    svg_.Text(kLeft + plot / 2, floor + 38, axis.name, "middle", 13);
    Legend(floor + 64, /*colours=*/false);
  }

  void Mark(double x, double y, int64_t number) {
    bool best = IsBest(number);
    svg_.Circle(x, y, best ? 6 : 4, {.fill = best ? kBest : "#2171b5"},
                TitleOf(number));
    if (own_ == number)
      svg_.Circle(x, y, 9, {.stroke = kOwn, .width = 1.5, .dash = "3 2"});
  }

  // So that labels do not touch.
  static int64_t LabelStep(double gap, const Axis& axis) {
    size_t digits = 1;
    for (int64_t v : axis.values) digits = std::max(digits, ir::Cat(v).size());
    return static_cast<int64_t>(
        std::ceil((static_cast<double>(digits) * 7.5 + 6) / gap));
  }

  // --- two axes and more
  // ------------------------------------------------------

  struct Panel {
    double x = 0, y = 0;
    int64_t number = 0;  // of the point in its corner
  };

  void DrawMaps() {
    const size_t across = axes_[0], up = axes_[1];
    cell_w_ =
        std::clamp(560.0 / static_cast<double>(Places(across)), 14.0, 56.0);
    cell_h_ = std::clamp(320.0 / static_cast<double>(Places(up)), 14.0, 28.0);
    double map_w = cell_w_ * static_cast<double>(Places(across));
    double map_h = cell_h_ * static_cast<double>(Places(up));
    std::vector<int64_t> corners = Corners();
    int64_t columns = std::max<int64_t>(
        1, std::min<int64_t>(static_cast<int64_t>(corners.size()),
                             static_cast<int64_t>(1100 / (map_w + kLeft))));
    double panel_w = map_w + kLeft, panel_h = map_h + 74;
    for (size_t i = 0; i < corners.size(); ++i) {
      auto n = static_cast<int64_t>(i);
      Panel panel{kLeft + panel_w * static_cast<double>(n % columns),
                  kTop + 24 + panel_h * static_cast<double>(n / columns),
                  corners[i]};
      DrawMap(panel, across, up);
    }
    auto rows = (static_cast<int64_t>(corners.size()) + columns - 1) / columns;
    double end = kTop + 24 + panel_h * static_cast<double>(rows);
    width_ = std::max(panel_w * static_cast<double>(columns) + kMargin, 640.0);
    height_ = end + 24;
    Legend(end, /*colours=*/true);
  }

  // A map for each combination of the other axes' values.
  std::vector<int64_t> Corners() const {
    std::vector<int64_t> out = {0};
    for (size_t i = 2; i < axes_.size(); ++i) {
      std::vector<int64_t> more;
      for (int64_t corner : out) {
        for (int64_t place = 0; place < Places(axes_[i]); ++place)
          more.push_back(grid_.Moved(corner, axes_[i], place));
      }
      out = std::move(more);
    }
    return out;
  }

  void DrawMap(const Panel& panel, size_t across, size_t up) {
    std::string title;
    for (size_t i = 2; i < axes_.size(); ++i) {
      int64_t place = grid_.PlaceOn(axes_[i], panel.number);
      ir::Append(&title, title.empty() ? "" : " ", sweep_.axes[axes_[i]].name,
                 "=", sweep_.axes[axes_[i]].values[place]);
    }
    svg_.Text(panel.x, panel.y - 8, title, "start");
    const Axis &a = sweep_.axes[across], &b = sweep_.axes[up];
    for (int64_t r = 0; r < Places(up); ++r) {
      double y = panel.y + cell_h_ * static_cast<double>(r);
      svg_.Text(panel.x - 6, y + cell_h_ / 2 + 4, ir::Cat(b.values[r]), "end");
      for (int64_t c = 0; c < Places(across); ++c)
        DrawCell(panel.x + cell_w_ * static_cast<double>(c), y,
                 grid_.Moved(grid_.Moved(panel.number, up, r), across, c));
    }
    double floor = panel.y + cell_h_ * static_cast<double>(Places(up));
    for (int64_t c = 0; c < Places(across); c += LabelStep(cell_w_, a))
      svg_.Text(panel.x + cell_w_ * (static_cast<double>(c) + 0.5), floor + 16,
                ir::Cat(a.values[c]), "middle");
    svg_.Text(panel.x + cell_w_ * static_cast<double>(Places(across)) / 2,
              floor + 32, a.name, "middle", 13);
    svg_.Text(panel.x - 6, panel.y - 8, b.name, "end", 13);
    Outline(panel, across, up);
  }

  void DrawCell(double x, double y, int64_t number) {
    const Point* p = sweep_.At(number);
    if (p == nullptr || !p->timed()) {
      svg_.Rect(
          x, y, cell_w_, cell_h_,
          {.fill = p == nullptr ? "white" : "url(#out)", .stroke = "#ddd"},
          TitleOf(number));
      if (p != nullptr && p->state == PointState::kFindings)
        svg_.Text(x + cell_w_ / 2, y + cell_h_ / 2 + 4, "!", "middle", 12,
                  kBest);
      return;
    }
    double t = (Times(*p) - 1) / (end_ - 1);
    svg_.Rect(x, y, cell_w_, cell_h_, {.fill = ColourOf(t), .stroke = "white"},
              TitleOf(number));
    if (cell_w_ >= 34)
      svg_.Text(x + cell_w_ / 2, y + cell_h_ / 2 + 4,
                fmt::format("{:.2f}", Times(*p)), "middle", 11,
                t < 0.55 ? "white" : kInk);
  }

  // Of the best and of the text's own point, over all cells.
  void Outline(const Panel& panel, size_t across, size_t up) {
    for (int64_t r = 0; r < Places(up); ++r) {
      for (int64_t c = 0; c < Places(across); ++c) {
        int64_t number =
            grid_.Moved(grid_.Moved(panel.number, up, r), across, c);
        double x = panel.x + cell_w_ * static_cast<double>(c);
        double y = panel.y + cell_h_ * static_cast<double>(r);
        if (IsBest(number))
          svg_.Rect(x, y, cell_w_, cell_h_, {.stroke = kBest, .width = 3});
        if (own_ == number)
          svg_.Rect(x + 2.5, y + 2.5, cell_w_ - 5, cell_h_ - 5,
                    {.stroke = kOwn, .width = 1.5, .dash = "3 2"});
      }
    }
  }

  void Legend(double y, bool colours) {
    double x = kMargin;
    auto entry = [&](std::string_view text, auto draw) {
      draw(x, y - 10);
      svg_.Text(x + 20, y, text, "start", 11, kInk);
      x += 36 + 6.2 * static_cast<double>(text.size());
    };
    if (colours) {
      constexpr int kSteps = 20;
      for (int i = 0; i < kSteps; ++i)
        svg_.Rect(x + 5 * i, y - 10, 5.5, 12,
                  {.fill = ColourOf(static_cast<double>(i) / (kSteps - 1))});
      svg_.Rect(x, y - 10, 5 * kSteps, 12, {.stroke = kPale, .width = 0.5});
      std::string scale = fmt::format("1.00 to {:.2f}{} x best", end_,
                                      worst_ > end_ ? " or more" : "");
      svg_.Text(x + 5 * kSteps + 8, y, scale, "start", 11, kInk);
      x += 5 * kSteps + 24 + 6.2 * static_cast<double>(scale.size());
    }
    entry("best", [&](double at, double top) {
      svg_.Rect(at, top, 14, 12, {.stroke = kBest, .width = 3});
    });
    if (own_)
      entry("as the text has it", [&](double at, double top) {
        svg_.Rect(at, top, 14, 12,
                  {.stroke = kOwn, .width = 1.5, .dash = "3 2"});
      });
    entry("left out (! findings)", [&](double at, double top) {
      svg_.Rect(at, top, 14, 12, {.fill = "url(#out)", .stroke = "#ddd"});
    });
    width_ = std::max(width_, x);
  }

  static constexpr std::array<std::string_view, 3> kAxisNames = {
      "time, us", "SM cycles", "TFLOP/s"};

  const Sweep& sweep_;
  const Grid grid_;
  const Ranking ranking_;
  std::vector<size_t> axes_;
  std::optional<int64_t> own_;
  double worst_ = 1, end_ = 1;
  mutable std::vector<double> ticks_;
  double cell_w_ = 0, cell_h_ = 0, width_ = 0, height_ = 0;
  Svg svg_;
};

}  // namespace

absl::StatusOr<std::string> SvgOf(const Sweep& sweep) {
  Grid grid(sweep.axes);
  if (grid.varied().empty())
    return absl::InvalidArgumentError(
        "there is nothing to draw: no -D has more than one value");
  if (grid.size() > kMostCells) {
    return absl::InvalidArgumentError(ir::Cat(
        "a picture of ", Grouped(grid.size()),
        " points shows nothing; at most ", Grouped(kMostCells), " are drawn"));
  }
  return Plot(sweep).Draw();
}

}  // namespace tilesim::cli
