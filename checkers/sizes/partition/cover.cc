#include "checkers/sizes/partition/cover.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "checkers/proof/condition.h"
#include "checkers/sizes/partition/division_strategy.h"
#include "checkers/sizes/partition/growth.h"
#include "checkers/sizes/partition/instance_judging.h"
#include "checkers/sizes/partition/instance_sizes.h"
#include "checkers/sizes/partition/permitted.h"
#include "checkers/sizes/partition/sized_code.h"
#include "checkers/sizes/partition/tile_in_text.h"
#include "checkers/sizes/partition/worklist.h"
#include "checkers/sizes/protocol/tickets.h"
#include "checkers/sizes/state/launch_shape.h"
#include "checkers/sizes/state/symbols.h"
#include "ir/cat.h"

namespace tilesim::checkers::sizes::partition {
using algebra::Polynomial;
using algebra::Symbol;
using algebra::Symbolic;
using induction::FamilyProof;
using induction::ProveFamily;
using induction::Stride;
using induction::StrideFor;
using plan::kMaxOfEach;
using protocol::CountOf;
using protocol::GridFlags;
using protocol::WithNumbers;
using run::Flags;
using run::FlagsOf;
using run::TicketCounter;
using state::Family;
using state::InsideByText;
using state::kTicketDim;
using state::MustBeThere;
using state::ShapesOf;

namespace {

// Cells that are checked before the proof is given up.
constexpr int kMaxCells = 600;
// Cells of sizes that are counted in tiles, before they are counted in steps.
constexpr int kMaxCellsInTiles = 400;

constexpr char kNone[] = "no permitted sizes found";
// In a part of them, which the text tells from others.
constexpr char kNoneThere[] =
    "for some branches no sizes were found that `requires` permits, and that "
    "there are none is not shown";

Varied VariedOf(const ir::Kernel& kernel, const ir::Overrides& defines) {
  Varied out;
  for (const ir::Param& p : kernel.params) {
    if (defines.count(p.name) == 0) out.push_back(&p);
  }
  return out;
}

int64_t ClustersOf(const machine::Code& code) {
  return code.bound.ctas() / code.bound.cluster_size();
}

std::set<int64_t> FirstOf(int64_t clusters) {
  std::set<int64_t> out;
  for (int64_t c = 0; c < clusters; ++c) out.insert(out.end(), c);
  return out;
}

std::set<int64_t> SomeOf(int64_t clusters) {
  return FirstOf(std::min(clusters, kMaxClusters));
}

class Coverer {
 public:
  Coverer(const ir::Kernel& kernel, const CoverOptions& options,
          const JudgeInstance& judge)
      : kernel_(kernel),
        options_(options),
        varied_(VariedOf(kernel, options.instance.defines)),
        codes_(kernel, options.instance.sm_count),
        sizes_(kernel, varied_, options.instance),
        judging_(kernel, judge),
        worklist_(kernel, varied_, options.known,
                  RequiredFacts(kernel, varied_, options.instance.defines)) {}

  Covered Run() {
    BeginAnew();
    for (int cells = 0; !worklist_.empty(); ++cells) {
      if (cells == kMaxCellsInTiles && CountInSteps()) cells = 0;
      if (cells >= max_cells_) GiveUp("too many sizes behave differently");
      if (over()) break;
      Look(worklist_.Next());
    }
    if (!over()) CheckFlags();
    out_.stopped = judging_.stopped();
    if (out_.stopped) out_.all = false;
    if (!judging_.any()) GiveUp(kNone);
    if (out_.all) {
      for (const ir::Param* p : varied_) out_.open.insert(p->name);
    }
    return std::move(out_);
  }

 private:
  bool over() const { return !out_.all || judging_.stopped(); }

  void GiveUp(std::string why) {
    if (worklist_.EachByItself()) return BeginAnew();
    out_.all = false;
    if (out_.why.empty()) out_.why = std::move(why);
  }

  void BeginAnew() {
    worklist_.BeginAnew();
    judging_.BeginAnew();
    out_.for_larger.clear();
    out_.all = true;
    max_cells_ = kMaxCells;
  }

  void Unmerge() {
    worklist_.Unmerge();
    BeginAnew();
  }

  // What is divided, or what the grid is a quotient of.
  bool CountInTiles(const FamilyProof& proof, const machine::Code& code,
                    const Family& family) {
    return CountInTiles(proof.hint.stride, code) ||
           CountGridInTiles(code, family);
  }

  bool CountInTiles(const std::optional<Stride>& stride,
                    const machine::Code& code) {
    return stride && worklist_.CountInTiles(TileInText(code, varied_, *stride));
  }

