// Where branches of steps lead to, which of them are assertions, and what lives
// at each step.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "ir/cat.h"
#include "ptx/machine/lower_steps.h"
#include "ptx/machine/passed.h"

namespace tilesim::ptx {

namespace {

bool OnlyComputes(const Step& s) {
  switch (s.kind) {
    case Step::Kind::kScalar:
    case Step::Kind::kConstant:
    case Step::Kind::kMapa:
    case Step::Kind::kLoad:
    case Step::Kind::kOwn:
    case Step::Kind::kUnknown:  // memory of its own, a table
      return true;
    case Step::Kind::kBranch:
      return !s.traps && s.sources.empty();
    default:
      return false;
  }
}

}  // namespace

// As if the kernel began with `if (thread >= block) return`: what PTX says of
// threads that have exited, holds of those that the last warp lacks.
void Steps::LeaveOut() {
  const Dim3& block = program_.memory.block();
  if (block[0] * block[1] * block[2] % ir::kWarpThreads == 0) return;
  if (program_.graph.nodes.empty()) return;
  const auto missing = static_cast<int32_t>(program_.registers.size());
  program_.registers.push_back("threads that are not there");
  program_.graph_registers.push_back(-1);
  Step& s = Emit(Step::Kind::kConstant, 0);
  s.guard = -1;
  s.results = {{missing, 1}};
  s.sources.emplace_back().special = Special::kMissing;
  leaves_ = static_cast<int32_t>(program_.steps.size());
  Step& leave = Emit(Step::Kind::kBranch, 0);
  leave.guard = missing;
  leave.negated = false;
}

void Steps::FindCosts() {
  passed_ = PassedOf(program_.graph, waits_);
  awaited_ = AwaitedLoads(program_.graph);
  op_of_node_.assign(program_.graph.nodes.size(), -1);
}

// Loads that steps await are nodes until all have their ops.
void Steps::ResolveLoads() {
  for (const Step& s : program_.steps) {
    if (s.kind == Step::Kind::kOp) op_of_node_[s.node] = s.op;
  }
  for (Step& s : program_.steps) {
    std::vector<int32_t> ops;
    for (int32_t node : s.awaits) {
      if (op_of_node_[node] >= 0) ops.push_back(op_of_node_[node]);
    }
    s.awaits = std::move(ops);
  }
}

void Steps::Resolve() {
  const Graph& g = program_.graph;
  const auto end = static_cast<int32_t>(program_.steps.size()) - 1;
  for (Step& s : program_.steps) {
    // What is paid for is not judged.
    s.only_computes =
        OnlyComputes(s) || (program_.timed && s.kind == Step::Kind::kPayload);
    s.aligned = s.kind == Step::Kind::kOp && OfWholeWarps(s);
  }
  for (Step& s : program_.steps) {
    if (s.kind != Step::Kind::kBranch) continue;
    const bool leaves = &s - program_.steps.data() == leaves_;
    if (leaves) {
      s.targets = {end};
      s.join = end;
      continue;
    }
    const Node& n = g.nodes[s.node];
    for (int32_t block : n.targets) s.targets.push_back(first_[block]);
    if (straight_[s.node] >= 0) s.targets = {first_[straight_[s.node]]};
    if (s.targets.empty()) s.targets.push_back(end);
    int32_t after = g.blocks[g.BlockOf(s.node)].post_dominator;
    s.join = after < 0 ? end : first_[after];
  }
  for (Step& s : program_.steps) {
    if (s.kind != Step::Kind::kBranch || s.guard < 0) continue;
    if (&s - program_.steps.data() == leaves_) continue;
    const auto on = static_cast<int32_t>(&s - program_.steps.data()) + 1;
    if (s.traps || (s.targets.size() == 1 && OnlyTraps(s.targets[0])))
      s.fails = Step::Fails::kTaken;
    else if (OnlyTraps(on))
      s.fails = Step::Fails::kNotTaken;
    s.computes = ComputedBefore(s.join, on - 1, &s);
    s.touches &= !s.computes.empty();
  }
}

// Of barrier.cluster it is the modifier that says so (PTX 9.7.13.4); a lane may
// wait by itself.
bool Steps::OfWholeWarps(const Step& step) const {
  const ir::OpInfo& info = *code_.ops[static_cast<size_t>(step.op)].op->info;
  const std::string_view name =
      program_.graph.nodes[step.node].instruction().opcode;
  if (name.starts_with("barrier.cluster."))
    return name.find(".aligned") != name.npos;
  return info.kind != ir::OpKind::kBarWarpSync &&
         (info.scope == ir::ExecScope::kWarp ||
          info.scope == ir::ExecScope::kWarpgroup);
}

// PTX 9.7.16.5: all tcgen05 instructions of a kernel have one .cta_group.
void Steps::CheckGroups() {
  const Node* first = nullptr;
  const Dim3& cluster = program_.memory.cluster();
  const int64_t ctas = cluster[0] * cluster[1] * cluster[2];
  for (const Node& n : program_.graph.nodes) {
    const std::string_view s = n.instruction().opcode;
    if (!s.starts_with("tcgen05.") || s.find(".cta_group::") == s.npos)
      continue;
    if (first == nullptr && s[s.find(".cta_group::") + 12] == '2' &&
        ctas % 2 != 0) {
      diagnostics_
          .Error("tcgen05/group", n.statement->span,
                 ir::Cat("`", s, "` is of a pair of CTAs, and the cluster has ",
                         ctas))
          .help = "launch clusters of an even number of CTAs";
      return;
    }
    if (first == nullptr) first = &n;
    auto group = [](std::string_view spelling) {
      return spelling[spelling.find(".cta_group::") + 12];
    };
    if (group(s) == group(first->instruction().opcode)) continue;
    ir::Diagnostic& d =
        diagnostics_.Error("tcgen05/group", n.statement->span,
                           ir::Cat("`", s, "` is of another .cta_group than `",
                                   first->instruction().opcode, "` on line ",
                                   first->statement->span.text_line()));
    d.help = "all tcgen05 instructions of a kernel have one .cta_group";
    return;
  }
}

bool Steps::Loads(const Step& s) const {
  switch (code_.ops[static_cast<size_t>(s.op)].op->info->kind) {
    case ir::OpKind::kLd:
    case ir::OpKind::kLdShared:
    case ir::OpKind::kLdGlobal:
      return true;
    default:
      return false;
  }
}

// Between a branch and where its ways meet. Empty: one of them does more than
// to compute and to access what may be skipped. Tells the branch which.
std::vector<int32_t> Steps::ComputedBefore(int32_t join, int32_t branch,
                                           Step* of) const {
  std::vector<int32_t> out, open = {branch};
  std::vector<bool> seen(program_.steps.size());
  bool reads = false;
  while (!open.empty()) {
    const int32_t pc = open.back();
    open.pop_back();
    if (pc == join || seen[pc]) continue;
    seen[pc] = true;
    const Step& s = program_.steps[pc];
    if (!s.only_computes && !s.may_skip) return {};
    of->touches |= s.may_skip;
    reads |= s.may_skip && Loads(s);
    std::vector<int32_t> next = s.targets;
    if (s.kind != Step::Kind::kBranch || s.guard >= 0) next.push_back(pc + 1);
    for (int32_t to : next) {
      of->loops |= to <= pc && to != join;
      open.push_back(to);
    }
    if (pc != branch) out.push_back(pc);
  }
  // Who reads memory in a loop may wait there for what another thread writes.
  if (of->loops && of->touches && reads) return {};
  std::sort(out.begin(), out.end());
  out.push_back(branch);
  return out;
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

void Steps::FindExits() {
  const auto& steps = program_.steps;
  std::vector<bool>& only = program_.only_exits;
  only.assign(steps.size(), true);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = steps.size(); i-- > 0;) {
      const Step& s = steps[i];
      bool exits = s.kind != Step::Kind::kOp && s.kind != Step::Kind::kMembers;
      for (int32_t t : s.targets) exits &= only[static_cast<size_t>(t)];
      bool falls = s.kind != Step::Kind::kBranch || s.guard >= 0;
      if (falls && s.kind != Step::Kind::kEnd && i + 1 < steps.size())
        exits &= only[i + 1];
      changed |= exits != only[i];
      only[i] = exits;
    }
  }
}

