#include "sim/machine/deadlock.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "boost/graph/adjacency_list.hpp"
#include "boost/graph/strong_components.hpp"
#include "ir/cat.h"
#include "ir/ops/all.h"

namespace tilesim::machine {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

struct Stuck {
  int32_t strand;
  Signal signal;
  const CompiledOp* op;
};

// Whether an op can bring a barrier of this declaration forward.
bool Supplies(const Guide& guide, const CompiledOp& op, int32_t decl) {
  bool mentions = false;
  for (size_t i = 0; i < op.op->info->operands.size(); ++i)
    mentions |= guide.MayName(op, static_cast<int>(i), decl);
  if (!mentions) return false;
  ir::EffectSink sink;
  ir::EffectsOf(FixedOperands(op), sink);
  return std::any_of(
      sink.effects().begin(), sink.effects().end(), [](const ir::Effect& e) {
        return e.Is(ir::kContributes) || e.kind == ir::EffectKind::kTrack;
      });
}

// Whether `wanted` holds for an op that control may take a strand to from
// `start` on.
template <typename Wanted>
bool AnyOpFrom(const Machine& machine, const State& state, const Strand& s,
               int32_t start, Wanted wanted) {
  const Code& code = machine.code_of(state.ctas[s.cta]);
  const Guide& guide = machine.guide_of(state.ctas[s.cta]);
  std::vector<bool> seen(code.instrs.size());
  std::vector<int32_t> open = {start};
  while (!open.empty()) {
    int32_t pc = open.back();
    open.pop_back();
    if (seen[pc]) continue;
    seen[pc] = true;
    const Instr& i = code.instrs[pc];
    if (i.kind == Instr::Kind::kOp && wanted(code.ops[i.a])) return true;
    guide.WaysOn(machine, state, s, pc, open);
  }
  return false;
}

class Explainer {
 public:
  Explainer(Machine& machine, State& state)
      : machine_(machine), state_(state) {}

  std::vector<ir::Diagnostic> Run() {
    Collect();
    if (stuck_.empty()) return {};
    BuildGraph();
    std::vector<int> component(stuck_.size());
    int count = boost::strong_components(graph_, component.data());
    for (int c = 0; c < count; ++c) {
      std::vector<size_t> members;
      for (size_t i = 0; i < stuck_.size(); ++i) {
        if (component[i] == c) members.push_back(i);
      }
      bool cycle = members.size() > 1 || SelfLoop(members[0]);
      if (cycle) Describe(First(members), members, "deadlock/cycle");
    }
    // Who waits only for members of a cycle is a consequence of it; else who
    // waits for one that polls, or for others that are stuck.
    if (out_.empty() && polls_) DescribePoll(*polls_);
    if (out_.empty()) {
      for (size_t i = 0; i < stuck_.size(); ++i) {
        if (!WaitsForOthers(i)) Describe(i, {i}, CodeOf(i));
      }
      AddThoseBehind();
    }
    return std::move(out_);
  }

 private:
  // Of a cycle, one whose phase has begun: others have come to it already.
  size_t First(const std::vector<size_t>& members) const {
    auto begun = [&](size_t i) {
      const Signal& signal = stuck_[i].signal;
      if (signal.kind != Signal::Kind::kMbarrier) return false;
      const Mbarrier& b = state_.ctas[signal.id].mbarriers[signal.index];
      return b.pending > 0 && b.pending < b.expected;
    };
    auto first = std::find_if(members.begin(), members.end(), begun);
    return first == members.end() ? members[0] : *first;
  }

