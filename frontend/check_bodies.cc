#include "frontend/check_bodies.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "frontend/legality/rules.h"
#include "frontend/threads.h"
#include "frontend/warp_values.h"
#include "ir/cat.h"
#include "ir/ops/sync.h"
#include "ir/printer.h"

namespace tilesim::frontend {
namespace {

using ir::Fragment;

constexpr int64_t kRegistersPerSm = 65536;  // hardware.md B.3
constexpr int64_t kMaxRegisters = 255;

// What holds along one path through the scopes.
struct Place {
  Threads threads;
  bool apart = false;     // a union left out warps between those that are there
  int64_t registers = 0;  // a thread's, in tiles that are alive
  int64_t limit = 0;      // registers a thread may have
  const ir::Stmt* scope = nullptr;  // the innermost; nullptr: all threads
};

class BodyChecker {
 public:
  BodyChecker(const ir::BoundKernel& bound, const OpSet& wrong,
              ir::Diagnostics& diagnostics)
      : wrong_(wrong),
        kernel_{*bound.kernel, bound, {bound.slots, {}, nullptr}, diagnostics},
        diagnostics_(diagnostics),
        values_(bound) {
    for (size_t i = 0; i < bound.decls.size(); ++i) {
      bytes_.emplace(bound.kernel->decls[i].name, bound.decls[i].object_bytes);
    }
    kernel_.env.bytes_of = [this](std::string_view name) {
      auto it = bytes_.find(name);
      return it == bytes_.end() ? std::nullopt : std::optional(it->second);
    };
  }

  void Run() {
    Place all;
    int64_t block = kernel_.bound.block;
    all.threads = Threads::Of(block);
    for (size_t i = 0; i < kernel_.kernel.decls.size(); ++i)
      Alignment(kernel_.kernel.decls[i], kernel_.bound.decls[i]);
    all.limit = kernel_.bound.regs;
    if (all.limit == 0)
      all.limit = std::min(kMaxRegisters, kRegistersPerSm / block / 8 * 8);
    Block(kernel_.kernel.body, all);
  }

 private:
  void Alignment(const ir::Decl& d, const ir::BoundDecl& b) {
    if (!d.align) return;
    std::optional<ir::Value> v = ir::Evaluate(*d.align, kernel_.env, nullptr);
    if (!v) return;
    if (v->number <= 0 ||
        !std::has_single_bit(static_cast<uint64_t>(v->number))) {
      diagnostics_.Error(
          "layout/alignment", d.align->span,
          ir::Cat("an alignment of ", v->number, " is no power of two"));
    } else if (d.swizzle != ir::Swizzle::kNone &&
               v->number < b.layout.alignment()) {
      BelowPattern(d, b.layout.alignment(), v->number);
    }
  }

  // Descriptors and TMA swizzle by address bits (hardware.md B.1), so that a
  // tile starts where the pattern does.
  void BelowPattern(const ir::Decl& d, int64_t needed, int64_t written) {
    diagnostics_
        .Error("layout/alignment", d.align->span,
               ir::Cat("`", d.name, "` has an alignment of ", written,
                       "; its swizzle needs ", needed))
        .help = ir::Cat("write `align ", needed, "` or leave it out");
  }

  void Block(const ir::Block& block, Place place) {
    for (const ir::Stmt& s : block) Stmt(s, place);
  }

  void Stmt(const ir::Stmt& s, Place& place) {
    using Kind = ir::Stmt::Kind;
    switch (s.kind) {
      case Kind::kDecl:
        return RegTile(s, place);
      case Kind::kLet:
        return values_.Let(s.slot, s.value);
      case Kind::kVar:
        // Warps may assign to it at different times.
        return values_.Unknown(s.slot, true);
      case Kind::kFor:
        return For(s, place);
      case Kind::kWhile:
        return Block(s.body, Divided(place, values_.Varies(s.value)));
      case Kind::kIf:
        return If(s, place);
      case Kind::kScope:
        return Scope(s, place);
      case Kind::kOp:
        return Op(s, place);
      case Kind::kAssign:
      case Kind::kBreak:
      case Kind::kContinue:
      case Kind::kCall:
      case Kind::kReturn:
        return;
    }
  }

