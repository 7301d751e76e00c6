#include "checkers/pipeline/per_cta.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checkers/grid/words.h"
#include "checkers/judge/cluster.h"
#include "checkers/pipeline/in_step.h"
#include "checkers/pipeline/judged_runs.h"
#include "checkers/run/control_memory.h"
#include "checkers/run/environment.h"
#include "checkers/run/protocol.h"
#include "checkers/run/words_used.h"
#include "checkers/sizes/algebra/polynomial.h"
#include "checkers/sizes/partition/any_elements.h"
#include "checkers/sizes/partition/bit_tests.h"
#include "checkers/sizes/partition/counted_down.h"
#include "checkers/sizes/partition/flat_arrays.h"
#include "checkers/sizes/partition/free_conditions.h"
#include "checkers/sizes/partition/free_trips.h"
#include "checkers/sizes/partition/guarded_loops.h"
#include "checkers/sizes/partition/opaque.h"
#include "checkers/sizes/partition/ragged_loops.h"
#include "checkers/sizes/partition/register_updates.h"
#include "checkers/sizes/partition/required_products.h"
#include "checkers/sizes/partition/ring_counters.h"
#include "checkers/sizes/partition/split_arrays.h"
#include "checkers/sizes/partition/turns_of_the_grid.h"
#include "fmt/format.h"
#include "ir/cat.h"
#include "sim/machine/data/domain.h"

namespace tilesim::checkers::pipeline {
using footprint::Fragments;
using judge::ClusterVerdict;
using judge::JudgeCluster;
using plan::Instance;
using report::Finding;
using report::Findings;
using run::DrawsOf;
using run::Environment;
using run::Environments;
using run::HandOutsOf;
using run::KeepsProtocol;
using run::Protocol;
using run::ProtocolIn;
using run::RunOptions;
using run::Ticket;
using run::WithFlags;
using sizes::partition::Abstracted;
using sizes::partition::Covered;
using sizes::partition::EnteredBut;
using sizes::partition::EvenLoops;
using sizes::partition::FreeTrip;
using sizes::partition::FreeTrips;
using sizes::partition::Judged;
using sizes::partition::WithoutOpaque;

namespace {

std::string Listed(const std::vector<std::string>& all) {
  return fmt::format("{}", fmt::join(all, ", "));
}

constexpr std::string_view kOtherProtocol =
    "CTAs communicate other than by counters and flags";

constexpr std::string_view kNotInStep =
    "threads wait for what others do in later iterations";

class PerCtaJudge {
 public:
  PerCtaJudge(const PerCtaOptions& options, const Findings& known,
              Fragments& fragments, GlobalOrder& order,
              const std::optional<EvenLoops>& even)
      : options_(options),
        known_(known),
        fragments_(fragments),
        order_(order),
        even_(even) {}

  Judged operator()(const Instance& instance) {
    const machine::Code& code = *instance.code;
    Environments draws = DrawsOf(code, options_.once);
    for (const std::string& why : draws.open) Stop(why);
    for (const Environment& draw : draws.each) {
      std::optional<Protocol> protocol = ProtocolIn(code);
      if (!protocol) Stop(kOtherProtocol);
      for (int64_t c : instance.clusters) {
        if (!why_.empty()) return Judged::kWrong;
        Each(instance, c, *protocol, WithFlags(protocol->flags, code, draw));
      }
    }
    return !why_.empty() ? Judged::kWrong
           : by_order_   ? Judged::kByOrder
                         : Judged::kSearched;
  }

  const std::string& why() const { return why_; }
  PerCta& result() { return result_; }

 private:
  void Stop(std::string_view why) {
    if (why_.empty()) why_ = why;
  }

  // A cluster with what it may be handed and draw.
  void Each(const Instance& instance, int64_t cluster, const Protocol& protocol,
            const Environment& draw) {
    const machine::Code& code = *instance.code;
    if (protocol.counter) {
      for (const Ticket& ticket : protocol.counter->TicketsOf(cluster))
        Cluster(instance, cluster, run::WithTicket(ticket, code, draw));
    } else if (instance.handed_out) {
      bool first = cluster == instance.clusters.front();
      Cluster(instance, cluster,
              HandedOut(cluster, first ? *instance.handed_out : 0, draw));
    } else {
      Environments all = HandOutsOf(code, cluster, draw);
      for (const std::string& why : all.open) Stop(why);
      for (const Environment& e : all.each) Cluster(instance, cluster, e);
    }
  }