  void Collect() {
    int32_t first_cluster = -1;
    for (size_t i = 0; i < state_.strands.size(); ++i) {
      const Strand& s = state_.strands[i];
      if (s.status != Strand::Status::kRunning &&
          s.status != Strand::Status::kInNamed)
        continue;
      int32_t cluster = state_.ctas[s.cta].cluster;
      if (first_cluster < 0) first_cluster = cluster;
      Stuck stuck{static_cast<int32_t>(i), {}, OpOf(s)};
      if (!machine_.BlockedOn(state_, stuck.strand, stuck.signal)) {
        stuck.op = PolledBy(s);
        if (!polls_ && stuck.op != nullptr) polls_ = stuck;
      } else if (cluster == first_cluster) {
        // The same story in every cluster; the first one tells it.
        stuck_.push_back(stuck);
      }
    }
    // By who they are: slots say only in which order threads came apart.
    auto who = [&](const Stuck& stuck) {
      const Strand& s = state_.strands[stuck.strand];
      return std::make_tuple(s.cta, s.threads.first_warp, s.threads.lanes);
    };
    std::sort(stuck_.begin(), stuck_.end(),
              [&](const Stuck& a, const Stuck& b) { return who(a) < who(b); });
  }

  // The op it stands at, or inside of.
  const CompiledOp* OpOf(const Strand& s) const {
    if (s.status != Strand::Status::kInNamed) return machine_.op_at(state_, s);
    const Code& code = machine_.code_of(state_.ctas[s.cta]);
    return &code.ops[code.instrs[s.pc - 1].a];
  }

  // In the loop in which it goes round: an op to which it comes again.
  const CompiledOp* PolledBy(const Strand& s) const {
    const CompiledOp* polled = nullptr;
    AnyOpFrom(machine_, state_, s, s.pc, [&](const CompiledOp& op) {
      const Code& code = machine_.code_of(state_.ctas[s.cta]);
      auto at = std::find_if(
          code.instrs.begin(), code.instrs.end(), [&](const Instr& i) {
            return i.kind == Instr::Kind::kOp && &code.ops[i.a] == &op;
          });
      const auto behind = static_cast<int32_t>(at - code.instrs.begin()) + 1;
      bool again = AnyOpFrom(machine_, state_, s, behind,
                             [&](const CompiledOp& o) { return &o == &op; });
      if (again) polled = &op;
      return again;
    });
    return polled;
  }

  int32_t DeclOf(const Signal& signal) const {
    const ir::BoundKernel& b = machine_.code_of(state_.ctas[signal.id]).bound;
    for (size_t d = 0; d < b.decls.size(); ++d) {
      const ir::BoundDecl& decl = b.decls[d];
      if (decl.space == ir::Space::kMbarrier && signal.index >= decl.place &&
          signal.index < decl.place + decl.objects)
        return static_cast<int32_t>(d);
    }
    return -1;
  }

  // Roles (indices, -1: none) whose code can bring the signal forward.
  std::set<int32_t> SuppliersOf(const Signal& signal) const {
    std::set<int32_t> roles;
    const Code& code = machine_.code_of(state_.ctas[signal.id]);
    const Guide& guide = machine_.guide_of(state_.ctas[signal.id]);
    int32_t decl = DeclOf(signal);
    for (const CompiledOp& op : code.ops) {
      if (Supplies(guide, op, decl)) roles.insert(op.role);
    }
    return roles;
  }

  // Whether a stuck strand, once it goes on, may come to an op that brings the
  // signal forward.
  bool MaySupply(const Stuck& other, const Signal& signal) const {
    const Strand& s = state_.strands[other.strand];
    const Guide& guide = machine_.guide_of(state_.ctas[s.cta]);
    int32_t decl = signal.kind == Signal::Kind::kMbarrier ? DeclOf(signal) : -1;
    // A blocked strand stands at its op; that op itself supplies nothing.
    int32_t start = s.status == Strand::Status::kInNamed ? s.pc : s.pc + 1;
    return AnyOpFrom(machine_, state_, s, start, [&](const CompiledOp& op) {
      return signal.kind == Signal::Kind::kRegisters
                 ? op.op->info->kind == ir::OpKind::kSetmaxnregDec
                 : Supplies(guide, op, decl);
    });
  }

