#include "ptx/machine/guards.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "ptx/machine/operands.h"

namespace tilesim::ptx {
namespace {

using Choice = ByData::Choice;

bool IsWeakGlobalLoad(std::string_view s) {
  auto has = [&](std::string_view word) { return s.find(word) != s.npos; };
  return s.starts_with("ld.global") && !has(".relaxed") && !has(".acquire") &&
         !has(".volatile") && !has(".mmio");
}

bool IsVote(std::string_view s) { return s.starts_with("vote.sync"); }

// What it returns is said by its operands alone.
bool IsFunction(const Node& n) {
  if (n.op == nullptr || n.op->kind != OpKind::kValue) return false;
  const std::string_view s = n.spelling();
  for (std::string_view other :
       {"shfl", "match", "elect", "activemask", "mapa", "ld.", "ldu.",
        "mbarrier", "clusterlaunchcontrol", "tex", "getctarank", "redux"}) {
    if (s.starts_with(other)) return false;
  }
  return true;
}

void Add(const MadeOf& from, MadeOf& to) {
  to.varies |= from.varies;
  to.other |= from.other;
  to.loads.insert(from.loads.begin(), from.loads.end());
  to.votes.insert(from.votes.begin(), from.votes.end());
}

}  // namespace

const std::map<int32_t, std::set<int32_t>>& Guards::Definitions() {
  if (!defined_by_.empty()) return defined_by_;
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    for (int32_t reg : graph_.nodes[i].defines)
      defined_by_[reg].insert(static_cast<int32_t>(i));
  }
  return defined_by_;
}

bool Guards::InLoop(int32_t node) const {
  const int32_t block = graph_.BlockOf(node);
  return std::any_of(graph_.loops.begin(), graph_.loops.end(),
                     [&](const Loop& loop) {
                       return std::binary_search(loop.blocks.begin(),
                                                 loop.blocks.end(), block);
                     });
}

MadeOf Guards::MadeBy(int32_t node, std::set<int32_t>& open) {
  const Node& n = graph_.nodes[static_cast<size_t>(node)];
  const std::string_view s = n.spelling();
  MadeOf out;
  if (IsWeakGlobalLoad(s)) {
    out.loads.insert(node);
    return out;
  }
  if (IsVote(s)) {
    out.votes.insert(node);
    return out;
  }
  if (s.starts_with("ld.param")) return out;
  if (!IsFunction(n)) {
    out.other = true;
    return out;
  }
  for (const Leaf& leaf : LeavesOf(graph_, n)) {
    if (leaf.reg >= 0 || leaf.operand->kind != Operand::Kind::kName) continue;
    const Special special = SpecialNamed(leaf.operand->name);
    out.varies |= DiffersByThread(special);
    out.other |= special == Special::kAnyNumber;
  }
  for (const std::vector<int32_t>* regs : {&n.reads, &n.data}) {
    for (int32_t reg : *regs) Add(MadeIn(reg, open), out);
  }
  return out;
}

// Which of several definitions is met, or whether one is, branches and guards
// decide: all of the kernel's count.
MadeOf Guards::MadeIn(int32_t reg, std::set<int32_t>& open) {
  if (auto known = made_.find(reg); known != made_.end()) return known->second;
  MadeOf out;
  if (!open.insert(reg).second) return out;
  auto found = Definitions().find(reg);
  if (found == Definitions().end()) return out;
  bool decided = found->second.size() > 1;
  for (int32_t node : found->second) {
    Add(MadeBy(node, open), out);
    decided |= graph_.nodes[static_cast<size_t>(node)].guard >= 0;
  }
  constexpr int32_t kGuards = -1;
  if (!decided || !open.insert(kGuards).second) return out;
  for (const Node& n : graph_.nodes) {
    if (n.guard >= 0) Add(MadeIn(n.guard, open), out);
  }
  return out;
}

const MadeOf& Guards::Made(int32_t reg) {
  auto known = made_.find(reg);
  if (known != made_.end()) return known->second;
  std::set<int32_t> open;
  MadeOf made = MadeIn(reg, open);
  return made_.emplace(reg, std::move(made)).first->second;
}

Guards::Kind Guards::KindOf(const MadeOf& made,
                            const std::set<int32_t>& own) const {
  if (made.other) return Kind::kOther;
  if (!made.data()) return made.varies ? Kind::kPlace : Kind::kNothing;
  auto is_own = [&](int32_t node) { return own.contains(node); };
  const bool all_own =
      made.votes.empty() &&
      std::all_of(made.loads.begin(), made.loads.end(), is_own);
  if (all_own) return Kind::kOwn;
  const bool common = !made.varies && std::none_of(made.loads.begin(),
                                                   made.loads.end(), is_own);
  return common ? Kind::kCommon : Kind::kOther;
}

