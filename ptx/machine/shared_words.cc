// Control that goes through shared memory: what stores put there whose values
// are followed, and what loads find. What is not known of a word is asked for
// (Grow), so that the next attempt follows it.
//
// A run sees one order of writes and reads. That it is the only one is for
// checkers/judge/control_values to show, as it is of `.tile` text: stores to
// shared memory and such loads are ops that decide control
// (CompiledOp::control).
#include <algorithm>

#include "ir/ops/grid.h"
#include "ptx/machine/answers.h"
#include "ptx/machine/device_maps.h"
#include "ptx/machine/guide.h"
#include "ptx/machine/map_chunks.h"
#include "ptx/machine/reductions.h"

namespace tilesim::ptx {
using machine::Cta;
using machine::KnownWord;
using machine::Strand;

namespace {

constexpr uint64_t kOffset = (uint64_t{1} << kRankShift) - 1;
constexpr int64_t kWidest = 16;  // bytes that a thread stores at once

void Forget(std::vector<KnownWord>& words, int64_t begin, int64_t end) {
  std::erase_if(words, [&](const KnownWord& w) {
    return w.at < end && begin < w.at + w.bytes;
  });
}

void Put(std::vector<KnownWord>& words, KnownWord word) {
  auto at = std::lower_bound(
      words.begin(), words.end(), word.at,
      [](const KnownWord& w, int32_t place) { return w.at < place; });
  words.insert(at, word);
}

}  // namespace

void PtxGuide::Executed(machine::State& state, int32_t strand,
                        const ir::ConcreteOp& op,
                        machine::DataPort* data) const {
  if (!closed_) NoteAction(state.strands[strand], op);
  if (FollowsParts()) {
    const Strand& s = state.strands[strand];
    NoteChoices({s, state.ctas[s.cta], *bound_});
  }
  if (const Strand& s = state.strands[strand]; terms_ != nullptr)
    terms_->Executed({s, state.ctas[s.cta], *bound_}, op);
  if (program_.control_in_shared) InShared(state, strand, op);
  const Strand& here = state.strands[strand];
  if (const Step& at = program_.steps[here.pc]; Reduces(at))
    LeavePredicate(*this, {here, state.ctas[here.cta], *bound_}, at,
                   state.ctas[here.cta]);
  if (program_.steps[state.strands[strand].pc].words_of >= 0 && data != nullptr)
    InGlobal(state, strand, op, *data);
  if (payload_ == nullptr) return;
  Strand& s = state.strands[strand];
  const Step& step = program_.steps[s.pc];
  if (!step.executes) return;
  payload_->Execute(state, s, step.node);
  // What a test has returned, it was told (Returned).
  if (op.info().kind != ir::OpKind::kMbarrierTestWait)
    TakeFromPayload(s, step.results);
}

void PtxGuide::InShared(machine::State& state, int32_t strand,
                        const ir::ConcreteOp& op) const {
  Strand& s = state.strands[strand];
  const Step& step = program_.steps[s.pc];
  const ir::BoundKernel& bound = *bound_;
  if (op.info().kind == ir::OpKind::kTcgen05Alloc)
    return Allocated(op, state.ctas[s.cta]);
  if (op.info().kind == ir::OpKind::kClcTryCancel) return;  // Answered
  if (step.map != Step::MapPart::kNone) return BuildMap(state, strand);
  const auto& ctas = state.clusters[state.ctas[s.cta].cluster].ctas;
  for (int i = 0; i < static_cast<int>(op.info().operands.size()); ++i) {
    if (!op.is_tile(i) || op.tile(i).space != ir::Space::kShared) continue;
    const ir::TileValue& t = op.tile(i);
    if ((step.writes >> i & 1) == 0) {
      if (step.word_bytes > 0 && !step.results.empty())
        Loaded(s, state.ctas[s.cta], bound, step);
      continue;
    }
    // A multicast writes to all that it may: nothing is known of either.
    for (int32_t slot : ctas) {
      Cta& cta = state.ctas[slot];
      bool meant = t.cta == ir::kOwnCta ? slot == s.cta : cta.rank == t.cta;
      if (terms_ != nullptr)
        terms_->Overwritten(cta.rank, t.start[0], t.start[0] + t.extent[0]);
      if (!meant && op.info().async == ir::AsyncUnit::kNone) continue;
      if (meant && step.atomic && WideOf(step) == 0) {
        copied_on_ |= !copied_.empty();
        AtomicIn(cta, s, step, bound, state.ctas[s.cta]);
        continue;
      }
      Forget(cta.words, t.start[0], t.start[0] + t.extent[0]);
      if (op.info().kind == ir::OpKind::kCpAsync)
        Copied({s, state.ctas[s.cta], bound}, step, s.pc);
      if (meant && step.word_bytes > 0 && WideOf(step) == 0)
        Stored({s, state.ctas[s.cta], bound}, step, cta);
    }
  }
}

// The address of what is allocated, at which loads look.
void PtxGuide::Allocated(const ir::ConcreteOp& op, Cta& cta) const {
  const int32_t pool = (op.tile(0).decl - decls_.first_pool) / 2;
  const auto slot =
      static_cast<int32_t>(pools_.all()[static_cast<size_t>(pool)].slot);
  constexpr int32_t kAddressBytes = 4;
  Forget(cta.words, slot, slot + kAddressBytes);
  Put(cta.words, {slot, kAddressBytes, Pools::AddressOf(pool)});
}

int32_t PtxGuide::PlaceOfMapAt(uint64_t address) const {
  return PlaceOfMap(
      map_numbers_
          .try_emplace(address, static_cast<int32_t>(map_numbers_.size()))
          .first->second);
}

void PtxGuide::BuildMap(machine::State& state, int32_t strand) const {
  const Strand& s = state.strands[strand];
  Cta& cta = state.ctas[s.cta];
  const Who who{s, cta, *bound_};
  const Step& step = program_.steps[s.pc];
  // What is put into a map, and where it lies, Terms::Executed has seen.
  const Terms::Handled handled(terms());
  const auto first = static_cast<size_t>(s.threads.first_lane());
  auto number = [&](size_t source) {
    return lanes_.At(Of(step.sources[source], who), first);
  };
  auto shared = [&](size_t source) {
    return static_cast<int32_t>(number(source) & kOffset);
  };
  switch (step.map) {
    case Step::MapPart::kPart: {
      const Step::PartOfMap& p = step.map_part;
      return PutHostMap(cta.words, shared(0) - static_cast<int32_t>(p.first),
                        p.first, p.first + p.bytes,
                        *program_.memory.MapAt(p.map), program_.memory);
    }
    case Step::MapPart::kReplace:
      return PutMapField(cta.words, shared(0),
                         {"", static_cast<int32_t>(step.numbers[0]),
                          static_cast<int32_t>(step.numbers[1])},
                         0, static_cast<int64_t>(number(1)));
    case Step::MapPart::kCopy:
      copied_on_ |= !copied_.empty();
      return CopyMap(cta.words, shared(1), PlaceOfMapAt(number(0)));
    case Step::MapPart::kAcquire:
      return AcquireMap(cta.words, PlaceOfMapAt(number(0)));
    case Step::MapPart::kNone:
      return;
  }
}

// Its first 8 bytes are what answers.h says, the others 0.
void PtxGuide::Answered(machine::State& state, int32_t cta,
                        const ir::ConcreteOp& op, bool canceled,
                        const std::array<int32_t, 3>& first_cta) const {
  const auto at = static_cast<int32_t>(op.tile(0).start[0]);
  const bool all = op.choice<ir::ops::ClcTryCancel, ir::ops::Multicast>();
  const Answer answer{canceled, first_cta};
  Terms::Answering told{answer.Bits(), at, {}};
  for (int32_t slot : state.clusters[state.ctas[cta].cluster].ctas) {
    if (!all && slot != cta) continue;
    told.ranks.push_back(state.ctas[slot].rank);
    std::vector<KnownWord>& words = state.ctas[slot].words;
    Forget(words, at, at + 2 * kAnswerWord);
    Put(words, {at, kAnswerWord, static_cast<int64_t>(answer.Bits())});
    Put(words, {at + kAnswerWord, kAnswerWord, 0});
  }
  if (terms_ != nullptr) terms_->Answered(state, told);
  if (payload_ != nullptr)
    payload_->Answered(state, cta, op, canceled, first_cta);
}

// Each thread its words, the last thread's of those that are the same.
void PtxGuide::Stored(const Who& who, const Step& step, Cta& cta) const {
  Value address = Of(step.sources[0], who);
  const int32_t either = EitherOf(program_, who.strand);
  std::vector<Value> data;
  for (const Source& source : step.data) data.push_back(Of(source, who));
  for (size_t t = 0; t < who.threads(); ++t) {
    if ((who.strand.threads.lanes >> (t % ir::kWarpThreads) & 1) == 0) continue;
    auto at = static_cast<int64_t>(lanes_.At(address, t) & kOffset);
    stored_by_[at] = step.node;
    for (size_t i = 0; i < data.size(); ++i) {
      const Value& v = data[i];
      auto from =
          static_cast<int32_t>(at + static_cast<int64_t>(i) * step.word_bytes);
      Forget(cta.words, from, from + step.word_bytes);
      if (v.unknown() || either >= 0) {
        unknown_from_[from] =
            v.unknown() ? static_cast<int32_t>(v.base) : either;
        continue;
      }
      unknown_from_.erase(from);
      Put(cta.words,
          {from, static_cast<int32_t>(step.word_bytes),
           static_cast<int64_t>(ZeroExtend(
               lanes_.At(v, t), static_cast<int>(step.word_bytes * 8)))});
    }
    if (address.uniform()) return;
  }
}

// Of a run that is watched: whether the load has found an answer.
void PtxGuide::NoteAnswer(const Who& who, const Step& step, size_t word,
                          Value* v) const {
  const Value address = Of(step.sources[0], who);
  const int64_t from = static_cast<int64_t>(word) * step.word_bytes;
  for (size_t t = 0; t < who.threads(); ++t) {
    if ((who.strand.threads.lanes >> (t % ir::kWarpThreads) & 1) == 0) continue;
    const int64_t at =
        static_cast<int64_t>(lanes_.At(address, t) & kOffset) + from;
    if (!terms_->IsAnswer(who.cta.rank, at)) continue;
    if (!address.uniform()) return terms_->Lose();
    return terms_->LoadedAnswer(who.cta.rank, at, step.word_bytes, v);
  }
}

void PtxGuide::Loaded(Strand& strand, const Cta& cta,
                      const ir::BoundKernel& bound, const Step& step) const {
  const Who who{strand, cta, bound};
  Value address = Of(step.sources[0], who);
  std::vector<std::vector<uint64_t>> out(step.results.size(),
                                         std::vector<uint64_t>(who.threads()));
  std::vector<bool> known(step.results.size(), true);
  std::vector<int32_t> origin(step.results.size(), strand.pc);
  for (size_t t = 0; t < who.threads(); ++t) {
    if ((strand.threads.lanes >> (t % ir::kWarpThreads) & 1) == 0) continue;
    auto at = static_cast<int64_t>(lanes_.At(address, t) & kOffset);
    for (size_t i = 0; i < step.results.size(); ++i) {
      const int64_t from = at + static_cast<int64_t>(i) * step.word_bytes;
      LoadsCopied(step, from);
      auto word = std::find_if(
          cta.words.begin(), cta.words.end(), [&](const KnownWord& w) {
            return w.at <= from &&
                   from + std::min<int64_t>(step.word_bytes, 8) <=
                       int64_t{w.at} + w.bytes;
          });
      if (word != cta.words.end()) {
        out[i][t] = ZeroExtend(
            static_cast<uint64_t>(word->value) >> (8 * (from - word->at)),
            static_cast<int>(step.word_bytes * 8));
        continue;
      }
      known[i] = false;
      auto unknown = unknown_from_.find(from);
      if (unknown != unknown_from_.end()) origin[i] = unknown->second;
      // The nearest store before it may be the one that wrote it.
      for (auto by = stored_by_.upper_bound(from - kWidest);
           by != stored_by_.end() && by->first <= from; ++by)
        wanted_stores_.insert(by->second);
    }
  }
  for (size_t i = 0; i < step.results.size(); ++i) {
    // Lanes that do not load have what they had: Set keeps it.
    if (known[i]) {
      known_loads_.insert(step.node);
      auto first = static_cast<size_t>(strand.threads.first_lane());
      for (size_t t = 0; t < who.threads(); ++t) {
        if ((strand.threads.lanes >> (t % ir::kWarpThreads) & 1) == 0)
          out[i][t] = out[i][first];
      }
      Value v = lanes_.Of(out[i]);
      if (terms_ != nullptr) NoteAnswer(who, step, i, &v);
      Set(strand, step.results[i], v);
    } else {
      Set(strand, step.results[i], Lanes::Unknown(origin[i]));
    }
  }
}

bool PtxGuide::IsInVain(const machine::CompiledOp& op) const {
  const Step* s = StepOf(op);
  return s != nullptr && s->in_vain;
}

bool PtxGuide::IsNeverKnown(const machine::CompiledOp& op) const {
  const Step* s = StepOf(op);
  return s != nullptr && op.op->info->kind == ir::OpKind::kLdShared &&
         !known_loads_.contains(s->node);
}

}  // namespace tilesim::ptx