  void Cluster(const Instance& instance, int64_t cluster,
               const Environment& environment) {
    if (!why_.empty()) return;
    const machine::Code& code = *instance.code;
    RunOptions run;
    run.cluster = cluster;
    run.environment = &environment;
    run.max_events = options_.max_events;
    ClusterVerdict v = JudgeCluster(code, run, options_.max_states, fragments_);
    by_order_ &= v.holds;
    result_.assumed.Add(v.assumed);
    order_.Add(RunsOf(v), instance, fragments_);
    result_.ops.Add(v.log);
    if (!KeepsProtocol(v.log)) Stop(kOtherProtocol);
    if (even_ && (!v.holds || !GoesInStep(v.log, *even_))) Stop(kNotInStep);
    for (const Finding& f : v.findings.all()) {
      if (!IsKnown(f) && !IsOfNoCta(code, f))
        Suspect(code, cluster, f.diagnostic);
    }
    for (const std::string& why : v.open.all()) Stop(why);
    for (const std::string& why : v.log.limits) Stop(why);
    if (!v.all_interleavings) Stop("schedules were not all searched");
  }

  // What is a warning in grids that were run may be an error in another CTA.
  bool IsKnown(const Finding& f) const {
    const Finding* known = known_.Find(f);
    return known != nullptr && known_.HasPlacesOf(f) &&
           (known->diagnostic.severity == ir::Severity::kError ||
            f.diagnostic.severity != ir::Severity::kError);
  }

  // An element or a box that is inside its tensor in every CTA that there is:
  // this one stands for none. docs/all_sizes.md 5.5. Findings of one tensor by
  // one mnemonic are one (pairwise/bounds.cc), which tells the first.
  bool IsOfNoCta(const machine::Code& code, const Finding& f) const {
    if (!options_.inside || f.diagnostic.code != ir::Code("bounds/global"))
      return false;
    const grid::Site at{f.diagnostic.span.line, f.diagnostic.span.column};
    std::set<std::pair<const ir::OpInfo*, int32_t>> told;
    for (const machine::CompiledOp& op : code.ops) {
      if (grid::Site::Of(*op.op) != at) continue;
      for (int32_t decl : TensorsOf(*op.op)) told.emplace(op.op->info, decl);
    }
    return std::none_of(
        code.ops.begin(), code.ops.end(), [&](const machine::CompiledOp& op) {
          const std::set<int32_t> tensors = TensorsOf(*op.op);
          const bool same =
              std::any_of(tensors.begin(), tensors.end(), [&](int32_t decl) {
                return told.contains({op.op->info, decl});
              });
          return same && !IsInside(code, *op.op);
        });
  }

  static std::set<int32_t> TensorsOf(const ir::Op& op) {
    std::set<int32_t> out;
    for (const ir::Operand& o : op.operands) {
      if (o.kind == ir::Operand::Kind::kRef) out.insert(o.ref.decl);
    }
    return out;
  }

  bool IsInside(const machine::Code& code, const ir::Op& op) const {
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const ir::Ref& ref = op.operands[i].ref;
      const bool asked = op.operands[i].kind == ir::Operand::Kind::kRef &&
                         ir::MustBeThere(op, i) != ir::There::kNothing;
      if (!asked) continue;
      const ir::BoundDecl& decl = code.bound.decls[ref.decl];
      if (decl.space != ir::Space::kGlobal) continue;
      for (int32_t d = 0; d < decl.rank; ++d) {
        if (!options_.inside(op, static_cast<int32_t>(i), d)) return false;
      }
    }
    return true;
  }

  void Suspect(const machine::Code& code, int64_t cluster,
               const ir::Diagnostic& d) {
    if (!why_.empty()) return;
    result_.suspect_cluster = cluster;
    ir::Overrides& sizes = result_.suspect.emplace();
    std::vector<std::string> all;
    for (const ir::Param& p : code.kernel().params) {
      sizes[p.name] = code.bound.slots[p.slot]->number;
      all.push_back(ir::Cat(p.name, " = ", sizes[p.name]));
    }
    Stop(ir::Cat("a run has ", d.code.name(), " on line ", d.span.text_line(),
                 ", with ", Listed(all)));
  }

