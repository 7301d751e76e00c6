#include "checkers/sizes/family_proof.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "absl/hash/hash.h"
#include "checkers/sizes/inductive_run.h"
#include "ir/cat.h"

namespace tilesim::checkers::sizes {
using run::CanonicalRun;
using run::Environment;
using run::Event;
using run::HandedOut;
using run::Log;
using run::RunObserver;
using run::RunOptions;
using run::RunPosition;
using run::WithFlags;
using run::WithTicket;

namespace {

constexpr int kMaxRepeats = 200;
// Lengths of a stretch that are tried at one place.
constexpr size_t kMaxCandidates = 6;
// Repeats over which scalars are looked at: rings are seldom longer.
constexpr int64_t kCopies = 16;

// Events that are compared in the time that one more takes.
constexpr int64_t kComparedAsOne = 10;

// Turns from one at which a walk can be taken up again to the next: so many, or
// an eighth of those before.
constexpr int64_t kSaved = 16;
constexpr int64_t kSavedOf = 8;

class Finder : public RunObserver {
 public:
  Finder(const machine::Code& code, int64_t cluster, const Family& family,
         int64_t max_events)
      : code_(code),
        cluster_(cluster),
        family_(family),
        max_events_(max_events) {}

  FamilyProof Find() {
    while (plan_.size() < kMaxRepeats) {
      Try();
      if (walk_->failed() >= 0) {
        if (!Next(walk_->failed())) return Give();
        continue;
      }
      if (walk_->undecided()) {
        if (Extend()) continue;
        // What is decided in a repeat is not the same in all: no repeat.
        int32_t inside = walk_->inside();
        if (inside < 0 || !Next(inside)) return Give();
        continue;
      }
      return Conclude();
    }
    out_.why = "too many loops end differently";
    return out_;
  }

  bool Turn(const machine::State& state, const Log& log) override {
    Save();
    return walk_->Turn(state, log);
  }
  void Executed(const machine::Machine& machine, const machine::State& state,
                int32_t strand, const Event& event) override {
    walk_->Executed(machine, state, strand, event);
  }
  void Control(const machine::State& state, int32_t strand,
               const machine::Instr& instr, const machine::Who& who) override {
    walk_->Control(state, strand, instr, who);
  }
  void Divided(int32_t strand, int32_t other) override {
    walk_->Divided(strand, other);
  }
  void Absorbed(int32_t strand, int32_t other) override {
    walk_->Absorbed(strand, other);
  }

 private:
  using Stride = std::optional<std::pair<Symbol, int64_t>>;

  // Repeats that could be what happens more often, best first.
  struct Candidates {
    std::vector<LoopSummary> all;
    // If scalars moved on evenly only in a longer one: steps of the parameter
    // that would make that a candidate.
    Stride longer;
  };

  // A walk, and the run that it goes along with, at the beginning of a turn.
  struct Saved {
    int64_t turn;
    std::shared_ptr<const RunPosition> position;
    InductiveRun walk;
  };

  FamilyProof Conclude() {
    const Log& log = run_->log();
    out_.why = walk_->why();
    if (out_.why.empty() && !log.finished)
      out_.why = "the run does not get to its end";
    if (out_.why.empty() && !walk_->complete())
      out_.why = "the run is over before its repeats are";
    if (out_.why.empty() && !log.undetermined.empty())
      out_.why = log.undetermined.front();
    out_.holds = out_.why.empty();
    out_.flags = walk_->flags();
    WantFit(walk_->unfit());
    return out_;
  }

  // A walk with the repeats of the plan, from where the one before looked at
  // the first that is another now.
  void Try() {
    std::vector<LoopSummary> repeats;
    for (const Candidates& c : plan_) repeats.push_back(c.all.front());
    int64_t same = SameUpTo(repeats);
    while (!saved_.empty() && saved_.back().turn > same) saved_.pop_back();
    tried_ = std::move(repeats);
    saved_.empty() ? Begin() : Resume();
    auto begun = static_cast<int64_t>(run_->log().events.size());
    run_->Run();
    out_.events += static_cast<int64_t>(run_->log().events.size()) - begun;
    out_.events += std::exchange(compared_, 0) / kComparedAsOne;
  }

  void Begin() {
    RunOptions o;
    o.cluster = cluster_;
    o.max_events = max_events_;
    o.observer = this;
    o.early = true;
    if (family_.handed_out)
      environment_ = HandedOut(cluster_, family_.handed_out->base(), {});
    if (family_.ticket) environment_ = WithTicket(*family_.ticket, code_, {});
    if (!family_.flags.empty())
      environment_ = WithFlags(family_.flags, code_, environment_);
    o.environment = &environment_;
    notes_.BackTo(0);
    walk_ = std::make_unique<InductiveRun>(code_, SymbolicState(code_, family_),
                                           tried_, kFreshSymbols, &notes_);
    run_ = std::make_unique<CanonicalRun>(code_, o);
  }

  void Resume() {
    const Saved& from = saved_.back();
    notes_.BackTo(from.turn);
    walk_ = std::make_unique<InductiveRun>(from.walk);
    walk_->Replan(tried_);
    run_->Restore(*from.position, this);
  }

