#include "ptx/machine/passed.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "ptx/machine/predicated.h"

namespace tilesim::ptx {
namespace {

using machine::Passed;

bool Begins(std::string_view s, std::string_view with) {
  return s.starts_with(with) &&
         (s.size() == with.size() || s[with.size()] == '.');
}

bool Has(std::string_view spelling, std::string_view type) {
  const size_t at = spelling.find(type);
  return at != std::string_view::npos && (at + type.size() == spelling.size() ||
                                          spelling[at + type.size()] == '.');
}

bool IsFloat(std::string_view s) {
  return s.find(".f32") != std::string_view::npos ||
         s.find(".f16") != std::string_view::npos ||
         s.find(".bf16") != std::string_view::npos ||
         s.find(".f64") != std::string_view::npos;
}

// Between integers it only says how wide a register is taken to be.
Passed OfConversion(std::string_view s) {
  Passed p;
  if (IsFloat(s)) p.half_rate = 1;
  return p;
}

Passed OfMove(const Node& n, std::string_view s) {
  Passed p;
  if (s.starts_with("selp") || s.starts_with("slct")) p.integer = 1;
  // Two registers at once are set to a constant (CS2R).
  const bool constant = n.reads.empty() && n.data.empty();
  if (constant && Has(s, ".f32")) p.integer = 0.5;
  return p;
}

// What takes a special function's instruction, and what is around it.
Passed OfSpecial(std::string_view s) {
  Passed p;
  p.special = 1;
  if (!Has(s, ".ftz") && Begins(s, "ex2")) p.fp32 = 1;
  if (s.find(".rn") != std::string_view::npos) p.fp32 = 8;
  return p;
}

Passed OfDivision(std::string_view s) {
  Passed p;
  if (IsFloat(s)) {
    p.special = 1;
    p.fp32 = s.find(".approx") != std::string_view::npos ? 1 : 6;
  } else {
    p.divisions = 1;
  }
  return p;
}

Passed OfArithmetic(std::string_view s) {
  Passed p;
  const bool half = s.starts_with("max") || s.starts_with("min") ||
                    s.starts_with("setp") || s.starts_with("set");
  if (!IsFloat(s)) {
    p.integer = 1;
  } else if (half) {
    p.half_rate = 1;
  } else {
    p.fp32 = 1;
  }
  return p;
}

bool TakesNothing(std::string_view s) {
  return Begins(s, "cvta") || Begins(s, "isspacep") || Begins(s, "mov.b128") ||
         Begins(s, "createpolicy") || Begins(s, "activemask");
}

Passed OfNode(const Node& n) {
  Passed p;
  if (n.op == nullptr || n.op->kind != OpKind::kValue) return p;
  const std::string_view s = n.instruction().opcode;
  if (TakesNothing(s)) return p;
  if (Begins(s, "div") || Begins(s, "rem")) return OfDivision(s);
  switch (n.op->unit) {
    case Unit::kMove:
      return OfMove(n, s);
    case Unit::kConversion:
      return OfConversion(s);
    case Unit::kSpecialFunction:
      return OfSpecial(s);
    case Unit::kTensorCore:
      p.products = 1;
      return p;
    case Unit::kCrossLane:
      p.shuffles = 1;
      return p;
    case Unit::kInteger:
    case Unit::kFloat:
      return OfArithmetic(s);
    default:
      return p;
  }
}

// Definitions and uses of registers.
class Uses {
 public:
  explicit Uses(const Graph& graph)
      : graph_(graph),
        defined_(graph.registers.size()),
        used_(graph.registers.size()) {
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const auto node = static_cast<int32_t>(i);
      for (int32_t reg : graph.nodes[i].defines) defined_[reg].push_back(node);
      Each(graph.nodes[i], [&](int32_t reg) { used_[reg].push_back(node); });
    }
  }

  template <typename F>
  static void Each(const Node& n, F f) {
    for (int32_t reg : n.reads) f(reg);
    for (int32_t reg : n.data) f(reg);
    if (n.guard >= 0) f(n.guard);
  }

  const std::vector<int32_t>& Defined(int32_t reg) const {
    return defined_[reg];
  }