  const PerCtaOptions& options_;
  const Findings& known_;
  Fragments& fragments_;
  GlobalOrder& order_;
  const std::optional<EvenLoops>& even_;
  PerCta result_;
  bool by_order_ = true;
  std::string why_;
};

// A kernel that can do what each CTA of another can, and more.
struct More {
  Abstracted of;
  std::vector<std::string> free;  // its parameters that may be anything
  std::vector<FreeTrip> trips;    // those of them that are trip counts
  std::optional<EvenLoops> even;  // whose inner trip counts are one
};

namespace algebra = sizes::algebra;

class CoveringPerCta {
 public:
  using Shown = std::optional<PerCta>;
  CoveringPerCta(const Instance& some, const PerCtaOptions& options,
                 const Findings& known, Fragments& fragments)
      : some_(some), options_(options), known_(known), fragments_(fragments) {}

  // nullopt: it has neither numbers that cannot be said nor flags.
  std::optional<PerCta> WithOpaque(GlobalOrder& order, Covered& covered) {
    auto more = Abstract({some_.code->kernel(), {}, {}, {}, {}});
    const bool other = covered.flags || options_.more_sizes;
    if (!more || (more->free.empty() && !other)) return std::nullopt;
    return Cover(*std::move(more), order, covered);
  }

  // Without what `requires` says of products of sizes, which sizes are not
  // divided by: there are then more CTAs, never fewer. nullopt: it says nothing
  // of any. docs/all_sizes.md 3.5.
  std::optional<PerCta> WithProductsOfAnySize(GlobalOrder& order,
                                              Covered& covered) {
    Form form{some_.code->kernel(), {}, {}, {}, {}};
    if (!IsAlone() || !sizes::partition::DropProducts(form.kernel))
      return std::nullopt;
    auto more = Abstract(std::move(form));
    if (!more) return std::nullopt;
    return Cover(*std::move(more), order, covered);
  }

  // nullopt: no condition is made of quotients by sizes.
  std::optional<PerCta> WithFreeConditions(GlobalOrder& order,
                                           Covered& covered) {
    if (!IsAlone()) return std::nullopt;
    Form form{some_.code->kernel(), {}, {}, {}, {}};
    const ir::Overrides& defines = options_.sizes.defines;
    sizes::partition::CountUp(defines, form.kernel);
    Free(form, sizes::partition::EndGuardedLoops(form.kernel));
    const auto free = sizes::partition::FreeConditions(
        defines, InputsOf(*some_.code), form.kernel);
    if (free.empty()) return std::nullopt;
    form.free.insert(form.free.end(), free.begin(), free.end());
    auto more = Abstract(std::move(form));
    if (!more) return std::nullopt;
    return Cover(*std::move(more), order, covered);
  }

  std::optional<PerCta> WithElements(GlobalOrder& order, Covered& covered) {
    auto other = Elements();
    if (!other) return std::nullopt;
    auto more = Abstract(*std::move(other));
    if (!more) return std::nullopt;
    return Cover(*std::move(more), order, covered);
  }

  // Of a text, loops of which go around as often as may be.
  Shown WithFreeTrips(GlobalOrder& order, Covered& covered) {
    return FreeTripsOf(Plain(), order, covered);
  }
  Shown WithElementsAndTrips(GlobalOrder& order, Covered& covered) {
    return FreeTripsOf(Elements(), order, covered);
  }
  Shown WithUpdatesAndTrips(GlobalOrder& order, Covered& covered) {
    return FreeTripsOf(Updated(Plain()), order, covered);
  }