ByData Guards::Plain(const MadeOf& made, const std::set<int32_t>& own) const {
  ByData out;
  out.made = made;
  switch (KindOf(made, own)) {
    case Kind::kPlace:
    case Kind::kNothing:
      out.choice = Choice::kKnown;
      break;
    case Kind::kOwn:
      out.choice = Choice::kOwn;
      break;
    case Kind::kCommon:
      out.choice = Choice::kSame;
      break;
    case Kind::kOther:
      break;
  }
  return out;
}

// Of two integers.
ByData Guards::OfComparison(int32_t node, const std::set<int32_t>& own) {
  const Node& n = graph_.nodes[static_cast<size_t>(node)];
  const std::string_view s = n.spelling();
  MadeOf sides[2];
  bool plain = n.defines.size() == 1 && n.guard < 0 && !InLoop(node);
  std::set<int32_t> open;
  MadeOf all = MadeBy(node, open);
  size_t leaves = 0;
  for (const Leaf& leaf : LeavesOf(graph_, n)) {
    if (leaf.of == 0) continue;
    plain = plain && leaves < 2 && !leaf.operand->negated;
    if (leaves < 2 && leaf.reg >= 0) sides[leaves] = Made(leaf.reg);
    if (leaves < 2 && leaf.reg < 0 &&
        leaf.operand->kind == Operand::Kind::kName)
      sides[leaves].varies = DiffersByThread(SpecialNamed(leaf.operand->name));
    ++leaves;
  }
  const ByData whole = Plain(all, own);
  const bool number = s.find(".f") == s.npos && s.find(".bf") == s.npos;
  if (!plain || leaves != 2 || !number || whole.choice != Choice::kOther)
    return whole;
  for (int i : {0, 1}) {
    if (KindOf(sides[i], own) != Kind::kCommon ||
        KindOf(sides[1 - i], own) != Kind::kPlace)
      continue;
    ByData out;
    out.made = all;
    out.common = sides[i];
    out.compares = node;
    out.choice = s.starts_with("setp.eq.")   ? Choice::kOneHot
                 : s.starts_with("setp.ne.") ? Choice::kAllButOne
                                             : Choice::kAll;
    return out;
  }
  return whole;
}

ByData Not(ByData guard) {
  if (guard.choice == Choice::kOneHot)
    guard.choice = Choice::kAllButOne;
  else if (guard.choice == Choice::kAllButOne)
    guard.choice = Choice::kOneHot;
  return guard;
}

// Who is in one of them at most is in both at most; where data say of all alike
// and the place of some, these are all that it may be.
ByData And(const ByData& a, const ByData& b) {
  ByData out = a.choice == Choice::kOneHot ? a : b;
  out.made = a.made;
  Add(b.made, out.made);
  if (out.choice == Choice::kOneHot) return out;
  auto both = [&](Choice x, Choice y) {
    return (a.choice == x && b.choice == y) || (a.choice == y && b.choice == x);
  };
  if (a.choice == b.choice && a.choice != Choice::kAll &&
      a.choice != Choice::kAllButOne) {
    out.choice = a.choice;
  } else if (both(Choice::kKnown, Choice::kOwn)) {
    out.choice = Choice::kOwn;
  } else if (both(Choice::kKnown, Choice::kSame) ||
             both(Choice::kKnown, Choice::kAll) ||
             both(Choice::kOwn, Choice::kSame) ||
             both(Choice::kOwn, Choice::kAll)) {
    out.choice = Choice::kAll;
  } else {
    out.choice = Choice::kOther;
  }
  return out;
}

ByData Guards::Of(int32_t predicate, const std::set<int32_t>& own) {
  const ByData whole = Plain(Made(predicate), own);
  if (whole.choice != Choice::kOther) return whole;
  auto found = Definitions().find(predicate);
  if (found == Definitions().end() || found->second.size() != 1) return whole;
  const int32_t node = *found->second.begin();
  const Node& n = graph_.nodes[static_cast<size_t>(node)];
  const std::string_view s = n.spelling();
  if (n.guard >= 0 || InLoop(node)) return whole;
  if (s.starts_with("setp.")) return OfComparison(node, own);
  const bool joins = s == "and.pred" || s == "or.pred";
  if (!joins && s != "not.pred" && s != "mov.pred") return whole;
  std::vector<ByData> parts;
  for (const Leaf& leaf : LeavesOf(graph_, n)) {
    if (leaf.of == 0) continue;
    if (leaf.reg < 0) return whole;
    const ByData part = Of(leaf.reg, own);
    parts.push_back(leaf.operand->negated ? Not(part) : part);
  }
  if (joins && parts.size() != 2) return whole;
  if (s == "and.pred") return And(parts[0], parts[1]);
  if (s == "or.pred") return Not(And(Not(parts[0]), Not(parts[1])));
  if (parts.size() != 1) return whole;
  return s == "not.pred" ? Not(parts[0]) : parts[0];
}

}  // namespace tilesim::ptx
