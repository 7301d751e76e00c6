#include "checkers/sizes/cover.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "checkers/run/environment.h"
#include "checkers/sizes/divide.h"
#include "checkers/sizes/family_proof.h"
#include "checkers/sizes/opaque.h"
#include "checkers/sizes/permitted.h"
#include "checkers/sizes/representative.h"
#include "checkers/sizes/symbols.h"
#include "checkers/sizes/tickets.h"
#include "ir/cat.h"

namespace tilesim::checkers::sizes {
using plan::Instance;
using plan::InstanceOptions;
using plan::kMaxOfEach;
using plan::kSmCounts;
using run::Flags;
using run::FlagsOf;
using run::Requests;
using run::TicketCounter;

namespace {

// SizeCells that are looked at before the proof is given up.
constexpr int kMaxCells = 600;
// Steps of one parameter, likewise.
constexpr int64_t kMaxSteps = 64;
// Events of all walks, likewise.
constexpr int64_t kMaxEvents = 2'000'000;
constexpr int64_t kMaxStride = 32;
// Steps of a parameter that are tried for a larger grid.
constexpr int64_t kMaxEnlarged = 1'000;
// Turns of a loop that are tried beyond where it need not be looked at any
// more; and sizes for that, of which most may not be permitted.
constexpr int64_t kFarOut = 8;
constexpr int64_t kTries = 16;
// From here on, values below one that decides are not looked at one by one.
constexpr int64_t kFar = 4;

constexpr char kNone[] = "no permitted sizes found";

// Clusters, by sizes and how many are handed out.
using Judgements = std::map<std::pair<ir::Overrides, std::optional<int64_t>>,
                            std::set<int64_t>>;

class Coverer {
 public:
  Coverer(const ir::Kernel& kernel, const CoverOptions& options,
          const JudgeInstance& judge)
      : kernel_(kernel),
        cover_(options),
        options_(options.instance),
        judge_(judge) {
    for (const ir::Param& p : kernel.params) {
      if (options_.defines.count(p.name) == 0) free_.push_back(&p);
    }
    unmerged_ = !options.known.empty();
  }

  Covered Run() {
    Start();
    for (int cells = 0; !todo_.empty(); ++cells) {
      if (cells == kMaxCells) GiveUp("too many sizes behave differently");
      if (!out_.all || out_.stopped) break;
      SizeCell cell = std::move(todo_.back());
      todo_.pop_back();
      Look(std::move(cell));
    }
    if (out_.all && !out_.stopped) FlagsCome();
    if (out_.all && !out_.stopped) LookFarOut();
    if (out_.stopped) out_.all = false;
    if (!any_) GiveUp(kNone);
    if (out_.all) {
      for (const ir::Param* p : free_) out_.open.insert(p->name);
    }
    return std::move(out_);
  }

 private:
  // All sizes are one cell.
  void Start() {
    SizeCell all;
    all.loose = loose_;
    if (!loose_.empty()) {
      all.handed_out = Polynomial::Of(kHandedOut);
      all.axes[kHandedOut] = {"clusters that are handed out"};
    }
    for (size_t i = 0; i < free_.size(); ++i) {
      const ir::Param& p = *free_[i];
      bool fixed = merged_ && static_cast<Symbol>(i) == merged_->second;
      Polynomial& value = all.params.emplace_back(p.low);
      if (fixed || loose_.count(i) != 0) continue;
      auto symbol = static_cast<Symbol>(i);
      all.axes[symbol] = {p.name};
      value += Polynomial::Of(symbol, p.step);
      if (p.high) all.facts.Add(Polynomial(*p.high) - value);
    }
    for (const Polynomial& fact : cover_.known) {
      Polynomial of_cell = OfCell(fact);
      bool loose = std::any_of(loose_.begin(), loose_.end(), [&](size_t i) {
        return of_cell.Has(static_cast<Symbol>(i));
      });
      if (!loose) all.facts.Add(std::move(of_cell));
    }
    any_ = false;
    todo_.clear();
    far_.clear();
    Add({std::move(all)});
    out_.all = true;
  }