  // Of a text that has a loop with one in it that goes around another number
  // of times in each of its iterations. docs/all_sizes.md 3.17.
  Shown WithEvenLoops(GlobalOrder& order, Covered& covered) {
    return EvenLoopsOf(Plain(), order, covered);
  }
  Shown WithElementsAndEvenLoops(GlobalOrder& order, Covered& covered) {
    return EvenLoopsOf(Elements(), order, covered);
  }
  Shown WithUpdatesAndEvenLoops(GlobalOrder& order, Covered& covered) {
    return EvenLoopsOf(Updated(Plain()), order, covered);
  }
  Shown WithAllAndEvenLoops(GlobalOrder& order, Covered& covered) {
    return EvenLoopsOf(Updated(Elements()), order, covered);
  }

 private:
  // Another text, whose last parameters may be anything that is `known`.
  struct Form {
    ir::Kernel kernel;
    std::vector<std::string> free;
    std::vector<algebra::Polynomial> known;
    std::vector<FreeTrip> trips;
    std::optional<EvenLoops> even;
  };

  // --- texts -----------------------------------------------------------------

  std::optional<Form> Plain() const {
    return Form{some_.code->kernel(), {}, {}, {}, {}};
  }
  // nullopt: no condition that is not followed guards updates alone.
  static std::optional<Form> Updated(std::optional<Form> form) {
    if (form && !sizes::partition::AlwaysUpdate(form->kernel)) form.reset();
    return form;
  }

  // nullopt: there is no such loop; or what CTAs do for each other, or are
  // handed, depends on how often each goes around.
  std::optional<PerCta> FreeTripsOf(std::optional<Form> form,
                                    GlobalOrder& order, Covered& covered) {
    if (!form || !IsAlone()) return std::nullopt;
    sizes::partition::CountTurns(form->kernel);
    sizes::partition::CountUp(options_.sizes.defines, form->kernel);
    Free(*form, sizes::partition::EndGuardedLoops(form->kernel));
    if (form->trips.empty()) return std::nullopt;
    auto more = Abstract(*std::move(form));
    if (!more) return std::nullopt;
    return Cover(*std::move(more), order, covered);
  }

  std::optional<PerCta> EvenLoopsOf(std::optional<Form> some,
                                    GlobalOrder& order, Covered& covered) {
    if (!some || !IsAlone()) return std::nullopt;
    Form& form = *some;
    sizes::partition::CountTurns(form.kernel);
    const ir::Overrides& defines = options_.sizes.defines;
    sizes::partition::CountUp(defines, form.kernel);
    const auto ended = sizes::partition::EndGuardedLoops(form.kernel);
    sizes::partition::EndWhereGuarded(form.kernel);
    sizes::partition::CountRings(defines, form.kernel);
    sizes::partition::ShiftBits(defines, form.kernel);
    Free(form, ended);
    const std::set<int32_t> inputs = InputsOf(*some_.code);
    form.even = sizes::partition::MakeEven(
        {defines, inputs, EnteredBut(options_.entered, ended), {}},
        form.kernel);
    if (!form.even) return std::nullopt;
    form.free.push_back(form.even->outer);
    form.free.push_back(form.even->inner);
    auto more = Abstract(std::move(form));
    if (!more) return std::nullopt;
    return Cover(*std::move(more), order, covered);
  }

  // What other CTAs do is decided by nothing that this one does.
  bool IsAlone() const {
    const machine::Code& code = *some_.code;
    return run::FlagsOf(code).empty() && !run::Requests(code) &&
           !run::TicketCounter::Of(code);
  }

  // Gives loops over the share of a CTA as many trips as a parameter says.
  // `ended`: those that end earlier than the text says.
  void Free(Form& form, const std::vector<ir::Span>& ended) const {
    const std::set<int32_t> inputs = InputsOf(*some_.code);
    std::set<int32_t> elements;
    const std::vector<ir::Param>& params = form.kernel.params;
    for (size_t i = some_.code->kernel().params.size(); i < params.size(); ++i)
      elements.insert(params[i].slot);
    const auto entered = EnteredBut(options_.entered, ended);
    form.trips = FreeTrips({options_.sizes.defines, inputs, entered, elements},
                           form.kernel);
    for (const FreeTrip& t : form.trips) form.free.push_back(t.name);
  }

