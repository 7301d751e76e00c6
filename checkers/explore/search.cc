#include "checkers/explore/search.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "ir/cat.h"

namespace tilesim::checkers::explore {
using report::Finding;
using run::Move;
using run::Path;

namespace {

// Different orders of events that are worth judging one by one.
constexpr size_t kMaxEnds = 256;
constexpr size_t kMaxDepth = 50'000;
constexpr int64_t kStatesBetweenWords = 1024;
// Of the states of one schedule: those of large clusters, in which many
// words decide control, or of compiled code, whose strands have all registers,
// take a megabyte each.
constexpr size_t kMaxStackBytes = size_t{1} << 30;

// Nobody can move, whatever the reason: never nothing.
ir::Diagnostic Unexplained() {
  ir::Diagnostic d;
  d.code = "deadlock/cycle";
  d.message = "no thread can go on, and nothing is in flight";
  return d;
}

class Search {
 public:
  // `keep_edges`: how states follow each other, which only matters where
  // schedules come back to where they were and takes most of the memory.
  Search(const machine::Code& code, const ExploreOptions& options,
         bool keep_edges)
      : options_(options),
        keep_edges_(keep_edges),
        explorer_(code, {options.cluster, options.clusters, options.environment,
                         options.both_milestones}),
        limit_(options.max_states) {}

  Exploration Run() {
    out_.why = explorer_.why_not();
    SearchState next;
    if (out_.why.empty()) {
      next = explorer_.Start();
      explorer_.findings().empty() ? void(Push(next, 0)) : Fault();
    }
    while (!stack_.empty() && out_.why.empty()) {
      Frame& top = stack_.back();
      if (top.next == top.moves.size()) {
        Pop();
        continue;
      }
      Move move = top.moves[top.next++];
      // The last branch needs no copy.
      if (top.next == top.moves.size())
        std::swap(next, top.state);
      else
        next = top.state;
      size_t length = path_.size();
      if (!Make(next, move) || !Push(next, length)) path_.resize(length);
    }
    if (out_.why.empty() && keep_edges_ && !AllMayEnd())
      out_.why = "a schedule may go round for ever";
    out_.complete = out_.why.empty();
    SayWhichOccurInAll();
    out_.deviations = explorer_.deviations();
    return std::move(out_);
  }

  // A schedule came back to where it was before.
  bool rounds() const { return rounds_; }

 private:
  struct Frame {
    SearchState state;
    std::vector<Move> moves;
    size_t next = 0;
    size_t path = 0;  // its length before this state
    int32_t id = -1;
  };

  bool Make(SearchState& p, const Move& move) {
    path_.push_back(move);
    if (explorer_.Make(p, move)) return true;
    Fault();
    if (explorer_.findings().empty() && AllFollowed())
      out_.why = "our bug: a move that was possible could not be made";
    return false;
  }

  // Who does not go on because nobody knows where to is not stuck.
  bool AllFollowed() {
    const std::vector<std::string>& why = explorer_.not_followed();
    if (!why.empty() && out_.why.empty()) out_.why = why.front();
    return why.empty();
  }

  // What comes after it means nothing.
  void Fault() {
    ++ends_;
    Stops();
    out_.faults = true;
    for (const ir::Diagnostic& d : explorer_.findings()) Report(d);
  }

  // Goes on from a state, unless it has been there. `length`: of the path
  // before the move that led to it.
  bool Push(SearchState& p, size_t length) {
    Move move;
    while (options_.reduce && explorer_.InvisibleMove(p, move)) {
      if (!Make(p, move) || TooDeep()) return false;
    }
    auto id = static_cast<int32_t>(seen_.size());
    auto [state, fresh] = seen_.try_emplace(explorer_.KeyOf(p), id);
    id = state->second;
    Came(id, fresh);
    if (!fresh) return false;
    if (options_.doing && out_.states % kStatesBetweenWords == 0)
      options_.doing(ir::Cat(out_.states, " states searched"));
    if (++out_.states > limit_) {
      bool found = !out_.findings.all().empty();
      out_.why = found ? "the search stopped after what it found"
                       : ir::Cat("more than ", options_.max_states,
                                 " states (--max-states)");
      return false;
    }
    std::vector<Move> moves = explorer_.Moves(p);
    if (!AllFollowed()) return false;
    if (moves.empty()) {
      stops_.push_back(id);
      End(p);
      return false;
    }
    if (TooDeep() || TooLarge(p)) return false;
    on_stack_[id] = true;
    stack_.push_back({TakeSpare(), std::move(moves), 0, length, id});
    std::swap(stack_.back().state, p);
    return true;
  }