  // Of parameters by the steps that they are above their lowest values.
  Polynomial OfCell(Polynomial fact) const {
    for (size_t i = 0; i < free_.size(); ++i) {
      Symbol steps =
          kSteps + static_cast<Symbol>(free_[i] - &kernel_.params[0]);
      fact = fact.Replace(steps, Polynomial::Of(static_cast<Symbol>(i)));
    }
    return fact;
  }

  // The first is looked at first.
  void Add(SizeCells cells) {
    std::move(cells.rbegin(), cells.rend(), std::back_inserter(todo_));
  }

  // Two parameters whose product alone decides are one: the cells are those of
  // the product. The first parameter takes its steps, the second is at its
  // lowest value.
  bool Merge(const FamilyProof& r) {
    auto from_one = [&](Symbol s) {
      return static_cast<size_t>(s) < free_.size() &&
             free_[s]->low == free_[s]->step && !free_[s]->high;
    };
    if (!r.hint.product || merged_ || unmerged_ ||
        !from_one(r.hint.product->first) || !from_one(r.hint.product->second))
      return false;
    merged_ = r.hint.product;
    Start();
    return true;
  }

  // Something else of them decides as well.
  void Unmerge() {
    merged_.reset();
    unmerged_ = true;
    Start();
  }

  // Cluster launch control hands out any number of clusters. How many there are
  // in the grid is the only thing that its parameters decide then.
  bool HandOut(const SizeCell& cell, const machine::Code& kept) {
    if (cell.handed_out || merged_ || !Requests(kept)) return false;
    for (const Polynomial& number : GridSymbols(cell, kept)) {
      for (const auto& [monomial, c] : number.terms())
        loose_.insert(monomial.begin(), monomial.end());
    }
    if (!loose_.empty()) Start();
    return !loose_.empty();
  }

  std::vector<Polynomial> GridSymbols(const SizeCell& cell,
                                      const machine::Code& kept) const {
    Family family;
    for (size_t i = 0; i < free_.size(); ++i)
      family.params[free_[i]->slot] = cell.params[i];
    std::vector<Polynomial> out;
    for (const Symbolic& extent : GridOf(kept, family)) {
      if (extent.unknown()) return {};
      out.push_back(extent.of);
    }
    return out;
  }

  void GiveUp(std::string why) {
    out_.all = false;
    if (out_.why.empty()) out_.why = std::move(why);
  }

  ir::Overrides SizesOf(const SizeCell& cell) const {
    ir::Overrides sizes = options_.defines;
    for (size_t i = 0; i < free_.size(); ++i)
      sizes[free_[i]->name] = cell.params[i].base();
    if (cell.handed_out) Enlarge(cell, sizes);
    return sizes;
  }

  // To a grid of those that are handed out and two more: the one that they are
  // handed to, and one that is not. If there is none, to the largest.
  void Enlarge(const SizeCell& cell, ir::Overrides& sizes) const {
    int64_t wanted = cell.handed_out->base() + 2;
    for (size_t i : cell.loose) {
      const ir::Param& p = *free_[i];
      int64_t& size = sizes[p.name];
      int64_t largest = size;
      for (int64_t n = 0; n < kMaxEnlarged; ++n, size += p.step) {
        int64_t clusters = ClustersFor(sizes);
        if (clusters >= wanted) return;
        if (clusters > 0) largest = size;
        if (p.high && size + p.step > *p.high) break;
      }
      size = largest;
    }
  }

  // Of the grid; 0: not a permitted size.
  int64_t ClustersFor(const ir::Overrides& sizes) const {
    ir::Diagnostics ignored;
    int64_t sms = options_.sm_count;
    if (sms == 0) sms = *std::rbegin(kSmCounts);
    auto bound = ir::Bind(kernel_, sizes, sms, ignored);
    return bound ? bound->ctas() / bound->cluster_size() : 0;
  }

  // Those that are judged where some are handed out. Empty: there are never so
  // many.
  std::set<int64_t> HandedTo(const SizeCell& cell, int64_t clusters) {
    int64_t count = cell.handed_out->base();
    if (clusters >= count + 2) return {0, count + 1};
    if (clusters == count + 1) return {0};
    for (size_t i : cell.loose) {
      if (!free_[i]->high)
        GiveUp(ir::Cat("found no larger grid for `", free_[i]->name, "`"));
    }
    return {};
  }

