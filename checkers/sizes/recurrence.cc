#include "checkers/sizes/recurrence.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <utility>

#include "absl/hash/hash.h"
#include "checkers/sizes/walk.h"
#include "ir/cat.h"

namespace tilesim::checkers {
namespace {

constexpr Symbol kCtaSymbols = 1'000;  // one a dimension of the grid
constexpr Symbol kFreshSymbols = 2'000;
constexpr int kMaxRepeats = 200;
// Lengths of a stretch that are tried at one place.
constexpr size_t kMaxCandidates = 6;

class Finder {
 public:
  Finder(const machine::Code& code, int64_t cluster, const Family& family,
         int64_t max_events)
      : code_(code),
        cluster_(cluster),
        family_(family),
        max_events_(max_events) {}

  Recurrence Find() {
    while (plan_.size() < kMaxRepeats) {
      Attempt now = Try();
      if (out_.grid_grows && now.grid_was_small) continue;
      if (now.walk->failed() >= 0) {
        if (!Next(*now.walk)) return Give(*now.walk);
        continue;
      }
      if (now.walk->undecided()) {
        if (!Extend(now)) return Give(*now.walk);
        continue;
      }
      return Conclude(now);
    }
    out_.why = "too many loops end differently";
    return out_;
  }

 private:
  // Repeats that could be what happens more often, best first.
  using Candidates = std::vector<Repeat>;

  struct Attempt {
    std::unique_ptr<Walk> walk;
    Log log;
    bool grid_was_small = false;
  };

  Recurrence Conclude(const Attempt& now) {
    out_.why = now.walk->why();
    if (out_.why.empty() && !now.log.finished)
      out_.why = "the run does not get to its end";
    if (out_.why.empty() && !now.walk->complete())
      out_.why = "the run is over before its repeats are";
    if (out_.why.empty() && !now.log.undetermined.empty())
      out_.why = now.log.undetermined.front();
    out_.holds = out_.why.empty();
    return out_;
  }

  Attempt Try() {
    std::array<Polynomial, 3> cta;
    for (int d = 0; d < 3; ++d) {
      if (grows_[d])
        cta[d] = Polynomial::Of(kCtaSymbols + d, code_.bound.cluster[d]);
    }
    std::vector<Repeat> repeats;
    for (const Candidates& c : plan_) repeats.push_back(c.front());
    Attempt out;
    out.walk = std::make_unique<Walk>(code_, Shadow(code_, family_, cta),
                                      std::move(repeats), kFreshSymbols);
    RunOptions o;
    o.cluster = cluster_;
    o.max_events = max_events_;
    o.observer = out.walk.get();
    o.early = true;
    out.log = RunCluster(code_, o);
    out_.events += static_cast<int64_t>(out.log.events.size());
    out.grid_was_small = GridGrows(*out.walk);
    return out;
  }

  // A grid that is larger for larger members: its CTAs have any position.
  bool GridGrows(const Walk& walk) {
    bool news = false;
    for (int d = 0; walk.grid() && d < 3; ++d) {
      if ((*walk.grid())[d].known() || grows_[d]) continue;
      grows_[d] = news = out_.grid_grows = true;
    }
    return news;
  }

  // Another candidate for a repeat that does not hold, or the same without the
  // scalars that it failed for; repeats after it were found with it.
  bool Next(const Walk& walk) {
    plan_.resize(walk.failed() + 1);
    auto& forget = plan_.back().front().forget;
    size_t before = forget.size();
    forget.insert(walk.differ().begin(), walk.differ().end());
    if (forget.size() > before) return true;
    last_times_ = plan_.back().front().times;
    plan_.back().erase(plan_.back().begin());
    return !plan_.back().empty();
  }

  Recurrence Give(const Walk& walk) {
    out_.why = walk.why();
    if (!walk.undecided()) {
      Blame(last_times_);
      WantWholeTurns(walk.whole_turns());
      WantRepeats(walk.lacking());
      return out_;
    }
    const Guard& open = *walk.undecided();
    if (open.number) {
      Blame(*open.number);
      for (const auto& [monomial, c] : open.number->terms()) {
        if (monomial.size() == 2 && monomial[0] != monomial[1])
          out_.product = {monomial[0], monomial[1]};
      }
    }
    Blame(open.because);
    WantStride(open.because, open.by);
    // Inside a repeat: what it depends on is how many there are.
    bool inside = out_.symbols.empty() || *out_.symbols.begin() >= kCtaSymbols;
    for (const Candidates& c : plan_) {
      if (inside && !c.empty()) Blame(c.front().times);
    }
    bool by_memory = !open.number && open.because.IsZero() == true;
    out_.why = ir::Cat(
        "what is decided on line ", open.span.line,
        by_memory ? " depends on what an op reads" : " depends on the size");
    return out_;
  }