  bool CountGridInTiles(const machine::Code& code, const Family& family) {
    const auto& grid = family.grid;
    return std::any_of(grid.begin(), grid.end(), [&](const Symbolic& extent) {
      return !algebra::NumberOf(extent) &&
             CountInTiles(StrideFor(extent.of, extent.by), code);
    });
  }

  bool CountInSteps() {
    bool other = worklist_.CountInSteps();
    if (other) BeginAnew();
    return other;
  }

  void Look(SizeCell cell) {
    if (!cell.Settle()) return;
    if (!cell.HasInstance()) {
      if (auto symbol = SymbolForInstance(cell))
        Take(DivideLowest(cell, *symbol, 1, kNoneThere));
      return;
    }
    const SizedCode::Codes& codes = codes_.At(sizes_.Of(cell));
    if (!codes.folded) return NotPermitted(cell, codes.sizes);
    if (!codes.kept) return GiveUp("the layout of a CTA depends on a size");
    if (worklist_.Loosen(cell, *codes.kept)) return BeginAnew();
    auto of = RepresentativeOf(cell, *codes.kept, varied_, worklist_.merged(),
                               worklist_.tiles());
    if (!of) return GiveUp("our bug: the grid is not what it was shown to be");
    LookAt(cell, codes, *of);
  }

  void LookAt(const SizeCell& cell, const SizedCode::Codes& codes,
              Representative& of) {
    std::vector<Flags> flags = FlagsOf(*codes.kept);
    // docs/all_sizes.md 3.6: flags are of CTAs that are alone in their cluster.
    const bool peers = codes.kept->bound.cluster_size() > 1 &&
                       proof::IsJudged(proof::Condition::kFlagsAlone);
    if (!flags.empty() && (!options_.alone || peers))
      return LookAtGrid(cell, codes);
    std::set<int64_t> clusters = ToJudge(cell, of, ClustersOf(*codes.folded));
    if (clusters.empty() || !Judge(cell, codes, clusters)) return;
    if (of.alone && flags.empty()) return;
    if (!judging_.by_order())
      return GiveUp(
          "schedules had to be searched, and those of one size say nothing of "
          "another");
    if (codes.kept->sized_by_params)
      return GiveUp("the layout of a CTA depends on a size");
    of.family.flags = std::move(flags);
    of.family.shapes = ShapesOf(*codes.kept, of.family);
    of.family.inside = InsideByText(*codes.kept);
    AddInside(*codes.kept, of.family);
    auto counter = TicketCounter::Of(*codes.kept);
    if (counter && !CountOf(*codes.kept, *counter, of.family)) {
      if (CountGridInTiles(*codes.kept, of.family)) return BeginAnew();
      return GiveUp("how many CTAs count in one word is not shown");
    }
    if (!Prove(cell, *codes.kept, of)) return;
    if (cell.open()) out_.for_larger.insert(SizesOf(kernel_, *codes.folded));
    // Between clusters, nothing is shown but for those that were run.
    if (!cell.placed() && !cell.handed_out && !options_.alone)
      Judge(cell, codes, SomeOf(ClustersOf(*codes.folded)));
  }

  void AddInside(const machine::Code& code, Family& family) const {
    if (!options_.inside) return;
    for (size_t op = 0; op < code.ops.size(); ++op) {
      const machine::CompiledOp& c = code.ops[op];
      for (size_t i = 0; i < c.operands.size(); ++i) {
        if (MustBeThere(code, c, i) == ir::There::kNothing) continue;
        const auto operand = static_cast<int32_t>(i);
        for (int32_t d = 0; d < c.operands[i].fixed.tile.rank; ++d) {
          if (options_.inside(*c.op, operand, d))
            family.inside.insert({static_cast<int32_t>(op), operand, d});
        }
      }
    }
  }

  // Of so many clusters; few enough are all judged. Empty: the cell has none.
  std::set<int64_t> ToJudge(const SizeCell& cell, const Representative& of,
                            int64_t clusters) {
    if (cell.handed_out) return HandedTo(cell, clusters);
    bool several = clusters > kMaxClusters || options_.alone;
    return several ? of.clusters : FirstOf(clusters);
  }

  std::set<int64_t> HandedTo(const SizeCell& cell, int64_t clusters) {
    std::set<int64_t> out = InstanceSizes::HandedTo(cell, clusters);
    const ir::Param* larger = out.empty() ? sizes_.Unbounded(cell) : nullptr;
    if (larger != nullptr)
      GiveUp(ir::Cat("found no larger grid for `", larger->name, "`"));
    return out;
  }