  struct Codes {
    ir::Overrides sizes;
    std::optional<machine::Code> folded, kept;
  };

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

  // A cell that is divided has the sizes of one of its parts.
  const Codes& CodesFor(const ir::Overrides& sizes) {
    if (!codes_ || codes_->sizes != sizes)
      codes_ = Codes{sizes, CodeFor(sizes, machine::Params::kFolded),
                     CodeFor(sizes, machine::Params::kKept)};
    return *codes_;
  }

  void Look(SizeCell cell) {
    if (!cell.Settle()) return;
    if (!cell.HasInstance()) return DivideToGetOne(cell);
    ir::Overrides sizes = SizesOf(cell);
    const auto& [of, code, kept] = CodesFor(sizes);
    if (!code) return NotPermitted(cell, sizes);
    if (!kept) return GiveUp("the layout of a CTA depends on a size");
    if (HandOut(cell, *kept)) return;
    auto r = RepresentativeOf(cell, *kept, free_, merged_);
    if (!r) return GiveUp("our bug: the grid is not what it was shown to be");
    int64_t all = code->bound.ctas() / code->bound.cluster_size();
    std::vector<Flags> flags = FlagsOf(*kept);
    if (!cover_.alone && !flags.empty()) return LookAtGrid(cell, *code, sizes);
    std::set<int64_t> clusters =
        all > kMaxClusters || cover_.alone ? r->clusters : FirstOf(all);
    if (cell.handed_out) clusters = HandedTo(cell, all);
    if (clusters.empty()) return;
    if (!Judge(*code, sizes, clusters, cell)) return;
    if (r->alone && flags.empty()) return;
    if (!by_order_) return GiveUp("schedules were searched");
    if (kept->sized_by_params)
      return GiveUp("the layout of a CTA depends on a size");
    r->family.flags = flags;
    r->family.shapes = ShapesOf(*kept, r->family);
    auto counter = TicketCounter::Of(*kept);
    if (counter && !CountOf(*kept, *counter, r->family))
      return GiveUp("how many CTAs count in one word is not shown");
    // Between clusters, nothing is shown but for those that were run.
    if (!ShowAlike(cell, *kept, *r)) return;
    NoteFarOut(cell);
    if (!cell.placed() && !cell.handed_out && !cover_.alone)
      Judge(*code, sizes, FirstOf(all), cell);
  }

  // Of CTAs that set flags for each other all must be looked at.
  void LookAtGrid(const SizeCell& cell, const machine::Code& code,
                  const ir::Overrides& sizes) {
    out_.flags = true;
    int64_t all = code.bound.ctas() / code.bound.cluster_size();
    if (cell.open() || merged_ || all > kMaxOfEach)
      return GiveUp(
          "flags between CTAs are followed only in grids that are run");
    std::set<int64_t> clusters;
    for (int64_t c = 0; c < all; ++c) clusters.insert(clusters.end(), c);
    Judge(code, sizes, clusters, cell);
  }

  // Where in global memory repeats are that lie far apart is not shown: that is
  // tried once for each symbol, in the cell in which a step of it is largest.
  void NoteFarOut(const SizeCell& cell) {
    for (const auto& [symbol, axis] : cell.axes) {
      int64_t step = StepOf(symbol, cell);
      auto [noted, fresh] = far_.try_emplace(symbol, step, cell);
      if (!fresh && noted->second.first < step) noted->second = {step, cell};
    }
  }

  static int64_t StepOf(Symbol symbol, const SizeCell& cell) {
    int64_t out = 0;
    auto at_least = [&](const Polynomial& p) {
      out = std::max(out, std::abs(p.Coefficient(symbol)));
    };
    for (const Polynomial& p : cell.params) at_least(p);
    for (const auto& p : cell.positions) {
      if (p) at_least(p->at);
    }
    if (cell.handed_out) at_least(*cell.handed_out);
    return out;
  }

