// Terms of a run that cluster launch control hands clusters: answers are
// variables, and what decides how the run goes on at each request is hashed, so
// that requests at which it is the same are found (docs/all_sizes.md 3.19).
#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>

#include "ptx/machine/answers.h"
#include "ptx/machine/guide.h"
#include "ptx/machine/terms.h"
#include "ptx/machine/wanted_bits.h"
#include "sim/machine/place.h"

namespace tilesim::ptx {
using machine::Cta;
using machine::InFlight;
using machine::KnownWord;
using machine::Strand;

// Two hashes of one sequence of numbers, each a folded multiplication a number.
// Left out is what nothing that comes can depend on: numbers of phases but for
// their parity, of rounds, of groups, of slots, and clusters that nobody has
// taken.
class Terms::StateHash {
 public:
  StateHash(const Terms& terms, const machine::State& state)
      : terms_(terms), state_(state), of_terms_(terms.terms_.size()) {}

  StateKey Run() {
    std::vector<const Strand*> strands;
    for (const Strand& s : state_.strands) {
      if (s.status != Strand::Status::kFree) strands.push_back(&s);
    }
    std::sort(
        strands.begin(), strands.end(),
        [](const Strand* a, const Strand* b) { return WhoIs(*a) < WhoIs(*b); });
    for (const Strand* s : strands) PutStrand(*s);
    for (const machine::Cluster& c : state_.clusters) Put(c.live, c.arrived);
    for (const Cta& c : state_.ctas) PutCta(c);
    std::vector<const InFlight*> flights;
    for (const InFlight& f : state_.inflight) {
      if (f.live) flights.push_back(&f);
    }
    std::sort(flights.begin(), flights.end(),
              [](const InFlight* a, const InFlight* b) {
                return a->order < b->order;
              });
    for (const InFlight* f : flights) PutFlight(*f);
    return key_;
  }

 private:
  static std::tuple<int32_t, int, uint32_t> WhoIs(const Strand& s) {
    return {s.cta, s.threads.first_warp, s.threads.lanes};
  }

  static uint64_t Fold(uint64_t x, uint64_t y) {
    const auto product = static_cast<unsigned __int128>(x) * y;
    return static_cast<uint64_t>(product) ^
           static_cast<uint64_t>(product >> 64);
  }
  // The digits of pi.
  static void Mix(StateKey& key, uint64_t v) {
    key[0] = Fold(key[0] ^ v, 0x243f6a8885a308d3u);
    key[1] = Fold(key[1] ^ v, 0xa4093822299f31d1u);
  }
  static constexpr StateKey kBegin = {0x13198a2e03707345u, 0x082efa98ec4e6c89u};

  template <typename... T>
  void Put(T... values) {
    (Mix(key_, static_cast<uint64_t>(values)), ...);
  }
  void Put(const ir::ThreadSet& t) {
    Put(t.first_warp, t.warps, t.lanes, t.electors);
  }

  // How many requests ago it was handed out; the run's own is the same for
  // ever.
  uint64_t Ago(int32_t variable) const {
    return variable <= 0
               ? static_cast<uint64_t>(int64_t{variable})
               : terms_.answers_.size() + 1 - static_cast<size_t>(variable);
  }

  void MixValue(StateKey& key, const Value& v) {
    Mix(key, v.term != 0);
    if (v.term == 0) {
      Mix(key, v.base);
      Mix(key, static_cast<uint64_t>(int64_t{v.pattern}));
      return;
    }
    for (uint64_t half : OfTerm(v.term)) Mix(key, half);
  }

  // Those that it is made of were made before.
  const StateKey& OfTerm(int32_t number) {
    std::optional<StateKey>& out = of_terms_[static_cast<size_t>(number)];
    if (out) return *out;
    const Term& t = terms_.terms_[static_cast<size_t>(number)];
    StateKey key = kBegin;
    Mix(key, static_cast<uint64_t>(t.made));
    Mix(key, Ago(t.variable));
    // The number of an answer has gone into that.
    Mix(key, t.made == Made::kAnswer ? 0 : static_cast<uint64_t>(t.pc));
    Mix(key, t.a);
    Mix(key, t.b);
    Mix(key, t.threads);
    Mix(key, static_cast<uint64_t>(t.source.special));
    Mix(key, t.source.negated);
    Mix(key, t.source.bits);
    Mix(key, static_cast<uint64_t>(t.source.width));
    for (const Value& v : t.in) MixValue(key, v);
    out = key;
    return *out;
  }

