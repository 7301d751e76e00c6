// What lanes of a warp hand each other: shuffles, votes, who is elected; and
// which of them come where they meet without an operation.
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "fmt/format.h"
#include "ir/cat.h"
#include "ptx/machine/walk.h"

namespace tilesim::ptx {
namespace {}  // namespace

uint32_t LanesThatExit(const Program& program, const machine::Strand& strand) {
  uint32_t out = 0, inside = strand.threads.lanes;
  for (size_t i = strand.frames.size(); i-- > 0;) {
    const machine::Frame& f = strand.frames[i];
    const bool gone = f.rest_pc >= 0 && f.rest == 0;
    const int32_t at = f.rest_pc >= 0 ? f.rest_pc : f.join;
    if (!gone && at >= 0 && program.only_exits[static_cast<size_t>(at)])
      out |= f.lanes & ~inside;
    inside = f.lanes;
  }
  return out;
}

namespace {

// PTX 9.7.9.6: which lane gets read, within its segment of the warp; `there`:
// it is in range, else the lane itself is read.
int64_t ReadBy(int64_t lane, int64_t mode, int64_t b, int64_t c, bool* there) {
  b &= 31;
  const int64_t clamp = c & 31, segment = c >> 8 & 31;
  const int64_t low = lane & segment, high = low | (clamp & ~segment);
  int64_t from = lane;
  switch (mode) {
    case 0:  // idx
      from = low | (b & ~segment);
      break;
    case 1:  // bfly
      from = lane ^ b;
      break;
    case 2:  // up
      from = lane - b;
      break;
    default:  // down
      from = lane + b;
  }
  *there = mode == 2 ? from >= high : from <= high;
  return *there ? from : lane;
}

}  // namespace

// A lane that is read and does not execute it has no value.
void Walk::Shuffle(const Step& step) {
  std::array<Value, 3> in;
  bool elected = false;
  for (size_t i = 0; i < 3; ++i) {
    in[i] = guide_.Of(step.sources[i], who());
    if (in[i].unknown()) {
      for (const Target& t : step.results) guide_.Set(strand(), t, in[i]);
      return;
    }
    elected |= guide_.lanes().Elected(in[i]);
  }
  const size_t threads = who().threads();
  std::vector<uint64_t> value(threads), valid(threads);
  bool absent = false;
  const uint32_t here = strand().threads.lanes;
  for (size_t t = 0; t < threads; ++t) {
    bool there = false;
    const auto from = static_cast<size_t>(
        ReadBy(static_cast<int64_t>(t % kWarp), step.numbers[0],
               static_cast<int64_t>(guide_.lanes().At(in[1], t)),
               static_cast<int64_t>(guide_.lanes().At(in[2], t)), &there));
    absent |= (here >> (t % kWarp) & 1) != 0 && (here >> from & 1) == 0;
    value[t] = ZeroExtend(guide_.lanes().At(in[0], t - t % kWarp + from), 32);
    valid[t] = there;
  }
  guide_.Set(
      strand(), step.results[0],
      absent ? Lanes::Unknown(strand().pc) : guide_.lanes().Of(value, elected));
  if (step.results.size() > 1)
    guide_.Set(strand(), step.results[1], guide_.lanes().Of(valid, elected));
}

// PTX 9.7.13.14: some lane of the membermask, not said which.
void Walk::Elect(const Step& step) {
  if (!std::has_single_bit(strand().threads.lanes))
    guide_.Note(NotJudged::kElection, LineHere());
  const size_t threads = who().threads();
  const auto first = static_cast<size_t>(strand().threads.first_lane());
  guide_.Set(strand(), step.results[0], Value{first});
  if (step.results.size() > 1)
    guide_.Set(strand(), step.results[1],
               guide_.lanes().OneOfEach(first, threads));
}

// Over the lanes of each warp that are here.
void Walk::Vote(const Step& step) {
  if ((strand().threads.lanes | Missing()) != ir::kAllLanes)
    guide_.choices().NotePartVote(step.node);
  Value v = guide_.Of(step.sources[0], who());
  if (v.unknown()) return guide_.Set(strand(), step.results[0], v);
  const size_t threads = who().threads();
  std::vector<uint64_t> out(threads);
  for (size_t w = 0; w < threads; w += kWarp) {
    uint32_t ballot = 0, here = strand().threads.lanes;
    for (size_t l = 0; l < kWarp; ++l)
      ballot |= uint32_t{guide_.lanes().At(v, w + l) != 0} << l;
    ballot &= here;
    uint64_t result = ballot;
    if (step.numbers[0] == 1) result = ballot == here;
    if (step.numbers[0] == 2) result = ballot != 0;
    if (step.numbers[0] == 3) result = ballot == here || ballot == 0;
    std::fill_n(out.begin() + static_cast<int64_t>(w), kWarp, result);
  }
  guide_.Set(strand(), step.results[0],
             guide_.lanes().Of(out, guide_.lanes().Elected(v)));
}

// PTX 9.7.13.10: match.any: which lanes hold the same; match.all: everybody, or
// none.
void Walk::Match(const Step& step) {
  Value v = guide_.Of(step.sources[0], who());
  if (v.unknown()) {
    for (const Target& t : step.results) guide_.Set(strand(), t, v);
    return;
  }
  const size_t threads = who().threads();
  const uint32_t here = strand().threads.lanes;
  std::vector<uint64_t> lanes(threads), every(threads);
  for (size_t t = 0; t < threads; ++t) {
    uint32_t same = 0;
    for (size_t l = 0; l < kWarp; ++l) {
      const uint64_t other = guide_.lanes().At(v, t - t % kWarp + l);
      same |= uint32_t{other == guide_.lanes().At(v, t)} << l;
    }
    same &= here;
    every[t] = same == here;
    lanes[t] = step.numbers[0] != 0 && same != here ? 0 : same;
  }
  const bool elected = guide_.lanes().Elected(v);
  guide_.Set(strand(), step.results[0], guide_.lanes().Of(lanes, elected));
  if (step.results.size() > 1)
    guide_.Set(strand(), step.results[1], guide_.lanes().Of(every, elected));
}

// A barrier of the CTA waits for threads that have not exited; those of the
// warp that are not here have nothing but their end before them.
bool Walk::OthersExit(const Step& step) const {
  const machine::Code& code = machine_.code_of(state_.ctas[strand().cta]);
  const ir::OpKind kind = code.ops[step.op].op->info->kind;
  const bool barrier =
      kind == ir::OpKind::kBarSync || kind == ir::OpKind::kBarArrive;
  return barrier && (strand().threads.lanes |
                     LanesThatExit(program_, strand())) == ir::kAllLanes;
}

// PTX 9.7.9.6: undefined if the executing thread is not in the membermask; it
// waits until all threads of the membermask that have not exited have executed
// the instruction. Of an aligned one (PTX 9.7.15.5.14, mma) all have to be
// here.
bool Walk::AreMembers(const Step& step) {
  if (step.numbers.empty()) {
    guide_.Note(NotJudged::kMembers, LineHere());
    return true;
  }
  std::string_view name = program_.graph.nodes[step.node].instruction().opcode;
  if (step.numbers.size() > 1) {
    if (strand().threads.whole_warps()) return true;
    const bool all = (strand().threads.lanes | Missing()) == ir::kAllLanes;
    all ? PartOfWarp(name) : SomeLanes(name);
    return false;
  }
  const auto mask = static_cast<uint32_t>(step.numbers[0]);
  const uint32_t lanes = strand().threads.lanes;
  const Absent absent = AbsentHere();
  const uint32_t others = lanes & ~mask, never = absent.never & mask;
  if ((absent.perhaps & mask) != 0)
    guide_.Note(NotJudged::kMembers, LineHere());
  if (others == 0 && never == 0) return ReadsMembers(step, mask);
  Fault("scope/collective",
        fmt::format("lanes {:#010x} execute {}, whose membermask is {:#010x}",
                    lanes, name, mask),
        others != 0
            ? "a lane that executes it must be in the membermask"
            : fmt::format("lanes {:#010x} of the membermask must execute it "
                          "too: compute the membermask before the lanes part",
                          never));
  return false;
}

// Of a shuffle that says by numbers which lanes are read. That some get nothing
// is common, as those of the upper half of a sum do.
bool Walk::ReadsMembers(const Step& step, uint32_t mask) {
  if (step.sources.empty()) return true;
  const uint32_t lanes = strand().threads.lanes;
  mask &= ~LanesThatExit(program_, strand());
  for (int64_t lane = 0; lane < static_cast<int64_t>(kWarp); ++lane) {
    bool there = false;
    const int64_t from = ReadBy(
        lane, step.word_bytes, static_cast<int64_t>(step.sources[0].bits),
        static_cast<int64_t>(step.sources[1].bits), &there);
    if ((lanes >> lane & 1) != 0 && (mask >> from & 1) != 0) return true;
  }
  Fault("scope/collective",
        fmt::format("each lane that executes {} reads one that is not in its "
                    "membermask {:#010x}",
                    program_.graph.nodes[step.node].instruction().opcode, mask),
        "what they get is undefined: read a lane of the membermask");
  return false;
}

Walk::Next Walk::SomeLanes(std::string_view opcode) {
  return Fault(
      "scope/collective",
      ir::Cat("some lanes of a warp execute ", opcode, " without the others"),
      "every thread of the warp must execute it together");
}

Walk::Next Walk::PartOfWarp(std::string_view opcode) {
  machine_.AddNotFollowed(
      ir::Cat("line ", LineHere(), ": PTX does not say what ", opcode,
              " does in a warp of ", std::popcount(strand().threads.lanes),
              " threads"));
  result_.kind = machine::StepResult::Kind::kFault;
  return Next::kStop;
}

// Lanes of the last warp that the block has not.
uint32_t Walk::Missing() const {
  const Dim3& block = program_.memory.block();
  const int64_t threads = block[0] * block[1] * block[2];
  const int64_t rest = threads % ir::kWarpThreads;
  const bool last = strand().threads.first_warp == threads / ir::kWarpThreads;
  return rest == 0 || !last ? 0 : ~((uint32_t{1} << rest) - 1);
}

bool Walk::Comes(int32_t from, int32_t to) const {
  return Finds(from, -1, [&](int32_t pc) { return pc == to; });
}

Walk::Absent Walk::AbsentHere() const {
  const machine::Strand& s = strand();
  Absent out;
  uint32_t inside = s.threads.lanes;
  for (size_t i = s.frames.size(); i-- > 0;) {
    const machine::Frame& f = s.frames[i];
    const uint32_t waiting = f.lanes & ~inside;
    inside = f.lanes;
    if (waiting == 0 || f.join < 0) continue;
    const std::vector<int32_t> places = PlacesOfOthers(f);
    auto any = [&](auto is) {
      return std::any_of(places.begin(), places.end(), is);
    };
    if (any([&](int32_t pc) { return Comes(pc, s.pc); }))
      out.perhaps |= waiting;
    else if (any([&](int32_t pc) { return WaitsBeforeEnd(pc); }))
      out.never |= waiting;
    else if (any([&](int32_t pc) { return Executes(pc, -1); }))
      out.perhaps |= waiting;
    // Else they exit at once.
  }
  return out;
}

// Where lanes that are not here go on, or have: at the join; on their way,
// which comes after this one; on the one before, from behind a branch whose
// target is taken by those that are here.
std::vector<int32_t> Walk::PlacesOfOthers(const machine::Frame& frame) const {
  if (frame.rest_pc < 0) return {frame.join};
  if (frame.rest != 0) return {frame.rest_pc};
  std::vector<int32_t> out;
  for (size_t i = 0; i < program_.steps.size(); ++i) {
    const Step& s = program_.steps[i];
    if (s.kind == Step::Kind::kBranch && s.join == frame.join &&
        s.targets[0] == frame.rest_pc)
      out.push_back(static_cast<int32_t>(i) + 1);
  }
  if (out.empty()) out.push_back(frame.join);
  return out;
}

// Whether its membermask has lanes that do not execute it here.
bool Walk::NamesOthers(const Step& step) const {
  const Value mask = guide_.Of(step.sources[0], who());
  if (mask.unknown()) return true;
  const ir::ThreadSet& here = strand().threads;
  const uint64_t names =
      guide_.lanes().At(mask, static_cast<size_t>(here.first_lane()));
  return (static_cast<uint32_t>(names) & ~here.lanes) != 0;
}

// Whether lanes on another way come to a bar.warp.sync there: it may be for it
// that those here wait (PTX 9.7.13.6).
bool Walk::OthersSync() const {
  const machine::Strand& s = strand();
  const machine::Code& code = machine_.code_of(state_.ctas[s.cta]);
  auto syncs = [&](int32_t pc) {
    const Step& step = program_.steps[pc];
    return step.kind == Step::Kind::kOp && pc != s.pc &&
           code.ops[step.op].op->info->kind == ir::OpKind::kBarWarpSync;
  };
  return std::any_of(
      s.frames.begin(), s.frames.end(), [&](const machine::Frame& f) {
        if (f.rest_pc < 0 || f.join < 0) return false;
        const std::vector<int32_t> places = PlacesOfOthers(f);
        return std::any_of(places.begin(), places.end(), [&](int32_t from) {
          return from != f.join && Finds(from, f.join, syncs);
        });
      });
}

// For others, which may be those that wait for them.
bool Walk::WaitsBeforeEnd(int32_t from) const {
  return Finds(from, -1, [&](int32_t pc) {
    const Step& s = program_.steps[pc];
    if (s.kind != Step::Kind::kOp) return s.kind == Step::Kind::kMembers;
    const machine::Code& code = machine_.code_of(state_.ctas[strand().cta]);
    return MayWait(s) ||
           code.ops[s.op].op->info->kind == ir::OpKind::kBarWarpSync;
  });
}

// Whether these lanes come from there to `join` by branches and scalar
// instructions alone, by what registers hold now:
//
//   @%p2 bra L2;   // tid.x != 0: initialise barriers
//   L2: setp.ne.s32 %p4, %warp, 5; @%p4 bra L4;   // allocate
//   L4: bar.sync 0;
//
// No lane of warp 0 allocates. False: they execute an operation, or that is not
// known.
bool Walk::PassesBy(uint32_t lanes, int32_t from, int32_t join) {
  return ComesTo({lanes, from}, join) == join;
}

// Where those lanes come from there by such steps, `join` at the latest. -1:
// that is not known.
int32_t Walk::ComesTo(Way way, int32_t join) {
  constexpr int kMostSteps = 256;
  if (strand().threads.warps > 1) return -1;
  const machine::Strand kept = strand();
  strand().threads.lanes = way.lanes;
  strand().pc = way.from;
  int left = kMostSteps;
  while (strand().pc != join && left-- > 0 && StepBy()) {
  }
  const int32_t there = strand().pc;
  strand() = kept;
  const bool known = there == join || (left > 0 && program_.steps[there].kind !=
                                                       Step::Kind::kBranch);
  return known ? there : -1;
}

// Both ways execute operations before `join`. Where compilers let one way run
// into the other, lanes meet before it: by scalar instructions alone some come
// to an operation that is on every way of the others.
//
//   @%p1 bra L4;   // tid.x != 0: initialise barriers
//   mbarrier.init ...; bra.uni L5;
//   L4: setp.gt.u32 %p5, %tid, 31; @%p5 bra L6;   // warp 0 allocates
//   L5: tcgen05.alloc ...;
//   L6: bar.sync 0;
//
// Lanes 1 to 31 of warp 0 come to L5, and wait for lane 0 there.
int32_t Walk::MeetingPoint(Way a, Way b, int32_t join) {
  for (const auto& [some, others] : {std::pair(a, b), std::pair(b, a)}) {
    const int32_t at = ComesTo(some, join);
    if (at < 0 || at == join) continue;
    const bool passes_by = Finds(others.from, at, [&](int32_t pc) {
      return pc == join || program_.steps[pc].kind == Step::Kind::kEnd;
    });
    if (!passes_by) return at;
  }
  return join;
}

// False: it is no such step, or not known of all lanes.
bool Walk::StepBy() {
  const Step& step = program_.steps[strand().pc];
  const bool branch = step.kind == Step::Kind::kBranch;
  const bool plain = branch ? step.sources.empty() && !step.traps
                            : step.kind == Step::Kind::kScalar ||
                                  step.kind == Step::Kind::kConstant;
  if (!plain) return false;
  uint32_t holds = strand().threads.lanes;
  if (step.guard >= 0) {
    const Value v = guide_.Get(strand(), step.guard);
    if (v.unknown() || guide_.lanes().Elected(v)) return false;
    const uint32_t set = guide_.lanes().NotZero(v);
    holds = (step.negated ? ~set : set) & strand().threads.lanes;
  }
  if (holds != 0 && holds != strand().threads.lanes) return false;
  if (branch && holds != 0) {
    strand().pc = step.targets[0];
    return true;
  }
  if (!branch && holds != 0 && step.kind == Step::Kind::kScalar) Scalar(step);
  if (!branch && holds != 0 && step.kind == Step::Kind::kConstant)
    guide_.Set(strand(), step.results[0], guide_.Of(step.sources[0], who()));
  ++strand().pc;
  return true;
}

}  // namespace tilesim::ptx
