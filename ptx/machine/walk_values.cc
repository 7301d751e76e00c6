// What threads compute on their way: scalar instructions, places, parameters,
// what operations have returned.
#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "ir/cat.h"
#include "ptx/machine/answers.h"
#include "ptx/machine/reductions.h"
#include "ptx/machine/walk.h"

namespace tilesim::ptx {
using machine::StepResult;
using machine::Strand;

namespace {}  // namespace

bool Walk::ExecutePayload(const Step& step) {
  Payload* payload = guide_.payload();
  if (payload == nullptr) return true;
  payload->Execute(state_, strand(), step.node);
  if (!payload->ok()) result_.kind = StepResult::Kind::kFault;
  return payload->ok();
}

Walk::Next Walk::Compute(const Step& step) {
  const Value guard = GuardOf(step);
  if (IsOfData(guard) && step.only_computes && guide_.payload() == nullptr) {
    if (PartKnown(step, strand().pc + 1)) return Next::kGoOn;
    ForgetUnjudged(step, guard);
    ++strand().pc;
    return Next::kGoOn;
  }
  bool elected = false;
  std::optional<uint32_t> lanes = Holding(step, &elected);
  if (!lanes) return Next::kStop;
  if (*lanes == 0) {
    ++strand().pc;
    return Next::kGoOn;
  }
  // Holding has divided the strand: this is who executes it, and once.
  if (step.executes && !ExecutePayload(step)) return Next::kStop;
  if (*lanes != strand().threads.lanes)
    Narrow(*lanes, elected, strand().pc + 1);
  if (!Results(step)) return Next::kStop;
  ++strand().pc;
  return Next::kGoOn;
}

bool Walk::Results(const Step& step) {
  switch (step.kind) {
    case Step::Kind::kScalar:
      Scalar(step);
      break;
    case Step::Kind::kConstant: {
      const Terms::Handled handled(guide_.terms());
      Value v = guide_.OfWithParts(step.sources[0], who());
      guide_.Set(strand(), step.results[0], v);
      break;
    }
    case Step::Kind::kMapa:
      Mapa(step);
      break;
    case Step::Kind::kShuffle:
      Shuffle(step);
      break;
    case Step::Kind::kElect:
      Elect(step);
      break;
    case Step::Kind::kVote:
      Vote(step);
      break;
    case Step::Kind::kMatch:
      Match(step);
      break;
    case Step::Kind::kMembers:
      return AreMembers(step);
    case Step::Kind::kLoad:
      Load(step);
      break;
    case Step::Kind::kAnswer:
      AskAnswer(step);
      break;
    case Step::Kind::kOwn:
      return Own(step);
    case Step::Kind::kPayload:
      break;
    default:  // kUnknown
      if (!ReducesAlone(step)) return false;
      SetReturned(step);
  }
  return true;
}

// The bar.red whose result the step has; null: it has none.
const Step* Walk::ReductionOfStep(const Step& step) const {
  const int32_t pc = strand().pc;
  const Step* before = pc > 0 ? &program_.steps[pc - 1] : nullptr;
  const bool reduced = before != nullptr && before->node == step.node &&
                       step.of_op && Reduces(*before);
  return reduced ? before : nullptr;
}

// PTX 9.7.13.1: bar.red is not mixed with bar.sync and bar.arrive in a round.
bool Walk::ReducesAlone(const Step& step) {
  const Step* reduction = ReductionOfStep(step);
  if (reduction == nullptr) return true;
  const uint32_t reduce = WarpsThatReduce(who(), *reduction);
  for (int32_t other : state_.ctas[strand().cta].strands) {
    const Strand& s = state_.strands[other];
    const auto warps = static_cast<uint32_t>(
        ((uint64_t{1} << s.threads.warps) - 1) << s.threads.first_warp);
    if (s.status == Strand::Status::kExited || (warps & ~reduce) == 0) continue;
    Fault("barrier/participants",
          ir::Cat("in one round of barrier ", reduction->numbers[1],
                  " some threads execute bar.red, others another instruction"),
          "let all threads come to bar.red, or use another barrier");
    return false;
  }
  return true;
}

// What the operation before has returned.
void Walk::SetReturned(const Step& step) {
  if (guide_.payload() != nullptr)
    return guide_.TakeFromPayload(strand(), step.results);
  const int32_t pc = strand().pc;
  const Step* reduction = ReductionOfStep(step);
  for (const Target& t : step.results)
    guide_.Set(strand(), t,
               reduction == nullptr ? Lanes::Unknown(pc)
                                    : ReductionOf(who(), *reduction, pc));
}

// Most: no lane waits, and all threads have the same numbers, into which the
// place of the cluster has not gone. False: it is not so, and nothing is done.
bool Walk::ScalarOfAll(const Step& step) {
  Strand& s = strand();
  if (step.guard >= 0 || step.divides || step.executes || !s.frames.empty())
    return false;
  Words in{};
  for (size_t i = 0; i < step.sources.size(); ++i) {
    const Source& source = step.sources[i];
    in[i] = source.bits;
    if (source.reg < 0 && source.special == Special::kNone) continue;
    if (source.reg < 0) return false;
    const Value v = PtxGuide::Peek(s, source.reg);
    if (!v.uniform() || v.term != 0) return false;
    in[i] = source.negated     ? uint64_t{v.base == 0}
            : source.bits == 0 ? v.base
                               : ZeroExtend(v.base + source.bits, source.width);
  }
  const Words out = Execute(step.scalar, in);
  for (size_t i = 0; i < step.results.size(); ++i) {
    const Target& t = step.results[i];
    if (t.reg >= 0)
      PtxGuide::PutRegister(s, t.reg, Value{ZeroExtend(out[i], t.bits)});
  }
  ++s.pc;
  return true;
}

void Walk::Scalar(const Step& step) {
  const Terms::Handled handled(guide_.terms());
  std::array<Value, kMaxWords> in, out;
  bool has_terms = false;
  for (size_t i = 0; i < step.sources.size(); ++i) {
    in[i] = guide_.Of(step.sources[i], who());
    if (in[i].unknown()) return ScalarOfSome(step, in[i]);
    has_terms |= in[i].term != 0;
  }
  if (step.divides && DividesBy0(step, in[1])) {
    if (has_terms) guide_.terms()->Lose();
    for (const Target& t : step.results)
      guide_.Set(strand(), t, Lanes::Unknown(strand().pc));
    return;
  }
  const int32_t pc = strand().pc;
  const size_t threads = who().threads();
  guide_.Compute(pc, step, in, threads, out);
  for (size_t i = 0; i < step.results.size(); ++i) {
    if (has_terms)
      guide_.terms()->Computed(pc, std::span(in).first(step.sources.size()),
                               threads, i, &out[i]);
    guide_.Set(strand(), step.results[i], out[i]);
  }
}

void PtxGuide::Compute(int32_t pc, const Step& step,
                       const std::array<Value, kMaxWords>& in, size_t threads,
                       std::array<Value, kMaxWords>& out) const {
  bool uniform = true, elected = false;
  for (size_t i = 0; i < step.sources.size(); ++i) {
    uniform &= in[i].uniform();
    elected |= lanes_.Elected(in[i]);
  }
  if (uniform) {
    Words words{};
    for (size_t i = 0; i < step.sources.size(); ++i) words[i] = in[i].base;
    Words results = Execute(step.scalar, words);
    for (size_t i = 0; i < step.results.size(); ++i)
      out[i] = Value{ZeroExtend(results[i], step.results[i].bits)};
    return;
  }
  if (step.adds && (in[0].uniform() || in[1].uniform()) &&
      lanes_.Add(in[in[0].uniform() ? 1 : 0], in[in[0].uniform() ? 0 : 1].base,
                 step.results[0].bits, &out[0]))
    return;
  const std::vector<Value>& results = Computed(pc, step, in, threads, elected);
  std::copy(results.begin(), results.end(), out.begin());
}

// PTX 9.7.1.8: what a quotient by 0 is, is not said. Of lanes of which only
// some divide by 0 nothing is known either, but nothing is wrong for sure.
bool Walk::DividesBy0(const Step& step, const Value& divisor) {
  const int bits = BitsOf(step.scalar.input_types[1]);
  bool some = false, all = true;
  for (size_t t = 0; t < who().threads(); ++t) {
    if ((strand().threads.lanes >> (t % kWarp) & 1) == 0) continue;
    const bool zero = ZeroExtend(guide_.lanes().At(divisor, t), bits) == 0;
    some |= zero;
    all &= zero;
    if (divisor.uniform()) break;
  }
  if (some && !all) guide_.NoteSomeDivideBy0(strand().pc);
  return some;
}

// The same inputs give the same results, as a loop goes round.
const std::vector<Value>& PtxGuide::Computed(
    int32_t pc, const Step& step, const std::array<Value, kMaxWords>& in,
    size_t threads, bool elected) const {
  Inputs key{pc, threads, in};
  for (Value& v : std::get<2>(key)) v.term = 0;
  auto [at, fresh] = computed_.try_emplace(std::move(key));
  if (!fresh) return at->second;
  std::vector<std::vector<uint64_t>> out(step.results.size(),
                                         std::vector<uint64_t>(threads));
  for (size_t t = 0; t < threads; ++t) {
    Words words{};
    for (size_t i = 0; i < step.sources.size(); ++i)
      words[i] = lanes_.At(in[i], t);
    Words results = Execute(step.scalar, words);
    for (size_t i = 0; i < out.size(); ++i)
      out[i][t] = ZeroExtend(results[i], step.results[i].bits);
  }
  for (const std::vector<uint64_t>& all : out)
    at->second.push_back(lanes_.Of(all, elected));
  return at->second;
}

void Walk::Mapa(const Step& step) {
  Value at = guide_.Of(step.sources[0], who());
  Value rank = guide_.Of(step.sources[1], who());
  if (at.unknown() || rank.unknown())
    return guide_.Set(strand(), step.results[0], at.unknown() ? at : rank);
  constexpr uint64_t kOffset = (uint64_t{1} << kRankShift) - 1;
  std::vector<uint64_t> out(who().threads());
  for (size_t t = 0; t < out.size(); ++t) {
    uint64_t place = guide_.lanes().At(at, t);
    uint64_t window = place >> 32 << 32;
    out[t] =
        window | (guide_.lanes().At(rank, t) << kRankShift) | (place & kOffset);
  }
  guide_.Set(strand(), step.results[0], guide_.lanes().Of(out));
}

// Whether a cluster was taken over (-1), or where its first CTA is from that
// dimension on. Of a refusal there is no place.
void Walk::AskAnswer(const Step& step) {
  const Terms::Handled handled(guide_.terms());
  Value v = guide_.Of(step.sources[0], who());
  const auto first = static_cast<size_t>(strand().threads.first_lane());
  const Answer answer =
      v.unknown() ? Answer() : Answer::Of(guide_.lanes().At(v, first));
  const bool asks = step.numbers[0] < 0;
  if (asks && !v.unknown() && !answer.canceled)
    state_.ctas[strand().cta].refused = true;
  for (size_t i = 0; i < step.results.size(); ++i) {
    const auto d = static_cast<size_t>(step.numbers[0]) + i;
    Value out =
        asks ? Value{uint64_t{answer.canceled}} : Lanes::Unknown(strand().pc);
    if (!asks && answer.canceled && d < answer.first_cta.size())
      out = Value{static_cast<uint64_t>(answer.first_cta[d])};
    const bool has_term = v.term != 0 && guide_.terms() != nullptr;
    // Of the fourth number nothing is known, whichever cluster it is.
    if (has_term && (!out.unknown() || !answer.canceled))
      guide_.terms()->Asked(v, asks ? -1 : static_cast<int64_t>(d), first,
                            &out);
    guide_.Set(strand(), step.results[i], v.unknown() ? v : out);
  }
}

// Of parameters: each result has as many bytes as the numbers say.
void Walk::Load(const Step& step) {
  Value v = guide_.Of(step.sources[0], who());
  uint64_t at = v.base;
  for (size_t i = 0; i < step.results.size(); ++i) {
    Value out = Lanes::Unknown(strand().pc);
    auto bytes = static_cast<int>(step.numbers[0]);
    if (v.unknown()) {
      out = v;
    } else if (v.uniform()) {
      if (auto bits = program_.memory.ParamBits(at, bytes)) {
        uint64_t n = step.numbers[1] != 0
                         ? static_cast<uint64_t>(SignExtend(*bits, bytes * 8))
                         : *bits;
        out = Value{ZeroExtend(n, step.results[i].bits)};
      }
      at += static_cast<uint64_t>(bytes);
    }
    guide_.Set(strand(), step.results[i], out);
  }
}

}  // namespace tilesim::ptx