  // nullopt: no element of an input decides, or none is followed.
  std::optional<Form> Elements() const {
    const machine::Code& code = *some_.code;
    if (!options_.lone || run::Requests(code)) return std::nullopt;
    Form out{code.kernel(), {}, {}, {}, {}};
    std::set<int32_t> drawn;
    const std::set<int32_t> inputs = InputsOf(code);
    for (int32_t decl : run::DrawnOf(code)) {
      if (inputs.contains(decl) && !options_.once.contains(decl))
        drawn.insert(decl);
    }
    sizes::partition::AnyElements any = sizes::partition::DrawAnyElements(
        options_.sizes.defines, drawn, out.kernel);
    if (any.names.empty()) return std::nullopt;
    out.free = std::move(any.names);
    out.known = std::move(any.known);
    return out;
  }

  static std::set<int32_t> InputsOf(const machine::Code& code) {
    std::set<int32_t> out;
    const std::vector<bool> written = run::AnyWrites(code);
    for (size_t i = 0; i < written.size(); ++i) {
      const bool global = code.bound.decls[i].space == ir::Space::kGlobal;
      if (global && !written[i]) out.insert(static_cast<int32_t>(i));
    }
    return out;
  }

  std::optional<More> Abstract(Form form) const {
    ir::Diagnostics ignored;
    auto bound =
        ir::Bind(form.kernel, some_.sizes, some_.code->bound.sm_count, ignored);
    if (!bound) return std::nullopt;
    auto code =
        machine::Compile(*std::move(bound), ignored, machine::Params::kKept);
    if (!code) return std::nullopt;
    More out{WithoutOpaque(*code, options_.sizes.defines, options_.positive),
             std::move(form.free), std::move(form.trips), std::move(form.even)};
    for (const std::string& name : out.of.opaque) out.free.push_back(name);
    for (algebra::Polynomial& fact : form.known)
      out.of.known.push_back(std::move(fact));
    return out;
  }

  // What `requires` says of sizes may be in the way of dividing them, where a
  // number that it was said for is a parameter of its own. Without it there are
  // more CTAs, never fewer. docs/all_sizes.md 3.5.
  PerCta Cover(More more, GlobalOrder& order, Covered& covered) {
    More loose = more;
    const bool fewer = !more.free.empty() && DropRemainders(loose.of.kernel);
    const GlobalOrder before = order;
    PerCta out = CoverForms(std::move(more), order, covered);
    if (!fewer || covered.all || out.suspect) return out;
    GlobalOrder of_loose = before;
    Covered again;
    PerCta with = CoverForms(std::move(loose), of_loose, again);
    if (!again.all) return out;
    order = std::move(of_loose);
    covered = std::move(again);
    return with;
  }

  // requires a % b == 0, with a b that no constant is.
  bool DropRemainders(ir::Kernel& kernel) const {
    return std::erase_if(kernel.requirements, [&](const ir::Requirement& r) {
             const ir::Expr& e = r.condition;
             if (e.kind != ir::ExprKind::kBinary || e.op != ir::ExprOp::kEq ||
                 !e.args[1].is_int(0))
               return false;
             const ir::Expr& rest = e.args[0];
             return rest.kind == ir::ExprKind::kBinary &&
                    rest.op == ir::ExprOp::kRem && AsksForParam(rest.args[1]);
           }) > 0;
  }
  static bool AsksForParam(const ir::Expr& e) {
    return e.name_kind == ir::NameKind::kParam ||
           std::any_of(e.args.begin(), e.args.end(), AsksForParam);
  }

  PerCta CoverForms(More more, GlobalOrder& order, Covered& covered) {
    sizes::partition::CountUp(options_.sizes.defines, more.of.kernel);
    sizes::partition::CountRings(options_.sizes.defines, more.of.kernel);
    sizes::partition::ShiftBits(options_.sizes.defines, more.of.kernel);
    More split = more;
    const bool other =
        sizes::partition::SplitArrays(*some_.code, split.of.kernel);
    const GlobalOrder before = order;
    PerCta out = CoverAsIs(std::move(more), order, covered);
    if (!other || covered.all || out.suspect) return out;
    GlobalOrder of_split = before;
    Covered again;
    PerCta with = CoverAsIs(std::move(split), of_split, again);
    if (!again.all) return out;
    order = std::move(of_split);
    covered = std::move(again);
    return with;
  }

