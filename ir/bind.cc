#include "ir/bind.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "ir/cat.h"
#include "ir/op.h"
#include "ir/tmem.h"
#include "ir/values/seeded.h"
#include "ir/warp.h"

namespace tilesim::ir {
namespace {

// hardware.md B.3.
constexpr int64_t kMaxSharedBytes = 232448;
constexpr int64_t kMaxRegistersPerCta = 65536;
constexpr int64_t kMaxCluster = 16;
constexpr int64_t kMbarrierBytes = 8;
constexpr int64_t kMaxGrid[] = {2147483647, 65535, 65535};
// No size is larger; sums and products of a few still fit in 64 bits.
constexpr int64_t kMaxSize = int64_t{1} << 40;
// What the local memory of a CTA's threads could hold, were all of it spilled.
constexpr int64_t kMaxRegisterBytes = int64_t{kMaxThreads} * (512 << 10);
constexpr int64_t kMaxElements = int64_t{1} << 56;  // of 64 bits at most

class Binder {
 public:
  Binder(const Kernel& kernel, int64_t sm_count, Diagnostics& diagnostics)
      : kernel_(kernel), diagnostics_(diagnostics) {
    bound_.kernel = &kernel;
    bound_.sm_count = sm_count;
    bound_.slots.resize(kernel.slots);
    bound_.decls.resize(kernel.decls.size());
    builtins_[static_cast<int>(Builtin::kSmCount)] = sm_count;
  }

  std::optional<BoundKernel> Run(const Overrides& params) {
    size_t before = diagnostics_.errors();
    CheckNames(params);
    BindParams(params);
    // Constants may use bytes(NAME) of declarations that use constants: bind
    // in rounds until nothing new is known.
    BindConstants(/*report=*/false);
    BindShapes(/*report=*/false);
    BindConstants(/*report=*/true);
    BindShapes(/*report=*/true);
    if (diagnostics_.errors() > before) return std::nullopt;
    const bool permitted = CheckRequirements();
    BindComputes();
    BindLaunch();
    PlaceShared();
    PlaceTmem();
    if (!permitted || diagnostics_.errors() > before) return std::nullopt;
    return std::move(bound_);
  }

 private:
  EvalEnv Env() {
    return {bound_.slots, builtins_,
            [this](std::string_view name) { return BytesOf(name); }};
  }

  std::optional<int64_t> BytesOf(std::string_view name) const {
    for (size_t i = 0; i < kernel_.decls.size(); ++i) {
      if (kernel_.decls[i].name == name && bound_.decls[i].object_bytes > 0)
        return bound_.decls[i].object_bytes;
    }
    return std::nullopt;
  }

  std::optional<Value> Eval(const Expr& e, bool report) {
    EvalError error;
    std::optional<Value> value = Evaluate(e, Env(), &error);
    if (!value && report)
      diagnostics_.Error(error.code, error.span, error.message);
    return value;
  }

  int64_t EvalInt(const Expr& e, int64_t fallback) {
    std::optional<Value> value = Eval(e, true);
    if (value && value->is_float) {
      diagnostics_.Error("type/float", e.span,
                         Cat("`", ToString(e),
                             "` is a float where an integer is "
                             "needed"));
      return fallback;
    }
    if (value &&
        std::clamp(value->number, -kMaxSize, kMaxSize) != value->number) {
      diagnostics_.Error("type/overflow", e.span,
                         Cat("`", ToString(e), "` is ", value->number,
                             ", too large to be a size"));
      return fallback;
    }
    return value ? value->number : fallback;
  }

  void CheckNames(const Overrides& params) {
    for (const auto& [name, value] : params) {
      bool known =
          std::any_of(kernel_.params.begin(), kernel_.params.end(),
                      [&, n = name](const Param& p) { return p.name == n; });
      if (known) continue;
      Diagnostic& d = diagnostics_.Error(
          "name/parameter", kernel_.span,
          Cat("-D ", name, "=", value, " names no param or const of `",
              kernel_.name, "`"));
      d.help = Cat("parameters are ", ParameterNames());
    }
  }

