#include "ptx/machine/spread.h"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "ptx/machine/guard_chains.h"
#include "ptx/machine/launch_numbers.h"
#include "ptx/machine/operands.h"

namespace tilesim::ptx {
namespace {

bool Is(const Node& n, std::initializer_list<std::string_view> opcodes) {
  return n.op != nullptr && std::find(opcodes.begin(), opcodes.end(),
                                      n.op->opcode) != opcodes.end();
}

bool Has(const Node& n, std::string_view word) {
  return n.spelling().find(word) != std::string_view::npos;
}

bool IsStrong(const Node& n) {
  return Has(n, ".volatile") || Has(n, ".relaxed") || Has(n, ".acquire") ||
         Has(n, ".release") || Has(n, ".mmio");
}

// Whether control, or where something is accessed, goes by what it returns.
bool Decides(const Program& program, const Node& n) {
  const std::vector<int32_t>& deciding = program.graph_registers;
  return std::any_of(n.defines.begin(), n.defines.end(), [&](int32_t reg) {
    return std::find(deciding.begin(), deciding.end(), reg) != deciding.end();
  });
}

}  // namespace

bool IsWeakLoad(const Node& n) {
  return n.spelling().starts_with("ld.") && !IsStrong(n) &&
         (Has(n, ".global") || n.spelling().starts_with("ld.u") ||
          n.spelling().starts_with("ld.b"));
}

bool IsWeakStore(const Node& n) {
  return n.spelling().starts_with("st.") && !IsStrong(n) &&
         (Has(n, ".global") || n.spelling().starts_with("st.u") ||
          n.spelling().starts_with("st.b"));
}

bool IsTensorLoad(const Node& n) {
  return n.spelling().starts_with("cp.async.bulk.tensor") &&
         !Has(n, ".global.shared");
}

bool IsCopyIn(const Node& n) {
  const bool bulk = n.spelling().starts_with("cp.async.bulk.shared::");
  return (bulk && Has(n, ".global")) ||
         (n.spelling().starts_with("cp.async.c") && Has(n, ".shared"));
}

bool IsReduction(const Program& program, const Node& n) {
  return Is(n, {"red"}) || (Is(n, {"atom"}) && !Decides(program, n));
}

namespace {

std::string_view TypeOf(const Node& n) {
  std::string_view type = n.spelling();
  type.remove_prefix(type.rfind('.') + 1);
  return type;
}

// What is made of elements, register by register, whatever the order of the
// instructions.
class Spread {
 public:
  Spread(const Program& program, const Followed& followed, int32_t load,
         const Elements& elements, const std::function<bool(int32_t)>& widens)
      : program_(program),
        graph_(program.graph),
        followed_(followed),
        load_(program.graph.nodes[static_cast<size_t>(load)]),
        elements_(elements),
        widens_(widens),
        growth_(graph_.registers.size()),
        each_(graph_.registers.size()),
        part_(graph_.registers.size()),
        whole_(graph_.registers.size()),
        linear_(graph_.registers.size()) {}

  // What the load puts into one register. False: it decides something else than
  // where.
  bool Add(int32_t load, int32_t into) {
    Raise(into, elements_.range, 1, !elements_.given || elements_.least == 0,
          elements_.given, true);
    for (bool more = true; more;) {
      more = false;
      for (size_t i = 0; i < graph_.nodes.size(); ++i) {
        if (static_cast<int32_t>(i) == load) continue;
        if (!One(static_cast<int32_t>(i), &more)) return false;
      }
    }
    return true;
  }
  Spreading& spreading() { return out_; }