  void Save() {
    auto turn = static_cast<int64_t>(notes_.turns.size());
    int64_t last = saved_.empty() ? 0 : saved_.back().turn;
    bool wanted = turn - last >= std::max(kSaved, turn / kSavedOf) &&
                  walk_->why().empty() && !walk_->undecided();
    auto position = wanted ? run_->Save() : nullptr;
    if (position != nullptr) saved_.push_back({turn, position, *walk_});
  }

  // The turn up to which a walk with these repeats goes as the last one did.
  int64_t SameUpTo(const std::vector<LoopSummary>& repeats) const {
    int64_t out = std::numeric_limits<int64_t>::max();
    for (size_t i = 0; i < std::max(repeats.size(), tried_.size()); ++i) {
      bool now = i < repeats.size(), before = i < tried_.size();
      if (now && before && repeats[i] == tried_[i]) continue;
      if (now) out = std::min(out, repeats[i].first());
      if (before) out = std::min(out, tried_[i].first());
    }
    return out;
  }

  // Another candidate for a repeat that does not hold, or the same without the
  // scalars that it failed for; repeats after it were found with it.
  bool Next(int32_t failed) {
    plan_.resize(failed + 1);
    std::vector<LoopSummary>& all = plan_.back().all;
    auto& forget = all.front().forget;
    size_t before = forget.size();
    forget.insert(walk_->differ().begin(), walk_->differ().end());
    if (forget.size() > before) return true;
    last_times_ = all.front().times;
    all.erase(all.begin());
    if (!all.empty()) return true;
    longer_ = plan_.back().longer;
    return false;
  }

  FamilyProof Give() {
    Explain(*walk_);
    if (!out_.stride && walk_->lacking() == 0) out_.stride = longer_;
    return out_;
  }

  void Explain(const InductiveRun& walk) {
    out_.why = walk.why();
    if (!walk.undecided()) {
      Blame(last_times_);
      WantWholeTurns(walk.whole_turns());
      WantFit(walk.unfit());
      return WantRepeats(walk.lacking());
    }
    const Guard& open = *walk.undecided();
    out_.number = NumberThatDecides(open);
    if (out_.number) {
      Blame(*out_.number);
      for (const auto& [monomial, c] : out_.number->terms()) {
        if (monomial.size() == 2 && monomial[0] != monomial[1])
          out_.product = {monomial[0], monomial[1]};
      }
    }
    out_.step = rest_ ? 1 : open.step;
    if (!rest_) Blame(open.because);
    if (!out_.stride) out_.stride = StrideFor(open.because, open.by);
    // Inside a repeat: what it depends on is how many there are.
    bool inside =
        out_.symbols.empty() || *out_.symbols.rbegin() >= kFreshSymbols;
    for (const Candidates& c : plan_) {
      if (inside && !c.all.empty()) Blame(c.all.front().times);
    }
    if (inside) Blame(last_times_);
    bool by_memory =
        !open.number && open.because.constant() && open.because.base() == 0;
    out_.why = ir::Cat(
        open.loop
            ? "what is decided on line "
            : "whether there is such an element, or quotient, as on line ",
        open.span.line,
        by_memory ? " depends on what an op reads, or on a number that is no "
                    "`let` of sizes"
                  : " depends on the size");
  }

  // What a repeat leaves of it, if that is undecided too.
  std::optional<Polynomial> NumberThatDecides(const Guard& open) const {
    if (rest_ || open.number) return rest_ ? rest_ : open.number;
    bool compared = open.by == 1 && !open.because.constant();
    return compared ? std::optional(open.because) : std::nullopt;
  }

  void Blame(const Polynomial& p) {
    for (const auto& [monomial, c] : p.terms())
      out_.symbols.insert(monomial.begin(), monomial.end());
  }

  bool Extend() {
    rest_.reset();
    if (!walk_->undecided()->loop) return false;
    Candidates c = CandidatesFor(*walk_, run_->log());
    if (c.all.empty()) return false;
    plan_.push_back(std::move(c));
    return true;
  }