  // Some warps execute what others do not, and it is not known which.
  static Place Divided(Place place, bool varies) {
    if (varies) place.threads.exact = place.threads.groups_known = false;
    return place;
  }

  void For(const ir::Stmt& s, const Place& place) {
    bool varies = values_.Varies(s.low) || values_.Varies(s.high) ||
                  (s.step && values_.Varies(*s.step));
    values_.Unknown(s.slot, varies);
    Block(s.body, Divided(place, varies));
  }

  void If(const ir::Stmt& s, const Place& place) {
    Place then = place, other = place;
    bool known = true;
    for (int w = 0; w < ir::kMaxWarps && known; ++w) {
      if (place.threads.lanes[w] == 0) continue;
      std::optional<int64_t> v = values_.Evaluate(s.value, w);
      known = v.has_value();
      if (known) (*v != 0 ? other : then).threads.KeepAllBut(w);
    }
    if (known) then.scope = other.scope = &s;
    if (!known) then = other = Divided(place, values_.Varies(s.value));
    // What no thread reaches is dead code of this configuration.
    if (!then.threads.empty()) Block(s.body, then);
    if (!other.threads.empty()) Block(s.orelse, other);
  }

  // --- scopes --------------------------------------------------------------

  void Scope(const ir::Stmt& s, const Place& place) {
    Place inside = place;
    inside.scope = &s;
    for (size_t k = 0; k < s.scopes.size();) {
      const Threads before = inside.threads;
      bool united = false;
      size_t first = k;
      do {
        Threads here = before;
        Narrow(s.scopes[k], here);
        if (before.MayLoseElected(here)) return LosesElected(s.scopes[k]);
        if (here.empty()) return Empty(s.scopes[k], before);
        if (k == first) inside.threads = here;
        if (k > first) inside.threads.Add(here);
        united |= k > first;
      } while (++k < s.scopes.size() && s.scopes[k].also);
      inside.apart = (inside.apart || united) && !inside.threads.Neighbours();
    }
    Block(s.body, inside);
  }

  void Empty(const ir::Scope& scope, const Threads& before) {
    std::string text = scope.implied
                           ? "elect one"
                           : ir::ToString(std::vector<ir::Scope>{scope});
    ir::Diagnostic& d = diagnostics_.Error(
        "scope/empty", scope.span,
        ir::Cat("`", text, "` is none of the threads that get here"));
    if (scope.implied)
      d.notes.push_back(ir::Cat("it is a thread of warp ",
                                ir::ToString(scope.low),
                                ", the first of the scopes around it"));
    d.notes.push_back(ir::Cat("they are ", before.Numbered()));
  }

  // PTX's elect.sync does not say which lane it takes.
  void LosesElected(const ir::Scope& scope) {
    std::string text = ir::ToString(std::vector<ir::Scope>{scope});
    ir::Diagnostic& d = diagnostics_.Error(
        "scope/empty", scope.span,
        ir::Cat("`", text, "` may be none of the threads that get here"));
    d.notes.emplace_back(
        "they are the lane that `elect` takes, and it may take any");
    d.help = scope.range
                 ? ir::Cat("write `", text, ", elect` for one of these threads")
                 : ir::Cat("leave out `elect` or `", text, "`");
  }