 private:
  Growth Of(int32_t reg) const {
    return reg < 0 ? 0 : growth_[static_cast<size_t>(reg)];
  }
  // How much it grows from one element to the next; 0: that is not the same.
  uint64_t Each(int32_t reg) const {
    return reg < 0 ? 0 : each_[static_cast<size_t>(reg)];
  }
  // `part`: it is the element, or bits of it, and 0 where that is 0. `whole`:
  // it is the element.
  bool Raise(int32_t reg, Growth growth, uint64_t each, bool part, bool whole,
             bool linear) {
    Growth& now = growth_[static_cast<size_t>(reg)];
    // What else is put there may be the same whatever the element is.
    const bool only = IsOnlyOf(reg);
    whole_[static_cast<size_t>(reg)] = now == 0 && only && whole;
    linear_[static_cast<size_t>(reg)] = now == 0 && only && linear;
    part_[static_cast<size_t>(reg)] = now == 0 && only && part;
    each_[static_cast<size_t>(reg)] = now == 0 && only ? each : 0;
    // Of one that counts itself up no end is seen.
    const bool wide = graph_.register_bits[static_cast<size_t>(reg)] > 32;
    if (growth >= uint64_t{1} << (wide ? 62 : 31)) growth = kAny;
    if (now >= growth) return false;
    now = now == 0 ? growth : kAny;
    return true;
  }
  // Triton puts a number into a register before it loads into it. Who accesses
  // by such a register is asked for the guard of the load (IsOfElements).
  bool IsOnlyOf(int32_t reg) const {
    return OnlyDefinition(graph_, reg) != nullptr ||
           (Defines(load_, reg) && IsSetBefore(graph_, load_, reg));
  }
  static bool Defines(const Node& n, int32_t reg) {
    return std::find(n.defines.begin(), n.defines.end(), reg) !=
           n.defines.end();
  }
  // Those who execute it have an element, and not what was there before.
  bool IsOfElements(const Node& n) const {
    return load_.guard < 0 || ImpliesGuard(graph_, n, load_);
  }
  // One register of those that are read grows, and it is the element itself,
  // or bits of it, from 0 on. A sum is neither: its bits begin elsewhere, and
  // have carries.
  bool IsPart(const Node& n) const {
    return n.reads.size() + n.data.size() == 1 && Each(OnlySource(n)) == 1 &&
           part_[static_cast<size_t>(OnlySource(n))];
  }
  bool MakesPart(const Node& n) const {
    return IsPart(n) &&
           (MadeOfPart(n) || Is(n, {"mov"}) || Has(n, "cvt.u64.u32"));
  }
  // Of numbers that differ it makes numbers that do.
  bool IsLinear(const Node& n) const {
    if (MadeOfPart(n)) return false;
    const auto is = [&](int32_t reg) {
      return Of(reg) == 0 || linear_[static_cast<size_t>(reg)];
    };
    return std::all_of(n.reads.begin(), n.reads.end(), is) &&
           std::all_of(n.data.begin(), n.data.end(), is);
  }
  bool MakesWhole(const Node& n) const {
    if (n.guard >= 0 || n.reads.size() + n.data.size() != 1) return false;
    const bool same = Is(n, {"mov"}) || Has(n, "cvt.s64.s32") ||
                      (Has(n, "cvt.u64.u32") && elements_.least >= 0);
    return same && whole_[static_cast<size_t>(OnlySource(n))];
  }
  // A comparison of the element with a number of the launch that says the same
  // of the least element and of the greatest, both on one side of it.
  bool IsSaid(const Node& n) const {
    const std::vector<Operand>& o = n.instruction().operands;
    if (!Is(n, {"setp"}) || n.guard >= 0 || o.size() != 3 ||
        n.reads.size() + n.data.size() > 2)
      return false;
    const std::string_view type = TypeOf(n);
    const auto bits = static_cast<int>(8 * ScalarBytes(type));
    const bool integer = type[0] == 's' || type[0] == 'u' || type[0] == 'b';
    if (!integer || (bits != 32 && bits != 64)) return false;
    for (const size_t i : {size_t{1}, size_t{2}}) {
      const int32_t reg = RegisterOf(n, i);
      const std::optional<uint64_t> by = Factor(n, 3 - i);
      if (reg < 0 || !by || !whole_[static_cast<size_t>(reg)] ||
          graph_.register_bits[static_cast<size_t>(reg)] != bits)
        continue;
      const int64_t least = elements_.least,
                    most = least + static_cast<int64_t>(elements_.range);
      const int64_t number =
          bits == 32 ? static_cast<int32_t>(*by) : static_cast<int64_t>(*by);
      // As signed numbers of either sign, unsigned ones are in another order.
      const std::string_view is = ComparisonOf(n, i == 2);
      const bool equality = is == ".eq." || is == ".ne.";
      if (type[0] != 's' && !equality && (least < 0 || number < 0))
        return false;
      return IsSame(is, least, most, number);
    }
    return false;
  }
  // lt, gt, le, ge, eq, ne: of the element with a number. `turned`: the number
  // comes first.
  static std::string_view ComparisonOf(const Node& n, bool turned) {
    constexpr std::pair<std::string_view, std::string_view> kTurned[] = {
        {".lt.", ".gt."}, {".gt.", ".lt."}, {".le.", ".ge."}, {".ge.", ".le."},
        {".lo.", ".hi."}, {".hi.", ".lo."}, {".ls.", ".hs."}, {".hs.", ".ls."},
        {".eq.", ".eq."}, {".ne.", ".ne."}};
    for (const auto& [is, other] : kTurned) {
      if (Has(n, is)) return turned ? other : is;
    }
    return {};
  }
  static bool IsSame(std::string_view is, int64_t least, int64_t most,
                     int64_t number) {
    if (is == ".eq." || is == ".ne.") return number < least || number > most;
    if (is == ".lt." || is == ".lo." || is == ".ge." || is == ".hs.")
      return least >= number || most < number;
    if (is == ".gt." || is == ".hi." || is == ".le." || is == ".ls.")
      return least > number || most <= number;
    return false;
  }
  int32_t OnlySource(const Node& n) const {
    return n.reads.empty() ? n.data[0] : n.reads[0];
  }
  bool Any(const std::vector<int32_t>& regs) const {
    return std::any_of(regs.begin(), regs.end(),
                       [&](int32_t reg) { return Of(reg) > 0; });
  }

