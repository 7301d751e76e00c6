// What makes two states equal: everything the future depends on, written
// without slots or ages that differ from schedule to schedule.
#include <algorithm>
#include <cstring>
#include <vector>

#include "checkers/explore/search_state.h"

namespace tilesim::checkers::explore {
namespace {

using machine::Strand;

uint64_t Pack(int64_t low, int64_t high) {
  return static_cast<uint32_t>(low) | static_cast<uint64_t>(high) << 32;
}

// Two hashes of one sequence of words, each a folded multiplication a word.
class Mixer {
 public:
  template <typename... T>
  void Put(T... values) {
    (One(static_cast<uint64_t>(values)), ...);
  }

  // Bytes of which all states have equally many.
  void PutBytes(const void* from, size_t n) {
    auto at = static_cast<const char*>(from);
    for (; n > 0; n -= std::min(n, sizeof(uint64_t))) {
      uint64_t word = 0;
      std::memcpy(&word, at, std::min(n, sizeof word));
      One(word);
      at += sizeof word;
    }
  }

  // Parts whose order means nothing: strands, what is in flight.
  void Add(Mixer part) {
    part.One(0);
    sum_a_ += part.a_;
    sum_b_ += part.b_;
  }

  Key key() {
    Put(sum_a_, sum_b_);
    return {a_, b_};
  }

 private:
  static uint64_t Fold(uint64_t x, uint64_t y) {
    auto product = static_cast<unsigned __int128>(x) * y;
    return static_cast<uint64_t>(product) ^
           static_cast<uint64_t>(product >> 64);
  }
  // The digits of pi, as odd as they come.
  void One(uint64_t v) {
    a_ = Fold(a_ ^ v, 0x243f6a8885a308d3u);
    b_ = Fold(b_ ^ v, 0xa4093822299f31d1u);
  }

  uint64_t a_ = 0x13198a2e03707345u, b_ = 0x082efa98ec4e6c89u;
  uint64_t sum_a_ = 0, sum_b_ = 0;
};

void PutCta(const machine::Cta& c, Mixer& m) {
  m.Put(c.exited, c.relinquished, Pack(c.triggered, c.refused),
        c.free_registers);
  for (const machine::Mbarrier& b : c.mbarriers)
    m.Put(Pack(b.live | b.invalidated << 1, b.phase),
          Pack(b.expected, b.pending), b.tx);
  for (const machine::NamedBarrier& b : c.named)
    m.Put(Pack(b.expected, b.arrived), b.counted);
  for (const machine::KnownWord& w : c.words)
    m.Put(Pack(w.at, w.bytes), w.value);
  m.PutBytes(c.registers.data(), sizeof c.registers);
  m.PutBytes(c.tmem.data(), c.tmem.size() * sizeof c.tmem[0]);
}

void PutStrand(const machine::Guide& guide, const Strand& s, int warp,
               std::vector<int64_t>& live, Mixer& m) {
  m.Put(Pack(s.cta, warp), Pack(s.pc, s.waiting),
        Pack(static_cast<int>(s.status), s.cluster_arrived),
        Pack(s.threads.lanes, s.frames.size()));
  live.clear();
  guide.AppendLive(s, warp, live);
  for (int64_t number : live) m.Put(number);
}

template <typename T>
void PutAll(const std::vector<T>& values, Mixer& m) {
  m.PutBytes(values.data(), values.size() * sizeof(T));
}

}  // namespace

Key Explorer::KeyOf(const SearchState& p) const {
  Mixer m;
  m.Put(p.assignment);
  for (const machine::Cluster& cluster : p.state.clusters)
    m.Put(cluster.arrived, cluster.generation);
  m.Put(p.state.grids[0].next_cluster, p.requests);
  const machine::Guide& guide = machine_.guide(0);
  std::vector<int64_t> live;  // reused
  // A strand of several warps is as good as one each.
  for (const Strand& s : p.state.strands) {
    if (s.status == Strand::Status::kFree) continue;
    for (int k = 0; k < s.threads.warps; ++k) {
      Mixer part;
      PutStrand(guide, s, s.threads.first_warp + k, live, part);
      m.Add(part);
    }
  }
  for (const machine::Cta& cta : p.state.ctas) PutCta(cta, m);
  for (size_t i = 0; i < p.state.inflight.size(); ++i) {
    const machine::InFlight& f = p.state.inflight[i];
    if (!f.live) continue;
    const Issuer& who = p.issuers[i];
    Mixer part;
    part.Put(Pack(who.cta, who.warp), Pack(who.nth, f.read), ~uint64_t{0});
    m.Add(part);
  }
  PutAll(p.issued, m);
  PutAll(p.uses, m);
  for (const Executed& e : p.executed) m.Put(e.trace);
  PutAll(p.memory, m);
  PutAll(p.history, m);
  PutAll(p.read, m);
  for (const auto& [at, word] : p.shared_history)
    m.Put(at, word.history, word.warp, word.trace);
  for (const auto& [who, read] : p.shared_read)
    m.Put(who.first, who.second, read);
  return m.key();
}

}  // namespace tilesim::checkers::explore
