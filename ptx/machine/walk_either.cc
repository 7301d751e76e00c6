// What data decide that are not known: which way threads go, and whether an
// access is executed.
//
// Where nothing lies on the ways but what computes, it shows in registers only:
// nothing is known of these where the ways meet. Where accesses lie there that
// nobody but who accesses the same bytes can notice (Step::may_skip), two runs
// stand for all: in one, every such access is executed, and in the other none
// (Program::skips). What the data of one execution choose is a part of the
// first, and has all of the second:
//
// * Such an access waits for nothing and orders nothing, and what it returns
//   decides nothing. So all other operations are the same in each, in the same
//   order; two accesses that race in an execution, or one that is out of
//   bounds, are in the first run too.
// * What an execution has written somewhere, the first run has, and what the
//   second has written, every execution has: what is read unconditionally and
//   was not written is seen in the second. Of what such an access itself reads
//   the verdict names the lines (NotJudged::kReadsIfSo).
// * Addresses on such a way are those of registers that it does not change in a
//   loop: of the others nothing is known from its beginning on (Forget), so
//   that an access by one of them is not followed.
// * Where what is stored decides later (a word of shared memory whose values
// are
//   followed), nothing is known of it from then on (PtxGuide::Stored).
#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "ptx/machine/walk.h"