  bool One(int32_t at, bool* more) {
    const Node& n = graph_.nodes[at];
    if (n.op == nullptr) return true;
    const bool reads = Any(n.reads), takes = Any(n.data);
    if (Of(n.guard) > 0) return false;
    if (!reads && !takes) return true;
    if (n.op->kind == OpKind::kValue) {
      if (IsSaid(n)) return true;
      for (int32_t reg : n.defines) {
        const Growth made = Made(n);
        if (made > Of(reg))
          *more |= Raise(reg, made, EachOf(n), MakesPart(n), MakesWhole(n),
                         IsLinear(n));
      }
      return true;
    }
    // What is stored decides nothing, if its words are not followed.
    if (!reads)
      return !followed_.stores.contains(at) && !followed_.words.contains(at);
    if (followed_.words.contains(at) || followed_.loads.contains(at) ||
        followed_.stores.contains(at))
      return false;
    if (IsSharedAccess(n) || (IsWeakLoad(n) && widens_(at)))
      return Widen(at, n);
    if (!MayBeThere(n)) return false;
    out_.accesses.insert(at);
    NoteApart(at, n);
    return true;
  }
  void NoteApart(int32_t at, const Node& n) {
    if (!elements_.distinct || !IsOfElements(n)) return;
    for (int32_t reg : n.reads) {
      if (Of(reg) == 0) continue;
      out_.apart[at] = linear_[static_cast<size_t>(reg)] ? Each(reg) : 0;
    }
  }

