#include "ptx/machine/choices.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace tilesim::ptx {
namespace {

using Choice = ByData::Choice;

}  // namespace

void Choices::NoteGuard(int32_t pc) {
  const Step& s = program_.steps[static_cast<size_t>(pc)];
  const MadeOf& made =
      guards_.Made(program_.graph_registers[static_cast<size_t>(s.guard)]);
  loads_.insert(made.loads.begin(), made.loads.end());
}

int32_t Choices::ComparedBy(int32_t pc) {
  auto known = compared_by_.find(pc);
  if (known != compared_by_.end()) return known->second;
  const int32_t node = GuardOf({pc, true}).compares;
  // What loads of its number are, runs are yet to show.
  if (node >= 0) compared_by_.emplace(pc, node);
  return node;
}

void Choices::NoteCompared(int32_t node, const Thread& t, uint64_t number) {
  std::set<int64_t>& who = numbers_[{node, t.cta, number}];
  const int64_t thread = t.warp * ir::kWarpThreads + t.lane;
  if (!who.insert(thread).second || who.size() == 1) return;
  repeats_.insert(node);
  const bool in_warp = std::any_of(who.begin(), who.end(), [&](int64_t other) {
    return other != thread && other / ir::kWarpThreads == t.warp;
  });
  if (in_warp) repeats_in_warp_.insert(node);
}

// By words of 4 bytes, and by CTA: of threads of several nothing is asked.
void Choices::NotePlace(int32_t node, const Thread& t, uint64_t address,
                        uint64_t bytes) {
  constexpr uint64_t kWord = 4;
  constexpr int kWordBits = 46;
  const auto at = static_cast<int64_t>(address);
  auto [place, fresh] = place_.try_emplace({node, t.cta}, at);
  if (!fresh && place->second != at) place->second = -1;
  const int64_t thread = t.warp * ir::kWarpThreads + t.lane;
  for (uint64_t w = address / kWord; w * kWord < address + bytes; ++w) {
    const uint64_t key = static_cast<uint64_t>(t.cta) << kWordBits | w;
    auto [by, first] = loaded_by_.try_emplace(key, node, t.cta, thread);
    const auto& [other, cta, who] = by->second;
    if (first || (cta == t.cta && who == thread)) continue;
    shared_.insert(node);
    shared_.insert(other);
    own_.erase(node);
    own_.erase(other);
  }
  if (!shared_.contains(node)) own_.insert(node);
}

void Choices::NoteExecuted(int32_t op, const std::vector<ChosenBy>& by) {
  Op& o = ops_[op];
  const std::set<ChosenBy> now(by.begin(), by.end());
  if (!o.seen) {
    o.each = now;
  } else {
    std::erase_if(o.each, [&](const ChosenBy& c) { return !now.contains(c); });
  }
  o.some.insert(now.begin(), now.end());
  o.seen = true;
}

ByData Choices::GuardOf(const ChosenBy& by) {
  if (by.first == kNotKnown) return {};
  const Step& s = program_.steps[static_cast<size_t>(by.first)];
  ByData out =
      guards_.Of(program_.graph_registers[static_cast<size_t>(s.guard)], own_);
  return by.second ? out : Not(std::move(out));
}

// Of threads so far apart. Each loads once, from one place that nobody writes
// (PtxGuide::relied); all lanes of a warp vote at once.
bool Choices::IsSame(const MadeOf& made, Apart apart) {
  if (made.other || made.varies || apart == Apart::kCtas) return false;
  if (!made.votes.empty() && apart != Apart::kLanes) return false;
  for (int32_t vote : made.votes) {
    if (guards_.InLoop(vote) || part_votes_.contains(vote)) return false;
  }
  for (int32_t load : made.loads) {
    if (guards_.InLoop(load) || anywhere_.contains(load)) return false;
    auto first =
        place_.lower_bound({load, std::numeric_limits<int64_t>::min()});
    if (first == place_.end() || first->first.first != load) return false;
    for (auto at = first; at != place_.end() && at->first.first == load; ++at) {
      if (at->second < 0) return false;
    }
  }
  relied_.insert(made.loads.begin(), made.loads.end());
  return true;
}

bool Choices::Differs(const ChosenBy& by, Apart apart) {
  const ByData guard = GuardOf(by);
  if (guard.choice != Choice::kOneHot) return false;
  const auto& repeats = apart == Apart::kLanes ? repeats_in_warp_ : repeats_;
  const bool seen = compared_by_.contains(by.first);
  return seen && !repeats.contains(guard.compares) &&
         IsSame(guard.common, apart);
}

bool Choices::Never(const Op& a, const Op& b, Apart apart) {
  return std::any_of(a.each.begin(), a.each.end(), [&](const ChosenBy& by) {
    if (by.first == kNotKnown) return false;
    const Step& s = program_.steps[static_cast<size_t>(by.first)];
    if (guards_.InLoop(s.node)) return false;
    if (b.each.contains(by)) return Differs(by, apart);
    if (!b.each.contains({by.first, !by.second})) return false;
    const ByData guard = GuardOf(by);
    return guard.choice == Choice::kSame && IsSame(guard.made, apart);
  });
}

int32_t Choices::LineOf(int32_t op) const {
  auto step = std::find_if(program_.steps.begin(), program_.steps.end(),
                           [&](const Step& s) { return s.op == op; });
  return step == program_.steps.end()
             ? 0
             : program_.graph.nodes[static_cast<size_t>(step->node)]
                   .statement->span.text_line();
}

// Data that each thread has for itself are any; so is one number that several
// have in common, if no other guard asks anything of it.
Choices::Both Choices::Together(int32_t a, int32_t b, Apart apart) {
  auto x = ops_.find(a), y = ops_.find(b);
  if (x == ops_.end() || y == ops_.end() || x->second.each.empty() ||
      y->second.each.empty())
    return Both::kMay;
  if (Never(x->second, y->second, apart)) return Both::kNever;
  std::set<ChosenBy> all = x->second.some;
  all.insert(y->second.some.begin(), y->second.some.end());
  size_t common = 0;
  bool other = false;
  for (const ChosenBy& by : all) {
    const Choice choice = GuardOf(by).choice;
    const bool in_both =
        x->second.some.contains(by) && y->second.some.contains(by);
    other |= choice == Choice::kOther || (choice == Choice::kOneHot && in_both);
    common += choice != Choice::kKnown && choice != Choice::kOwn ? 1 : 0;
  }
  if (!other && common <= 1) return Both::kMay;
  not_shown_.insert(std::minmax(LineOf(a), LineOf(b)));
  return Both::kNotShown;
}

}  // namespace tilesim::ptx