  void Narrow(const ir::Scope& scope, Threads& t) {
    using Kind = ir::Scope::Kind;
    if (scope.kind == Kind::kElect) return t.Elect();
    std::optional<int64_t> low = values_.Uniform(scope.low, t);
    std::optional<int64_t> high =
        scope.range ? values_.Uniform(scope.high, t) : low;
    if (!low || !high) return NarrowUnknown(scope, t);
    // Beyond any CTA, and small enough to calculate with.
    constexpr int64_t kBeyond = 1 << 20;
    low = std::clamp<int64_t>(*low, -kBeyond, kBeyond);
    int64_t end =
        scope.range ? std::clamp<int64_t>(*high, 0, kBeyond) : *low + 1;
    switch (scope.kind) {
      case Kind::kWarps:
        return t.KeepWarps(*low, end);
      case Kind::kWarpgroups:
        return t.KeepWarps(*low * ir::kWarpgroupWarps,
                           end * ir::kWarpgroupWarps);
      case Kind::kThreads:
        return t.KeepThreads(*low, end);
      case Kind::kLanes:
        return t.KeepLanes(*low, end);
      case Kind::kElect:
        return;
    }
  }

  // Whether the scope follows from constants and parameters.
  bool SizesDecide(const ir::Scope& scope) const {
    return ir::Evaluate(scope.low, kernel_.env, nullptr) &&
           ir::Evaluate(scope.high, kernel_.env, nullptr);
  }

  // Which threads is decided at run time; how many often is not.
  void NarrowUnknown(const ir::Scope& scope, Threads& t) {
    using Kind = ir::Scope::Kind;
    t.exact = false;
    bool one = !scope.range;
    t.counted = t.counted && (one || SizesDecide(scope));
    if (scope.kind == Kind::kWarps) (one ? t.one_warp : t.groups_known) = one;
    if (scope.kind == Kind::kThreads || scope.kind == Kind::kLanes) {
      if (one) t.KeepFirstLane();
      if (!one) t.lanes_known = false;
      t.MaybeNotElected();
      if (scope.kind == Kind::kThreads) t.groups_known = false;
    }
  }

  // --- register tiles --------------------------------------------------------

  void RegTile(const ir::Stmt& s, Place& place) {
    const ir::Decl& d = *s.decl;
    const ir::BoundDecl& b = kernel_.bound.decls[s.decl_id];
    declared_by_[s.decl_id] = place.threads;
    FragmentShape(d, b);
    if (d.fragment == Fragment::kBlocked && !CanShare(place)) {
      Shared(s.span, ir::Cat("`", d.name, "`"), place.threads);
      return;
    }
    if (!Holders(d, s.decl_id, place, s.span, "declared")) return;
    ir::FragmentLayout layout = b.fragment;
    if (layout.threads == 0) layout.threads = place.threads.count();
    int64_t bits = int64_t{layout.per_thread()} * values::BitsOf(d.dtype);
    int64_t before = place.registers;
    place.registers += std::min((bits + 31) / 32 * b.objects, kRegistersPerSm);
    // Said once, of the tile that goes over the limit.
    if (before > place.limit || place.registers <= place.limit) return;
    ir::Diagnostic& spill = diagnostics_.Warning(
        "registers/spill", d.span,
        ir::Cat("the tiles that are live at `", d.name, "` need ",
                place.registers, " registers per thread; there are ",
                place.limit));
    spill.help =
        "let more warps hold it, take a smaller tile, or write over one "
        "that is not read again";
  }