  static std::vector<size_t> TurnHashes(const InductiveRun& walk,
                                        const Log& log) {
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

  // Stretches that end where the guard is, and have just happened twice. Those
  // in which scalars moved on evenly come first.
  Candidates CandidatesFor(const InductiveRun& walk, const Log& log) {
    std::vector<size_t> hashes = TurnHashes(walk, log);
    int64_t end = TurnOf(walk);
    Candidates out;
    std::vector<LoopSummary> uneven;
    for (int64_t length = 1; 2 * length <= end; ++length) {
      if (out.all.size() + uneven.size() == kMaxCandidates) break;
      bool twice =
          std::equal(hashes.begin() + end - length, hashes.begin() + end,
                     hashes.begin() + end - 2 * length);
      if (!twice) continue;
      std::optional<LoopSummary> r = StretchTo(log, end, length);
      if (!r) continue;
      bool even = walk.MovedEvenly(end, length, kCopies);
      Stride stride;
      std::optional<Polynomial> times = TimesOf(walk, end, length, stride);
      if (!out_.stride) out_.stride = stride;
      if (even && out.all.empty() && !out.longer) out.longer = stride;
      if (!times) continue;
      r->times = std::move(*times);
      (even ? out.all : uneven).push_back(std::move(*r));
    }
    std::move(uneven.begin(), uneven.end(), std::back_inserter(out.all));
    if (!out.all.empty()) out_.stride.reset();
    if (out.all.empty() && out.longer) out_.stride = out.longer;
    return out;
  }

  std::optional<LoopSummary> StretchTo(const Log& log, int64_t end,
                                       int64_t length) {
    const std::vector<int32_t>& turns = notes_.turns;
    compared_ += turns[end] - turns[end - length];
    LoopSummary r{end - length, end, {}, Rotation(RingsOf(code_)), {}};
    bool same = SameEvents(log, turns[end - 2 * length], turns[end - length],
                           turns[end] - turns[end - length], r.rotation);
    return same ? std::optional(std::move(r)) : std::nullopt;
  }

  // The turn in which the guard was met.
  static int64_t TurnOf(const InductiveRun& walk) {
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
  std::optional<Polynomial> TimesOf(const InductiveRun& walk, int64_t end,
                                    int64_t length, Stride& stride) {
    const Guard& open = *walk.undecided();
    if (!open.number) return std::nullopt;
    for (auto g = walk.guards().rbegin(); g != walk.guards().rend(); ++g) {
      if (g->turn != end - length || !Same(g->guard, open) || !g->guard.number)
        continue;
      Polynomial moved = *g->guard.number - *open.number;
      if (moved.base() == 0) return std::nullopt;
      if (!moved.constant()) return Quotient(open.number->Varying(), moved);
      Polynomial times = Multiples(*open.number, moved.base());
      Polynomial rest = *open.number - Polynomial(moved.base()) * times;
      if (!walk.AtLeast0(rest)) {
        stride = StrideFor(*open.number, moved.base());
        rest_ = times.constant() ? std::nullopt : std::optional(rest);
        return std::nullopt;
      }
      if (times.constant() || !times.Grows()) return std::nullopt;
      return times;
    }
    return std::nullopt;
  }

  // Of a number by what a repeat takes from it: where repeats lie within the
  // repeat, that depends on sizes itself.
  static std::optional<Polynomial> Quotient(const Polynomial& number,
                                            const Polynomial& moved) {
    Polynomial times;
    for (const auto& [monomial, c] : number.terms()) {
      if (monomial.size() == 1 && c % moved.base() == 0)
        times += Polynomial::Of(monomial[0], c / moved.base());
    }
    bool exact = times * moved == number && !times.constant();
    return exact && times.Grows() ? std::optional(std::move(times))
                                  : std::nullopt;
  }

  // What of it is a multiple, divided.
  static Polynomial Multiples(const Polynomial& number, int64_t by) {
    Polynomial out;
    for (const auto& [monomial, c] : number.terms()) {
      if (c % by == 0) out += Polynomial::Of(monomial, c / by);
    }
    return out;
  }

  // A repeat is several steps of the parameter.
  static Stride StrideFor(const Polynomial& number, int64_t moved) {
    for (const auto& [monomial, c] : number.terms()) {
      int64_t steps = std::abs(moved) / std::gcd(c, moved);
      bool of_size = monomial.size() == 1 && monomial[0] < kFreshSymbols;
      if (of_size && steps > 1) return {{monomial[0], steps}};
    }
    return std::nullopt;
  }

  // Each step of the parameter is so many repeats more.
  void WantRepeats(int64_t lacking) {
    if (last_times_.terms().size() != 1) return;
    const auto& [monomial, each] = *last_times_.terms().begin();
    if (monomial.size() == 1 && each > 0)
      out_.values = std::max<int64_t>(1, (lacking + each - 1) / each);
  }

  // A number that is not in step with its ring may be, if sizes take larger
  // steps.
  void WantFit(const std::optional<Unfit>& unfit) {
    if (!unfit) return;
    Blame(unfit->number);
    if (!out_.stride) out_.stride = StrideFor(unfit->number, unfit->by);
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
  Environment environment_;
  std::vector<Candidates> plan_;
  std::vector<LoopSummary> tried_;  // of the plan, last
  RunNotes notes_;
  std::unique_ptr<InductiveRun> walk_;
  std::unique_ptr<CanonicalRun> run_;
  std::vector<Saved> saved_;
  int64_t compared_ = 0;            // events, since the last run
  Polynomial last_times_;           // of the repeat given up last
  Stride longer_;                   // in place of what was given up last
  std::optional<Polynomial> rest_;  // of the number, after the repeat
  FamilyProof out_;
};

}  // namespace

FamilyProof ProveFamily(const machine::Code& code, int64_t cluster,
                        const Family& family, int64_t max_events) {
  return Finder(code, cluster, family, max_events).Find();
}

}  // namespace tilesim::checkers::sizes