  void BuildGraph() {
    graph_ = Graph(stuck_.size());
    for (size_t i = 0; i < stuck_.size(); ++i) {
      const Signal& signal = stuck_[i].signal;
      bool supplied = signal.kind == Signal::Kind::kMbarrier ||
                      signal.kind == Signal::Kind::kRegisters;
      for (size_t j = 0; j < stuck_.size(); ++j) {
        bool waits = supplied ? MaySupply(stuck_[j], signal)
                              : i != j && SameBarrier(stuck_[i], stuck_[j]);
        if (waits) boost::add_edge(i, j, graph_);
      }
    }
  }

  bool WaitsForOthers(size_t i) const {
    auto [from, to] = boost::out_edges(i, graph_);
    return std::any_of(from, to, [&](const auto& edge) {
      return boost::target(edge, graph_) != i;
    });
  }

  // A named or cluster barrier waits for everybody who is not in it yet, the
  // op of a warpgroup for its other warps.
  bool SameBarrier(const Stuck& stuck, const Stuck& other) const {
    const Signal& signal = stuck.signal;
    if (signal.kind == Signal::Kind::kNamed)
      return !(other.signal == signal) &&
             state_.strands[other.strand].cta == signal.id;
    if (signal.kind == Signal::Kind::kCluster) return !(other.signal == signal);
    if (signal.kind != Signal::Kind::kCollective) return false;
    const Strand &a = state_.strands[stuck.strand],
                 &b = state_.strands[other.strand];
    return a.cta == b.cta && stuck.op != other.op &&
           a.threads.first_warp / ir::kWarpgroupWarps ==
               b.threads.first_warp / ir::kWarpgroupWarps;
  }

  // A strand waits for itself when only its own code supplies what it waits
  // for, further on.
  bool SelfLoop(size_t i) const {
    return boost::edge(i, i, graph_).second &&
           boost::out_degree(i, graph_) == 1 &&
           SuppliersOf(stuck_[i].signal).size() == 1;
  }

  ir::Code CodeOf(size_t i) const {
    const Signal& signal = stuck_[i].signal;
    if (signal.kind == Signal::Kind::kNamed) return "barrier/participants";
    if (signal.kind == Signal::Kind::kRegisters) return "registers/pool";
    if (signal.kind == Signal::Kind::kTmem) return "tmem/capacity";
    if (signal.kind != Signal::Kind::kMbarrier)
      return "deadlock/missing-arrival";
    const Mbarrier& b = state_.ctas[signal.id].mbarriers[signal.index];
    return b.pending == 0 && b.tx != 0 ? ir::Code("deadlock/missing-bytes")
                                       : "deadlock/missing-arrival";
  }

  std::string What(const Signal& signal) const {
    switch (signal.kind) {
      case Signal::Kind::kMbarrier:
        return WhatMbarrier(signal);
      case Signal::Kind::kNamed: {
        const NamedBarrier& b = state_.ctas[signal.id].named[signal.index];
        return ir::Cat("barrier ", signal.index, " has ", b.arrived, " of ",
                       machine_.ExpectedAt(state_, signal.id, signal.index),
                       " threads and gets no more");
      }
      case Signal::Kind::kCluster:
        return "the cluster barrier is not reached by every thread";
      case Signal::Kind::kRegisters:
        return ir::Cat("setmaxnreg.inc asks for more than the ",
                       state_.ctas[signal.id].free_registers,
                       " registers that are free, and nobody gives more back");
      case Signal::Kind::kTmem:
        return "tcgen05.alloc asks for more columns than are free, and nobody "
               "gives any back";
      case Signal::Kind::kCollective:
        return "the other warps of the warpgroup do not come";
      case Signal::Kind::kGroup:
        return "a group of asynchronous operations does not end";
      default:
        return "it waits for ever";
    }
  }

  std::string WhatMbarrier(const Signal& signal) const {
    const Cta& cta = state_.ctas[signal.id];
    const Mbarrier& b = cta.mbarriers[signal.index];
    std::string text = ir::Cat("`", machine_.BarrierName(cta, signal.index),
                               "` never completes phase ", b.phase, ": ",
                               b.pending, " of ", b.expected, " arrivals");
    if (b.tx > 0) ir::Append(&text, " and ", b.tx, " bytes");
    if (b.tx < 0)
      ir::Append(&text, " are missing and ", -b.tx,
                 " bytes too many have come");
    if (b.tx >= 0) text += " are missing";
    return text;
  }

