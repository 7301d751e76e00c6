// Where branches of steps lead to, which of them are assertions, and what lives
// at each step.
#include <cstdint>
#include <vector>

#include "ptx/machine/lower_steps.h"

namespace tilesim::ptx {

void Steps::Resolve() {
  const Graph& g = program_.graph;
  const auto end = static_cast<int32_t>(program_.steps.size()) - 1;
  for (Step& s : program_.steps) {
    if (s.kind != Step::Kind::kBranch) continue;
    const Node& n = g.nodes[s.node];
    for (int32_t block : n.targets) s.targets.push_back(first_[block]);
    if (s.targets.empty()) s.targets.push_back(end);
    int32_t after = g.blocks[g.BlockOf(s.node)].post_dominator;
    s.join = after < 0 ? end : first_[after];
  }
  for (Step& s : program_.steps) {
    if (s.kind != Step::Kind::kBranch || s.guard < 0) continue;
    const auto on = static_cast<int32_t>(&s - program_.steps.data()) + 1;
    if (s.traps || (s.targets.size() == 1 && OnlyTraps(s.targets[0])))
      s.fails = Step::Fails::kTaken;
    else if (OnlyTraps(on))
      s.fails = Step::Fails::kNotTaken;
  }
}

// Whoever comes there comes to a trap, and executes no operation before it.
bool Steps::OnlyTraps(int32_t pc) const {
  for (size_t steps = 0; steps < program_.steps.size(); ++steps) {
    const Step& s = program_.steps[pc];
    if (s.kind == Step::Kind::kOp || s.kind == Step::Kind::kEnd) return false;
    const bool branch = s.kind == Step::Kind::kBranch;
    if (branch && s.guard < 0 && s.traps) return true;
    if (branch && (s.guard >= 0 || s.targets.size() != 1)) return false;
    pc = branch ? s.targets[0] : pc + 1;
  }
  return false;
}

void Steps::FindLive() {
  const auto& steps = program_.steps;
  const size_t regs = program_.registers.size();
  std::vector<std::vector<bool>> live(steps.size(), std::vector<bool>(regs));
  for (bool grown = true; grown;) {
    grown = false;
    for (size_t i = steps.size(); i-- > 0;) {
      const Step& s = steps[i];
      std::vector<bool> now(regs);
      auto join = [&](size_t from) {
        if (from >= steps.size()) return;
        for (size_t r = 0; r < regs; ++r)
          if (live[from][r]) now[r] = true;
      };
      for (int32_t t : s.targets) join(static_cast<size_t>(t));
      bool falls = s.kind != Step::Kind::kBranch || s.guard >= 0;
      if (falls && s.kind != Step::Kind::kEnd) join(i + 1);
      if (s.guard < 0) {
        for (const Target& t : s.results)
          if (t.reg >= 0) now[t.reg] = false;
      }
      if (s.guard >= 0) now[s.guard] = true;
      for (const auto* sources : {&s.sources, &s.data}) {
        for (const Source& source : *sources)
          if (source.reg >= 0) now[source.reg] = true;
      }
      if (now == live[i]) continue;
      live[i] = std::move(now);
      grown = true;
    }
  }
  program_.live.resize(steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    for (size_t r = 0; r < regs; ++r)
      if (live[i][r]) program_.live[i].push_back(static_cast<int16_t>(r));
  }
}

}  // namespace tilesim::ptx