  void Blame(const Polynomial& p) {
    for (const auto& [monomial, c] : p.terms())
      out_.symbols.insert(monomial.begin(), monomial.end());
  }

  bool Extend(const Attempt& now) {
    Candidates c = CandidatesFor(now);
    if (c.empty()) return false;
    plan_.push_back(std::move(c));
    return true;
  }

  static std::vector<size_t> TurnHashes(const Walk& walk, const Log& log) {
    std::vector<size_t> out;
    const std::vector<int32_t>& turns = walk.turns();
    for (size_t t = 0; t < turns.size(); ++t) {
      size_t end = t + 1 < turns.size() ? turns[t + 1] : log.events.size();
      size_t hash = 0;
      for (size_t i = turns[t]; i < end; ++i) {
        const Event& e = log.events[i];
        hash = absl::HashOf(hash, e.kind, e.op, e.cta, e.threads().first_warp,
                            e.threads().warps, e.threads().lanes);
      }
      out.push_back(hash);
    }
    return out;
  }

  // Stretches that end where the guard is, and have just happened twice.
  Candidates CandidatesFor(const Attempt& now) {
    const Walk& walk = *now.walk;
    const std::vector<int32_t>& turns = walk.turns();
    std::vector<size_t> hashes = TurnHashes(walk, now.log);
    int64_t end = TurnOf(walk);
    Candidates out;
    for (int64_t length = 1; 2 * length <= end && out.size() < kMaxCandidates;
         ++length) {
      bool twice =
          std::equal(hashes.begin() + end - length, hashes.begin() + end,
                     hashes.begin() + end - 2 * length);
      if (!twice) continue;
      Repeat r{end - length, end, {}, Rotation(RingsOf(code_)), {}};
      if (!SameEvents(now.log, turns[end - 2 * length], turns[end - length],
                      turns[end] - turns[end - length], r.rotation))
        continue;
      std::optional<Polynomial> times = TimesOf(walk, end, length);
      if (!times) continue;
      r.times = std::move(*times);
      out.push_back(std::move(r));
    }
    if (!out.empty()) out_.stride.reset();
    return out;
  }

  // The turn in which the guard was met.
  static int64_t TurnOf(const Walk& walk) {
    const Guard& open = *walk.undecided();
    int64_t turn = 0;
    for (const TimedGuard& g : walk.guards()) {
      if (Same(g.guard, open) && g.guard.number == open.number) turn = g.turn;
    }
    return std::max<int64_t>(turn, 0);
  }

  static bool Same(const Guard& a, const Guard& b) {
    return a.cta == b.cta && a.warp == b.warp && a.pc == b.pc;
  }

  // How much more often, so that the guard is the same for all again.
  std::optional<Polynomial> TimesOf(const Walk& walk, int64_t end,
                                    int64_t length) {
    const Guard& open = *walk.undecided();
    if (!open.number) return std::nullopt;
    for (auto g = walk.guards().rbegin(); g != walk.guards().rend(); ++g) {
      if (g->turn != end - length || !Same(g->guard, open) || !g->guard.number)
        continue;
      Polynomial moved = *g->guard.number - *open.number;
      if (!moved.constant() || moved.base() == 0) return std::nullopt;
      auto times = open.number->Varying().DividedBy(moved.base());
      if (!times) WantStride(*open.number, moved.base());
      if (!times || !times->Grows()) return std::nullopt;
      return times;
    }
    return std::nullopt;
  }

  // A repeat is several steps of the parameter.
  void WantStride(const Polynomial& number, int64_t moved) {
    for (const auto& [monomial, c] : number.terms()) {
      int64_t steps = std::abs(moved) / std::gcd(c, moved);
      if (monomial.size() == 1 && steps > 1 && !out_.stride)
        out_.stride = {monomial[0], steps};
    }
  }

  // Each step of the parameter is so many repeats more.
  void WantRepeats(int64_t lacking) {
    if (last_times_.terms().size() != 1) return;
    const auto& [monomial, each] = *last_times_.terms().begin();
    if (monomial.size() == 1 && each > 0)
      out_.values = (lacking + each - 1) / each;
  }

  void WantWholeTurns(int64_t slots) {
    if (last_times_.terms().size() != 1) return;
    const auto& [monomial, c] = *last_times_.terms().begin();
    int64_t steps = slots / std::gcd(slots, c);
    if (monomial.size() == 1 && steps > 1) out_.stride = {monomial[0], steps};
  }

  const machine::Code& code_;
  int64_t cluster_;
  const Family& family_;
  int64_t max_events_;
  std::vector<Candidates> plan_;
  std::array<bool, 3> grows_{};
  Polynomial last_times_;  // of the repeat given up last
  Recurrence out_;
};

}  // namespace

Recurrence FindRecurrence(const machine::Code& code, int64_t cluster,
                          const Family& family, int64_t max_events) {
  return Finder(code, cluster, family, max_events).Find();
}

}  // namespace tilesim::checkers