  std::string ParameterNames() const {
    std::string out;
    for (const Param& p : kernel_.params)
      Append(&out, out.empty() ? "" : ", ", p.name);
    for (const Constant& c : kernel_.constants) {
      if (!c.is_let) Append(&out, out.empty() ? "" : ", ", c.name);
    }
    return out.empty() ? "none" : out;
  }

  void BindParams(const Overrides& params) {
    for (const Param& p : kernel_.params) {
      auto it = params.find(p.name);
      int64_t value = it == params.end() ? p.value : it->second;
      bound_.slots[p.slot] = Value::Int(value);
      // Unsigned: from any low to any value.
      uint64_t above =
          static_cast<uint64_t>(value) - static_cast<uint64_t>(p.low);
      bool inside = value >= p.low && (!p.high || value <= *p.high) &&
                    above % std::max<int64_t>(p.step, 1) == 0;
      if (inside) continue;
      Diagnostic& d = diagnostics_.Error(
          "type/domain", p.span,
          Cat(p.name, " = ", value, " is outside ", p.low, "..",
              p.high ? Cat(*p.high) : "", " step ", p.step));
      const bool between = value > p.low && (!p.high || value <= *p.high);
      if (!between) continue;
      const auto step = static_cast<uint64_t>(p.step);
      d.help =
          Cat("the next below is ", value - static_cast<int64_t>(above % step));
    }
  }

  void BindConstants(bool report) {
    for (const Constant& c : kernel_.constants) {
      // Lets that use cta.x and the like are run-time scalars: not known here.
      std::optional<Value> v = Eval(c.value, report && !c.is_let);
      if (v) bound_.slots[c.slot] = *v;
    }
  }

  int64_t Extent(const Expr& e, bool report) {
    std::optional<Value> v = Eval(e, report);
    if (!v) return 0;
    bool usable = !v->is_float && v->number >= 1 &&
                  v->number <= std::numeric_limits<int32_t>::max();
    if (!usable && report) {
      diagnostics_.Error(
          "shape/extent", e.span,
          Cat("an extent of ", v->number, " is not between 1 and 2^31-1"));
    }
    return usable ? v->number : 0;
  }

  void BindShapes(bool report) {
    for (size_t i = 0; i < kernel_.decls.size(); ++i)
      BindShape(kernel_.decls[i], bound_.decls[i], report);
  }

  void BindShape(const Decl& decl, BoundDecl& out, bool report) {
    out.space = decl.space;
    out.dtype = decl.dtype;
    if (decl.shape.size() > kMaxRank || decl.array.size() > 3) {
      if (report)
        diagnostics_.Error(
            "shape/rank", decl.span,
            Cat("`", decl.name, "` has more than ", kMaxRank, " dimensions"));
      return;
    }
    out.rank = static_cast<int>(decl.shape.size());
    for (int d = 0; d < out.rank; ++d)
      out.shape[d] = Extent(decl.shape[d], report);
    out.array_rank = static_cast<int>(decl.array.size());
    int64_t objects = 1;
    for (int d = 0; d < out.array_rank; ++d) {
      out.array[d] = static_cast<int32_t>(
          std::min<int64_t>(Extent(decl.array[d], report), 1 << 20));
      objects = std::min<int64_t>(objects * out.array[d], 1 << 20);
    }
    out.objects = static_cast<int32_t>(objects);
    BindBytes(decl, out, report);
    if (decl.space == Space::kGlobal) BindStrides(decl, out, report);
    if (decl.domain_low && report) CheckDomain(decl);
    if (decl.space == Space::kShared) BindLayout(decl, out, report);
    if (decl.space == Space::kReg) BindFragment(decl, out, report);
    if (decl.space == Space::kTmem) BindTmem(decl, out, report);
  }

  void BindBytes(const Decl& decl, BoundDecl& out, bool report) {
    int64_t elements = 1;
    bool overflow = false;
    for (int d = 0; d < out.rank; ++d)
      overflow |= __builtin_mul_overflow(elements, out.shape[d], &elements);
    overflow |= elements > kMaxElements;
    if (overflow && report) {
      diagnostics_.Error(
          "type/overflow", decl.span,
          Cat("the size of `", decl.name, "` does not fit in 64 bits"));
    }
    out.object_bytes =
        overflow ? 0 : (elements * values::BitsOf(out.dtype) + 7) / 8;
    if (decl.space == Space::kMbarrier) out.object_bytes = kMbarrierBytes;
  }