  // A sum with a constant that is only an address: an instruction of its own
  // needs none, as accesses add one.
  bool IsOffset(const Node& n) const {
    const std::string_view s = n.instruction().opcode;
    const bool sum = Begins(s, "add") && !IsFloat(s) && n.defines.size() == 1 &&
                     n.reads.size() + n.data.size() == 1;
    if (!sum) return false;
    const std::vector<int32_t>& used = used_[n.defines[0]];
    return std::all_of(used.begin(), used.end(), [&](int32_t at) {
      const Node& user = graph_.nodes[at];
      return user.op != nullptr && user.op->unit == Unit::kMemory;
    });
  }

 private:
  const Graph& graph_;
  std::vector<std::vector<int32_t>> defined_, used_;
};

// Marks what a loop computes alike in each turn: from what was there before it.
void FindInvariant(const Graph& g, const Uses& uses, const Loop& loop,
                   std::vector<bool>& out) {
  auto inside = [&](int32_t node) {
    return std::binary_search(loop.blocks.begin(), loop.blocks.end(),
                              g.BlockOf(node));
  };
  std::vector<int32_t> values;
  for (int32_t block : loop.blocks) {
    for (int32_t i = g.blocks[block].first; i < g.blocks[block].last; ++i) {
      const Node& n = g.nodes[i];
      const bool value = n.op != nullptr && n.op->kind == OpKind::kValue &&
                         n.op->unit != Unit::kCrossLane;
      if (value && n.guard < 0) values.push_back(i);
    }
  }
  std::set<int32_t> alike;
  for (bool grown = true; grown;) {
    grown = false;
    for (int32_t i : values) {
      if (alike.contains(i)) continue;
      bool all = std::all_of(
          g.nodes[i].defines.begin(), g.nodes[i].defines.end(),
          [&](int32_t reg) { return uses.Defined(reg).size() == 1; });
      Uses::Each(g.nodes[i], [&](int32_t reg) {
        for (int32_t d : uses.Defined(reg)) {
          if (inside(d) && !alike.contains(d)) all = false;
        }
      });
      if (!all) continue;
      alike.insert(i);
      out[i] = true;
      grown = true;
    }
  }
}

// Of the nodes of a block that `counts` says: deepens(node, whether more of
// them wait for one another up to this one than up to any before).
template <typename Counts, typename Deepens>
void EachInChain(const Graph& g, const Block& block, Counts counts,
                 Deepens deepens) {
  std::map<int32_t, int> depth;  // of registers
  int deepest = 0;
  for (int32_t i = block.first; i < block.last; ++i) {
    const Node& n = g.nodes[i];
    if (n.op == nullptr || n.op->kind != OpKind::kValue) {
      if (n.op != nullptr && n.op->kind != OpKind::kAccess) deepest = 0;
      continue;
    }
    int here = 0;
    Uses::Each(n, [&](int32_t reg) {
      auto found = depth.find(reg);
      if (found != depth.end()) here = std::max(here, found->second);
    });
    if (counts(i)) {
      const bool deeper = ++here > deepest;
      deepest = std::max(deepest, here);
      deepens(i, deeper);
    }
    for (int32_t reg : n.defines) depth[reg] = here;
  }
}

// Shuffles of a block that wait for one another: how many others there are
// before each.
void CountRounds(const Graph& g, const Block& block,
                 std::vector<Passed>& passed) {
  EachInChain(
      g, block, [&](int32_t i) { return passed[i].shuffles > 0; },
      [&](int32_t i, bool deeper) {
        if (deeper) passed[i].rounds = 1;
      });
}

// Divisions of 32 bits are in line: those that do not need each other's results
// go on side by side, so that only a chain of them is waited for. The others
// take instructions, of which those by one divisor share the first half: its
// reciprocal (tests/ptx/timing/ptxas.py counts them).
void CountDivisions(const Graph& g, const Block& block,
                    std::vector<Passed>& passed) {
  constexpr double kWhole[] = {18, 22}, kOfKnown[] = {9, 11};  // signed: more
  std::set<std::string_view> known;
  EachInChain(
      g, block,
      [&](int32_t i) {
        const std::string_view s = g.nodes[i].instruction().opcode;
        return passed[i].divisions > 0 && (Has(s, ".s32") || Has(s, ".u32"));
      },
      [&](int32_t i, bool deeper) {
        const Instruction& division = g.nodes[i].instruction();
        const bool fresh = known.insert(division.operands.back().name).second;
        if (deeper) return;
        passed[i].divisions = 0;
        const size_t is_signed = Has(division.opcode, ".s32");
        passed[i].integer = fresh ? kWhole[is_signed] : kOfKnown[is_signed];
      });
}

// Whether a branch ends a loop that only waits.
bool OfWait(const Graph& g, int32_t node, const std::vector<bool>& waits) {
  const int32_t block = g.BlockOf(node);
  for (const Loop& loop : g.loops) {
    if (!std::binary_search(loop.blocks.begin(), loop.blocks.end(), block))
      continue;
    for (int32_t b : loop.blocks) {
      for (int32_t i = g.blocks[b].first; i < g.blocks[b].last; ++i) {
        if (waits[i]) return loop.blocks.size() <= 3;
      }
    }
    return false;
  }
  return false;
}

}  // namespace