  PerCta CoverAsIs(More more, GlobalOrder& order, Covered& covered) {
    sizes::partition::FlattenArrays(options_.sizes.defines, more.of.kernel);
    PerCtaJudge judge(options_, known_, fragments_, order, more.even);
    covered = sizes::partition::CoverSizes(
        more.of.kernel,
        {options_.sizes, options_.max_events, true, more.of.known,
         options_.inside, options_.stored, options_.most_events},
        [&](const Instance& i) { return judge(i); });
    const size_t own = some_.code->kernel().params.size();
    for (size_t i = own; i < more.of.kernel.params.size(); ++i)
      covered.open.erase(more.of.kernel.params[i].name);
    if (!judge.why().empty()) covered.why = judge.why();
    if (!more.free.empty())
      covered.why = ir::Cat(covered.why,
                            "; taken for any number, because it "
                            "was not followed: ",
                            Listed(more.free));
    PerCta& result = judge.result();
    for (const FreeTrip& t : more.trips) {
      if (result.suspect)
        result.trips.push_back({t.lines, result.suspect->at(t.name)});
    }
    return std::move(result);
  }

  const Instance& some_;
  const PerCtaOptions& options_;
  const Findings& known_;
  Fragments& fragments_;
};

}  // namespace

// A parameter of an element is how far it is above the lowest number of the
// domain (sizes/partition/any_elements.h).
std::optional<Environment> InputsWith(const ir::Overrides& suspect,
                                      const machine::Code& code) {
  constexpr int64_t kMostBytes = int64_t{1} << 20;
  Environment out;
  std::map<std::string_view, int64_t> numbers;
  for (const auto& [name, above] : suspect) {
    const std::string_view tensor =
        std::string_view(name).substr(0, name.find('['));
    for (size_t i = 0; i < code.bound.decls.size(); ++i) {
      const ir::Decl& decl = code.kernel().decls[i];
      if (tensor.size() == name.size() || decl.name != tensor ||
          decl.space != ir::Space::kGlobal)
        continue;
      const auto domain = machine::DomainOf(decl, code.bound);
      const bool may = domain && above >= 0 && above <= domain->hi - domain->lo;
      if (!may || code.bound.decls[i].object_bytes > kMostBytes ||
          numbers.emplace(tensor, above).first->second != above)
        return std::nullopt;
      out.inputs[decl.name] =
          run::Filled(code, static_cast<int32_t>(i), domain->lo + above);
    }
  }
  if (out.inputs.empty()) return std::nullopt;
  return out;
}

std::optional<PerCta> CoverPerCta(const Instance& some,
                                  const PerCtaOptions& options,
                                  const Findings& known, Fragments& fragments,
                                  GlobalOrder& order, Covered& covered) {
  CoveringPerCta covering(some, options, known, fragments);
  const GlobalOrder before = order;
  const Covered given = covered;
  auto out = covering.WithOpaque(order, covered);
  using Way = std::optional<PerCta> (CoveringPerCta::*)(GlobalOrder&, Covered&);
  struct Tried {
    Way way;
    bool tells;  // why it shows nothing
  };
  for (const auto& [way, tells] :
       {Tried{&CoveringPerCta::WithFreeTrips, true},
        Tried{&CoveringPerCta::WithElements, true},
        Tried{&CoveringPerCta::WithElementsAndTrips, true},
        Tried{&CoveringPerCta::WithProductsOfAnySize, false},
        Tried{&CoveringPerCta::WithFreeConditions, false},
        Tried{&CoveringPerCta::WithEvenLoops, false},
        Tried{&CoveringPerCta::WithElementsAndEvenLoops, false},
        Tried{&CoveringPerCta::WithUpdatesAndTrips, false},
        Tried{&CoveringPerCta::WithUpdatesAndEvenLoops, false},
        Tried{&CoveringPerCta::WithAllAndEvenLoops, false}}) {
    if (covered.all) return out;
    GlobalOrder other = before;
    Covered again = given;
    auto with = (covering.*way)(other, again);
    if (!with || ((out || !tells) && !again.all)) continue;
    out = std::move(with);
    order = std::move(other);
    covered = std::move(again);
  }
  return out;
}

}  // namespace tilesim::checkers::pipeline