  void BindStrides(const Decl& decl, BoundDecl& out, bool report) {
    int64_t stride = 1;
    for (int d = out.rank - 1; d >= 0; --d) {
      out.strides[d] = stride;
      // A tensor this large has been reported.
      if (__builtin_mul_overflow(stride, out.shape[d], &stride)) stride = 1;
    }
    for (size_t d = 0; d < decl.strides.size() && d < kMaxRank; ++d) {
      std::optional<Value> v = Eval(decl.strides[d], report);
      if (v) out.strides[d] = v->number;
      if (!report || !v || v->number >= 0) continue;
      diagnostics_
          .Error("layout/stride", decl.strides[d].span,
                 Cat("a stride of ", v->number, " elements is below 0"))
          .help =
          "a tensor begins at its first element in memory: count rows "
          "from the other end";
    }
  }

  // What proofs take for the values of elements, memory must be able to hold.
  void CheckDomain(const Decl& decl) {
    std::optional<Value> low = Eval(*decl.domain_low, true);
    std::optional<Value> high = Eval(*decl.domain_high, true);
    if (!low || !high || values::IsFloat(decl.dtype)) return;
    if (low->number > high->number) {
      diagnostics_.Error("type/domain", decl.span,
                         Cat("the domain ", low->number, "..", high->number,
                             " of `", decl.name, "` is empty"));
      return;
    }
    const values::IntegerRange holds = values::RangeOf(decl.dtype);
    if (low->number >= holds.lo && high->number <= holds.hi) return;
    diagnostics_
        .Error("type/domain", decl.span,
               Cat("`", decl.name, "` of ", values::NameOf(decl.dtype),
                   " cannot hold all of ", low->number, "..", high->number))
        .help = Cat(values::NameOf(decl.dtype), " holds ", holds.lo, " to ",
                    holds.hi, ": choose another type or domain");
  }

  void BindLayout(const Decl& decl, BoundDecl& out, bool report) {
    SharedLayout& layout = out.layout;
    layout.bits = values::BitsOf(out.dtype);
    layout.swizzle = decl.swizzle;
    layout.cols = out.rank == 0 ? 1 : out.shape[out.rank - 1];
    layout.rows = 1;
    for (int d = 0; d + 1 < out.rank; ++d) layout.rows *= out.shape[d];
    int64_t row_bytes = layout.cols * layout.bits / 8;
    int64_t span = SpanOf(decl.swizzle);
    if (report && span != 0 && row_bytes % span != 0) {
      diagnostics_.Error("layout/swizzle", decl.span,
                         Cat("rows of `", decl.name, "` are ", row_bytes,
                             " bytes, not a multiple of the swizzle's ", span));
    }
  }

  void BindFragment(const Decl& decl, BoundDecl& out, bool report) {
    if (report && out.object_bytes > kMaxRegisterBytes) {
      diagnostics_.Error(
          "shape/registers", decl.span,
          Cat("`", decl.name, "` has ", out.object_bytes,
              " bytes; not even the local memory of ", kMaxThreads,
              " threads holds more than ", kMaxRegisterBytes));
    }
    FragmentLayout& f = out.fragment;
    f.fragment = decl.fragment;
    f.cols = static_cast<int32_t>(out.rank == 0 ? 1 : out.shape[out.rank - 1]);
    f.rows = 1;
    for (int d = 0; d + 1 < out.rank; ++d)
      f.rows = static_cast<int32_t>(f.rows * out.shape[d]);
    switch (decl.fragment) {
      case Fragment::kWgmma:
        f.threads = kWarpgroupThreads;
        break;
      case Fragment::kRow:
        f.threads = f.rows;
        break;
      case Fragment::kBlocked:
        f.threads = 0;  // those of the scope
        f.vector = static_cast<int32_t>(Extent(decl.fragment_arg, report));
        break;
      default:
        f.threads = kWarpThreads;
    }
  }