void Steps::FindOnlySet() {
  std::vector<int32_t>& by = program_.only_set_by;
  by.assign(program_.registers.size(), -1);
  std::vector<bool> seen(by.size());
  const Program::Local& local = program_.local;
  for (int32_t r = 0; r < local.words; ++r)
    seen[static_cast<size_t>(local.first + r)] = true;
  for (size_t pc = 0; pc < program_.steps.size(); ++pc) {
    const Step& s = program_.steps[pc];
    for (const Target& t : s.results) {
      if (t.reg < 0) continue;
      const auto reg = static_cast<size_t>(t.reg);
      by[reg] = seen[reg] || s.guard >= 0 ? -1 : static_cast<int32_t>(pc);
      seen[reg] = true;
    }
  }
}

namespace {

bool MayLoadLocal(const Step& s) {
  return s.generic || s.kind == Step::Kind::kOwn;
}

// Registers that are live before each step, a bit each.
class Liveness {
 public:
  explicit Liveness(const Program& program)
      : program_(program),
        words_((program.registers.size() + kBits - 1) / kBits),
        live_(program.steps.size() * words_),
        now_(words_) {}

  // From the last step to the first until nothing changes. Again only those
  // behind which something has: in this pass, or in the last one before them.
  void Find() {
    std::vector<bool> changed(program_.steps.size() + 1, true);
    bool first = true;
    for (bool grown = true; grown; first = false) {
      grown = false;
      for (size_t i = program_.steps.size(); i-- > 0;) {
        const bool look =
            first || AnyBehind(i, [&](size_t next) { return changed[next]; });
        changed[i] = look && Look(i);
        grown |= changed[i];
      }
      changed.back() = false;
    }
  }