  void LookFarOut() {
    for (const auto& [symbol, noted] : far_) {
      std::vector<int64_t> steps(kTries);
      std::iota(steps.begin(), steps.end(), kFarOut);
      for (int64_t n = kFarOut - 1; n > 0; --n) steps.push_back(n);
      for (int64_t n : steps) {
        SizeCell far = noted.second;
        far.Raise(symbol, n);
        if (LookFarOut(std::move(far))) break;
      }
      if (!out_.all || out_.stopped) return;
    }
  }

  // False: there are no such sizes.
  bool LookFarOut(SizeCell far) {
    if (!far.Settle() || !far.RaiseToInstance(kMaxEnlarged)) return false;
    const auto& [sizes, code, kept] = CodesFor(SizesOf(far));
    if (!code || !kept) return false;
    auto r = RepresentativeOf(far, *kept, free_, merged_);
    if (!r) return false;
    int64_t all = code->bound.ctas() / code->bound.cluster_size();
    std::set<int64_t> clusters = r->clusters;
    if (!far.placed()) clusters.insert(all - 1);
    if (far.handed_out) clusters = HandedTo(far, all);
    if (Judge(*code, sizes, clusters, far) && !by_order_)
      GiveUp("schedules were searched");
    return true;
  }

  static std::set<int64_t> FirstOf(int64_t clusters) {
    std::set<int64_t> out;
    for (int64_t c = 0; c < std::min(clusters, kMaxClusters); ++c)
      out.insert(out.end(), c);
    return out;
  }

  // Some fact says that all its symbols cannot be 0.
  void DivideToGetOne(const SizeCell& cell) {
    for (const Polynomial& fact : cell.facts.all()) {
      if (fact.base() >= 0) continue;
      for (const auto& [monomial, c] : fact.terms()) {
        if (c > 0) return Divide(cell, monomial[0], 1, kNone);
      }
    }
  }

  // False: no more sizes are wanted.
  bool Judge(const machine::Code& code, const ir::Overrides& sizes,
             const std::set<int64_t>& clusters, const SizeCell& cell) {
    std::optional<int64_t> handed_out;
    if (cell.handed_out) handed_out = cell.handed_out->base();
    any_ = true;
    std::set<int64_t>& judged = judged_[{sizes, handed_out}];
    if (std::includes(judged.begin(), judged.end(), clusters.begin(),
                      clusters.end()))
      return true;
    judged.insert(clusters.begin(), clusters.end());
    Instance instance;
    instance.code = std::make_unique<machine::Code>(code);
    instance.clusters.assign(clusters.begin(), clusters.end());
    instance.handed_out = handed_out;
    for (const ir::Param& p : kernel_.params)
      instance.sizes[p.name] = code.bound.slots[p.slot]->number;
    Judged judgement = judge_(instance);
    out_.stopped = judgement == Judged::kWrong;
    // What was found schedule by schedule says nothing of longer ones.
    if (judgement == Judged::kSearched) by_order_ = false;
    return !out_.stopped;
  }

  void NotPermitted(const SizeCell& cell, const ir::Overrides& sizes) {
    // As other factors of the product they may be.
    if (merged_) return Unmerge();
    if (Never(cell, sizes)) return;
    if (!cell.open()) return cell.loose.empty() ? void() : GiveUp(kNone);
    Divide(cell, WhatToGrow(cell), 1, kNone);
  }

  // Not a permitted combination, and neither is any larger one.
  bool Never(const SizeCell& cell, const ir::Overrides& sizes) const {
    std::set<int32_t> open;
    for (size_t i = 0; i < free_.size(); ++i) {
      if (!cell.params[i].constant() || cell.loose.count(i) != 0)
        open.insert(free_[i]->slot);
    }
    int64_t sms =
        options_.sm_count != 0 ? options_.sm_count : *std::rbegin(kSmCounts);
    return NeverPermitted(kernel_, sizes, sms, open);
  }