  // False: no more sizes are wanted.
  bool Judge(const SizeCell& cell, const SizedCode::Codes& codes,
             const std::set<int64_t>& clusters) {
    std::optional<int64_t> handed_out;
    if (cell.handed_out) handed_out = cell.handed_out->base();
    return judging_.Judge(*codes.folded, codes.sizes, clusters, handed_out);
  }

  // Of CTAs that set flags for each other all must be checked.
  void LookAtGrid(const SizeCell& cell, const SizedCode::Codes& codes) {
    out_.flags = true;
    int64_t all = ClustersOf(*codes.folded);
    if (cell.open() || worklist_.merged() || all > kMaxOfEach)
      return GiveUp(
          "flags between CTAs are followed only in grids that are run");
    Judge(cell, codes, FirstOf(all));
  }

  void NotPermitted(const SizeCell& cell, const ir::Overrides& sizes) {
    // As other factors of the product they may be.
    if (worklist_.merged()) return Unmerge();
    if (sizes_.NeverPermitted(cell, sizes)) return;
    if (!cell.open()) return cell.loose.empty() ? void() : GiveUp(kNoneThere);
    Symbol symbol = SymbolForPermission(cell, [&](const SizeCell& larger) {
      return codes_.Permitted(sizes_.Of(larger));
    });
    Take(DivideLowest(cell, symbol, 1, kNoneThere));
  }

  // Whether the instance stands for the whole cell; if not, divides it.
  bool Prove(const SizeCell& cell, const machine::Code& code,
             const Representative& of) {
    std::optional<Polynomial> number;
    if (cell.positions[kTicketDim]) number = cell.positions[kTicketDim]->at;
    return std::all_of(of.clusters.begin(), of.clusters.end(), [&](int64_t c) {
      std::vector<Family> all = WithNumbers(code, c, of.family, number);
      if (all.empty()) GiveUp("our bug: nobody draws a number of the cell");
      return std::all_of(all.begin(), all.end(), [&](const Family& family) {
        return Prove(cell, code, c, family);
      });
    });
  }

  bool Prove(const SizeCell& cell, const machine::Code& code, int64_t cluster,
             const Family& family) {
    FamilyProof proof = ProveFamily(code, cluster, family, options_.max_events);
    events_ += proof.events;
    if (events_ > options_.most_events) {
      GiveUp("it would take too long runs");
      out_.too_long |= !out_.all;
      return false;
    }
    if (proof.holds) {
      out_.small_sizes |= proof.small_sizes;
      flags_ ? flags_->Add(proof.flags) : void(flags_ = proof.flags);
    } else if (CountInTiles(proof, code, family)) {
      BeginAnew();
    } else if (proof.hint.product && worklist_.Merge(*proof.hint.product)) {
      BeginAnew();
    } else {
      bool merged = worklist_.merged().has_value();
      Take(Divide({cell, code, family, proof, merged}));
    }
    return proof.holds;
  }

  void Take(Division division) {
    if (division.unmerge) return Unmerge();
    if (division.cells.empty() && CountInSteps()) return;
    if (division.cells.empty()) return GiveUp(std::move(division.why));
    if (division.by_value)
      max_cells_ += kMaxCells * static_cast<int>(division.cells.size());
    worklist_.Add(std::move(division.cells));
  }

  void CheckFlags() {
    auto missing = flags_ ? flags_->Missing(Stored()) : std::nullopt;
    if (missing)
      GiveUp(ir::Cat("that every CTA sets a word of `",
                     kernel_.decls[*missing].name,
                     "` once, that there is one for each, and that they wait "
                     "for later CTAs only, or for earlier ones, is not shown"));
  }

  std::set<int32_t> Stored() const {
    std::set<int32_t> out;
    for (int32_t decl = 0; decl < std::ssize(kernel_.decls); ++decl) {
      if (options_.stored.contains(kernel_.decls[decl].name)) out.insert(decl);
    }
    return out;
  }

  const ir::Kernel& kernel_;
  const CoverOptions& options_;
  Varied varied_;
  SizedCode codes_;
  InstanceSizes sizes_;
  InstanceJudging judging_;
  Worklist worklist_;
  int64_t events_ = 0;
  int max_cells_ = kMaxCells;
  std::optional<GridFlags> flags_;
  Covered out_;
};

}  // namespace

Covered CoverSizes(const ir::Kernel& kernel, const CoverOptions& options,
                   const JudgeInstance& judge) {
  return Coverer(kernel, options, judge).Run();
}

}  // namespace tilesim::checkers::sizes::partition