  void PutRegisters(const Strand& s, int32_t pc) {
    const auto& live = terms_.guide_.program().live;
    for (int16_t reg : live[static_cast<size_t>(pc)]) {
      Value v = PtxGuide::Peek(s, reg);
      const int bits = terms_.wanted_[static_cast<size_t>(reg)];
      Put(v.unknown());
      if (bits == 0 && !v.unknown()) continue;
      if (v.term == 0 && !v.unknown()) v.base = ZeroExtend(v.base, bits);
      MixValue(key_, v);
    }
  }

  void PutStrand(const Strand& s) {
    Put(s.cta, s.pc, s.status, s.waiting, s.role, s.ready, s.cluster_arrived);
    Put(s.threads);
    const Cta& cta = state_.ctas[static_cast<size_t>(s.cta)];
    if (s.status == Strand::Status::kInNamed)
      Put(cta.named[static_cast<size_t>(s.waiting)].generation - s.generation);
    if (s.cluster_arrived)
      Put(state_.clusters[static_cast<size_t>(cta.cluster)].generation -
          s.cluster_phase);
    for (const machine::GroupQueue& q : s.groups) {
      Put(q.groups.size());
      for (const auto& g : q.groups) Put(q.next - g.number, g.unread, g.undone);
    }
    if (s.status == Strand::Status::kExited) return;
    PutRegisters(s, s.pc);
    Put(s.frames.size());
    for (const machine::Frame& f : s.frames) {
      Put(f.lanes, f.electors, f.role, f.join, f.rest, f.rest_pc);
      PutRegisters(s, f.join);
      if (f.rest != 0) PutRegisters(s, f.rest_pc);
    }
  }

  void PutCta(const Cta& c) {
    Put(c.live, c.exited, c.relinquished, c.triggered, c.refused, c.rank,
        c.live_threads, c.free_registers);
    for (int16_t count : c.registers) Put(count);
    for (const machine::Mbarrier& b : c.mbarriers)
      Put(b.live, b.invalidated, b.phase & 1, b.expected, b.pending, b.tx);
    for (const machine::NamedBarrier& b : c.named)
      Put(b.expected, b.arrived, b.warps, b.counted);
    for (const machine::TmemStatus t : c.tmem) Put(t);
    for (const KnownWord& w : c.words) {
      const auto answer = terms_.answers_at_.find({c.rank, w.at});
      const bool is = answer != terms_.answers_at_.end();
      Put(w.at, w.bytes, is, is ? Ago(answer->second) : uint64_t(w.value));
    }
  }

  void PutFlight(const InFlight& f) {
    Put(f.read, f.cta, f.op, f.destination, f.group, f.tracks, f.is_track);
    Put(f.threads);
    for (int32_t owner : f.owners) {
      const Strand& s = state_.strands[static_cast<size_t>(owner)];
      Put(s.cta);
      Put(s.threads);
      if (f.group != ir::GroupKind::kNone)
        Put(s.groups[static_cast<size_t>(f.group)].next - f.number);
    }
    for (const ir::OperandValue& o : f.varying) {
      Put(o.kind, o.number, o.barrier.index, o.barrier.cta);
      if (o.kind != ir::OperandValue::Kind::kTile) continue;
      const ir::TileValue& t = o.tile;
      Put(t.space, t.decl, t.index, t.cta, t.dtype, t.rank, t.transposed);
      for (int d = 0; d < ir::kMaxRank; ++d) {
        const bool where = t.space == ir::Space::kGlobal && d == 0;
        Put(where ? 0 : t.start[d], t.extent[d]);
      }
    }
  }

