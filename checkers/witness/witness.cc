#include "checkers/witness/witness.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "checkers/witness/replay.h"

namespace tilesim::checkers::witness {
using footprint::Fragments;
using report::Finding;
using report::SignatureOf;
using run::Move;
using run::Path;

namespace {

// What a replay costs however short it is, in events.
constexpr int64_t kReplay = 20;

// A warp, or an operation of one.
using Agent = std::tuple<int16_t, int16_t, int32_t>;
Agent AgentOf(const Move& m) { return {m.cta, m.warp, m.operation}; }
std::pair<int16_t, int16_t> WarpOf(const Move& m) { return {m.cta, m.warp}; }

class Shortener {
 public:
  Shortener(const machine::Code& code, int64_t cluster, const Finding& wanted,
            int64_t max_events, Fragments& fragments)
      : code_(code),
        cluster_(cluster),
        wanted_(wanted),
        fragments_(fragments),
        left_(max_events) {}

  // How much of the finding this schedule shows: nothing less may be left of
  // it in a shorter one.
  Likeness Start(const Path& path) {
    Replay replay = Spend(path);
    likeness_ = LikenessOf(replay);
    consequence_ = ShowsConsequence(replay);
    best_ = replay.log.made;
    return likeness_;
  }

  Path Shorten() {
    Cut();
    while (left_ > 0 && DropEnds()) {
    }
    while (left_ > 0 && BringTogether()) {
    }
    return std::move(best_);
  }

 private:
  Replay Spend(const Path& path) {
    Replay replay = ReplayPath(code_, cluster_, path, fragments_);
    left_ -= kReplay + static_cast<int64_t>(replay.log.events.size());
    return replay;
  }

  Likeness LikenessOf(const Replay& replay) const {
    const ir::Diagnostic& d = wanted_.diagnostic;
    return MostLike(replay.findings, SignatureOf(d), d.message).likeness;
  }

  bool ShowsConsequence(const Replay& replay) const {
    return !wanted_.consequence.code.empty() &&
           Shows(replay, wanted_.consequence);
  }

  // Takes a schedule that still shows everything, less what could not be made.
  bool Take(const Path& path) {
    if (left_ <= 0) return false;
    Replay replay = Spend(path);
    bool shows = LikenessOf(replay) >= likeness_ &&
                 (!consequence_ || ShowsConsequence(replay));
    if (shows) best_ = std::move(replay.log.made);
    return shows;
  }

  // Two accesses in a prefix are in order, or not, whatever follows: if one
  // prefix shows the finding so does every longer one.
  void Cut() {
    const Path whole = best_;
    size_t none = 0, shows = whole.size();
    while (shows - none > 1 && left_ > 0) {
      size_t half = none + (shows - none) / 2;
      Path prefix(whole.begin(), whole.begin() + static_cast<int64_t>(half));
      (Take(prefix) ? shows : none) = half;
    }
  }

  // The last moves of each warp with its operations, then of each operation:
  // all of them, half of them, and so on.
  bool DropEnds() {
    size_t before = best_.size();
    std::map<std::pair<int16_t, int16_t>, bool> warps;
    std::map<Agent, bool> operations;
    for (const Move& m : best_) {
      warps[WarpOf(m)] = true;
      if (m.operation >= 0) operations[AgentOf(m)] = true;
    }
    for (const auto& [warp, is] : warps)
      DropEnd([w = warp](const Move& m) { return WarpOf(m) == w; });
    for (const auto& [agent, is] : operations)
      DropEnd([a = agent](const Move& m) { return AgentOf(m) == a; });
    return best_.size() < before;
  }

  template <typename Mine>
  void DropEnd(Mine mine) {
    auto count = std::count_if(best_.begin(), best_.end(), mine);
    for (auto drop = count; drop > 0 && left_ > 0; drop /= 2) {
      Path shorter = best_;
      for (auto k = drop; k > 0; --k) {
        auto last = std::find_if(shorter.rbegin(), shorter.rend(), mine);
        if (last == shorter.rend()) return;
        shorter.erase(std::next(last).base());
      }
      if (shorter.size() < best_.size()) Take(shorter);
    }
  }

  // Each run of moves by one agent to where that agent moved last.
  bool BringTogether() {
    bool better = false;
    for (size_t from = 1; from < best_.size() && left_ > 0; ++from) {
      Agent agent = AgentOf(best_[from]);
      if (AgentOf(best_[from - 1]) == agent) continue;
      size_t to = from;
      while (to > 0 && AgentOf(best_[to - 1]) != agent) --to;
      if (to == 0) continue;
      size_t end = from + 1;
      while (end < best_.size() && AgentOf(best_[end]) == agent) ++end;
      Path joined = best_;
      auto at = [&](size_t i) {
        return joined.begin() + static_cast<int64_t>(i);
      };
      std::rotate(at(to), at(from), at(end));
      size_t interruptions = Interruptions(best_);
      if (Interruptions(joined) >= interruptions) continue;
      Path before = best_;
      if (!Take(joined)) continue;
      if (Interruptions(best_) < interruptions) {
        better = true;
      } else {
        best_ = std::move(before);
      }
    }
    return better;
  }

  static size_t Interruptions(const Path& path) {
    size_t n = 0;
    for (size_t i = 1; i < path.size(); ++i)
      n += AgentOf(path[i]) != AgentOf(path[i - 1]) ? 1 : 0;
    return n;
  }

  const machine::Code& code_;
  const int64_t cluster_;
  const Finding& wanted_;
  Fragments& fragments_;
  int64_t left_;
  Likeness likeness_ = Likeness::kNone;
  bool consequence_ = false;
  Path best_;
};

// The schedules that may show it, until one does in the same words.
Path FirstThatShows(const Finding& found, SimpleSchedules& simple,
                    const std::function<Likeness(const Path&)>& shows) {
  Path at_the_place;
  for (int i = -1; i < static_cast<int>(std::size(kManners)); ++i) {
    const Path& path = i < 0 ? found.witness : simple.Of(i);
    if (path.empty()) continue;
    Likeness shown = shows(path);
    if (shown == Likeness::kWords) return path;
    if (shown == Likeness::kPlace && at_the_place.empty()) at_the_place = path;
  }
  return at_the_place;
}

}  // namespace

Path FindWitness(const machine::Code& code, const Finding& found,
                 int64_t max_events, SimpleSchedules& simple,
                 Fragments& fragments) {
  if (max_events <= 0) return {};
  auto fresh = [&] {
    return Shortener(code, simple.cluster(), found, max_events, fragments);
  };
  Path path = FirstThatShows(found, simple,
                             [&](const Path& p) { return fresh().Start(p); });
  if (path.empty()) return {};
  Shortener shortener = fresh();
  shortener.Start(path);
  return shortener.Shorten();
}

}  // namespace tilesim::checkers::witness