  // What may grow, and with which sizes become permitted if there is one.
  Symbol WhatToGrow(const SizeCell& cell) const {
    Symbol first = -1;
    for (auto axis = cell.axes.rbegin(); axis != cell.axes.rend(); ++axis) {
      first = axis->first;
      SizeCell more = cell;
      for (int64_t n = 0; n < kMaxSteps; ++n) {
        more.Raise(first);
        if (!more.Settle() || more.axes.count(first) == 0) break;
        if (CodeFor(SizesOf(more), machine::Params::kFolded)) return first;
      }
    }
    return first;
  }

  // Whether the instance stands for the whole cell; if not, divides it.
  bool ShowAlike(const SizeCell& cell, const machine::Code& code,
                 const Representative& of) {
    std::optional<Polynomial> number;
    if (cell.positions[kTicketDim]) number = cell.positions[kTicketDim]->at;
    return std::all_of(of.clusters.begin(), of.clusters.end(), [&](int64_t c) {
      std::vector<Family> all = WithNumbers(code, c, of.family, number);
      if (all.empty()) GiveUp("our bug: nobody draws a number of the cell");
      return std::all_of(all.begin(), all.end(), [&](const Family& family) {
        return ShowAlike(cell, code, c, family);
      });
    });
  }

  bool ShowAlike(const SizeCell& cell, const machine::Code& code,
                 int64_t cluster, const Family& family) {
    FamilyProof r = ProveFamily(code, cluster, family, cover_.max_events);
    events_ += r.events;
    if (events_ > kMaxEvents) {
      GiveUp("it would take too long runs");
      return false;
    }
    if (!r.holds) Divide(cell, code, family, r);
    if (r.holds) AddFlags(r.flags);
    return r.holds;
  }

  void Divide(const SizeCell& cell, const machine::Code& code,
              const Family& family, const FamilyProof& r) {
    if (Merge(r)) return;
    bool by_factor = r.hint.symbols.count(kFactors) != 0 ||
                     r.hint.symbols.count(kFactors + 1) != 0;
    Symbol blamed = Blamed(cell, r);
    if (merged_ && by_factor) return Unmerge();
    for (int d = 0; d <= kTicketDim; ++d) {
      if (r.hint.symbols.count(kAnywhere + d) == 0) continue;
      return d < kTicketDim ? Place(cell, code, family, d, r)
                            : PlaceNumber(cell, code, family, r);
    }
    if (merged_ && blamed < 0) return Unmerge();
    if (blamed < 0) return GiveUp(r.why);
    bool spread =
        r.hint.stride && r.hint.stride->symbol == blamed &&
        cell.axes.at(blamed).stride * r.hint.stride->steps <= kMaxStride;
    bool several = r.hint.number && r.hint.number->terms().size() > 1;
    auto counted = r.hint.number && (several || (r.hint.stride && !spread))
                       ? Counted(cell, *r.hint.number, r.hint.step)
                       : std::nullopt;
    if (counted) return Add({std::move(*counted)});
    if (spread) return Add(Spread(cell, blamed, r.hint.stride->steps));
    auto cut = r.hint.number ? Cut(cell, *r.hint.number, kFar) : std::nullopt;
    if (cut) return Add(std::move(*cut));
    auto compared =
        r.hint.number ? Compared(cell, *r.hint.number) : std::nullopt;
    if (compared) return Add(std::move(*compared));
    Divide(cell, blamed, r.hint.values, r.why);
  }

  // Of several, that of which one more makes the most of the number.
  static Symbol Blamed(const SizeCell& cell, const FamilyProof& r) {
    Symbol out = -1;
    int64_t most = 0;
    for (Symbol s : r.hint.symbols) {
      if (cell.axes.count(s) == 0) continue;
      int64_t c = r.hint.number ? std::abs(r.hint.number->Coefficient(s)) : 0;
      if (c >= most) out = s;
      most = std::max(most, c);
    }
    return out;
  }

  // Of one of two parameters that count by their product.
  static bool OfFactors(const Polynomial& p) {
    return p.Has(kFactors) || p.Has(kFactors + 1);
  }