  void Pop() {
    Frame& top = stack_.back();
    path_.resize(top.path);
    on_stack_[top.id] = false;
    spare_.push_back(std::move(top.state));
    stack_.pop_back();
  }

  // Memory of a state that is done with: copying into it is cheap.
  SearchState TakeSpare() {
    if (spare_.empty()) return {};
    SearchState out = std::move(spare_.back());
    spare_.pop_back();
    return out;
  }

  // From the state on top of the stack to this one.
  void Came(int32_t id, bool fresh) {
    if (fresh) on_stack_.push_back(false);
    rounds_ |= on_stack_[id];
    if (!keep_edges_) return;
    if (fresh) before_.emplace_back();
    if (!stack_.empty()) before_[id].push_back(stack_.back().id);
  }

  void Stops() {
    if (!stack_.empty()) stops_.push_back(stack_.back().id);
  }

  // Whether every state may come to an end. One that may not goes round for
  // ever, whatever happens; of others, only a schedule that never lets those go
  // on who could end it.
  bool AllMayEnd() {
    std::vector<bool> may(before_.size());
    size_t count = 0;
    while (!stops_.empty()) {
      int32_t id = stops_.back();
      stops_.pop_back();
      if (may[id]) continue;
      may[id] = true;
      ++count;
      stops_.insert(stops_.end(), before_[id].begin(), before_[id].end());
    }
    return count == before_.size();
  }

  bool TooDeep() {
    if (path_.size() > kMaxDepth)
      out_.why = ir::Cat("a schedule of more than ", kMaxDepth, " steps");
    return path_.size() > kMaxDepth;
  }

  // States that are done with keep their memory, for the next ones.
  bool TooLarge(const SearchState& p) {
    const size_t states = stack_.size() + spare_.size() + 1;
    const bool large = BytesOf(p) * states > kMaxStackBytes;
    if (large)
      out_.why = ir::Cat("a schedule whose states take more than ",
                         kMaxStackBytes >> 20, " MB");
    return large;
  }

  void End(const SearchState& p) {
    ++ends_;
    bool finished = explorer_.Finished(p);
    (finished ? out_.finishes : out_.sticks) = true;
    if (!finished) {
      std::vector<ir::Diagnostic> why = explorer_.Stuck(p);
      if (why.empty()) why.push_back(Unexplained());
      for (const ir::Diagnostic& d : why) Report(d);
    }
    if (!orders_.insert(Explorer::OrderOf(p)).second) return;
    if (out_.ends.size() == kMaxEnds)
      out_.why = ir::Cat("more than ", kMaxEnds, " different orders of events");
    out_.ends.push_back(path_);
  }

  // At how many of the places where schedules end a finding is seen, and at
  // which of them last.
  struct Seen {
    int64_t ends = 0;
    int64_t last = 0;
  };

  void Report(const ir::Diagnostic& d) {
    if (out_.findings.all().empty())
      limit_ = std::min(limit_, options_.after_finding * (out_.states + 1000));
    const Finding* known = out_.findings.Find(d);
    if (known == nullptr) {
      Finding* fresh = out_.findings.Add(d);
      fresh->witness = path_;
      known = fresh;
    }
    // Several diagnostics of one end may look alike.
    Seen& seen = seen_at_[known];
    seen.ends += seen.last != ends_;
    seen.last = ends_;
  }

  void SayWhichOccurInAll() {
    for (Finding& f : out_.findings.all())
      f.every_schedule = out_.complete && seen_at_[&f].ends == ends_;
  }

  ExploreOptions options_;
  bool keep_edges_;
  Explorer explorer_;
  int64_t limit_;
  std::vector<Frame> stack_;
  std::vector<SearchState> spare_;
  std::vector<bool> on_stack_;  // by state
  bool rounds_ = false;
  Path path_;
  absl::flat_hash_map<Key, int32_t> seen_;
  std::vector<absl::InlinedVector<int32_t, 2>> before_;  // a move earlier
  std::vector<int32_t> stops_;  // states after which a schedule may be over
  absl::flat_hash_set<uint64_t> orders_;  // Explorer::OrderOf ends
  int64_t ends_ = 0;  // places where schedules end, well or not
  absl::flat_hash_map<const Finding*, Seen> seen_at_;
  Exploration out_;
};

}  // namespace

bool Exploration::EverySchedule(const ir::Diagnostic& d) const {
  const Finding* f = findings.Find(d);
  return f != nullptr && f->every_schedule;
}

Exploration Explore(const machine::Code& code, const ExploreOptions& options) {
  Search search(code, options, false);
  Exploration out = search.Run();
  if (!search.rounds() || !out.complete) return out;
  return Search(code, options, true).Run();
}

}  // namespace tilesim::checkers::explore
