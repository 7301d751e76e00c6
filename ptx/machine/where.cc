#include "ptx/machine/where.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string_view>

#include "ptx/machine/launch_numbers.h"
#include "ptx/machine/operands.h"

namespace tilesim::ptx {
namespace {

// How much a register grows from the least element to the greatest, if it grows
// by the same for each; kAny: it may be anything.
using Growth = uint64_t;
constexpr Growth kAny = UINT64_MAX;

bool Is(const Node& n, std::initializer_list<std::string_view> opcodes) {
  return n.op != nullptr && std::find(opcodes.begin(), opcodes.end(),
                                      n.op->opcode) != opcodes.end();
}

std::string_view SpellingOf(const Node& n) { return n.instruction().opcode; }

bool Has(const Node& n, std::string_view word) {
  return SpellingOf(n).find(word) != std::string_view::npos;
}

}  // namespace

bool IsWeakLoad(const Node& n) {
  return SpellingOf(n).starts_with("ld.") && !Has(n, ".volatile") &&
         !Has(n, ".relaxed") && !Has(n, ".acquire") && !Has(n, ".mmio") &&
         (Has(n, ".global") || SpellingOf(n).starts_with("ld.u") ||
          SpellingOf(n).starts_with("ld.b"));
}

namespace {

bool IsTensorLoad(const Node& n) {
  return SpellingOf(n).starts_with("cp.async.bulk.tensor") &&
         !Has(n, ".global.shared");
}

// From global memory to shared memory, by bytes: its source is operand 1.
bool IsCopyIn(const Node& n) {
  const bool bulk = SpellingOf(n).starts_with("cp.async.bulk.shared::");
  return (bulk && Has(n, ".global")) ||
         (SpellingOf(n).starts_with("cp.async.c") && Has(n, ".shared"));
}

bool IsReduction(const Node& n) {
  return n.op != nullptr && (n.op->opcode == "red" || n.op->opcode == "atom") &&
         !Has(n, ".release") && !Has(n, ".acq");
}

// What is made of elements, register by register, whatever the order of the
// instructions.
class Spread {
 public:
  Spread(const Program& program, const Followed& followed)
      : program_(program),
        graph_(program.graph),
        followed_(followed),
        growth_(graph_.registers.size()),
        each_(graph_.registers.size()),
        part_(graph_.registers.size()) {}

  // What the load puts into one register. False: it decides something else than
  // where.
  bool Add(int32_t load, int32_t into, uint64_t range, bool from_0) {
    range_ = range;
    Raise(into, range, 1, from_0);
    for (bool more = true; more;) {
      more = false;
      for (size_t i = 0; i < graph_.nodes.size(); ++i) {
        if (static_cast<int32_t>(i) == load) continue;
        if (!One(static_cast<int32_t>(i), &more)) return false;
      }
    }
    return true;
  }
  const std::set<int32_t>& accesses() const { return accesses_; }
  const std::map<int32_t, uint64_t>& wide() const { return wide_; }

 private:
  Growth Of(int32_t reg) const {
    return reg < 0 ? 0 : growth_[static_cast<size_t>(reg)];
  }
  // How much it grows from one element to the next; 0: that is not the same.
  uint64_t Each(int32_t reg) const {
    return reg < 0 ? 0 : each_[static_cast<size_t>(reg)];
  }
  // `part`: it is the element, or bits of it, and 0 where that is 0.
  bool Raise(int32_t reg, Growth growth, uint64_t each, bool part) {
    Growth& now = growth_[static_cast<size_t>(reg)];
    // What else is put there may be the same whatever the element is.
    const bool only = OnlyDefinition(graph_, reg) != nullptr;
    part_[static_cast<size_t>(reg)] = now == 0 && only && part;
    each_[static_cast<size_t>(reg)] = now == 0 && only ? each : 0;
    // Of one that counts itself up no end is seen.
    const bool wide = graph_.register_bits[static_cast<size_t>(reg)] > 32;
    if (growth >= uint64_t{1} << (wide ? 62 : 31)) growth = kAny;
    if (now >= growth) return false;
    now = now == 0 ? growth : kAny;
    return true;
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
      for (int32_t reg : n.defines) {
        const Growth made = Made(n);
        if (made > Of(reg)) *more |= Raise(reg, made, EachOf(n), MakesPart(n));
      }
      return true;
    }
    // What is stored decides nothing, if its words are not followed.
    if (!reads)
      return !followed_.stores.contains(at) && !followed_.words.contains(at);
    if (followed_.words.contains(at) || followed_.loads.contains(at) ||
        followed_.stores.contains(at))
      return false;
    if (IsSharedAccess(n)) return Widen(at, n);
    if (!MayBeThere(n)) return false;
    accesses_.insert(at);
    return true;
  }

