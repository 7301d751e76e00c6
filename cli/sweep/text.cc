#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "cli/sweep/show.h"
#include "fmt/format.h"
#include "sim/arch/accuracy.h"

namespace tilesim::cli {
namespace {

// A column: its head and its cells, right-aligned but for the last.
struct Column {
  std::string head;
  std::vector<std::string> cells;
};

std::string TableOf(const std::vector<Column>& columns) {
  std::string out;
  for (size_t row = 0; row <= columns[0].cells.size(); ++row) {
    std::string line = " ";
    for (const Column& c : columns) {
      size_t width = c.head.size();
      for (const std::string& cell : c.cells)
        width = std::max(width, cell.size());
      const std::string& text = row == 0 ? c.head : c.cells[row - 1];
      line += &c == &columns.back() ? fmt::format("  {}", text)
                                    : fmt::format(" {:>{}}", text, width);
    }
    out += line + "\n";
  }
  return out;
}

class Text {
 public:
  Text(const Sweep& sweep, size_t top)
      : sweep_(sweep),
        grid_(sweep.axes),
        ranking_(RankingOf(sweep)),
        sizes_(ChoicesBySize(sweep)),
        shown_(top == 0 ? ranking_.order.size()
                        : std::min(top, ranking_.order.size())) {}

  std::string Write() {
    Head();
    if (!sizes_.empty()) EachSize();
    // By time those of the smallest size would be the best.
    bool together = sizes_.empty() || sweep_.metric == Metric::kTflops;
    if (!ranking_.order.empty() && together) {
      Table();
      Choice();
    }
    Notes();
    LeftOut();
    Incomplete();
    Gpu();
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void Line(std::string_view label, fmt::format_string<Args...> format,
            Args&&... args) {
    out_ += fmt::format("  {:<9} {}\n", label,
                        fmt::format(format, std::forward<Args>(args)...));
  }

  void Head() {
    const bool cycles = sweep_.metric == Metric::kCycles;
    out_ += fmt::format("{} on {}, by {}{}\n", sweep_.program, sweep_.arch,
                        Name(sweep_.metric), cycles ? "" : "; ties by cycles");
    std::string fixed, varied;
    for (const Axis& a : sweep_.axes) {
      bool one = a.values.size() == 1;
      std::string& list = one ? fixed : varied;
      list += fmt::format("{}{}={}", list.empty() ? "" : " ", a.name,
                          ValuesText(a.values));
    }
    Line("grid", "{}{}{} point{}", varied, varied.empty() ? "" : ": ",
         Grouped(grid_.size()), grid_.size() == 1 ? "" : "s");
    if (!fixed.empty()) Line("fixed", "{}", fixed);
    if (sweep_.shard)
      Line("shard", "{} of {}: {} points", sweep_.shard->index,
           sweep_.shard->count, sweep_.points.size());
    if (sweep_.budget > 0)
      Line("searched",
           "coordinate descent from {} start{}: {} of {} points run, {} "
           "of them timed (--budget {}); others may be better",
           sweep_.search.starts, sweep_.search.starts == 1 ? "" : "s",
           sweep_.search.looked_at, Grouped(grid_.size()),
           sweep_.search.with_cost, sweep_.budget);
    if (sweep_.interrupted)
      Line("stopped", "by Ctrl-C, after {} points", sweep_.points.size());
    out_ += "\n";
  }

  static std::string ValuesText(const std::vector<int64_t>& values) {
    constexpr size_t kListed = 12;
    if (values.size() <= kListed)
      return fmt::format("{}", fmt::join(values, ","));
    return fmt::format("{},{},..,{} ({} values)", values[0], values[1],
                       values.back(), values.size());
  }

  void Table() {
    std::vector<Column> columns;
    auto add = [&](std::string head, auto cell) {
      Column c{std::move(head), {}};
      for (size_t i = 0; i < shown_; ++i)
        c.cells.push_back(cell(*ranking_.order[i], i));
      columns.push_back(std::move(c));
    };
    add("rank",
        [](const Point&, size_t i) { return fmt::format("{}", i + 1); });
    for (size_t axis : grid_.varied()) {
      add(sweep_.axes[axis].name, [&](const Point& p, size_t) {
        return fmt::format("{}", grid_.ValuesAt(p.number)[axis]);
      });
    }
    add("us", [](const Point& p, size_t) {
      return fmt::format("{:.2f}", p.time_us);
    });
    add("cycles", [](const Point& p, size_t) { return Grouped(p.cycles); });
    if (std::any_of(sweep_.points.begin(), sweep_.points.end(),
                    [](const Point& p) { return p.flops > 0; })) {
      add("TFLOP/s", [](const Point& p, size_t) {
        return p.flops > 0 ? fmt::format("{:.1f}", p.tflops()) : "";
      });
    }
    add("x best", [&](const Point& p, size_t) {
      return fmt::format("{:.3f}",
                         TimesLeast(p, *ranking_.least, sweep_.metric));
    });
    if (sweep_.checked)
      add("check", [](const Point& p, size_t) { return p.check; });
    add("bound by", [](const Point& p, size_t) { return p.bound_by; });
    out_ += TableOf(columns);
    if (size_t more = ranking_.order.size() - shown_; more > 0)
      out_ += fmt::format("  ... and {} more (--top 0 shows all)\n", more);
    out_ += "\n";
  }

  void Choice() {
    const Point& best = *ranking_.order[0];
    Line("best", "{}", OptionsOf(sweep_, best.number));
    if (ranking_.ties > 1)
      Line("ties",
           "the first {} are within {} % of each other: the clock cannot tell "
           "them apart; fewest cycles first",
           ranking_.ties, sweep_.tie_percent);
    if (std::optional<int64_t> own = OwnPoint(sweep_)) {
      for (size_t i = 0; i < ranking_.order.size(); ++i) {
        if (ranking_.order[i]->number != *own || ranking_.order.size() == 1)
          continue;
        Line("own", "{}, as the text has it, is rank {}: {:.3f} x best",
             NameOf(sweep_, *own), i + 1,
             TimesLeast(*ranking_.order[i], *ranking_.least, sweep_.metric));
      }
    }
  }

  void Notes() {
    if (ranking_.order.empty()) return;
    const arch::Accuracy* clock = arch::AccuracyOf(sweep_.arch);
    if (clock == nullptr) {
      Line("clock",
           "nothing was measured on {}: how far it is off is not known",
           sweep_.arch);
    } else if (const arch::Accuracy* u = arch::AccuracyOfUnseen(sweep_.arch)) {
      Line("clock",
           "error {:.0f} % of the duration on average, in {} programs on an {} "
           "that the model was not made with (worst {:+.0f} %); {:.0f} % at "
           "the {} points that it was made with",
           std::round(u->mean_time), u->points, u->gpu, u->worst_time,
           std::round(clock->mean_time), clock->points);
    } else {
      Line("clock",
           "error {:.0f} % of the duration on average, at {} points on an {} "
           "(worst {:+.0f} %)",
           std::round(clock->mean_time), clock->points, clock->gpu,
           clock->worst_time);
    }
    if (!sweep_.checked && !sweep_.valued)
      Line("unproved", "no result was compared; --values or --check do");
    if (!ranking_.same_work && sweep_.metric != Metric::kTflops)
      Line("note",
           "points are worth different amounts of work; --metric tflops ranks "
           "all of them");
    out_ += "\n";
  }

  void EachSize() {
    out_ += "  best for each size\n";
    std::vector<Column> columns;
    auto add = [&](std::string head, auto cell) {
      Column c{std::move(head), {}};
      for (const SizeChoice& choice : sizes_) c.cells.push_back(cell(choice));
      columns.push_back(std::move(c));
    };
    for (bool is_size : {true, false}) {
      for (size_t axis : grid_.varied()) {
        if (sweep_.axes[axis].is_size != is_size) continue;
        add(sweep_.axes[axis].name, [&](const SizeChoice& c) {
          return fmt::format("{}",
                             grid_.ValuesAt(c.ranking.order[0]->number)[axis]);
        });
      }
    }
    add("us", [](const SizeChoice& c) {
      return fmt::format("{:.2f}", c.ranking.order[0]->time_us);
    });
    add("TFLOP/s", [](const SizeChoice& c) {
      return c.ranking.order[0]->flops > 0
                 ? fmt::format("{:.1f}", c.ranking.order[0]->tflops())
                 : "";
    });
    add("own x best", [&](const SizeChoice& c) {
      return c.own == nullptr
                 ? std::string("-")
                 : fmt::format("{:.3f}", TimesLeast(*c.own, *c.ranking.least,
                                                    sweep_.metric));
    });
    add("ties", [](const SizeChoice& c) {
      return fmt::format("{} of {}", c.ranking.ties, c.ranking.order.size());
    });
    out_ += TableOf(columns) + "\n";
  }

  // Grouped by why, so that a thousand points with too much shared memory are
  // a line.
  void LeftOut() {
    std::map<std::pair<PointState, std::string>, std::vector<const Point*>> by;
    size_t all = 0;
    for (const Point& p : sweep_.points) {
      if (p.timed()) continue;
      by[{p.state, p.code}].push_back(&p);
      ++all;
    }
    if (all == 0) return;
    out_ += fmt::format("  left out, {} point{}\n", all, all == 1 ? "" : "s");
    for (const auto& [why, points] : by) {
      const Point& first = *points[0];
      out_ += fmt::format("    {} {}, {} point{}; {}: {}\n", Name(why.first),
                          why.second.empty() ? "by a limit" : why.second,
                          points.size(), points.size() == 1 ? "" : "s",
                          NameOf(sweep_, first.number), first.reason);
    }
    out_ += "\n";
  }

  void Incomplete() {
    auto open =
        std::count_if(ranking_.order.begin(), ranking_.order.end(),
                      [](const Point* p) { return p->check == "incomplete"; });
    if (open == 0) return;
    out_ += fmt::format(
        "  incomplete: of {} ranked point{} the check found nothing wrong, but "
        "has no proof; tilesim check FILE -D ... says why\n\n",
        open, open == 1 ? "" : "s");
  }

  void Gpu() {
    if (!sweep_.measured || sweep_.measured->points.empty()) return;
    const Measured& m = *sweep_.measured;
    out_ += fmt::format("  measured on {}\n",
                        m.device.empty() ? "this GPU" : m.device);
    std::vector<Column> columns(5);
    const char* heads[] = {"rank", "point", "us", "model", "note"};
    for (size_t i = 0; i < columns.size(); ++i) columns[i].head = heads[i];
    for (const MeasuredPoint& p : m.points) {
      const Point* model = sweep_.At(p.number);
      bool timed = p.time_us > 0;
      columns[0].cells.push_back(fmt::format("{}", RankOf(p.number)));
      columns[1].cells.push_back(NameOf(sweep_, p.number));
      columns[2].cells.push_back(timed ? fmt::format("{:.2f}", p.time_us) : "");
      columns[3].cells.push_back(
          timed && model != nullptr
              ? fmt::format("{:.2f} x", model->time_us / p.time_us)
              : "");
      columns[4].cells.push_back(p.problem);
    }
    out_ += TableOf(columns);
    out_ += ChoiceOnGpu(m) + "\n";
  }

  size_t RankOf(int64_t number) const {
    for (size_t i = 0; i < ranking_.order.size(); ++i) {
      if (ranking_.order[i]->number == number) return i + 1;
    }
    return 0;
  }

  std::string ChoiceOnGpu(const Measured& m) const {
    const MeasuredPoint* best = nullptr;
    for (const MeasuredPoint& p : m.points) {
      bool better = best == nullptr || p.time_us < best->time_us;
      if (p.time_us > 0 && p.problem.empty() && better) best = &p;
    }
    if (best == nullptr) return "  none of them could be measured\n";
    const MeasuredPoint& chosen = m.points[0];
    if (chosen.time_us <= 0) return "  the choice could not be measured\n";
    return fmt::format(
        "  the choice takes {:.3f} times as long as the best measured of these "
        "{}, {}\n",
        chosen.time_us / best->time_us, m.points.size(),
        NameOf(sweep_, best->number));
  }

  const Sweep& sweep_;
  const Grid grid_;
  const Ranking ranking_;
  const std::vector<SizeChoice> sizes_;
  const size_t shown_;
  std::string out_;
};

}  // namespace

std::string TextOf(const Sweep& sweep, size_t top) {
  return Text(sweep, top).Write();
}

}  // namespace tilesim::cli
