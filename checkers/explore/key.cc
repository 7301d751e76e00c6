// What makes two positions equal: everything the future depends on, written
// without slots or ages that differ from schedule to schedule.
#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>

#include "absl/hash/hash.h"
#include "checkers/explore/position.h"

namespace tilesim::checkers {
namespace {

using machine::Strand;

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  template <typename... T>
  void Put(T... values) {
    (One(static_cast<int64_t>(values)), ...);
  }

 private:
  void One(int64_t v) {
    // Most numbers are small: one byte, or an escape and eight.
    if (v >= 0 && v < 255) {
      out_.push_back(static_cast<char>(v));
      return;
    }
    out_.push_back(static_cast<char>(255));
    out_.append(reinterpret_cast<const char*>(&v), sizeof v);
  }

  std::string& out_;
};

void PutCta(const machine::Cta& c, Writer& w) {
  w.Put(c.exited, c.relinquished, c.triggered, c.free_registers);
  for (const machine::Mbarrier& b : c.mbarriers)
    w.Put(b.live, b.invalidated, b.phase, b.expected, b.pending, b.tx);
  for (const machine::NamedBarrier& b : c.named) w.Put(b.expected, b.arrived);
  for (int16_t r : c.registers) w.Put(r);
  for (machine::TmemStatus t : c.tmem) w.Put(t);
}

void PutStrand(const machine::Code& code, const Strand& s, int warp,
               Writer& w) {
  w.Put(warp, s.status, s.pc, s.waiting, s.cluster_arrived, s.threads.lanes,
        s.frames.size());
  for (int16_t slot : code.live[s.pc]) w.Put(s.slots[slot]);
}

}  // namespace

Key Explorer::KeyOf(const Position& p) const {
  static thread_local std::string text;
  text.clear();
  Writer w(text);
  w.Put(static_cast<int64_t>(p.assignment));
  for (const machine::Cluster& cluster : p.state.clusters)
    w.Put(cluster.arrived, cluster.generation);
  w.Put(p.state.grids[0].next_cluster, p.requests);
  std::vector<std::tuple<int, int, int32_t>> strands;  // CTA, warp, which
  for (size_t i = 0; i < p.state.strands.size(); ++i) {
    const Strand& s = p.state.strands[i];
    if (s.status == Strand::Status::kFree) continue;
    for (int k = 0; k < s.threads.warps; ++k)
      strands.emplace_back(s.cta, s.threads.first_warp + k, i);
  }
  std::sort(strands.begin(), strands.end());
  for (const auto& [cta, warp, i] : strands) {
    w.Put(cta);
    PutStrand(code_, p.state.strands[i], warp, w);
  }
  for (const machine::Cta& cta : p.state.ctas) PutCta(cta, w);
  std::vector<std::tuple<Issuer, bool>> flights;
  for (size_t i = 0; i < p.state.inflight.size(); ++i) {
    const machine::InFlight& f = p.state.inflight[i];
    if (f.live) flights.emplace_back(p.issuers[i], f.read);
  }
  std::sort(flights.begin(), flights.end());
  for (const auto& [who, read] : flights)
    w.Put(who.cta, who.warp, who.nth, read);
  for (int32_t n : p.issued) w.Put(n);
  for (int32_t n : p.uses) w.Put(n);
  for (uint8_t b : p.memory) w.Put(b);
  for (uint64_t h : p.history) w.Put(h);
  for (uint64_t h : p.read) w.Put(h);
  return {absl::HashOf(text), std::hash<std::string_view>()(text)};
}

}  // namespace tilesim::checkers
