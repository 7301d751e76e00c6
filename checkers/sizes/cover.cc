#include "checkers/sizes/cover.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "checkers/sizes/divide.h"
#include "checkers/sizes/permitted.h"
#include "checkers/sizes/recurrence.h"
#include "ir/cat.h"

namespace tilesim::checkers {
namespace {

// Cells that are looked at before the proof is given up.
constexpr int kMaxCells = 600;
// Steps of one parameter, likewise.
constexpr int64_t kMaxSteps = 64;
// Events of all walks, likewise.
constexpr int64_t kMaxEvents = 2'000'000;
constexpr int64_t kMaxStride = 32;
// From here on, values below one that decides are not looked at one by one.
constexpr int64_t kFar = 4;
constexpr int64_t kMaxClusters = 32;

// Symbols of two parameters that count by their product.
constexpr Symbol kFactors = 500;
// Those of clusters that are not told apart yet, one a dimension of the grid.
constexpr Symbol kAnywhere = 1'000;

class Coverer {
 public:
  Coverer(const ir::Kernel& kernel, const InstanceOptions& options,
          int64_t max_events, const JudgeInstance& judge)
      : kernel_(kernel),
        options_(options),
        max_events_(max_events),
        judge_(judge) {
    for (const ir::Param& p : kernel.params) {
      if (options.defines.count(p.name) == 0) free_.push_back(&p);
    }
  }

  Covered Run() {
    Start();
    for (int cells = 0; !todo_.empty(); ++cells) {
      if (cells == kMaxCells) GiveUp("too many sizes behave differently");
      if (!out_.all || out_.stopped) break;
      Cell cell = std::move(todo_.back());
      todo_.pop_back();
      Look(std::move(cell));
    }
    if (out_.stopped) out_.all = false;
    if (judged_.empty()) GiveUp("no permitted sizes found");
    if (out_.all) {
      for (const ir::Param* p : free_) out_.open.insert(p->name);
    }
    return std::move(out_);
  }

 private:
  // All sizes are one cell.
  void Start() {
    Cell all;
    for (size_t i = 0; i < free_.size(); ++i) {
      const ir::Param& p = *free_[i];
      bool fixed = merged_ && static_cast<Symbol>(i) == merged_->second;
      Polynomial& value = all.params.emplace_back(p.low);
      if (fixed) continue;
      auto symbol = static_cast<Symbol>(i);
      all.axes[symbol] = {p.name};
      value += Polynomial::Of(symbol, p.step);
      if (p.high) all.facts.Add(Polynomial(*p.high) - value);
    }
    todo_.clear();
    Add({std::move(all)});
    out_.all = true;
  }

  // The first is looked at first.
  void Add(Cells cells) {
    std::move(cells.rbegin(), cells.rend(), std::back_inserter(todo_));
  }

  // Two parameters whose product alone decides are one: the cells are those of
  // the product. The first parameter takes its steps, the second is at its
  // lowest value.
  bool Merge(const Recurrence& r) {
    auto from_one = [&](Symbol s) {
      return static_cast<size_t>(s) < free_.size() &&
             free_[s]->low == free_[s]->step && !free_[s]->high;
    };
    if (!r.product || merged_ || unmerged_ || !from_one(r.product->first) ||
        !from_one(r.product->second))
      return false;
    merged_ = r.product;
    Start();
    return true;
  }

  // Something else of them decides as well.
  void Unmerge() {
    merged_.reset();
    unmerged_ = true;
    Start();
  }

  Family FamilyOf(const Cell& cell, const machine::Code& code) const {
    Family family;
    family.facts = cell.facts;
    for (size_t i = 0; i < free_.size(); ++i)
      family.params[free_[i]->slot] = cell.params[i];
    if (merged_) {
      auto [a, b] = *merged_;
      Polynomial x = Polynomial::Of(kFactors), y = Polynomial::Of(kFactors + 1);
      family.known.push_back({x * y, *cell.params[a].DividedBy(free_[a]->step)});
      family.params[free_[a]->slot] = Polynomial(free_[a]->step) * x;
      family.params[free_[b]->slot] = Polynomial(free_[b]->step) * y;
    }
    family.grid = GridOf(code, family);
    for (int d = 0; d < 3; ++d) {
      if (!cell.positions[d]) continue;
      Polynomial of(code.bound.cluster[d]);
      family.grid[d] = Symbolic::Number(cell.positions[d]->clusters * of);
      family.cta[d] = cell.positions[d]->at.Varying() * of;
    }
    return family;
  }