  // hardware.md A.7, A.8; PTX 9.7.14.5 for mma.
  void FragmentShape(const ir::Decl& d, const ir::BoundDecl& b) {
    int64_t rows = b.fragment.rows, cols = b.fragment.cols;
    bool vector = cols == 1;
    std::string wanted;
    switch (d.fragment) {
      case Fragment::kWgmma:
        if (rows != 64 || (!vector && cols % 8 != 0))
          wanted = "64 rows, and 1 column or a multiple of 8";
        break;
      case Fragment::kRow:
        if (rows != ir::kWarpgroupThreads && rows != ir::kWarpThreads)
          wanted =
              ir::Cat(ir::kWarpgroupThreads, " rows, or ", ir::kWarpThreads);
        break;
      case Fragment::kMma:
        if (rows % 16 != 0 || (!vector && cols % 8 != 0))
          wanted = "a multiple of 16 rows, and 1 column or a multiple of 8";
        break;
      case Fragment::kMmaA:
        if (rows % 16 != 0 || cols % 16 != 0)
          wanted = "multiples of 16 rows and 16 columns";
        break;
      case Fragment::kMmaB:
        if (rows % 8 != 0 || cols % 16 != 0)
          wanted = "multiples of 8 rows and 16 columns";
        break;
      case Fragment::kBlocked:
        if (cols % b.fragment.vector != 0)
          wanted = ir::Cat("a multiple of ", b.fragment.vector, " columns");
        break;
      case Fragment::kNone:
        break;
    }
    if (wanted.empty()) return;
    diagnostics_.Error(
        "shape/fragment", d.span,
        ir::Cat("`", d.name, "` is ", rows, "x", cols, "; fragment ",
                ir::Name(d.fragment), " has ", wanted));
  }

  // Whether the threads are those that hold such a tile together.
  bool Holders(const ir::Decl& d, int32_t id, const Place& place, ir::Span span,
               std::string_view verb) {
    const Threads& t = place.threads;
    const ir::BoundDecl& b = kernel_.bound.decls[id];
    bool group = d.fragment == Fragment::kWgmma ||
                 (d.fragment == Fragment::kRow &&
                  b.fragment.rows == ir::kWarpgroupThreads);
    if (wrong_holders_.contains(id)) return false;  // told at its declaration
    bool fit = group                              ? t.WholeWarpgroups()
               : d.fragment == Fragment::kBlocked ? Declarers(id, t)
                                                  : t.WholeWarps();
    if (fit) return true;
    if (verb == "declared") wrong_holders_.insert(id);
    if (group && WasTold(place)) return false;
    std::string_view held = group ? "a warpgroup"
                            : d.fragment == Fragment::kBlocked
                                ? "all threads that declared it"
                                : "a warp";
    ir::Diagnostic& error = diagnostics_.Error(
        "scope/collective", span,
        ir::Cat("`", d.name, "` is held by ", held, " together; it is ", verb,
                " by ", t.Describe()));
    if (group) SayWhatAWarpgroupIs(t, error);
    return false;
  }

  // That a block is not of whole warpgroups is one mistake, whatever in it is
  // for those.
  bool WasTold(const Place& place) {
    return !no_warpgroups_.insert(place.scope).second;
  }

  static void SayWhatAWarpgroupIs(const Threads& t, ir::Diagnostic& d) {
    d.help = t.WholeWarps()
                 ? "a warpgroup is warps 0..4, 4..8 and so on, all four of "
                   "each: `warpgroups 1..3` are warps 4..12"
                 : "all 128 threads of a warpgroup: outside of `elect`, `lane` "
                   "and `thread`";
    d.notes.emplace_back(
        "of what else in this block is for whole warpgroups "
        "it is not said again");
  }

  // Whose part is which follows from a thread's number among all of so many.
  static bool CanShare(const Place& place) {
    return !place.apart && place.threads.counted;
  }

  void Shared(ir::Span span, const std::string& what, const Threads& t) {
    diagnostics_
        .Error(
            "scope/collective", span,
            ir::Cat(
                what, " is shared out over ",
                t.counted ? "warps without a gap" : "a known number of warps",
                ", not over ", t.counted ? "" : "some of ", t.Describe()))
        .help = t.counted ? "give each of them a tile of its own, or let "
                            "neighbours do it"
                          : "let one warp or warpgroup do it, or warps that "
                            "constants name";
  }

  bool Declarers(int32_t id, const Threads& t) const {
    const Threads& all = declared_by_.at(id);
    return !t.exact || !all.exact || !t.lanes_known || all == t;
  }