  // A weak load of shared memory, or a reduction there.
  static bool IsSharedAccess(const Node& n) {
    const bool own = Has(n, ".shared") && !Has(n, ".shared::cluster");
    const bool weak = SpellingOf(n).starts_with("ld.shared");
    return own && (weak || IsReduction(n));
  }
  // Its places are next to each other.
  bool Widen(int32_t at, const Node& n) {
    constexpr Growth kMost = 64 * 1024;
    const std::vector<int32_t>& deciding = program_.graph_registers;
    const bool decides =
        std::any_of(n.defines.begin(), n.defines.end(), [&](int32_t reg) {
          return std::find(deciding.begin(), deciding.end(), reg) !=
                 deciding.end();
        });
    if (decides) return false;
    for (int32_t reg : n.reads) {
      if (Of(reg) == 0) continue;
      if (Of(reg) > kMost || Each(reg) != BytesOf(n)) return false;
      wide_[at] = Of(reg);
    }
    accesses_.insert(at);
    return true;
  }

  // Of its operands, the addresses and coordinates.
  bool MayBeThere(const Node& n) const {
    const bool tensor = IsTensorLoad(n), copies = IsCopyIn(n);
    if (!tensor && !copies && !IsWeakLoad(n) && !IsReduction(n)) return false;
    int32_t before = -1;
    for (const Leaf& leaf : LeavesOf(graph_, n)) {
      const bool first = static_cast<int32_t>(leaf.of) != before;
      before = static_cast<int32_t>(leaf.of);
      if (leaf.reg < 0 || Of(leaf.reg) == 0) continue;
      if (IsData(n, leaf)) continue;
      if (Of(leaf.reg) == kAny) return false;
      // From one element to the next it stays aligned.
      if (!tensor && Of(leaf.reg) / range_ % BytesOf(n) != 0) return false;
      // The destination, the map, the mbarrier.
      if (tensor && (leaf.of != 1 || first)) return false;
      if (copies && leaf.of != 1) return false;
    }
    return true;
  }
  static uint64_t BytesOf(const Node& n) {
    const std::string_view s = SpellingOf(n);
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

  std::optional<uint64_t> Factor(const Operand& o) const {
    if (o.kind == Operand::Kind::kNumber) return o.number.bits;
    for (size_t reg = 0; reg < graph_.registers.size(); ++reg) {
      if (o.kind == Operand::Kind::kName && graph_.registers[reg] == o.name)
        return NumberAtLaunch(graph_, program_.memory,
                              static_cast<int32_t>(reg));
    }
    return std::nullopt;
  }

  // Bits of a register that are 0 at its end, and how many it has at most: as
  // the one instruction that defines it says.
  int ZerosOf(int32_t reg) const {
    const Node* n = OnlyDefinition(graph_, reg);
    if (n == nullptr || n->op == nullptr || n->guard >= 0) return 0;
    const std::vector<Operand>& o = n->instruction().operands;
    if (Is(*n, {"mov", "cvt"}) && !Has(*n, ".f") && n->reads.size() == 1 &&
        o.size() == 2)
      return ZerosOf(n->reads[0]);
    const bool times = Is(*n, {"mul"}) && !Has(*n, ".hi") && !Has(*n, ".f");
    if ((!times && !Is(*n, {"shl"})) || o.size() != 3) return 0;
    const std::optional<uint64_t> by = Factor(o[2]);
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
    const std::optional<uint64_t> mask = Factor(o[2]);
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
    if (Is(n, {"cvt"}) && SpellingOf(n).ends_with(".u8"))
      return std::min<Growth>(now, UINT8_MAX);
    if (Is(n, {"cvt"}) && SpellingOf(n).ends_with(".u16"))
      return std::min<Growth>(now, UINT16_MAX);
    return std::nullopt;
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
    if (Is(n, {"shl", "mul", "mad"})) {
      const std::vector<Operand>& o = n.instruction().operands;
      std::optional<uint64_t> by = Factor(o[2]);
      const bool shifts = Is(n, {"shl"});
      if (!by && !shifts) by = Factor(o[1]);
      if (!by || (shifts && *by >= 31)) return 0;
      // Of mad, what is added does not grow, or the product does not.
      if (Is(n, {"mad"}) && o.size() == 4) {
        for (size_t reg = 0; reg < graph_.registers.size(); ++reg) {
          if (o[3].kind == Operand::Kind::kName &&
              graph_.registers[reg] == o[3].name &&
              Of(static_cast<int32_t>(reg)) > 0)
            return 0;
        }
      }
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
    if (SpellingOf(n).starts_with("shfl.") && n.defines.size() == 1) return sum;
    const bool widens = Has(n, "cvt.s64.s32") || Has(n, "cvt.u64.u32");
    if (widens) return sum;
    const bool shifts = Is(n, {"shl"}) && o.size() == 3,
               times = Is(n, {"mul", "mad"}) && o.size() >= 3 && !Has(n, ".hi");
    if (!shifts && !times) return kAny;
    std::optional<uint64_t> by = Factor(o[2]);
    if (times && !by) by = Factor(o[1]);
    if (!by || sum >= kMost) return kAny;
    if (shifts) return *by < 31 ? sum << *by : kAny;
    return *by < kMost ? sum * *by : kAny;
  }

  const Program& program_;
  const Graph& graph_;
  const Followed& followed_;
  std::vector<Growth> growth_;
  std::vector<uint64_t> each_;
  std::vector<bool> part_;
  uint64_t range_ = 1;
  std::map<int32_t, uint64_t> wide_;
  std::set<int32_t> accesses_;
};

std::string_view TypeOf(const Node& n) {
  std::string_view type = SpellingOf(n);
  type.remove_prefix(type.rfind('.') + 1);
  return type;
}

bool IsInteger(const Node& n) {
  const std::string_view type = TypeOf(n);
  return type == "u32" || type == "s32" || type == "b32" || type == "u64" ||
         type == "s64" || type == "b64" || type == "u8" || type == "u16";
}

// All that its type lets it be.
Growth RangeOf(const Node& n) {
  const std::string_view type = TypeOf(n);
  return type == "u8" ? UINT8_MAX : type == "u16" ? UINT16_MAX : kAny;
}

}  // namespace

namespace {

// Of one buffer; nullopt: its elements decide more, or nothing is asked of
// them.
std::optional<SayWhere> ElementsOf(size_t b, const PtxGuide& guide,
                                   const Followed& followed) {
  const Program& program = guide.program();
  const Buffer& buffer = program.memory.file().buffers[b];
  SayWhere out;
  bool wanted = false;  // by addresses, at least
  for (size_t i = 0; i < program.graph.nodes.size(); ++i) {
    const auto node = static_cast<int32_t>(i);
    if (!guide.BuffersOf(node).contains(b)) continue;
    const Node& n = program.graph.nodes[i];
    if (!IsWeakLoad(n) || !IsInteger(n) || guide.BuffersOf(node).size() != 1 ||
        guide.MayBeLocal(node))
      return std::nullopt;
    // A domain is one of elements of their own type.
    if (buffer.domain && !buffer.dtype.empty() &&
        ScalarBytes(buffer.dtype) != ScalarBytes(TypeOf(n)))
      return std::nullopt;
    const Growth range = buffer.domain
                             ? static_cast<uint64_t>(buffer.domain->second -
                                                     buffer.domain->first)
                             : RangeOf(n);
    if (range == 0 || (buffer.domain && range >= uint64_t{1} << 31))
      return std::nullopt;
    const bool from_0 = !buffer.domain || buffer.domain->first == 0;
    for (int32_t reg : n.defines) {
      Spread spread(program, followed);
      if (!spread.Add(node, reg, range, from_0)) return std::nullopt;
      out.accesses.insert(spread.accesses().begin(), spread.accesses().end());
      // Two of them do not say together where something is.
      for (const auto& [at, further] : spread.wide()) {
        if (!out.wide.emplace(at, further).second) return std::nullopt;
      }
    }
    out.loads.emplace(node, b);
    out.least.insert(node);
    wanted |= followed.loads.contains(node) || followed.taken.contains(node);
  }
  if (out.wide.empty()) out.least.clear();
  const bool mixed =
      !out.wide.empty() && out.wide.size() != out.accesses.size();
  if (!wanted || out.accesses.empty() || mixed ||
      (!buffer.domain && out.wide.empty()))
    return std::nullopt;
  return out;
}

}  // namespace

SayWhere ElementsThatSayWhere(const PtxGuide& guide, const Followed& followed) {
  SayWhere out;
  const std::vector<Buffer>& buffers = guide.program().memory.file().buffers;
  for (size_t b = 0; b < buffers.size(); ++b) {
    if (buffers[b].start.kind == Start::Kind::kZero ||
        buffers[b].start.kind == Start::Kind::kExternal ||
        !buffers[b].start.bytes.empty())
      continue;
    std::optional<SayWhere> one = ElementsOf(b, guide, followed);
    if (!one) continue;
    // Two of them do not say together where something is.
    for (const auto& [at, further] : one->wide) {
      if (out.accesses.contains(at)) return {};
    }
    for (const auto& [at, further] : out.wide) {
      if (one->accesses.contains(at)) return {};
    }
    out.loads.merge(one->loads);
    out.accesses.merge(one->accesses);
    out.wide.merge(one->wide);
    out.least.merge(one->least);
  }
  return out;
}

namespace {

bool AllTouch(size_t buffer, const std::vector<const PtxGuide*>& launches,
              bool (*is)(const Node&)) {
  return std::all_of(launches.begin(), launches.end(), [&](const PtxGuide* g) {
    const auto& nodes = g->program().graph.nodes;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (g->BuffersOf(static_cast<int32_t>(i)).contains(buffer) &&
          !is(nodes[i]))
        return false;
    }
    return true;
  });
}

}  // namespace

bool IsOnlyRead(size_t buffer, const std::vector<const PtxGuide*>& launches) {
  return AllTouch(buffer, launches, [](const Node& n) {
    return IsWeakLoad(n) || IsTensorLoad(n) || IsCopyIn(n);
  });
}

bool NobodyMeets(const SayWhere& where, const PtxGuide& guide,
                 const std::vector<const PtxGuide*>& launches) {
  constexpr uint64_t kMostBytes = uint64_t{1} << 31;
  const std::vector<Buffer>& buffers = guide.program().memory.file().buffers;
  for (const auto& [node, buffer] : where.loads) {
    if (!IsOnlyRead(buffer, launches)) return false;
  }
  for (int32_t node : where.accesses) {
    if (where.wide.contains(node)) continue;  // it is judged as it is
    // None: shared memory, of which nothing is shown here; or no run has come
    // to it, whatever the elements are.
    const std::set<size_t> touched = guide.BuffersOf(node);
    const Node& n = guide.program().graph.nodes[static_cast<size_t>(node)];
    if (touched.empty() && Has(n, ".global") && !IsTensorLoad(n)) continue;
    if (touched.size() != 1 || guide.MayBeLocal(node)) return false;
    const size_t buffer = *touched.begin();
    const Buffer& b = buffers[buffer];
    const bool right = b.bytes < kMostBytes &&
                       b.start.kind != Start::Kind::kUndefined && !b.piece;
    if (!right || (!IsOnlyRead(buffer, launches) &&
                   !AllTouch(buffer, launches, IsReduction)))
      return false;
  }
  return true;
}

}  // namespace tilesim::ptx