  void GiveUp(std::string why) {
    out_.all = false;
    if (out_.why.empty()) out_.why = std::move(why);
  }

  ir::Overrides SizesOf(const Cell& cell) const {
    ir::Overrides sizes = options_.defines;
    for (size_t i = 0; i < free_.size(); ++i)
      sizes[free_[i]->name] = cell.params[i].base();
    return sizes;
  }

  std::optional<machine::Code> CodeFor(const ir::Overrides& sizes,
                                       machine::Params params) const {
    ir::Diagnostics ignored;
    for (int64_t sms : kSmCounts) {
      int64_t count = options_.sm_count != 0 ? options_.sm_count : sms;
      auto bound = ir::Bind(kernel_, sizes, count, ignored);
      if (bound) return machine::Compile(std::move(*bound), ignored, params);
    }
    return std::nullopt;
  }

  void Look(Cell cell) {
    if (!cell.Settle()) return;
    if (!cell.HasInstance()) return DivideToGetOne(cell);
    ir::Overrides sizes = SizesOf(cell);
    std::optional<machine::Code> code =
        CodeFor(sizes, machine::Params::kFolded);
    if (!code) {
      if (cell.open() && !Never(cell, sizes))
        Divide(cell, WhatToGrow(cell), 1, "no permitted sizes found");
      return;
    }
    std::optional<machine::Code> kept = CodeFor(sizes, machine::Params::kKept);
    if (!kept) return GiveUp("sizes decide what the kernel is");
    Family family = FamilyOf(cell, *kept);
    if (!IsIn(*kept, cell)) return GiveUp("the grid is not what it seemed");
    std::vector<int64_t> clusters = ClustersOf(cell, *kept, family);
    if (!Judge(std::move(*code), cell, sizes, clusters)) return;
    if (!cell.open() && !merged_ && !Anywhere(family)) return;
    if (!by_order_) return GiveUp("schedules were searched");
    if (kept->sized_by_params)
      return GiveUp("the layout of a CTA depends on a size");
    ShowAlike(cell, *kept, family, clusters);
  }

  // Whether the instance has the cluster that stands for the cell.
  static bool IsIn(const machine::Code& code, const Cell& cell) {
    for (int d = 0; d < 3; ++d) {
      const auto& p = cell.positions[d];
      int64_t clusters = code.bound.grid[d] / code.bound.cluster[d];
      if (p && (p->clusters.base() != clusters || p->at.base() < 0 ||
                p->at.base() >= clusters))
        return false;
    }
    return true;
  }

  // Some fact says that all its symbols cannot be 0.
  void DivideToGetOne(const Cell& cell) {
    for (const Polynomial& fact : cell.facts.all()) {
      if (fact.base() >= 0) continue;
      for (const auto& [monomial, c] : fact.terms()) {
        if (c > 0)
          return Divide(cell, monomial[0], 1, "no permitted sizes found");
      }
    }
  }