  void BindTmem(const Decl& decl, BoundDecl& out, bool report) {
    out.is_pool = decl.columns.has_value();
    if (out.is_pool) {
      out.columns = Extent(*decl.columns, report);
      out.slot = FindDecl(decl.slot);
      return;
    }
    if (decl.at) out.pool = FindDecl(decl.at->base);
    // A column holds 32 bits a lane. What an mma accumulates in has a column an
    // element, whatever the type; other tiles are packed (hardware.md A.8).
    int64_t cols = out.rank == 0 ? 1 : out.shape[out.rank - 1];
    int64_t rows = 1;
    for (int d = 0; d + 1 < out.rank; ++d) rows *= out.shape[d];
    if (report && rows > kTmemLanes && !IsScale(out.dtype)) {
      diagnostics_.Error(
          "shape/extent", decl.span,
          Cat("`", decl.name, "` has ", rows, " rows; tensor memory has ",
              kTmemLanes, " lanes, one a row"));
    }
    int64_t bits = IsAccumulator(kernel_.body, decl.name)
                       ? kColumnBits
                       : values::BitsOf(out.dtype);
    out.columns = (cols * bits + kColumnBits - 1) / kColumnBits;
    if (IsScale(out.dtype) && out.rank == 2)
      out.columns = ScaleColumns(out.shape[0]) *
                    ((cols + kFactorsOfColumn - 1) / kFactorsOfColumn);
  }

  static bool IsAccumulator(const Block& block, std::string_view name) {
    return std::any_of(block.begin(), block.end(), [&](const Stmt& s) {
      bool mma = s.op && s.op->info->AccumulatesInTmem();
      return (mma && s.op->operands.front().ref.name == name) ||
             IsAccumulator(s.body, name) || IsAccumulator(s.orelse, name);
    });
  }

  int32_t FindDecl(std::string_view name) const {
    for (size_t i = 0; i < kernel_.decls.size(); ++i) {
      if (kernel_.decls[i].name == name) return static_cast<int32_t>(i);
    }
    return -1;
  }

  // Kernels of a file have the requirements of each other: one is told once.
  bool CheckRequirements() {
    bool all = true;
    for (const Requirement& r : kernel_.requirements) {
      std::optional<Value> v = Eval(r.condition, true);
      if (!v || v->number != 0) continue;
      all = false;
      const auto& told = diagnostics_.all();
      const bool known =
          std::any_of(told.begin(), told.end(), [&](const Diagnostic& d) {
            return d.code == "type/requires" && d.span.line == r.span.line &&
                   d.span.column == r.span.column;
          });
      if (known) continue;
      diagnostics_.Error("type/requires", r.span,
                         Cat("`requires ", ToString(r.condition),
                             "` does not hold for these parameters"));
    }
    return all;
  }

  void BindComputes() {
    for (const Computes& c : kernel_.computes)
      bound_.computes.push_back(!c.when || EvalInt(*c.when, 0) != 0);
  }

  void BindLaunch() {
    for (size_t i = 0; i < kernel_.grid.size() && i < 3; ++i) {
      bound_.grid[i] = EvalInt(kernel_.grid[i], 1);
      CheckRange(kernel_.grid[i], bound_.grid[i], 1, kMaxGrid[i], "shape/grid",
                 "a grid extent");
    }
    for (size_t i = 0; i < kernel_.cluster.size() && i < 3; ++i)
      bound_.cluster[i] = EvalInt(kernel_.cluster[i], 1);
    bound_.block = EvalInt(kernel_.block, kWarpThreads);
    CheckRange(kernel_.block, bound_.block, kWarpThreads, kMaxThreads,
               "shape/block", "the number of threads");
    if (bound_.block % kWarpThreads != 0) {
      diagnostics_.Error(
          "shape/block", kernel_.block.span,
          Cat(bound_.block, " threads are not whole warps of ", kWarpThreads));
    }
    if (kernel_.regs) bound_.regs = EvalInt(*kernel_.regs, 0);
    CheckLaunch();
  }