  const Terms& terms_;
  const machine::State& state_;
  std::vector<std::optional<StateKey>> of_terms_;
  StateKey key_ = kBegin;
};

// --- as the run goes --------------------------------------------------------

// After a refusal nobody asks again, or the run is of no use.
void Terms::Answered(const machine::State& state, const Answering& answer) {
  const bool handed = Answer::Of(answer.bits).canceled;
  if (refused_) lost_ = true;
  if (handed) answers_.push_back(answer.bits);
  for (int rank : answer.ranks) {
    Overwritten(rank, answer.at, answer.at + 2 * kAnswerWord);
    if (handed)
      answers_at_[{rank, answer.at}] = static_cast<int32_t>(answers_.size());
  }
  if (!handed) {
    refused_ = true;
    ops_before_ = ops_.size();
  }
  if (wanted_.empty()) wanted_ = WantedBits(guide_.program());
  states_.push_back(StateHash(*this, state).Run());
}

void Terms::Overwritten(int rank, int64_t begin, int64_t end) {
  std::erase_if(answers_at_, [&](const auto& it) {
    const auto& [of, at] = it.first;
    return of == rank && at < end && begin < at + 2 * kAnswerWord;
  });
}

bool Terms::IsAnswer(int rank, int64_t at) const {
  const auto next = answers_at_.upper_bound({rank, static_cast<int32_t>(at)});
  if (next == answers_at_.begin()) return false;
  const auto& [of, begin] = std::prev(next)->first;
  return of == rank && at < begin + kAnswerWord;
}

void Terms::LoadedAnswer(int rank, int64_t at, int64_t bytes, Value* out) {
  const auto next = answers_at_.upper_bound({rank, static_cast<int32_t>(at)});
  const auto& [where, variable] = *std::prev(next);
  Term t;
  t.made = Made::kAnswer;
  t.uniform = true;
  t.variable = variable;
  t.a = static_cast<uint64_t>(at - where.second);
  t.b = static_cast<uint64_t>(std::min<int64_t>(bytes, kAnswerWord));
  if (t.a + t.b > kAnswerWord || !out->uniform()) return Lose();
  Make(std::move(t), out);
}

void Terms::Asked(const Value& answer, int64_t dimension, size_t lane,
                  Value* out) {
  Term t;
  t.made = Made::kAsked;
  t.uniform = true;
  t.pc = static_cast<int32_t>(dimension);
  t.a = lane;
  t.in = {answer};
  Make(std::move(t), out);
}

// The place of a CTA in its cluster, made of %ctaid, is.
bool Terms::IsTheSame(const Value& v) {
  if (v.term == 0 || VariableOf(v) == kOfSeveral) return v.term == 0;
  const auto [at, fresh] = the_same_.try_emplace(v.term, false);
  if (!fresh) return at->second;
  std::vector<int32_t> made_of = {v.term};
  for (size_t i = 0; i < made_of.size(); ++i) {
    for (const Value& in : terms_[static_cast<size_t>(made_of[i])].in) {
      if (in.term != 0) made_of.push_back(in.term);
    }
  }
  std::sort(made_of.begin(), made_of.end());
  made_of.erase(std::unique(made_of.begin(), made_of.end()), made_of.end());
  values_.resize(terms_.size());
  const ir::BoundKernel& b = guide_.bound();
  const int64_t clusters = b.ctas() / b.cluster_size();
  bool same = true;
  for (int64_t c = 0; c < clusters && same; ++c)
    same = WorkAll(made_of, c) && In(v).base == v.base &&
           In(v).pattern == v.pattern;
  return the_same_[v.term] = same;
}

// --- of other clusters ------------------------------------------------------

uint64_t Terms::AnswerOf(int64_t cluster) const {
  Cta first;
  machine::Place(guide_.bound(), cluster, 0, first);
  return Answer{true, first.id}.Bits();
}

int64_t Terms::ClusterOf(uint64_t answer) const {
  const ir::BoundKernel& b = guide_.bound();
  const Answer of = Answer::Of(answer);
  int64_t out = 0;
  for (size_t d = of.first_cta.size(); d-- > 0;)
    out = out * (b.grid[d] / b.cluster[d]) + of.first_cta[d] / b.cluster[d];
  return out;
}

Value Terms::AnswerIn(const Term& term, const Value& in) const {
  if (term.made == Made::kAnswer)
    return Value{
        ZeroExtend(answer_ >> (8 * term.a), static_cast<int>(8 * term.b))};
  const Answer answer = Answer::Of(guide_.lanes().At(in, term.a));
  if (term.pc < 0) return Value{uint64_t{answer.canceled}};
  const auto d = static_cast<size_t>(term.pc);
  if (!answer.canceled || d >= answer.first_cta.size())
    return Lanes::Unknown(-1);
  return Value{static_cast<uint64_t>(answer.first_cta[d])};
}

void Terms::AfterRefusal() {
  only_behind_ = true;
  FindParts();
}

bool Terms::SameHanded(int32_t answer, int64_t cluster,
                       std::vector<Start>& out) {
  return static_cast<size_t>(answer) < parts_.size() &&
         Same(answer, cluster, out);
}

}  // namespace tilesim::ptx