  // One run of each of these stands for all of the cell. In dimensions that are
  // larger in larger sizes, and in all where there are too many, any other
  // cluster must do as the first.
  static std::vector<int64_t> ClustersOf(const Cell& cell,
                                         const machine::Code& code,
                                         Family& family) {
    std::array<int64_t, 3> first{}, count{1, 1, 1}, grid{};
    for (int d = 0; d < 3; ++d) {
      grid[d] = code.bound.grid[d] / code.bound.cluster[d];
      if (cell.positions[d]) {
        first[d] = cell.positions[d]->at.base();
      } else if (family.grid[d].known()) {
        count[d] = grid[d];
      } else {
        SetAnywhere(code, family, d);
      }
    }
    if (count[0] * count[1] * count[2] > kMaxClusters) {
      for (int d = 0; d < 3; ++d) {
        if (count[d] > 1) SetAnywhere(code, family, d);
      }
      count = {1, 1, 1};
    }
    std::vector<int64_t> out;
    for (int64_t z = first[2]; z < first[2] + count[2]; ++z) {
      for (int64_t y = first[1]; y < first[1] + count[1]; ++y) {
        for (int64_t x = first[0]; x < first[0] + count[0]; ++x)
          out.push_back(x + grid[0] * (y + grid[1] * z));
      }
    }
    return out;
  }

  static void SetAnywhere(const machine::Code& code, Family& family, int d) {
    family.cta[d] = Polynomial::Of(kAnywhere + d, code.bound.cluster[d]);
  }

  static bool Anywhere(const Family& family) {
    return std::any_of(
        family.cta.begin(), family.cta.end(),
        [](const Polynomial& p) { return !p.constant(); });
  }

  // False: no more sizes are wanted. Other clusters are judged too, as long as
  // they are not told apart: between them, nothing is shown but for those.
  bool Judge(machine::Code code, const Cell& cell, const ir::Overrides& sizes,
             const std::vector<int64_t>& clusters) {
    Instance instance;
    instance.code = std::make_unique<machine::Code>(std::move(code));
    const ir::BoundKernel& bound = instance.code->bound;
    int64_t all = bound.ctas() / bound.cluster_size();
    std::set<int64_t> wanted(clusters.begin(), clusters.end());
    bool few = all <= kMaxClusters || !cell.placed();
    for (int64_t c = 0; few && c < std::min(all, kMaxClusters); ++c)
      wanted.insert(c);
    for (int64_t c : wanted) {
      if (judged_.emplace(sizes, c).second) instance.clusters.push_back(c);
    }
    if (instance.clusters.empty()) return true;
    for (const ir::Param& p : kernel_.params)
      instance.sizes[p.name] = bound.slots[p.slot]->number;
    Judged judged = judge_(instance);
    out_.stopped = judged == Judged::kWrong;
    // What was found schedule by schedule says nothing of longer ones.
    if (judged == Judged::kSearched) by_order_ = false;
    return !out_.stopped;
  }

  // Not a permitted combination, and neither is any larger one.
  bool Never(const Cell& cell, const ir::Overrides& sizes) const {
    std::set<int32_t> open;
    for (size_t i = 0; i < free_.size(); ++i) {
      if (!cell.params[i].constant()) open.insert(free_[i]->slot);
    }
    int64_t sms =
        options_.sm_count != 0 ? options_.sm_count : *std::rbegin(kSmCounts);
    return NeverPermitted(kernel_, sizes, sms, open);
  }

  // What may grow, and with which sizes become permitted if there is one.
  Symbol WhatToGrow(const Cell& cell) const {
    Symbol first = -1;
    for (auto axis = cell.axes.rbegin(); axis != cell.axes.rend(); ++axis) {
      first = axis->first;
      Cell more = cell;
      for (int64_t n = 0; n < kMaxSteps; ++n) {
        more.Raise(first);
        if (!more.Settle() || more.axes.count(first) == 0) break;
        if (CodeFor(SizesOf(more), machine::Params::kFolded)) return first;
      }
    }
    return first;
  }

  // Whether the instance stands for the whole cell; if not, divides it.
  void ShowAlike(const Cell& cell, const machine::Code& code,
                 const Family& family, const std::vector<int64_t>& clusters) {
    for (int64_t c : clusters) {
      Recurrence r = FindRecurrence(code, c, family, max_events_);
      events_ += r.events;
      if (events_ > kMaxEvents) return GiveUp("it would take too long runs");
      if (!r.holds) return Divide(cell, code, family, r);
    }
  }