  // A weak load of shared memory, or a reduction there.
  bool IsSharedAccess(const Node& n) const {
    const bool own = Has(n, ".shared") && !Has(n, ".shared::cluster");
    const bool weak = n.spelling().starts_with("ld.shared");
    return own && (weak || IsReduction(program_, n));
  }
  // Its places are next to each other.
  bool Widen(int32_t at, const Node& n) {
    constexpr Growth kMost = 64 * 1024;
    if (Decides(program_, n) || !IsOfElements(n)) return false;
    for (int32_t reg : n.reads) {
      if (Of(reg) == 0) continue;
      if (Of(reg) > kMost || Each(reg) != BytesOf(n)) return false;
      out_.wide[at] = Of(reg);
    }
    out_.accesses.insert(at);
    return true;
  }

  // Of its operands, the addresses and coordinates.
  bool MayBeThere(const Node& n) const {
    const bool tensor = IsTensorLoad(n), copies = IsCopyIn(n);
    const bool stores = elements_.distinct && IsWeakStore(n);
    if (!tensor && !copies && !stores && !IsWeakLoad(n) &&
        !IsReduction(program_, n))
      return false;
    int32_t before = -1;
    for (const Leaf& leaf : LeavesOf(graph_, n)) {
      const bool first = static_cast<int32_t>(leaf.of) != before;
      before = static_cast<int32_t>(leaf.of);
      if (leaf.reg < 0 || Of(leaf.reg) == 0) continue;
      if (IsData(n, leaf)) continue;
      if (Of(leaf.reg) == kAny) return false;
      // From one element to the next it stays aligned.
      if (!tensor && Of(leaf.reg) / elements_.range % BytesOf(n) != 0)
        return false;
      // The destination, the map, the mbarrier.
      if (tensor && (leaf.of != 1 || first)) return false;
      if (copies && leaf.of != 1) return false;
    }
    return true;
  }
  static uint64_t BytesOf(const Node& n) {
    const std::string_view s = n.spelling();
    constexpr uint64_t kMostOfCopy = 16;
    if (IsCopyIn(n)) return kMostOfCopy;
    const uint64_t each = ScalarBytes(s.substr(s.rfind('.') + 1));
    const uint64_t count = Has(n, ".v8")   ? 8
                           : Has(n, ".v4") ? 4
                           : Has(n, ".v2") ? 2
                                           : 1;
    return std::max<uint64_t>(each, 1) * count;
  }
  bool IsData(const Node& n, const Leaf& leaf) const {
    return std::find(n.data.begin(), n.data.end(), leaf.reg) != n.data.end() &&
           std::find(n.reads.begin(), n.reads.end(), leaf.reg) == n.reads.end();
  }

  // The register that an operand is; -1: it is none.
  int32_t RegisterOf(const Node& n, size_t operand) const {
    for (const Leaf& leaf : LeavesOf(graph_, n)) {
      if (leaf.of == operand && !leaf.operand->negated) return leaf.reg;
    }
    return -1;
  }
  std::optional<uint64_t> Factor(const Node& n, size_t operand) const {
    const std::vector<Operand>& o = n.instruction().operands;
    if (operand >= o.size()) return std::nullopt;
    if (o[operand].kind == Operand::Kind::kNumber)
      return o[operand].number.bits;
    const int32_t reg = RegisterOf(n, operand);
    return reg < 0 ? std::nullopt
                   : NumberAtLaunch(graph_, program_.memory, reg);
  }