  // Which clusters they are decides something.
  void Place(const SizeCell& cell, const machine::Code& code,
             const Family& family, int d, const FamilyProof& r) {
    if (merged_ && OfFactors(family.grid[d].of)) return Unmerge();
    std::optional<Polynomial> grid = NumberOf(family.grid[d]);
    if (!grid) return DivideByGrid(cell, family.grid[d], r);
    auto clusters = grid->DividedBy(code.bound.cluster[d]);
    if (!clusters) return GiveUp(r.why);
    bool from_last =
        r.hint.number && r.hint.number->Coefficient(kAnywhere + d) < 0;
    SizeCell placed = Placed(cell, d, *clusters, from_last);
    // What they part at is known already.
    std::optional<Polynomial> number = r.hint.number;
    if (number)
      number = number->Replace(kAnywhere + d, placed.positions[d]->at);
    Symbol symbol = kPositions + d;
    bool parts = number && number->Varying().terms().size() == 1 &&
                 number->Has(symbol) && !placed.facts.AtLeast0(*number);
    if (!parts) return Add({std::move(placed)});
    auto cut = Cut(placed, *number, kFar);
    Add(cut ? std::move(*cut) : Lowest(placed, symbol, 1));
  }

  // Which number they draw does. What is compared with a size is, as a rule,
  // how far it is from the last.
  void PlaceNumber(const SizeCell& cell, const machine::Code& code,
                   const Family& family, const FamilyProof& r) {
    if (merged_) return Unmerge();
    auto count = CountOf(code, *TicketCounter::Of(code), family);
    bool from_last = r.hint.number && r.hint.number->terms().size() > 1;
    Add({Placed(cell, kTicketDim, *count, from_last)});
  }

  void AddFlags(const GridFlags& of_some) {
    flags_ ? flags_->Add(of_some) : void(flags_ = of_some);
  }

  void FlagsCome() {
    auto missing = flags_ ? flags_->Missing() : std::nullopt;
    if (missing)
      GiveUp(ir::Cat("that every CTA sets a word of `",
                     kernel_.decls[*missing].name,
                     "` once, that there is one for each, and that they wait "
                     "for later CTAs only, or for earlier ones, is not shown"));
  }

  // So that the grid is a number.
  void DivideByGrid(const SizeCell& cell, const Symbolic& grid,
                    const FamilyProof& r) {
    if (auto cells = Cut(cell, grid.of, 1)) return Add(std::move(*cells));
    for (const auto& [monomial, c] : grid.of.terms()) {
      auto axis = cell.axes.find(monomial[0]);
      int64_t times = grid.by / std::gcd(c, grid.by);
      if (axis == cell.axes.end() || times == 1 || monomial.size() != 1)
        continue;
      if (axis->second.stride * times > kMaxStride) break;
      return Add(Spread(cell, axis->first, times));
    }
    GiveUp(r.why);
  }

  void Divide(const SizeCell& cell, Symbol symbol, int64_t values,
              const std::string& why) {
    const Axis& axis = cell.axes.at(symbol);
    int64_t room = (kMaxSteps - axis.steps) / axis.stride;
    if (room < 1)
      return GiveUp(
          ir::Cat("no end to what depends on `", axis.name, "`: ", why));
    Add(Lowest(cell, symbol, std::min(values, room)));
  }

  const ir::Kernel& kernel_;
  const CoverOptions& cover_;
  const InstanceOptions& options_;
  const JudgeInstance& judge_;
  Varied free_;
  std::vector<SizeCell> todo_;
  std::optional<std::pair<Symbol, Symbol>> merged_;
  std::set<size_t> loose_;                              // parameters (SizeCell)
  std::map<Symbol, std::pair<int64_t, SizeCell>> far_;  // its step there
  std::optional<Codes> codes_;                          // of the last sizes
  int64_t events_ = 0;
  bool by_order_ = true;
  std::optional<GridFlags> flags_;
  bool unmerged_ = false;  // was tried, in vain
  Judgements judged_;
  bool any_ = false;  // size of this division of all of them was judged
  Covered out_;
};

}  // namespace

Covered CoverSizes(const ir::Kernel& kernel, const CoverOptions& options,
                   const JudgeInstance& judge) {
  return Coverer(kernel, options, judge).Run();
}

}  // namespace tilesim::checkers::sizes
