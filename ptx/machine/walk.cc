#include "ptx/machine/walk.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "fmt/format.h"
#include "ir/cat.h"

namespace tilesim::ptx {
using machine::Frame;
using machine::StepResult;
using machine::Strand;

namespace {

constexpr int64_t kControlLimit = 1 << 22, kLookFrom = 1 << 12;

}  // namespace

bool PtxGuide::Advance(machine::Machine& machine, machine::State& state,
                       int32_t strand, StepResult& result) const {
  return Walk(*this, machine, state, strand, result).ToOperation();
}

bool Walk::ToOperation() {
  if (strand().ready) return true;
  // What comes back as it was goes on for ever (Brent: now and then a state is
  // kept, and compared with those that follow).
  std::optional<Strand> kept;
  for (int64_t keep = kLookFrom; result_.control < kControlLimit;
       ++result_.control) {
    Next next = One();
    if (next == Next::kThere) return strand().ready = true;
    if (next == Next::kStop) return false;
    if (result_.control < kLookFrom) continue;
    if (kept && kept->pc == strand().pc && *kept == strand()) return Endless();
    if (result_.control < keep) continue;
    kept = strand();
    keep = 2 * keep;
  }
  machine_.AddNotFollowed(
      fmt::format("line {}: a loop goes on for more than {} instructions "
                  "without an operation: choose a launch in which it goes "
                  "around less often",
                  LineHere(), kControlLimit));
  result_.kind = StepResult::Kind::kFault;
  return false;
}

bool Walk::Endless() {
  machine_.ReportLoop(
      state_, strand_,
      program_.graph.nodes[std::max(program_.steps[strand().pc].node, 0)]
          .statement->span,
      result_);
  return false;
}

int32_t Walk::LineHere() const {
  return program_.graph.nodes[std::max(program_.steps[strand().pc].node, 0)]
      .statement->span.text_line();
}

Walk::Next Walk::One() {
  while (PopFrames()) {
  }
  const Step& step = program_.steps[strand().pc];
  if (program_.timed && !again_) {
    result_.passed += step.passed;
    if (!step.awaits.empty())
      result_.awaits.insert(result_.awaits.end(), step.awaits.begin(),
                            step.awaits.end());
  }
  again_ = false;
  switch (step.kind) {
    case Step::Kind::kEnd:
      machine_.Exit(state_, strand_, result_);
      return Next::kStop;
    case Step::Kind::kBranch:
      return Branch(step);
    case Step::Kind::kOp:
      return Operation(step);
    case Step::Kind::kScalar:
      if (ScalarOfAll(step)) return Next::kGoOn;
      return Compute(step);
    default:
      return Compute(step);
  }
}

// True: a frame has ended here, and there may be another.
bool Walk::PopFrames() {
  Strand& s = strand();
  if (s.frames.empty() || s.frames.back().join != s.pc) return false;
  Frame& f = s.frames.back();
  if (f.rest != 0) {
    const bool both = f.rest == f.lanes;
    s.threads.lanes = std::exchange(f.rest, 0);
    s.threads.electors = f.electors;
    // What lies before an operation that the others have done, these had too.
    again_ = f.rest_pc + 1 == f.join;
    s.pc = f.rest_pc;
    if (both) SecondWay();
    return true;
  }
  const int32_t either = f.rest_pc < -1 ? EitherOf(program_, s) : -1;
  s.threads.lanes = f.lanes;
  s.threads.electors = f.electors;
  s.frames.pop_back();
  if (either >= 0) ForgetAt(either);
  return true;
}

void Walk::Narrow(uint32_t lanes, bool elected, int32_t join, uint32_t rest,
                  int32_t rest_pc) {
  Strand& s = strand();
  Frame f;
  f.lanes = s.threads.lanes;
  f.electors = s.threads.electors;
  f.role = s.role;
  f.join = join;
  f.rest = rest;
  f.rest_pc = rest_pc;
  s.frames.push_back(f);
  // Whom elect.sync takes is not known: checkers must take it for any of them.
  bool one =
      std::has_single_bit(lanes) && !std::has_single_bit(s.threads.lanes);
  if (elected && one) s.threads.electors = s.threads.lanes;
  s.threads.lanes = lanes;
}

Walk::Next Walk::Fault(ir::Code code, std::string message, std::string help) {
  const Step& step = program_.steps[strand().pc];
  machine_.ReportAt(state_, strand().cta,
                    program_.graph.nodes[step.node].statement->span, code,
                    std::move(message), std::move(help));
  result_.kind = StepResult::Kind::kFault;
  return Next::kStop;
}

Walk::Next Walk::Stop(const Value& unknown, std::string_view what) {
  const Step& here = program_.steps[strand().pc];
  auto line = [&](const Step& s) {
    return program_.graph.nodes[s.node].statement->span.text_line();
  };
  if (int32_t reg = Lanes::UndefinedIn(unknown); reg >= 0)
    return Fault("uninit/register", guide_.UndefinedText(what, reg),
                 std::string(kHowToDefine));
  if (guide_.DividesBy0(unknown))
    return Fault("uninit/register", guide_.DivisionText(what, unknown),
                 std::string(kHowToDivide));
  const int32_t origin = Lanes::OriginOf(unknown);
  guide_.Want(origin);
  std::string from =
      origin < 0 ? std::string("a clock, or where it runs")
                 : fmt::format("`{}` on line {}",
                               program_.graph.nodes[program_.steps[origin].node]
                                   .instruction()
                                   .opcode,
                               line(program_.steps[origin]));
  machine_.AddNotFollowed(
      fmt::format("{} on line {} depends on a value that is not known: it "
                  "comes from {}{}",
                  what, line(here), from, guide_.MissingFor(origin)));
  result_.kind = StepResult::Kind::kFault;
  return Next::kStop;
}

bool Walk::SplitWhere(const Value& v) {
  Strand& s = strand();
  if (v.uniform() || v.unknown() || s.threads.warps == 1) return false;
  const auto warp = static_cast<int>(
      guide_.lanes().FirstUnlike(v, s.threads.lanes, s.threads.warps));
  if (warp == 0) return false;
  machine_.SplitOff(state_, strand_, s.threads.first_warp + warp,
                    s.threads.warps - warp, s.pc, result_);
  return true;
}

std::optional<uint32_t> Walk::Holding(const Step& step, bool* elected) {
  if (step.guard < 0) return strand().threads.lanes;
  const Terms::Handled handled(guide_.terms());
  Value v = guide_.Get(strand(), step.guard);
  if (guide_.terms() != nullptr) guide_.terms()->GoesBy(v);
  if (v.unknown()) {
    Stop(v, "whether the instruction is executed");
    return std::nullopt;
  }
  // Of what warps differ in, the strand keeps the first.
  SplitWhere(v);
  v = guide_.Get(strand(), step.guard);
  *elected = guide_.lanes().Elected(v);
  const uint32_t holds = guide_.lanes().NotZero(v);
  return (step.negated ? ~holds : holds) & strand().threads.lanes;
}

// --- branches ---------------------------------------------------------------

Walk::Next Walk::Branch(const Step& step) {
  ++result_.tests;
  if (!step.sources.empty()) return BranchIndexed(step);
  if (step.fails != Step::Fails::kNeither && GuardOf(step).unknown()) {
    guide_.Note(NotJudged::kAssertion, LineHere());
    strand().pc =
        step.fails == Step::Fails::kTaken ? strand().pc + 1 : step.targets[0];
    return Next::kGoOn;
  }
  // Of time, few instructions are left out so, but no loop.
  if (step.guard >= 0 && !step.computes.empty() && !step.touches &&
      !(program_.timed && step.loops) && GuardOf(step).unknown())
    return PartKnown(step, step.join, true) ? Next::kGoOn : EitherWay(step);
  if (const Value guard = GuardOf(step); TakesBoth(step, guard))
    return PartKnown(step, step.join) ? Next::kGoOn : BothWays(step, guard);
  bool elected = false;
  std::optional<uint32_t> taken = Holding(step, &elected);
  if (!taken) return Next::kStop;
  if (step.traps && *taken != 0) return Trapped(step);
  Strand& s = strand();
  if (*taken == s.threads.lanes) {
    s.pc = step.targets[0];
  } else if (*taken == 0) {
    ++s.pc;
  } else {
    return Divided(step, *taken, elected);
  }
  return Next::kGoOn;
}

Walk::Next Walk::Trapped(const Step& step) {
  const Node& n = program_.graph.nodes[step.node];
  return Fault("trap/reached",
               CalleeOf(n) == Callee::kAssertFail
                   ? "an assertion fails: __assertfail ends the kernel here"
                   : "a thread executes trap, which ends the kernel here",
               "look at the condition that leads here");
}

Walk::Next Walk::BranchIndexed(const Step& step) {
  Value v = guide_.Of(step.sources[0], who());
  if (v.unknown()) return Stop(v, "where control goes on");
  SplitWhere(v);
  v = guide_.Of(step.sources[0], who());
  uint64_t to =
      guide_.lanes().At(v, static_cast<size_t>(strand().threads.first_lane()));
  if (!v.uniform() || to >= step.targets.size() || step.guard >= 0) {
    machine_.AddNotFollowed(ir::Cat(
        "line ", program_.graph.nodes[step.node].statement->span.text_line(),
        ": lanes of a warp go different ways by brx.idx"));
    result_.kind = StepResult::Kind::kFault;
    return Next::kStop;
  }
  strand().pc = step.targets[to];
  return Next::kGoOn;
}

// Whether an operation of it may wait for others.
bool Walk::MayWait(const Step& step) const {
  const machine::Code& code = machine_.code_of(state_.ctas[strand().cta]);
  ir::EffectSink sink;
  ir::EffectsOf(code.ops[step.op].fixed, sink);
  return std::any_of(
      sink.effects().begin(), sink.effects().end(), [](const ir::Effect& e) {
        using Kind = ir::EffectKind;
        return e.kind == Kind::kWait || e.kind == Kind::kNamedSync ||
               e.kind == Kind::kClusterWait || e.kind == Kind::kRegisters ||
               e.kind == Kind::kTmemAlloc || e.kind == Kind::kGridWait;
      });
}

// Whether control from there on may execute an operation before `join`, or one
// that may wait.
bool Walk::Executes(int32_t from, int32_t join, bool that_waits) const {
  return Finds(from, join, [&](int32_t pc) {
    const Step& s = program_.steps[pc];
    return s.kind == Step::Kind::kOp && (!that_waits || MayWait(s));
  });
}

bool Walk::Finds(int32_t from, int32_t join,
                 const std::function<bool(int32_t)>& wanted) const {
  std::vector<bool> seen(program_.steps.size());
  std::vector<int32_t> open = {from};
  while (!open.empty()) {
    int32_t pc = open.back();
    open.pop_back();
    if (pc == join || seen[pc]) continue;
    seen[pc] = true;
    const Step& s = program_.steps[pc];
    if (wanted(pc)) return true;
    if (s.kind == Step::Kind::kEnd) continue;
    open.insert(open.end(), s.targets.begin(), s.targets.end());
    if (s.kind != Step::Kind::kBranch || s.guard >= 0) open.push_back(pc + 1);
  }
  return false;
}

// Some lanes of each warp go one way, the others another.
Walk::Next Walk::Divided(const Step& step, uint32_t taken, bool elected) {
  Strand& s = strand();
  const int32_t to = step.targets[0], on = s.pc + 1;
  const uint32_t others = s.threads.lanes & ~taken;
  int32_t join = step.join;
  bool both = to != join && on != join && Executes(to, join) &&
              Executes(on, join) && !PassesBy(taken, to, join) &&
              !PassesBy(others, on, join);
  if (both) {
    join = MeetingPoint({taken, to}, {others, on}, join);
    both = join == step.join;
  }
  if (to == join) {
    Narrow(others, elected, join);
    s.pc = on;
    return Next::kGoOn;
  }
  if (on == join) {
    Narrow(taken, elected, join);
    s.pc = to;
    return Next::kGoOn;
  }
  if (both) {
    std::string part = ir::Cat("lanes of a warp part on line ", LineHere(),
                               ", and both ways execute operations");
    // One way after the other, what the first waits for might never come.
    if (Executes(to, join, true) || Executes(on, join, true)) {
      machine_.AddNotFollowed(part + ", of which some wait");
      result_.kind = StepResult::Kind::kFault;
      return Next::kStop;
    }
    machine_.AddWays(part + ": only one order of them was checked");
  }
  Narrow(others, elected, join, taken, to);
  s.pc = on;
  return Next::kGoOn;
}

// --- operations -------------------------------------------------------------

// An operation depends on its sources as a whole: it is executed once for each
// tuple of numbers that they are, by the lanes that have these.
uint32_t Walk::Together(const Step& step) {
  const Terms::Handled handled(guide_.terms());
  for (size_t i = 0; i < step.collective; ++i) {
    Value v = guide_.Of(step.sources[i], who());
    if (guide_.terms() != nullptr) guide_.terms()->GoesByLanes(v);
    if (v.unknown() || v.uniform()) continue;  // Operands will say
    SplitWhere(v);
  }
  uint32_t same = strand().threads.lanes;
  for (size_t i = 0; i < step.collective; ++i) {
    Value v = guide_.Of(step.sources[i], who());
    if (v.unknown() || v.uniform()) continue;
    auto first = static_cast<size_t>(strand().threads.first_lane());
    for (size_t l = 0; l < kWarp; ++l) {
      if (guide_.lanes().At(v, l) != guide_.lanes().At(v, first))
        same &= ~(uint32_t{1} << l);
    }
  }
  return same;
}

// The others of its warps come to it by themselves.
void Walk::KeepOneWarp() {
  const Strand& s = strand();
  if (s.threads.warps > 1)
    machine_.SplitOff(state_, strand_, s.threads.first_warp + 1,
                      s.threads.warps - 1, s.pc, result_);
}

// Atomics are executed one after the other, in an order that nothing says.
uint32_t Walk::OneLane(const Step& step) {
  KeepOneWarp();
  const uint32_t one = uint32_t{1} << strand().threads.first_lane();
  const bool returns = !step.results.empty() && step.results[0].reg >= 0;
  if (!step.one_lane && strand().threads.lanes != one && returns)
    machine_.AddLimit(ir::Cat("line ", LineHere(),
                              ": lanes of a warp get numbers in the order of "
                              "lanes; another was not checked"));
  return one;
}

Walk::Next Walk::Operation(const Step& step) {
  bool elected = false;
  std::optional<uint32_t> lanes = strand().threads.lanes;
  if (guide_.WideOf(step) > 0 && SkipsWide(step)) return Next::kGoOn;
  if (const Value guard = GuardOf(step); TakesBoth(step, guard)) {
    if (PartKnown(step, strand().pc + 1)) return Next::kGoOn;
    if (MaySkip(step, guard)) return Next::kGoOn;
  } else {
    lanes = Holding(step, &elected);
  }
  if (!lanes) return Next::kStop;
  if (*lanes == 0) {
    ++strand().pc;
    return Next::kGoOn;
  }
  if (*lanes != strand().threads.lanes)
    Narrow(*lanes, elected, strand().pc + 1);
  if (step.generic) {
    if (std::optional<Next> next = GenericOwn(step)) return *next;
  }
  uint32_t same = Together(step);
  if (step.buffers_by >= 0) same &= OfOneBuffer(step);
  const bool each =
      step.lane_by_lane && (step.words_of >= 0 || !step.results.empty());
  if (each || step.one_lane) same = OneLane(step);
  if (step.each_warp) KeepOneWarp();
  const uint32_t rest = strand().threads.lanes & ~same;
  if (rest != 0 && step.one_lane) {
    Narrow(same, false, strand().pc + 1);
  } else if (rest != 0) {
    Narrow(same, false, strand().pc + 1, rest, strand().pc);
  }
  const machine::Code& code = machine_.code_of(state_.ctas[strand().cta]);
  const std::string& opcode =
      program_.graph.nodes[step.node].instruction().opcode;
  const uint32_t there = strand().threads.lanes | Missing();
  if (step.aligned && there != ir::kAllLanes && !OthersExit(step))
    return SomeLanes(opcode);
  if (step.aligned && !strand().threads.whole_warps() && !OthersExit(step) &&
      !opcode.starts_with("barrier.cluster."))
    return PartOfWarp(opcode);
  if (code.ops[step.op].op->info->kind == ir::OpKind::kBarWarpSync &&
      NamesOthers(step) && OthersSync()) {
    machine_.AddNotFollowed(ir::Cat("line ", LineHere(),
                                    ": lanes of a warp meet at bar.warp.sync "
                                    "on different ways"));
    result_.kind = StepResult::Kind::kFault;
    return Next::kStop;
  }
  if (step.may_skip) NoteRead(step);
  return Next::kThere;
}

}  // namespace tilesim::ptx