  // Bits of a register that are 0 at its end, and how many it has at most: as
  // the one instruction that defines it says. Moves may lead back to it.
  int ZerosOf(int32_t reg, int steps = 0) const {
    constexpr int kMostSteps = 16;
    const Node* n = OnlyDefinition(graph_, reg);
    if (n == nullptr || n->op == nullptr || n->guard >= 0 ||
        steps == kMostSteps)
      return 0;
    const std::vector<Operand>& o = n->instruction().operands;
    if (Is(*n, {"mov", "cvt"}) && !Has(*n, ".f") && n->reads.size() == 1 &&
        o.size() == 2)
      return ZerosOf(n->reads[0], steps + 1);
    const bool times = Is(*n, {"mul"}) && !Has(*n, ".hi") && !Has(*n, ".f");
    if ((!times && !Is(*n, {"shl"})) || o.size() != 3) return 0;
    const std::optional<uint64_t> by = Factor(*n, 2);
    if (!by || *by == 0) return 0;
    return times ? std::countr_zero(*by)
                 : static_cast<int>(std::min<uint64_t>(*by, 31));
  }
  int BitsOf(int32_t reg) const {
    const int all = graph_.register_bits[static_cast<size_t>(reg)];
    const Node* n = OnlyDefinition(graph_, reg);
    if (n == nullptr || n->op == nullptr || n->guard >= 0) return all;
    const std::vector<Operand>& o = n->instruction().operands;
    if (Has(*n, "cvt.u64.u32") && n->reads.size() == 1)
      return BitsOf(n->reads[0]);
    if (!Is(*n, {"and"}) || o.size() != 3) return all;
    const std::optional<uint64_t> mask = Factor(*n, 2);
    return mask ? std::min<int>(all, std::bit_width(*mask)) : all;
  }
  // Of an `or`, whether no bit is set in both.
  bool IsSum(const Node& n) const {
    const std::vector<int32_t>& of = n.reads.empty() ? n.data : n.reads;
    return of.size() == 2 &&
           (BitsOf(of[1]) <= ZerosOf(of[0]) || BitsOf(of[0]) <= ZerosOf(of[1]));
  }

  // Some bits of an element from 0 on: of all that these bits may be.
  std::optional<Growth> MadeOfPart(const Node& n) const {
    const std::vector<Operand>& o = n.instruction().operands;
    if (!IsPart(n) || n.guard >= 0) return std::nullopt;
    const int32_t from = OnlySource(n);
    const Growth now = Of(from);
    auto number = [&](size_t i) -> std::optional<uint64_t> {
      if (i >= o.size() || o[i].kind != Operand::Kind::kNumber)
        return std::nullopt;
      return o[i].number.bits;
    };
    const int bits = graph_.register_bits[static_cast<size_t>(from)];
    const std::optional<uint64_t> by = number(2);
    if (Is(n, {"and"}) && by && std::has_single_bit(*by + 1))
      return std::min(now, *by);
    if (Is(n, {"shr"}) && !Has(n, ".s") && by && *by < 64) {
      const int left = std::max(0, bits - static_cast<int>(*by));
      const Growth most = left >= 62 ? kAny : (Growth{1} << left) - 1;
      return std::min(most, now == kAny ? kAny : now >> *by);
    }
    if (Is(n, {"bfe"}) && Has(n, ".u") && by && number(3) && *number(3) < 32 &&
        *by + *number(3) <= static_cast<uint64_t>(bits))
      return std::min((Growth{1} << *number(3)) - 1,
                      now == kAny ? kAny : now >> *by);
    if (Is(n, {"cvt"}) && n.spelling().ends_with(".u8"))
      return std::min<Growth>(now, UINT8_MAX);
    if (Is(n, {"cvt"}) && n.spelling().ends_with(".u16"))
      return std::min<Growth>(now, UINT16_MAX);
    return std::nullopt;
  }

  // Of bfi that puts all the bits of one register over those of another, from
  // some bit on (`x << 4 | y` with y < 16): how far it shifts them.
  std::optional<uint64_t> ShiftOfInsert(const Node& n) const {
    if (!Is(n, {"bfi"}) || n.guard >= 0 ||
        n.instruction().operands.size() != 5 || Of(RegisterOf(n, 2)) > 0)
      return std::nullopt;
    const std::optional<uint64_t> from = Factor(n, 3), bits = Factor(n, 4);
    const uint64_t all = 8 * ScalarBytes(TypeOf(n));
    if (!from || !bits || *from >= 31 || *from + *bits != all)
      return std::nullopt;
    return from;
  }

