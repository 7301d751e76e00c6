// Values that are known of some threads only (lanes.h): what is computed of
// them, and where control goes by one.
//
//   setp.eq.u32 %p1, %tid, 0;  setp.gt.s32 %p2, %v, 5;   // %v: data
//   and.pred %p3, %p1, %p2;    @%p3 st.global.u32 [%a], %v;
//
// Of thread 0 %p3 is not known, of all others it is false. So data decide of
// thread 0 alone whether it stores (walk_either.cc).
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "ir/cat.h"
#include "ptx/machine/walk.h"

namespace tilesim::ptx {

namespace {

using SomeWords = std::array<std::optional<uint64_t>, kMaxWords>;

bool IsPredicate(const Step& step, size_t input) {
  return step.scalar.input_types[input] == Type::kPred;
}

bool SetsPredicatesOnly(const Step& step) {
  for (size_t i = 0; i < step.results.size(); ++i) {
    if (step.scalar.output_types[i] != Type::kPred) return false;
  }
  return true;
}

// A comparison that is combined with a predicate: for one number of that, the
// result is the same whatever is compared.
bool IsSaidByPredicate(const Step& step, const SomeWords& in) {
  const Combination by = step.scalar.combination;
  if ((by != Combination::kAnd && by != Combination::kOr) ||
      step.sources.size() != 3 || !IsPredicate(step, 2) ||
      IsPredicate(step, 0) || IsPredicate(step, 1) || !SetsPredicatesOnly(step))
    return false;
  return in[2] && (*in[2] != 0) == (by == Combination::kOr);
}

// selp takes one of two, and that is known.
bool TakesKnown(const Step& step, const SomeWords& in) {
  return step.selects && in[2] && in[*in[2] != 0 ? 0 : 1];
}

// The results of a thread, of what is known of its inputs: where those that are
// not known are predicates, what they say in all cases.
SomeWords ResultsOf(const Step& step, const SomeWords& in) {
  const size_t inputs = step.sources.size(), results = step.results.size();
  Words words{};
  std::vector<size_t> open;  // predicates
  bool others = false;
  for (size_t i = 0; i < inputs; ++i) {
    words[i] = in[i].value_or(0);
    if (in[i]) continue;
    if (IsPredicate(step, i)) open.push_back(i);
    others |= !IsPredicate(step, i);
  }
  SomeWords out;
  if (others && !IsSaidByPredicate(step, in) && !TakesKnown(step, in))
    return out;
  for (uint32_t n = 0; n < uint32_t{1} << open.size(); ++n) {
    for (size_t i = 0; i < open.size(); ++i) words[open[i]] = n >> i & 1;
    const Words now = Execute(step.scalar, words);
    for (size_t i = 0; i < results; ++i) {
      const uint64_t bits = ZeroExtend(now[i], step.results[i].bits);
      if (n == 0) out[i] = bits;
      if (out[i] != bits) out[i].reset();
    }
  }
  return out;
}

}  // namespace

const std::vector<Value>& PtxGuide::ComputedOfSome(
    int32_t pc, const Step& step, const std::array<Value, kMaxWords>& in,
    size_t threads) const {
  Inputs key{pc, threads, in};
  for (Value& v : std::get<2>(key)) v.term = 0;
  auto [at, fresh] = computed_.try_emplace(std::move(key));
  if (!fresh) return at->second;
  int32_t origin = -1;
  bool elected = false;
  for (size_t i = step.sources.size(); i-- > 0;) {
    if (in[i].unknown()) origin = Lanes::OriginOf(in[i]);
    elected |= lanes_.ElectedInPart(in[i]);
  }
  std::vector<SomeWords> results;
  for (size_t t = 0; t < threads; ++t) {
    SomeWords words;
    for (size_t i = 0; i < kMaxWords; ++i)
      words[i] = lanes_.AtIfKnown(in[i], t);
    results.push_back(ResultsOf(step, words));
  }
  for (size_t i = 0; i < step.results.size(); ++i) {
    std::vector<std::optional<uint64_t>> all;
    for (const SomeWords& of_thread : results) all.push_back(of_thread[i]);
    at->second.push_back(lanes_.OfSome(origin, all, elected));
  }
  return at->second;
}

// Of a cluster elsewhere in the grid it is the same if the predicates are that
// say it. Numbers into which the place has gone otherwise are taken for not
// known.
void Walk::ScalarOfSome(const Step& step, const Value& unknown) {
  const size_t inputs = step.sources.size();
  std::array<Value, kMaxWords> in;
  bool parts = false, predicate = false, other = false, wrong = false;
  for (size_t i = 0; i < inputs; ++i) {
    in[i] = guide_.OfWithParts(step.sources[i], who());
    parts |= Lanes::HasParts(in[i]);
    wrong |= in[i].unknown() && !IsOfData(in[i]);
    predicate |= IsPredicate(step, i);
    if (in[i].term != 0 && !IsPredicate(step, i)) in[i] = unknown;
    other |=
        !IsPredicate(step, i) && (Lanes::HasParts(in[i]) || !in[i].unknown());
  }
  const bool says = parts || (predicate && (!step.selects || other));
  if (!says || wrong || step.divides || !guide_.FollowsParts()) {
    for (const Target& t : step.results) guide_.Set(strand(), t, unknown);
    return;
  }
  if (guide_.terms() != nullptr) {
    for (size_t i = 0; i < inputs; ++i) guide_.terms()->GoesBy(in[i]);
  }
  const std::vector<Value>& out =
      guide_.ComputedOfSome(strand().pc, step, in, who().threads());
  for (size_t i = 0; i < step.results.size(); ++i)
    guide_.Set(strand(), step.results[i], out[i]);
}

// Where it is known of some lanes whether the guard holds, those of whom it is
// not go on first, by themselves; then the others come here, if they have
// anything to do before `join`. `computes`: nothing else is done there, and it
// is not worth parting if these do. True: they have parted.
bool Walk::PartKnown(const Step& step, int32_t join, bool computes) {
  const int32_t pc = strand().pc;
  const Value v = PtxGuide::Peek(strand(), step.guard);
  if (!Lanes::HasParts(v) || !guide_.FollowsParts() || IsOnWayOf(pc))
    return false;
  Lanes& lanes = guide_.lanes();
  if (SplitWhere(lanes.KnownIn(v)) || SplitWhere(lanes.NumbersOf(v)))
    return true;
  const uint32_t here = strand().threads.lanes;
  const uint32_t known = lanes.NotZero(lanes.KnownIn(v)) & here;
  if (known == 0) return false;
  const uint32_t set = lanes.NotZero(lanes.NumbersOf(v));
  const uint32_t holds = (step.negated ? ~set : set) & known;
  uint32_t rest = holds;
  if (step.kind == Step::Kind::kBranch) {
    rest = step.targets[0] != join ? holds : 0;
    if (pc + 1 != join) rest |= known & ~holds;
  }
  if (computes && rest != 0) return false;
  const bool both = step.kind == Step::Kind::kBranch &&
                    ((holds != 0 && Executes(step.targets[0], join)) ||
                     (holds != known && Executes(pc + 1, join)));
  if (both)
    machine_.AddWays(ir::Cat("lanes of a warp part on line ", LineHere(),
                             ", and both ways execute operations: only one "
                             "order of them was checked"));
  Narrow(here & ~known, lanes.ElectedInPart(v), join, rest,
         rest != 0 ? pc : -1);
  return true;
}

}  // namespace tilesim::ptx