namespace tilesim::ptx {
using machine::Frame;
using machine::Strand;

namespace {

// A frame whose lanes have gone, or go on last, as that step's data decide:
// `rest_pc` says which. On the first of two ways all of its lanes are the rest.
constexpr int32_t kEither = -2;

int32_t EitherStep(const Frame& f) {
  return f.rest == 0 && f.rest_pc <= kEither ? kEither - f.rest_pc : -1;
}

bool IsFirstOfTwo(const Frame& f) { return f.rest != 0 && f.rest == f.lanes; }

bool LeadsTo(const Program& program, int32_t pc, const Frame& f) {
  const Step& s = program.steps[static_cast<size_t>(pc)];
  return s.kind == Step::Kind::kBranch && s.touches && s.join == f.join &&
         s.targets[0] == f.rest_pc;
}

// -1: no frame of data's.
int32_t StepOf(const Program& program, const Frame& f) {
  if (!IsFirstOfTwo(f)) return EitherStep(f);
  for (size_t pc = 0; pc < program.steps.size(); ++pc) {
    if (LeadsTo(program, static_cast<int32_t>(pc), f))
      return static_cast<int32_t>(pc);
  }
  return -1;
}

// Those that go on.
template <typename F>
void ForThreads(const Who& who, F f) {
  const ir::ThreadSet& t = who.strand.threads;
  for (size_t i = 0; i < who.threads(); ++i) {
    const auto lane = static_cast<int64_t>(i % ir::kWarpThreads);
    if ((t.lanes >> lane & 1) == 0) continue;
    const auto warp = static_cast<int64_t>(i / ir::kWarpThreads);
    f(Choices::Thread{who.cta.linear, t.first_warp + warp, lane}, i);
  }
}

// Of a load or store.
uint64_t BytesOf(const Node& n) {
  const Instruction& in = n.instruction();
  const std::string_view s = in.opcode;
  const uint64_t each = ScalarBytes(s.substr(s.rfind('.') + 1));
  const uint64_t count = in.Has(".v8")   ? 8
                         : in.Has(".v4") ? 4
                         : in.Has(".v2") ? 2
                                         : 1;
  return std::max<uint64_t>(each, 1) * count;
}

// The access in the same block that is executed where this one is not, as its
// guard is the same predicate, negated; -1: there is none.
//
//   @%p1 st.shared.u32 [%r1], %r2;
//   @!%p1 st.shared.u32 [%r1], 0;
int32_t ComplementOf(const Program& program, const Step& step) {
  const Graph& g = program.graph;
  const Block& block = g.blocks[g.BlockOf(step.node)];
  const int32_t guard = g.nodes[step.node].guard;
  for (const Step& s : program.steps) {
    if (s.kind != Step::Kind::kOp || !s.may_skip || s.guard != step.guard ||
        s.negated == step.negated || s.node < block.first ||
        s.node >= block.last)
      continue;
    const auto [first, last] = std::minmax(s.node, step.node);
    const bool changed = std::any_of(
        g.nodes.begin() + first, g.nodes.begin() + last, [&](const Node& n) {
          return std::find(n.defines.begin(), n.defines.end(), guard) !=
                 n.defines.end();
        });
    if (!changed) return s.node;
  }
  return -1;
}

}  // namespace

// Of two ways the first is not the one that the branch takes. Which of several
// branches has led to a target, with one join, a frame does not say.
std::vector<ChosenBy> ChosenByOf(const Program& program, const Strand& strand) {
  std::vector<ChosenBy> out;
  for (const Frame& f : strand.frames) {
    const int32_t pc = StepOf(program, f);
    if (pc < 0) continue;
    const Step& s = program.steps[static_cast<size_t>(pc)];
    const bool branch = s.kind == Step::Kind::kBranch;
    const bool on = branch && (IsFirstOfTwo(f) || s.targets[0] == s.join);
    const bool two = branch && s.targets[0] != s.join && pc + 1 != s.join;
    const auto alike = std::count_if(
        program.steps.begin(), program.steps.end(), [&](const Step& other) {
          return two && other.kind == Step::Kind::kBranch && other.touches &&
                 other.join == s.join && other.targets[0] == s.targets[0];
        });
    const bool known = alike <= 1 || program.skips != Skips::kNone;
    out.emplace_back(known ? pc : Choices::kNotKnown, on == s.negated);
  }
  return out;
}

void PtxGuide::NoteChoices(const Who& who) const {
  const Step& step = program_.steps[static_cast<size_t>(who.strand.pc)];
  const bool load = choices_.WantsPlaces(step.node);
  if ((!load && !step.may_skip) || step.sources.empty()) return;
  const Terms::Handled handled(terms());
  const Value at = Of(step.sources[0], who);
  const uint64_t bytes = BytesOf(program_.graph.nodes[step.node]);
  if (load && at.unknown()) choices_.NoteSomewhere(step.node);
  if (load && !at.unknown())
    ForThreads(who, [&](const Choices::Thread& t, size_t i) {
      choices_.NotePlace(step.node, t, lanes_.At(at, i), bytes);
    });
  if (!step.may_skip) return;
  const std::vector<ChosenBy> by = ChosenByOf(program_, who.strand);
  if (program_.skips == Skips::kNone) choices_.NoteExecuted(step.op, by);
  const std::string_view opcode =
      program_.graph.nodes[step.node].instruction().opcode;
  if (program_.skips == Skips::kNone || !opcode.starts_with("st")) return;
  if (!opcode.starts_with("st.")) return ways_.StoredSomewhere();
  for (const auto& [pc, holds] : by) {
    const Step& chosen = program_.steps[static_cast<size_t>(pc)];
    int32_t key = chosen.node;
    if (chosen.kind == Step::Kind::kOp)
      key = std::min(key, ComplementOf(program_, chosen));
    if (at.unknown()) ways_.StoredSomewhere();
    if (at.unknown() || key < 0) continue;
    ForThreads(who, [&](const Choices::Thread& t, size_t i) {
      const int64_t thread =
          (t.cta * ir::kMaxWarps + t.warp) * ir::kWarpThreads + t.lane;
      ways_.Stored(key, thread, lanes_.At(at, i), bytes);
    });
  }
}

int32_t EitherOf(const Program& program, const Strand& strand) {
  for (auto f = strand.frames.rbegin(); f != strand.frames.rend(); ++f) {
    if (const int32_t step = StepOf(program, *f); step >= 0) return step;
  }
  return -1;
}

// Of what is computed on either way nothing is known, where they meet.
Walk::Next Walk::EitherWay(const Step& step) {
  if (step.loops) guide_.Note(NotJudged::kLoopEnds, LineHere());
  ForgetUnjudged(step, GuardOf(step));
  strand().pc = step.join;
  return Next::kGoOn;
}

void Walk::Forget(const Step& step, const Value& unknown) {
  bool stores = false;  // to local memory
  auto forget = [&](const Step& s) {
    for (const Target& target : s.results)
      guide_.Set(strand(), target, unknown);
    stores |= s.kind == Step::Kind::kOwn && s.results.empty();
  };
  for (int32_t pc : step.computes) forget(program_.steps[pc]);
  forget(step);
  if (stores) ForgetLocal(unknown);
}

void Walk::ForgetUnjudged(const Step& step, const Value& unknown) {
  const int32_t origin = Lanes::OriginOf(unknown);
  const bool of_own =
      origin >= 0 && program_.steps[origin].kind == Step::Kind::kOwn;
  auto note = [&](const Step& s) {
    if (s.kind != Step::Kind::kOwn) return;
    if (of_own) guide_.Want(origin);
    guide_.Note(NotJudged::kOwnMemory,
                program_.graph.nodes[s.node].statement->span.text_line());
  };
  for (int32_t pc : step.computes) note(program_.steps[pc]);
  note(step);
  Forget(step, unknown);
}

void Walk::ForgetAt(int32_t pc) {
  const Step& step = program_.steps[pc];
  const Value guard = GuardOf(step);
  Forget(step, guard.unknown() ? guard : Lanes::Unknown(pc));
}

bool Walk::IsOnWayOf(int32_t pc) const {
  const auto& frames = strand().frames;
  if (frames.empty()) return false;
  const Frame& f = frames.back();
  return EitherStep(f) == pc || (IsFirstOfTwo(f) && LeadsTo(program_, pc, f));
}

bool Walk::TakesBoth(const Step& step, const Value& guard) const {
  return IsOfData(guard) && (step.touches || step.may_skip) &&
         !program_.timed && !program_.whole;
}

// Of the guard of the step at which it stands.
void Walk::NoteGuard() {
  Choices& choices = guide_.choices();
  choices.NoteGuard(strand().pc);
  const int32_t node = choices.ComparedBy(strand().pc);
  auto step = std::find_if(
      program_.steps.begin(), program_.steps.end(), [&](const Step& s) {
        return s.node == node && s.kind == Step::Kind::kScalar;
      });
  if (node < 0 || step == program_.steps.end()) return;
  const Terms::Handled handled(guide_.terms());
  for (const Source& source : step->sources) {
    const Value v = guide_.Of(source, who());
    if (v.unknown()) continue;
    ForThreads(who(), [&](const Choices::Thread& t, size_t i) {
      choices.NoteCompared(node, t, guide_.lanes().At(v, i));
    });
  }
}

// True: it is skipped.
bool Walk::MaySkip(const Step& step, const Value& guard) {
  if (IsOnWayOf(strand().pc)) return false;
  guide_.NoteEither();
  guide_.Want(Lanes::OriginOf(guard));
  const int32_t other = ComplementOf(program_, step);
  if (other >= 0)
    guide_.ways().Note(std::min(other, step.node),
                       guide_.choices().InLoop(step.node));
  const bool takes =
      program_.skips == Skips::kNone ||
      (other >= 0 &&
       program_.skips == (step.negated ? Skips::kTaken : Skips::kNotTaken));
  if (program_.skips == Skips::kNone) NoteGuard();
  if (!takes) {
    Forget(step, guard);
    ++strand().pc;
    return true;
  }
  Narrow(strand().threads.lanes, false, strand().pc + 1, 0,
         kEither - strand().pc);
  return false;
}

// Of two accesses of which data say where, one number may say both.
machine::Chosen::Both PtxGuide::Together(const machine::CompiledOp& a,
                                         const machine::CompiledOp& b,
                                         Apart apart) const {
  auto wide = [&](const machine::CompiledOp& op) {
    const Step* s = StepOf(op);
    return s != nullptr && WideOf(*s) > 0;
  };
  if (wide(a) && wide(b)) {
    choices_.NotShown(a.number, b.number);
    return Both::kNotShown;
  }
  return choices_.Together(a.number, b.number, apart);
}

// An access of which data say where may be anywhere in what it may touch. What
// it writes there, it need not write.
bool Walk::SkipsWide(const Step& step) {
  guide_.NoteEither();
  const machine::Code& code = machine_.code_of(state_.ctas[strand().cta]);
  const bool reads = code.ops[step.op].op->info->kind == ir::OpKind::kLdShared;
  if (program_.skips == Skips::kNone || reads) return false;
  Forget(step, Lanes::Unknown(strand().pc));
  ++strand().pc;
  return true;
}

// Of a loop, one round.
Walk::Next Walk::BothWays(const Step& step, const Value& guard) {
  Strand& s = strand();
  const int32_t pc = s.pc, to = step.targets[0], on = pc + 1, join = step.join;
  const bool around = IsOnWayOf(pc);
  guide_.NoteEither();
  guide_.Want(Lanes::OriginOf(guard));
  if (!around && step.loops) {
    const bool inside = EitherOf(program_, s) == pc;
    if (inside) return Stop(guard, "where control goes on");
    guide_.Note(NotJudged::kLoopEnds, LineHere());
  }
  Forget(step, guard);
  const bool two =
      to != join && on != join && Executes(to, join) && Executes(on, join);
  if (two)
    guide_.ways().Note(step.node,
                       step.loops || guide_.choices().InLoop(step.node));
  const bool none = program_.skips == Skips::kNone;
  if (none && !around) NoteGuard();
  if (around || (!none && (!two || program_.skips == Skips::kAll))) {
    s.pc = join;
  } else if (!none) {
    Narrow(s.threads.lanes, false, join, 0, kEither - pc);
    s.pc = program_.skips == Skips::kNotTaken ? to : on;
  } else if (to == join || on == join) {
    Narrow(s.threads.lanes, false, join, 0, kEither - pc);
    s.pc = to == join ? on : to;
  } else {
    Narrow(s.threads.lanes, false, join, s.threads.lanes, to);
    s.pc = on;
  }
  return Next::kGoOn;
}

// What the first way has computed is not so on the second.
void Walk::SecondWay() {
  Frame& f = strand().frames.back();
  Frame both = f;
  both.rest = both.lanes;
  int32_t branch = -1;
  for (size_t pc = 0; pc < program_.steps.size(); ++pc) {
    if (!LeadsTo(program_, static_cast<int32_t>(pc), both)) continue;
    branch = static_cast<int32_t>(pc);
    ForgetAt(branch);
  }
  f.rest_pc = kEither - branch;
}

// It may read what another such access has not written.
void Walk::NoteRead(const Step& step) {
  const machine::Code& code = machine_.code_of(state_.ctas[strand().cta]);
  const ir::OpKind kind = code.ops[step.op].op->info->kind;
  const auto& buffers = program_.memory.file().buffers;
  const bool undefined = std::any_of(
      buffers.begin(), buffers.end(),
      [](const Buffer& b) { return b.start.kind == Start::Kind::kUndefined; });
  const bool reads =
      kind == ir::OpKind::kLdShared ||
      (undefined && (kind == ir::OpKind::kLdGlobal || kind == ir::OpKind::kLd));
  if (reads && EitherOf(program_, strand()) >= 0)
    guide_.Note(NotJudged::kReadsIfSo, LineHere());
}

}  // namespace tilesim::ptx