  // How much the result grows from one element to the next; 0: not known.
  uint64_t EachOf(const Node& n) const {
    if (MadeOfPart(n)) return Made(n) == 0 ? 0 : 1;
    if (n.guard >= 0) return 0;
    uint64_t each = 0;
    for (const std::vector<int32_t>* regs : {&n.reads, &n.data}) {
      for (int32_t reg : *regs) {
        if (Of(reg) == 0) continue;
        if (each != 0 || Each(reg) == 0) return 0;
        each = Each(reg);
      }
    }
    if (const auto shift = ShiftOfInsert(n)) return each << *shift;
    if (Is(n, {"shl", "mul", "mad"})) {
      std::optional<uint64_t> by = Factor(n, 2);
      const bool shifts = Is(n, {"shl"});
      if (!by && !shifts) by = Factor(n, 1);
      if (!by || (shifts && *by >= 31)) return 0;
      // Of mad, what is added does not grow, or the product does not.
      if (Is(n, {"mad"}) && Of(RegisterOf(n, 3)) > 0) return 0;
      return shifts ? each << *by : each * *by;
    }
    const bool same = Is(n, {"mov", "add", "cvta"}) || Has(n, "cvt.u64.u32") ||
                      Has(n, "cvt.s64.s32");
    return same ? each : 0;
  }

  // By sums, and products with constants.
  Growth Made(const Node& n) const {
    const std::vector<Operand>& o = n.instruction().operands;
    if (const std::optional<Growth> part = MadeOfPart(n)) return *part;
    Growth sum = 0;
    for (const std::vector<int32_t>* regs : {&n.reads, &n.data}) {
      for (int32_t reg : *regs) {
        if (Of(reg) == kAny) return kAny;
        sum += Of(reg);
      }
    }
    constexpr Growth kMost = Growth{1} << 31;
    if (sum >= Growth{1} << 62) return kAny;
    if (Has(n, ".f") || Has(n, ".sat")) return kAny;
    if (Is(n, {"mov", "add", "cvta"})) return sum;
    if (Is(n, {"or"})) return IsSum(n) ? sum : kAny;
    if (n.spelling().starts_with("shfl.") && n.defines.size() == 1) return sum;
    const bool widens = Has(n, "cvt.s64.s32") || Has(n, "cvt.u64.u32");
    if (widens) return sum;
    if (const auto shift = ShiftOfInsert(n))
      return sum < kMost ? sum << *shift : kAny;
    const bool shifts = Is(n, {"shl"}) && o.size() == 3,
               times = Is(n, {"mul", "mad"}) && o.size() >= 3 && !Has(n, ".hi");
    if (!shifts && !times) return kAny;
    std::optional<uint64_t> by = Factor(n, 2);
    if (times && !by) by = Factor(n, 1);
    if (!by || sum >= kMost) return kAny;
    if (shifts) return *by < 31 ? sum << *by : kAny;
    return *by < kMost ? sum * *by : kAny;
  }

  const Program& program_;
  const Graph& graph_;
  const Followed& followed_;
  const Node& load_;
  const Elements& elements_;
  const std::function<bool(int32_t)>& widens_;
  std::vector<Growth> growth_;
  std::vector<uint64_t> each_;
  std::vector<bool> part_, whole_, linear_;
  Spreading out_;
};

}  // namespace

std::optional<Spreading> SpreadOf(const Program& program,
                                  const Followed& followed, int32_t load,
                                  int32_t into, const Elements& elements,
                                  const std::function<bool(int32_t)>& widens) {
  Spread spread(program, followed, load, elements, widens);
  if (!spread.Add(load, into)) return std::nullopt;
  return std::move(spread.spreading());
}

}  // namespace tilesim::ptx