  void CheckRange(const Expr& at, int64_t v, int64_t low, int64_t high,
                  Code code, std::string_view what) {
    if (v >= low && v <= high) return;
    diagnostics_.Error(code, at.span,
                       Cat(what, " is ", v, ", outside ", low, "..", high));
  }

  void CheckLaunch() {
    bool positive =
        std::all_of(bound_.cluster.begin(), bound_.cluster.end(),
                    [](int64_t c) { return c >= 1 && c <= kMaxCluster; });
    if (!positive) bound_.cluster = {kMaxCluster + 1, 1, 1};
    if (!positive || bound_.cluster_size() > kMaxCluster) {
      diagnostics_.Error("shape/cluster", kernel_.span,
                         Cat("a cluster has 1 to ", kMaxCluster, " CTAs"));
      bound_.cluster = {1, 1, 1};
      return;
    }
    for (size_t i = 0; i < 3; ++i) {
      if (bound_.grid[i] % bound_.cluster[i] == 0) continue;
      diagnostics_.Error(
          "shape/cluster",
          i < kernel_.grid.size() ? kernel_.grid[i].span : kernel_.span,
          Cat("a grid of ", bound_.grid[i], " CTAs is not whole clusters of ",
              bound_.cluster[i]));
    }
    if (bound_.regs * bound_.block > kMaxRegistersPerCta) {
      diagnostics_.Error(
          "shape/registers", kernel_.regs->span,
          Cat(bound_.block, " threads of ", bound_.regs, " registers need ",
              bound_.regs * bound_.block, " of ", kMaxRegistersPerCta));
    }
  }

  void PlaceShared() {
    constexpr int64_t kEnough = int64_t{1} << 60;
    int64_t end = 0;
    for (size_t i = 0; i < kernel_.decls.size(); ++i) {
      BoundDecl& d = bound_.decls[i];
      if (d.space != Space::kMbarrier) continue;
      d.place = bound_.mbarriers;
      bound_.mbarriers += d.objects;
      if (kernel_.decls[i].at) continue;
      d.address = end;
      end += d.objects * kMbarrierBytes;
    }
    for (size_t i = 0; i < kernel_.decls.size(); ++i) {
      const bool barrier = bound_.decls[i].space == Space::kMbarrier;
      if (barrier && kernel_.decls[i].at)
        end = std::clamp(PlaceOneBarrier(i), end, kEnough);
      if (bound_.decls[i].space != Space::kShared) continue;
      end = std::clamp(PlaceOneShared(i, end), end, kEnough);
    }
    MarkOverBarriers();
    bound_.shared_bytes = end;
    if (end <= kMaxSharedBytes) return;
    diagnostics_.Error(
        "shape/shared", kernel_.span,
        Cat("`", kernel_.name, "` needs ", end,
            " bytes of shared memory; a CTA has ", kMaxSharedBytes));
  }

  // Returns where the barriers end.
  int64_t PlaceOneBarrier(size_t id) {
    BoundDecl& d = bound_.decls[id];
    std::optional<int64_t> at = Base(id);
    if (!at) return 0;
    d.address = *at;
    CheckStart(kernel_.decls[id], d.address, kMbarrierBytes);
    return d.address + d.objects * kMbarrierBytes;
  }

  // The byte that the declaration is `at`.
  std::optional<int64_t> Base(size_t id) {
    const Decl& decl = kernel_.decls[id];
    int32_t base = FindDecl(decl.at->base);
    if (base < 0 || static_cast<size_t>(base) >= id) {
      diagnostics_.Error("name/placement", decl.at->span,
                         Cat("`", decl.at->base, "` is not declared before `",
                             decl.name, "`"));
      return std::nullopt;
    }
    const BoundDecl& b = bound_.decls[base];
    int64_t start = b.space == Space::kMbarrier ? b.address : b.place;
    return start + ObjectIndex(decl.at->index, b) * b.object_bytes +
           EvalInt(decl.at->offset, 0);
  }

  void CheckStart(const Decl& decl, int64_t byte, int64_t align) {
    if (byte % align == 0 && byte >= 0) return;
    diagnostics_.Error("layout/alignment", decl.at->span,
                       Cat("`", decl.name, "` would start at byte ", byte,
                           ", not a multiple of ", align));
  }