  std::vector<int16_t> At(size_t step) const {
    std::vector<int16_t> out;
    for (size_t w = 0; w < words_; ++w) {
      for (uint64_t bits = live_[step * words_ + w]; bits != 0;
           bits &= bits - 1)
        out.push_back(static_cast<int16_t>(
            w * kBits + static_cast<size_t>(std::countr_zero(bits))));
    }
    return out;
  }

 private:
  static constexpr size_t kBits = 64;

  template <typename F>
  bool AnyBehind(size_t i, F f) const {
    const Step& s = program_.steps[i];
    const bool falls = s.kind != Step::Kind::kBranch || s.guard >= 0;
    if (falls && s.kind != Step::Kind::kEnd && f(i + 1)) return true;
    return std::any_of(s.targets.begin(), s.targets.end(),
                       [&](int32_t t) { return f(static_cast<size_t>(t)); });
  }

  void Put(int32_t reg, bool lives) {
    if (reg < 0) return;
    const auto r = static_cast<size_t>(reg);
    const uint64_t bit = uint64_t{1} << r % kBits;
    uint64_t& word = now_[r / kBits];
    word = lives ? word | bit : word & ~bit;
  }

  // Whether it has changed.
  bool Look(size_t i) {
    const Step& s = program_.steps[i];
    std::fill(now_.begin(), now_.end(), 0);
    AnyBehind(i, [&](size_t next) {
      if (next >= program_.steps.size()) return false;
      for (size_t w = 0; w < words_; ++w) now_[w] |= live_[next * words_ + w];
      return false;
    });
    if (s.guard < 0) {
      for (const Target& t : s.results) Put(t.reg, false);
    }
    Put(s.guard, true);
    const Program::Local& local = program_.local;
    for (int32_t r = 0; r < local.words && MayLoadLocal(s); ++r)
      Put(local.first + r, true);
    for (const auto* sources : {&s.sources, &s.data}) {
      for (const Source& source : *sources) Put(source.reg, true);
    }
    const auto at = live_.begin() + static_cast<int64_t>(i * words_);
    if (std::equal(now_.begin(), now_.end(), at)) return false;
    std::copy(now_.begin(), now_.end(), at);
    return true;
  }

  const Program& program_;
  const size_t words_;
  std::vector<uint64_t> live_, now_;
};

}  // namespace

void Steps::FindLive() {
  Liveness live(program_);
  live.Find();
  program_.live.resize(program_.steps.size());
  for (size_t i = 0; i < program_.steps.size(); ++i)
    program_.live[i] = live.At(i);
}

}  // namespace tilesim::ptx
