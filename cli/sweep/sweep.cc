#include "cli/sweep/sweep.h"

#include <algorithm>
#include <map>
#include <utility>

#include "ir/cat.h"

namespace tilesim::cli {
namespace {

std::string Joined(const Sweep& sweep, int64_t number, bool all) {
  std::vector<int64_t> values = Grid(sweep.axes).ValuesAt(number);
  std::string out;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!all && sweep.axes[i].values.size() == 1) continue;
    ir::Append(&out, out.empty() ? "" : " ", sweep.axes[i].name, "=",
               values[i]);
  }
  return out;
}

// SM cycles; where work is what is ranked, for as much of it.
double CyclesOf(const Point& p, Metric metric) {
  auto cycles = static_cast<double>(p.cycles);
  return metric == Metric::kTflops && p.flops > 0 ? cycles / p.flops : cycles;
}

// Points by number.
Ranking Ranked(const Sweep& sweep, std::vector<const Point*> points) {
  Ranking r;
  r.order = std::move(points);
  if (r.order.empty()) return r;
  std::stable_sort(r.order.begin(), r.order.end(),
                   [&](const Point* a, const Point* b) {
                     return CostOf(*a, sweep.metric) < CostOf(*b, sweep.metric);
                   });
  r.least = r.order[0];
  const double tie = 1 + sweep.tie_percent / 100;
  auto end =
      std::find_if(r.order.begin() + 1, r.order.end(), [&](const Point* p) {
        return TimesLeast(*p, *r.least, sweep.metric) > tie;
      });
  r.ties = static_cast<size_t>(end - r.order.begin());
  std::stable_sort(r.order.begin(), end, [&](const Point* a, const Point* b) {
    return CyclesOf(*a, sweep.metric) < CyclesOf(*b, sweep.metric);
  });
  r.same_work =
      std::all_of(r.order.begin(), r.order.end(),
                  [&](const Point* p) { return p->flops == r.least->flops; });
  return r;
}

}  // namespace

const Point* Sweep::At(int64_t number) const {
  auto at =
      std::lower_bound(points.begin(), points.end(), number,
                       [](const Point& p, int64_t n) { return p.number < n; });
  return at != points.end() && at->number == number ? &*at : nullptr;
}

double CostOf(const Point& point, Metric metric) {
  switch (metric) {
    case Metric::kTime:
      return point.time_us;
    case Metric::kCycles:
      return static_cast<double>(point.cycles);
    case Metric::kTflops:
      return -point.tflops();
  }
  return 0;
}

double TimesLeast(const Point& point, const Point& least, Metric metric) {
  double cost = CostOf(point, metric), best = CostOf(least, metric);
  if (metric == Metric::kTflops) std::swap(cost, best);
  return best == 0 ? 1 : cost / best;
}

Ranking RankingOf(const Sweep& sweep) {
  std::vector<const Point*> timed;
  for (const Point& p : sweep.points) {
    if (p.timed()) timed.push_back(&p);
  }
  return Ranked(sweep, std::move(timed));
}

std::vector<SizeChoice> ChoicesBySize(const Sweep& sweep) {
  Grid grid(sweep.axes);
  std::vector<size_t> sizes;
  for (size_t i : grid.varied()) {
    if (sweep.axes[i].is_size) sizes.push_back(i);
  }
  if (sizes.empty() || sizes.size() == grid.varied().size()) return {};
  // By the number of the first point of that size.
  std::map<int64_t, std::vector<const Point*>> by_size;
  for (const Point& p : sweep.points) {
    if (!p.timed()) continue;
    int64_t first = 0;
    for (size_t i : sizes)
      first = grid.Moved(first, i, grid.PlaceOn(i, p.number));
    by_size[first].push_back(&p);
  }
  // The text's own choice, at the first of all sizes.
  Sweep at_first;
  at_first.axes = sweep.axes;
  at_first.own = sweep.own;
  for (size_t i : sizes) {
    for (const std::string& name : sweep.axes[i].names())
      at_first.own[name] = sweep.axes[i].values[0];
  }
  std::optional<int64_t> own = OwnPoint(at_first);
  std::vector<SizeChoice> out;
  for (const auto& [first, points] : by_size) {
    SizeChoice choice{Ranked(sweep, points), nullptr};
    std::optional<int64_t> number = own;
    for (size_t i : sizes) {
      if (number) number = grid.Moved(*number, i, grid.PlaceOn(i, first));
    }
    for (const Point* p : points) {
      if (number == p->number) choice.own = p;
    }
    out.push_back(std::move(choice));
  }
  return out;
}

std::optional<int64_t> OwnPoint(const Sweep& sweep) {
  ir::Overrides own = sweep.own;
  for (const Axis& a : sweep.axes) {
    if (a.values.size() > 1) continue;
    for (const std::string& name : a.names()) own[name] = a.values[0];
  }
  return Grid(sweep.axes).Find(own);
}

std::string OptionsOf(const Sweep& sweep, int64_t number) {
  std::vector<int64_t> values = Grid(sweep.axes).ValuesAt(number);
  std::string out;
  for (size_t i = 0; i < values.size(); ++i) {
    for (const std::string& name : sweep.axes[i].names())
      ir::Append(&out, out.empty() ? "-D " : " -D ", name, "=", values[i]);
  }
  return out;
}

std::string NameOf(const Sweep& sweep, int64_t number) {
  std::string varied = Joined(sweep, number, false);
  return varied.empty() ? Joined(sweep, number, true) : varied;
}

}  // namespace tilesim::cli