  // --- ops -----------------------------------------------------------------

  void Op(const ir::Stmt& s, Place& place) {
    const ir::Op& op = *s.op;
    if (wrong_.contains(&op)) return;
    bool fit = Collective(op, place) && TilesAreHeld(op, place);
    if (op.info->async == ir::AsyncUnit::kCpAsync && !CanShare(place))
      Shared(op.span, ir::Cat("`", op.info->mnemonic, "`"), place.threads);
    OpCheck check(kernel_, op, place.threads);
    CheckLegality(check);
    OneCtaGroup(op);
    bool maxnreg = op.info->kind == ir::OpKind::kSetmaxnregInc ||
                   op.info->kind == ir::OpKind::kSetmaxnregDec;
    if (maxnreg && fit)
      place.limit =
          check.number(ir::ops::SetmaxnregInc::kCount).value_or(place.limit);
  }

  bool Collective(const ir::Op& op, const Place& place) {
    const Threads& t = place.threads;
    bool masked = op.info->kind == ir::OpKind::kBarWarpSync &&
                  op.has(ir::ops::BarWarpSync::kMask);
    bool warp = op.info->scope == ir::ExecScope::kWarp && !masked;
    bool group = op.info->scope == ir::ExecScope::kWarpgroup;
    if ((!warp || t.WholeWarps()) && (!group || t.WholeWarpgroups()))
      return true;
    if (group && WasTold(place)) return false;
    ir::Diagnostic& d = diagnostics_.Error(
        "scope/collective", op.span,
        ir::Cat("`", op.info->mnemonic, "` is executed by whole ",
                group ? "warpgroups" : "warps", ", not by ", t.Describe()));
    d.notes.emplace_back(op.info->source);
    if (group) SayWhatAWarpgroupIs(t, d);
    return false;
  }

  bool TilesAreHeld(const ir::Op& op, const Place& place) {
    for (const ir::Operand& o : op.operands) {
      if (o.kind != ir::Operand::Kind::kRef) continue;
      const ir::Decl& d = kernel_.kernel.decls[o.ref.decl];
      if (d.space != ir::Space::kReg) continue;
      if (!Holders(d, o.ref.decl, place, o.span, "used")) return false;
    }
    return true;
  }

  // hardware.md A.8: all tcgen05 instructions of a kernel use one value.
  void OneCtaGroup(const ir::Op& op) {
    bool tcgen05 = op.info->mnemonic.substr(0, 8) == "tcgen05." &&
                   op.FindChoice<ir::ops::CtaGroup>();
    if (!tcgen05) return;
    bool pair = ir::ops::IsPair(op);
    if (!first_group_) first_group_ = {pair, op.span};
    if (first_group_->first == pair) return;
    ir::Diagnostic& d =
        diagnostics_.Error("tcgen05/group", op.span,
                           ir::Cat("`", op.info->mnemonic, "` is for ",
                                   pair ? 2 : 1, pair ? " CTAs" : " CTA",
                                   "; a kernel uses one cta_group throughout"));
    d.labels.push_back({first_group_->second, "the other one here"});
    d.notes.emplace_back("hardware.md A.8");
  }

  const OpSet& wrong_;
  KernelCheck kernel_;
  ir::Diagnostics& diagnostics_;
  WarpValues values_;
  std::map<std::string_view, int64_t> bytes_;
  std::map<int32_t, Threads> declared_by_;
  std::set<const ir::Stmt*> no_warpgroups_;  // blocks of which that was told
  std::set<int32_t> wrong_holders_;          // tiles whose declaration was told
  std::optional<std::pair<bool, ir::Span>> first_group_;
};

}  // namespace

void CheckBodies(const ir::BoundKernel& bound, const OpSet& wrong,
                 ir::Diagnostics& diagnostics) {
  BodyChecker(bound, wrong, diagnostics).Run();
}

}  // namespace tilesim::frontend
