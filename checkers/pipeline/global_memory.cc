#include "checkers/pipeline/global_memory.h"

#include <utility>

#include "checkers/grid/cases.h"
#include "checkers/grid/defined.h"
#include "checkers/grid/entered.h"
#include "checkers/grid/fixed_places.h"
#include "checkers/grid/inside.h"
#include "checkers/grid/launched_alike.h"
#include "checkers/grid/not_launched.h"
#include "checkers/grid/operators.h"
#include "checkers/grid/strides.h"
#include "checkers/pipeline/place_inputs.h"
#include "checkers/program/shared_places.h"
#include "checkers/run/environment.h"
#include "checkers/run/flags.h"
#include "checkers/sizes/state/text_bounds.h"
#include "ir/cat.h"

namespace tilesim::checkers::pipeline {

std::optional<GlobalMemory> GlobalMemory::Of(const ir::Kernel& kernel,
                                             const ir::Overrides& some,
                                             const ir::Overrides& fixed,
                                             int64_t sm_count,
                                             grid::Inputs inputs) {
  ir::Diagnostics ignored;
  auto bound = ir::Bind(kernel, some, sm_count, ignored);
  if (!bound) return std::nullopt;
  auto code =
      machine::Compile(std::move(*bound), ignored, machine::Params::kKept);
  if (!code) return std::nullopt;
  return GlobalMemory(kernel, fixed, std::move(*code), inputs);
}

std::vector<MayMeet> GlobalMemory::BetweenClusters(
    const grid::Words& words) const {
  if (!accesses_.limit.empty()) return {{accesses_.limit, {}, std::nullopt}};
  std::vector<MayMeet> out;
  for (const grid::Meeting& m : grid::MeetingsIn(accesses_, words)) {
    std::string why = ir::Cat(
        "it was not shown that no two clusters touch the same elements of ",
        PlaceOf(m));
    if (m.strides) why = StridesOf(m.first->decl);
    if (m.bytes) why = BytesOf(m.first->decl);
    out.push_back(Met(m, std::move(why)));
  }
  return out;
}

std::vector<MayMeet> GlobalMemory::InClusters(
    const GlobalOrder& order, const std::set<ir::Overrides>& for_larger,
    const std::set<grid::SitePair>& open) const {
  std::vector<MayMeet> out;
  grid::Unordered asked = order.sites.UnorderedIn(for_larger);
  for (const grid::SitePair& pair : open) asked.erase(pair);
  // The runs have all of their executions, and found them in order.
  for (const grid::SitePair& pair : grid::OfFixedPlaces(code_, accesses_))
    asked.erase(pair);
  if (asked.empty()) return out;
  for (const grid::Meeting& m :
       grid::MeetingsInCluster(accesses_, order.words.words(), &asked)) {
    out.push_back(
        Met(m, ir::Cat("it was not shown that threads of one cluster are in "
                       "order where they touch the same elements of ",
                       PlaceOf(m))));
  }
  return out;
}

void GlobalMemory::Watch(SiteOrder& sites) const {
  // What takes longer to keep apart is watched, and asked about again.
  const solver::Effort little{.points = 50, .refute_only = true};
  if (accesses_.limit.empty())
    sites.Watch(grid::MeetingsInCluster(accesses_, {}, nullptr, little));
}

std::string GlobalMemory::NotLaunched(const ir::Overrides& given) const {
  const auto none = grid::SizesNotLaunched(accesses_, given);
  if (!none) return "";
  // The solver takes some operators to be any number: it is tried.
  ir::Overrides sizes = fixed_;
  sizes.insert(none->sizes.begin(), none->sizes.end());
  ir::Diagnostics ignored;
  if (ir::Bind(*kernel_, sizes, code_.bound.sm_count, ignored)) return "";
  std::string out;
  for (const auto& [name, value] : none->sizes)
    ir::Append(&out, out.empty() ? "" : ", ", name, " = ", value);
  return ir::Cat(out, ": ", none->why);
}

bool GlobalMemory::StoresAll(const grid::Words& words, int32_t decl) const {
  return accesses_.limit.empty() &&
         grid::StoresAllInCases(accesses_, code_, words, decl);
}

bool GlobalMemory::StoredAsLaunched(const grid::Words& words,
                                    int32_t decl) const {
  return !run::Requests(code_) ||
         (accesses_.limit.empty() &&
          grid::StoreAsLaunched(accesses_, words, decl));
}

UndefinedUse GlobalMemory::UndefinedTensors(const ir::Program& program,
                                            const grid::Words& words,
                                            bool all_sizes) const {
  return UndefinedUseOf(program, code_, [&](int32_t decl) {
    return all_sizes && StoresAll(words, decl);
  });
}

std::set<grid::Side> GlobalMemory::InsideByText() const {
  // Of a function that is called several times: in every call.
  std::set<grid::Side> out, others;
  const auto by_text = sizes::state::InsideByText(code_);
  for (int32_t op = 0; op < std::ssize(code_.ops); ++op) {
    const machine::CompiledOp& c = code_.ops[op];
    for (int32_t i = 0; i < std::ssize(c.operands); ++i) {
      for (int32_t d = 0; d < c.operands[i].fixed.tile.rank; ++d) {
        const bool inside = by_text.contains({op, i, d});
        (inside ? out : others).insert({grid::Site::Of(*c.op, i), d});
      }
    }
  }
  for (const grid::Side& side : others) out.erase(side);
  return out;
}

ShownBySolver GlobalMemory::Shown() const {
  std::set<grid::Side> inside = grid::SidesInside(code_, fixed_), more = inside;
  for (const grid::Side& side : InsideByText()) more.erase(side);
  std::set<int32_t> once = PlaceInputs(code_, inside);
  if (more.empty()) inside.clear();
  std::set<grid::Site> entered;
  std::set<int32_t> positive;
  if (accesses_.limit.empty()) {
    entered = grid::LoopsEntered(accesses_);
    positive = grid::PositiveLets(accesses_);
  }
  return {std::move(inside), std::move(entered), std::move(positive),
          std::move(once), FlagsStored()};
}

std::set<std::string> GlobalMemory::FlagsStored() const {
  std::set<std::string> out;
  if (accesses_.asks_for_clusters || !accesses_.limit.empty()) return out;
  for (const run::Flags& f : run::FlagsOf(code_)) {
    const bool each = f.by_all || f.steps || f.waits.empty();
    if (each) continue;
    // Of two stores to one word, none is enough: they are told apart as weak
    // ones are.
    grid::Accesses weak = accesses_;
    for (grid::Access& a : weak.all) {
      if (a.decl == f.decl) a.atomic = ir::Atomic::kNot;
    }
    if (grid::StoresAllInCases(weak, code_, {}, f.decl))
      out.insert(kernel_->decls[f.decl].name);
  }
  return out;
}

std::vector<MayFail> GlobalMemory::NotShown() const {
  std::vector<MayFail> out;
  if (!accesses_.limit.empty()) return out;  // that is said already
  for (const auto& [decl, tensor] : accesses_.tensors) {
    if (program::AsksForValues(code_, decl) &&
        !grid::OnePlaceEach(accesses_, decl, {}))
      out.push_back({StridesOf(decl), {}});
  }
  for (const grid::Undefined& u : grid::NotShownDefined(accesses_)) {
    const std::string right = ir::ToString(u.expr->args[1]);
    const int32_t line = u.expr->span.text_line();
    std::string why = ir::Cat("it was not shown that the divisor `", right,
                              "` on line ", line, " is never 0");
    if (grid::IsShift(*u.expr))
      why = ir::Cat("it was not shown that the shift by `", right, "` on line ",
                    line, " is by 0 to ", grid::kMostShifted);
    MayFail& m = out.emplace_back(MayFail{std::move(why), {}});
    if (u.where) m.where = AtSizes(*u.where);
  }
  return out;
}

// What is fixed is no parameter of a question.
grid::Example GlobalMemory::AtSizes(grid::Example e) const {
  e.sizes.insert(fixed_.begin(), fixed_.end());
  return e;
}

MayMeet GlobalMemory::Met(const grid::Meeting& m, std::string why) const {
  MayMeet out{std::move(why), SitesOf(m), std::nullopt};
  if (m.example) out.where = AtSizes(*m.example);
  for (const grid::Example& e : m.others) out.others.push_back(AtSizes(e));
  return out;
}

std::string GlobalMemory::StridesOf(int32_t decl) const {
  return ir::Cat("the strides of ", kernel_->decls[decl].name,
                 " were not shown to keep its elements apart");
}

std::string GlobalMemory::BytesOf(int32_t decl) const {
  return ir::Cat(
      "two elements of ", kernel_->decls[decl].name,
      " lie in one byte, and it was not shown that what is accessed begins and "
      "ends with a whole byte");
}

std::string GlobalMemory::PlaceOf(const grid::Meeting& m) const {
  int32_t first = m.first->op->span.text_line();
  int32_t second = m.second->op->span.text_line();
  std::string lines = first == second
                          ? ir::Cat("on line ", first)
                          : ir::Cat("on lines ", first, " and ", second);
  return ir::Cat(kernel_->decls[m.first->decl].name, " ", lines);
}

}  // namespace tilesim::checkers::pipeline