  // Bytes of the CTA's shared memory.
  static std::pair<int64_t, int64_t> BytesOf(const BoundDecl& d) {
    int64_t start = d.space == Space::kMbarrier ? d.address : d.place;
    return {start, start + d.objects * d.object_bytes};
  }

  void MarkOverBarriers() {
    bool any = std::any_of(kernel_.decls.begin(), kernel_.decls.end(),
                           [](const Decl& d) { return d.at.has_value(); });
    if (!any) return;
    for (BoundDecl& b : bound_.decls) {
      if (b.space != Space::kMbarrier) continue;
      for (BoundDecl& d : bound_.decls) {
        if (&d == &b ||
            (d.space != Space::kShared && d.space != Space::kMbarrier))
          continue;
        auto [from, to] = BytesOf(b);
        auto [start, end] = BytesOf(d);
        if (from < end && start < to) b.over_barrier = d.over_barrier = true;
      }
    }
  }

  // Returns where the object's memory ends.
  int64_t PlaceOneShared(size_t id, int64_t free) {
    const Decl& decl = kernel_.decls[id];
    BoundDecl& d = bound_.decls[id];
    int64_t align =
        d.object_bytes < kTmaAlignment && decl.swizzle == Swizzle::kNone
            ? 16
            : d.layout.alignment();
    if (decl.align) align = std::max<int64_t>(align, EvalInt(*decl.align, 1));
    // Stages follow one another, each aligned.
    d.object_bytes = std::min(d.object_bytes, kMaxSize);
    d.object_bytes = (d.object_bytes + align - 1) / align * align;
    if (!decl.at) {
      d.place = (free + align - 1) / align * align;
      return d.place + d.object_bytes * d.objects;
    }
    std::optional<int64_t> at = Base(id);
    if (!at) return free;
    d.place = *at;
    CheckStart(decl, d.place, align);
    return d.place + d.object_bytes * d.objects;
  }

  int64_t ObjectIndex(const std::vector<Expr>& index, const BoundDecl& base) {
    int64_t flat = 0;
    for (size_t i = 0; i < index.size() && i < 3; ++i) {
      int64_t next = flat * base.array[i] + EvalInt(index[i], 0);
      flat = std::clamp<int64_t>(next, -1, 1 << 20);
    }
    return flat;
  }

  void PlaceTmem() {
    for (size_t i = 0; i < kernel_.decls.size(); ++i) {
      BoundDecl& d = bound_.decls[i];
      if (d.space != Space::kTmem) continue;
      if (d.is_pool) {
        bound_.tmem_columns += d.columns;
        if (d.columns <= kTmemColumns) continue;
        diagnostics_.Error("tmem/capacity", kernel_.decls[i].span,
                           Cat("`", kernel_.decls[i].name, "` has ", d.columns,
                               " columns; an SM has ", kTmemColumns));
        continue;
      }
      if (!kernel_.decls[i].at) continue;
      d.place = EvalInt(kernel_.decls[i].at->offset, 0);
      CheckTmemFits(kernel_.decls[i], d);
    }
    // Where there are more, not all are allocated at a time.
    bound_.tmem_columns = std::min<int64_t>(bound_.tmem_columns, kTmemColumns);
  }

  void CheckTmemFits(const Decl& decl, const BoundDecl& d) {
    int64_t end = d.place + d.columns * d.objects;
    int64_t room = d.pool >= 0 ? bound_.decls[d.pool].columns : 0;
    if (d.place >= 0 && end <= room) return;
    diagnostics_.Error("tmem/capacity", decl.span,
                       Cat("`", decl.name, "` reaches column ", end, " of `",
                           decl.at->base, "`, which has ", room));
  }

  const Kernel& kernel_;
  Diagnostics& diagnostics_;
  BoundKernel bound_;
  std::array<std::optional<int64_t>, std::size(kBuiltins)> builtins_;
};

}  // namespace

std::optional<BoundKernel> Bind(const Kernel& kernel, const Overrides& params,
                                int64_t sm_count, Diagnostics& diagnostics) {
  return Binder(kernel, sm_count, diagnostics).Run(params);
}

}  // namespace tilesim::ir