  void Divide(const Cell& cell, const machine::Code& code,
              const Family& family, const Recurrence& r) {
    if (Merge(r)) return;
    bool by_factor = r.symbols.count(kFactors) != 0 ||
                     r.symbols.count(kFactors + 1) != 0;
    Symbol blamed = Blamed(cell, r);
    if (merged_ && by_factor) return Unmerge();
    for (int d = 0; d < 3; ++d) {
      if (r.symbols.count(kAnywhere + d) == 0) continue;
      return Place(cell, code, family, d, r);
    }
    if (merged_ && blamed < 0) return Unmerge();
    if (blamed < 0) return GiveUp(r.why);
    bool spread = r.stride && r.stride->first == blamed &&
                  cell.axes.at(blamed).stride * r.stride->second <= kMaxStride;
    bool several = r.number && r.number->terms().size() > 1;
    auto counted = r.number && (several || (r.stride && !spread))
                       ? Counted(cell, *r.number, r.step)
                       : std::nullopt;
    if (counted) return Add({std::move(*counted)});
    if (spread) return Add(Spread(cell, blamed, r.stride->second));
    auto cut = r.number ? Cut(cell, *r.number, kFar) : std::nullopt;
    if (cut) return Add(std::move(*cut));
    Divide(cell, blamed, r.values, r.why);
  }

  // Of several, that of which one more makes the most of the number.
  static Symbol Blamed(const Cell& cell, const Recurrence& r) {
    Symbol out = -1;
    int64_t most = 0;
    for (Symbol s : r.symbols) {
      if (cell.axes.count(s) == 0) continue;
      int64_t c = r.number ? std::abs(r.number->Coefficient(s)) : 0;
      if (c >= most) out = s;
      most = std::max(most, c);
    }
    return out;
  }

  // Which clusters they are decides something.
  void Place(const Cell& cell, const machine::Code& code, const Family& family,
             int d, const Recurrence& r) {
    std::optional<Polynomial> grid = NumberOf(family.grid[d]);
    if (!grid) return DivideByGrid(cell, family.grid[d], r);
    auto clusters = grid->DividedBy(code.bound.cluster[d]);
    if (!clusters) return GiveUp(r.why);
    bool from_last = r.number && r.number->Coefficient(kAnywhere + d) < 0;
    Add({Placed(cell, d, *clusters, from_last)});
  }

  // So that the grid is a number.
  void DivideByGrid(const Cell& cell, const Symbolic& grid,
                    const Recurrence& r) {
    if (auto cells = Cut(cell, grid.of, 1)) return Add(std::move(*cells));
    for (const auto& [monomial, c] : grid.of.terms()) {
      auto axis = cell.axes.find(monomial[0]);
      int64_t times = grid.by / std::gcd(c, grid.by);
      if (axis == cell.axes.end() || times == 1 || monomial.size() != 1) continue;
      if (axis->second.stride * times > kMaxStride) break;
      return Add(Spread(cell, axis->first, times));
    }
    GiveUp(r.why);
  }

  void Divide(const Cell& cell, Symbol symbol, int64_t values,
              const std::string& why) {
    const Axis& axis = cell.axes.at(symbol);
    if (axis.steps >= kMaxSteps)
      return GiveUp(
          ir::Cat("no end to what depends on `", axis.name, "`: ", why));
    Add(Lowest(cell, symbol, values));
  }

  const ir::Kernel& kernel_;
  const InstanceOptions& options_;
  int64_t max_events_;
  const JudgeInstance& judge_;
  std::vector<const ir::Param*> free_;
  std::vector<Cell> todo_;
  std::optional<std::pair<Symbol, Symbol>> merged_;
  int64_t events_ = 0;
  bool by_order_ = true;
  bool unmerged_ = false;  // was tried, in vain
  std::set<std::pair<ir::Overrides, int64_t>> judged_;
  Covered out_;
};

}  // namespace

Covered CoverSizes(const ir::Kernel& kernel, const InstanceOptions& options,
                   int64_t max_events, const JudgeInstance& judge) {
  return Coverer(kernel, options, max_events, judge).Run();
}

}  // namespace tilesim::checkers