  void Describe(size_t first, const std::vector<size_t>& members,
                ir::Code code) {
    const Stuck& s = stuck_[first];
    ir::Diagnostic d;
    d.code = code;
    d.message = What(s.signal);
    if (s.op != nullptr) d.span = s.op->op->span;
    d.span_text = Name(s) + ": waits here";
    for (size_t m : members) {
      if (m == first || stuck_[m].op == nullptr) continue;
      if (SaysTheSame(stuck_[m], s)) continue;
      AddLabel(
          d, stuck_[m].op->op->span,
          ir::Cat(Name(stuck_[m]), ": waits here; ", What(stuck_[m].signal)));
    }
    if (members.size() == 1) AddSuppliers(s, d);
    if (s.signal.kind == Signal::Kind::kTmem) AddHolders(s, d);
    SayWhoIsCounted(members, d);
    if (s.signal.kind == Signal::Kind::kMbarrier) SayWhatCounts(s.signal, d);
    bool told = std::any_of(out_.begin(), out_.end(), [&](const auto& o) {
      return o.code == d.code && o.message == d.message;
    });
    if (!told) out_.push_back(std::move(d));
  }

  // It could go on, but comes back to where it stands.
  void DescribePoll(const Stuck& s) {
    ir::Diagnostic& d = out_.emplace_back();
    d.code = "deadlock/loop";
    d.message = ir::Cat(Name(s),
                        " polls for ever: nothing is in flight, and nobody "
                        "else goes on who could change what it polls");
    d.span = s.op->op->span;
    d.span_text = Name(s) + ": polls here";
    d.help =
        "whoever is to change it must come to do so without waiting for those "
        "that poll";
    for (const Stuck& other : stuck_) {
      if (other.op == nullptr) continue;
      d.labels.push_back(
          {other.op->op->span,
           ir::Cat(Name(other), ": waits here; ", What(other.signal))});
    }
  }

  // Another warp of the role waits at the same op for the same.
  bool SaysTheSame(const Stuck& a, const Stuck& b) const {
    return b.op != nullptr && a.op->op->span.line == b.op->op->span.line &&
           a.op->op->span.column == b.op->op->span.column &&
           Name(a) == Name(b) && What(a.signal) == What(b.signal);
  }

  // Several warps of a role that stand at one op are told once.
  static void AddLabel(ir::Diagnostic& d, const ir::Span& span,
                       std::string text) {
    const bool told =
        std::any_of(d.labels.begin(), d.labels.end(), [&](const ir::Label& l) {
          return l.span.line == span.line && l.span.column == span.column &&
                 l.text == text;
        });
    if (!told) d.labels.push_back({span, std::move(text)});
  }

  void AddThoseBehind() {
    for (size_t i = 0; i < stuck_.size(); ++i) {
      if (!WaitsForOthers(i) || stuck_[i].op == nullptr) continue;
      AddLabel(
          out_.front(), stuck_[i].op->op->span,
          ir::Cat(Name(stuck_[i]), ": waits here for others that are stuck; ",
                  What(stuck_[i].signal)));
    }
  }

  // A barrier without a number is for all threads, which was perhaps not meant.
  void SayWhoIsCounted(const std::vector<size_t>& members,
                       ir::Diagnostic& d) const {
    for (size_t m : members) {
      const Signal& signal = stuck_[m].signal;
      if (signal.kind != Signal::Kind::kNamed ||
          state_.ctas[signal.id].named[signal.index].counted)
        continue;
      d.help =
          "where no number of threads is named, all of the CTA that have not "
          "exited are waited for; `bar.sync ID, THREADS` waits for so many";
      return;
    }
  }

