#include "checkers/sizes/cover.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

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
constexpr int64_t kMaxClusters = 32;

// Symbols of two parameters that count by their product.
constexpr Symbol kFactors = 500;

struct Cell {
  std::vector<int64_t> steps;  // by parameter, from its lowest value
  std::vector<bool> open;      // and any multiple of `stride` more
  std::vector<int64_t> stride;
};

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
  // So many steps are too many.
  bool AtEnd(const ir::Param& p, int64_t steps) const {
    return p.high && p.low + steps * p.step > *p.high;
  }

  // All sizes are one cell.
  void Start() {
    Cell all{std::vector<int64_t>(free_.size(), 0),
             {},
             std::vector<int64_t>(free_.size(), 1)};
    for (const ir::Param* p : free_) all.open.push_back(!AtEnd(*p, 1));
    if (merged_) all.open[merged_->second] = false;
    todo_ = {std::move(all)};
    out_.all = true;
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

  Family FamilyOf(const Cell& cell, const ir::Overrides& sizes) const {
    Family family;
    for (size_t i = 0; i < free_.size(); ++i) {
      Polynomial& value = family.params[free_[i]->slot];
      value = Polynomial(sizes.at(free_[i]->name));
      if (cell.open[i])
        value += Polynomial::Of(static_cast<Symbol>(i),
                                cell.stride[i] * free_[i]->step);
    }
    if (!merged_) return family;
    auto [a, b] = *merged_;
    Polynomial product(cell.steps[a] + 1);
    if (cell.open[a]) product += Polynomial::Of(a, cell.stride[a]);
    Polynomial x = Polynomial::Of(kFactors), y = Polynomial::Of(kFactors + 1);
    family.params[free_[a]->slot] = Polynomial(free_[a]->step) * x;
    family.params[free_[b]->slot] = Polynomial(free_[b]->step) * y;
    family.known.push_back({x * y, product});
    return family;
  }

  void GiveUp(std::string why) {
    out_.all = false;
    if (out_.why.empty()) out_.why = std::move(why);
  }

  ir::Overrides SizesOf(const Cell& cell) const {
    ir::Overrides sizes = options_.defines;
    for (size_t i = 0; i < free_.size(); ++i)
      sizes[free_[i]->name] = free_[i]->low + cell.steps[i] * free_[i]->step;
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
    ir::Overrides sizes = SizesOf(cell);
    std::optional<machine::Code> code =
        CodeFor(sizes, machine::Params::kFolded);
    bool open =
        std::find(cell.open.begin(), cell.open.end(), true) != cell.open.end();
    if (!code) {
      if (open && !Never(cell, sizes)) Divide(cell, WhatToGrow(cell));
      return;
    }
    if (judged_.insert(sizes).second) {
      Instance instance;
      for (const ir::Param& p : kernel_.params)
        instance.sizes[p.name] = code->bound.slots[p.slot]->number;
      instance.code = std::make_unique<machine::Code>(std::move(*code));
      Judged judged = judge_(instance);
      out_.stopped = judged == Judged::kWrong;
      if (out_.stopped) return;
      // What was found schedule by schedule says nothing of longer ones.
      if (judged == Judged::kSearched) by_order_ = false;
    }
    if (open && !by_order_) return GiveUp("schedules were searched");
    if (open || merged_) ShowAlike(cell, sizes);
  }

  // Not a permitted combination, and neither is any larger one.
  bool Never(const Cell& cell, const ir::Overrides& sizes) const {
    std::set<int32_t> open;
    for (size_t i = 0; i < free_.size(); ++i) {
      if (cell.open[i]) open.insert(free_[i]->slot);
    }
    int64_t sms =
        options_.sm_count != 0 ? options_.sm_count : *std::rbegin(kSmCounts);
    return NeverPermitted(kernel_, sizes, sms, open);
  }

  // A parameter that may grow, and with which sizes become permitted if there
  // is one.
  size_t WhatToGrow(const Cell& cell) const {
    size_t first = free_.size();
    for (size_t i = free_.size(); i-- > 0;) {
      if (!cell.open[i]) continue;
      first = i;
      Cell more = cell;
      for (int64_t n = 0; n < kMaxSteps; ++n) {
        more.steps[i] += more.stride[i];
        if (AtEnd(*free_[i], more.steps[i])) break;
        if (CodeFor(SizesOf(more), machine::Params::kFolded)) return i;
      }
    }
    return first;
  }

  // Whether the instance stands for the whole cell; if not, divides it.
  void ShowAlike(const Cell& cell, const ir::Overrides& sizes) {
    std::optional<machine::Code> code = CodeFor(sizes, machine::Params::kKept);
    if (!code || code->sized_by_params)
      return GiveUp("the layout of a CTA depends on a size");
    Family family = FamilyOf(cell, sizes);
    int64_t clusters = code->bound.ctas() / code->bound.cluster_size();
    for (int64_t c = 0; c < std::min(clusters, kMaxClusters); ++c) {
      Recurrence r = FindRecurrence(*code, c, family, max_events_);
      events_ += r.events;
      if (events_ > kMaxEvents) return GiveUp("it would take too long runs");
      if (!r.holds) return Divide(cell, r);
      if (r.grid_grows) return;  // any other cluster does the same
    }
    if (clusters > kMaxClusters) GiveUp("too many clusters");
  }

  void Divide(const Cell& cell, const Recurrence& r) {
    int blamed = -1;
    for (Symbol s : r.symbols) {
      if (static_cast<size_t>(s) < free_.size() && cell.open[s]) blamed = s;
    }
    if (Merge(r)) return;
    bool by_factor = std::any_of(
        r.symbols.begin(), r.symbols.end(),
        [](Symbol s) { return s == kFactors || s == kFactors + 1; });
    if (merged_ && (blamed < 0 || by_factor)) return Unmerge();
    if (blamed < 0) return GiveUp(r.why);
    if (r.stride && r.stride->first == blamed &&
        cell.stride[blamed] * r.stride->second <= kMaxStride)
      return Spread(cell, blamed, r.stride->second);
    int64_t room = (kMaxSteps - cell.steps[blamed]) / cell.stride[blamed];
    if (room < 1)
      return GiveUp(ir::Cat("no end to what depends on `", free_[blamed]->name,
                            "`: ", r.why));
    Divide(cell, blamed, std::min(r.values, room));
  }

  // Every so many steps are a cell.
  void Spread(const Cell& cell, size_t param, int64_t times) {
    for (int64_t i = times - 1; i >= 0; --i) {
      Cell c = cell;
      c.stride[param] *= times;
      c.steps[param] += i * cell.stride[param];
      if (AtEnd(*free_[param], c.steps[param])) continue;
      c.open[param] = !AtEnd(*free_[param], c.steps[param] + c.stride[param]);
      todo_.push_back(std::move(c));
    }
  }

  // The smallest values are a cell each; small sizes are looked at first.
  void Divide(const Cell& cell, size_t param, int64_t values = 1) {
    const ir::Param& p = *free_[param];
    Cell more = cell;
    std::vector<Cell> smallest;
    for (int64_t i = 0; i < values && more.open[param]; ++i) {
      smallest.push_back(more);
      smallest.back().open[param] = false;
      more.steps[param] += more.stride[param];
      more.open[param] = !AtEnd(p, more.steps[param] + more.stride[param]);
      if (more.steps[param] > kMaxSteps)
        return GiveUp(ir::Cat("no permitted sizes found for `", p.name, "`"));
    }
    todo_.push_back(std::move(more));
    std::move(smallest.rbegin(), smallest.rend(), std::back_inserter(todo_));
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
  std::set<ir::Overrides> judged_;
  Covered out_;
};

}  // namespace

Covered CoverSizes(const ir::Kernel& kernel, const InstanceOptions& options,
                   int64_t max_events, const JudgeInstance& judge) {
  return Coverer(kernel, options, max_events, judge).Run();
}

}  // namespace tilesim::checkers