std::vector<Passed> PassedOf(const Graph& g, const std::vector<bool>& waits) {
  const Uses uses(g);
  std::vector<bool> invariant(g.nodes.size());
  for (const Loop& loop : g.loops) FindInvariant(g, uses, loop, invariant);
  std::vector<Passed> out(g.nodes.size());
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    const Node& n = g.nodes[i];
    if (n.op == nullptr) continue;
    if (n.op->kind == OpKind::kBranch && n.guard >= 0) {
      const auto node = static_cast<int32_t>(i);
      const int32_t here = g.BlockOf(node);
      const bool back = std::any_of(n.targets.begin(), n.targets.end(),
                                    [&](int32_t to) { return to <= here; });
      if (!OfWait(g, node, waits) && !IsPredicated(g, node))
        (back ? out[i].integer : out[i].branches) = 1;
      continue;
    }
    if (!invariant[i] && !uses.IsOffset(n)) out[i] = OfNode(n);
  }
  for (const Block& block : g.blocks) {
    CountRounds(g, block, out);
    CountDivisions(g, block, out);
  }
  return out;
}

std::vector<std::vector<int32_t>> AwaitedLoads(const Graph& g) {
  std::vector<std::vector<int32_t>> by_register(g.registers.size());
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    const Node& n = g.nodes[i];
    const bool loads = n.op != nullptr && n.op->kind != OpKind::kValue &&
                       n.op->unit == Unit::kMemory;
    for (int32_t reg : n.defines) {
      if (loads) by_register[reg].push_back(static_cast<int32_t>(i));
    }
  }
  std::vector<std::vector<int32_t>> out(g.nodes.size());
  for (const Block& block : g.blocks) {
    std::set<int32_t> seen;
    for (int32_t i = block.first; i < block.last; ++i) {
      Uses::Each(g.nodes[i], [&](int32_t reg) {
        for (int32_t load : by_register[reg]) {
          if (seen.insert(load).second) out[i].push_back(load);
        }
      });
      // A load that comes again is waited for again.
      seen.erase(i);
    }
  }
  return out;
}

int64_t MostLiveRegisters(const Graph& g) {
  const size_t regs = g.registers.size();
  auto words = [&](int32_t reg) {
    return g.register_bits[reg] <= 1 ? 0 : (g.register_bits[reg] + 31) / 32;
  };
  std::vector<std::vector<bool>> in(g.blocks.size(), std::vector<bool>(regs));
  int64_t most = 0;
  auto walk = [&](size_t b) {
    std::vector<bool> live(regs);
    for (int32_t next : g.blocks[b].next) {
      for (size_t r = 0; r < regs; ++r)
        if (in[static_cast<size_t>(next)][r]) live[r] = true;
    }
    int64_t now = 0;
    for (size_t r = 0; r < regs; ++r)
      now += live[r] ? words(static_cast<int32_t>(r)) : 0;
    auto set = [&](int32_t reg, bool to) {
      if (live[reg] != to) now += to ? words(reg) : -words(reg);
      live[reg] = to;
    };
    for (int32_t i = g.blocks[b].last - 1; i >= g.blocks[b].first; --i) {
      most = std::max(most, now);
      if (g.nodes[i].guard < 0)
        for (int32_t reg : g.nodes[i].defines) set(reg, false);
      Uses::Each(g.nodes[i], [&](int32_t reg) { set(reg, true); });
    }
    most = std::max(most, now);
    const bool grown = live != in[b];
    in[b] = std::move(live);
    return grown;
  };
  for (bool grown = true; grown;) {
    grown = false;
    for (size_t b = g.blocks.size(); b-- > 0;) grown |= walk(b);
  }
  return most;
}

}  // namespace tilesim::ptx