  // Where some have arrived and others have not: what one arrival is.
  void SayWhatCounts(const Signal& signal, ir::Diagnostic& d) const {
    const Mbarrier& b = state_.ctas[signal.id].mbarriers[signal.index];
    const Guide& guide = machine_.guide_of(state_.ctas[signal.id]);
    if (b.pending == 0 || b.pending >= b.expected || !d.help.empty()) return;
    const int32_t decl = DeclOf(signal);
    for (const CompiledOp& op : machine_.code_of(state_.ctas[signal.id]).ops) {
      if (!Supplies(guide, op, decl)) continue;
      d.help = ir::Cat(
          "each thread that executes the ", op.op->info->mnemonic, " on line ",
          op.op->span.text_line(),
          " counts once: `elect` is one lane of each warp, `elect one` one "
          "thread of all; mbarrier.init counts all of a phase");
      return;
    }
  }

  // Who holds the columns that are not free.
  void AddHolders(const Stuck& s, ir::Diagnostic& d) const {
    const Cta& cta = state_.ctas[state_.strands[s.strand].cta];
    const Code& code = machine_.code_of(cta);
    for (const CompiledOp& op : code.ops) {
      if (op.op->info->kind != ir::OpKind::kTcgen05Alloc) continue;
      int32_t pool = op.operands[ir::ops::Tcgen05Alloc::kPool].fixed.tile.decl;
      if (cta.tmem[pool] != TmemStatus::kAllocated || &op == s.op) continue;
      d.labels.push_back(
          {op.op->span, ir::Cat("`", code.kernel().decls[pool].name, "` holds ",
                                code.bound.decls[pool].columns, " columns")});
    }
  }

  void AddSuppliers(const Stuck& s, ir::Diagnostic& d) const {
    if (s.signal.kind != Signal::Kind::kMbarrier) return;
    const auto& names =
        machine_.code_of(state_.ctas[s.signal.id]).kernel().roles;
    std::set<int32_t> roles = SuppliersOf(s.signal);
    // Where PTX arrives, its addresses say as it runs.
    if (roles.empty() &&
        machine_.code_of(state_.ctas[s.signal.id]).guide != nullptr) {
      d.notes.push_back("no thread that could still go on arrives on it");
    } else if (roles.empty()) {
      d.notes.push_back("no op of the program arrives on it");
      if (d.help.empty())
        d.help =
            "mbarrier.arrive makes a phase complete, and so do "
            "mbarrier.arrive.expect_tx and the commit of async operations; "
            "a barrier that nobody is to arrive on needs no wait";
    } else if (names.empty()) {
      return AddWarpsThatSupply(s, d);
    }
    for (int32_t role : roles) {
      std::string who =
          role < 0 ? "code outside roles" : "`" + names[role] + "`";
      d.notes.push_back(ir::Cat(who, " could supply it, and ", StateOf(role)));
    }
  }

  // Of a program without roles.
  void AddWarpsThatSupply(const Stuck& s, ir::Diagnostic& d) const {
    const size_t before = d.notes.size();
    for (const Stuck& other : stuck_) {
      if (other.strand == s.strand || other.op == nullptr ||
          !MaySupply(other, s.signal))
        continue;
      d.notes.push_back(ir::Cat(Name(other),
                                " could supply it, and is itself waiting on "
                                "line ",
                                other.op->op->span.text_line()));
    }
    if (d.notes.size() == before)
      d.notes.push_back("whoever could supply it has ended, or waits here");
  }

  std::string StateOf(int32_t role) const {
    for (const Stuck& s : stuck_) {
      if (state_.strands[s.strand].role != role) continue;
      return ir::Cat("is itself waiting on line ",
                     s.op == nullptr ? 0 : s.op->op->span.text_line());
    }
    return "has ended";
  }

  std::string Name(const Stuck& s) const {
    return machine_.RoleName(state_, state_.strands[s.strand]);
  }

  Machine& machine_;
  State& state_;
  std::vector<Stuck> stuck_;
  std::optional<Stuck> polls_;  // the first that is not blocked
  Graph graph_;
  std::vector<ir::Diagnostic> out_;
};

}  // namespace

std::vector<ir::Diagnostic> ExplainDeadlock(Machine& machine, State& state) {
  return Explainer(machine, state).Run();
}

}  // namespace tilesim::machine
