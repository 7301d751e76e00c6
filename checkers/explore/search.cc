#include "checkers/explore/search.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "ir/cat.h"

namespace tilesim::checkers::explore {
using run::Move;
using run::Path;

namespace {

// Different orders of events that are worth judging one by one.
constexpr size_t kMaxEnds = 256;
constexpr size_t kMaxDepth = 50'000;

// Nobody can move, whatever the reason: never nothing.
ir::Diagnostic Unexplained() {
  ir::Diagnostic d;
  d.code = "deadlock/cycle";
  d.message = "no thread can go on, and nothing is in flight";
  return d;
}

template <typename Stories>
auto FindStory(Stories& stories, const ir::Diagnostic& d) {
  return std::find_if(stories.begin(), stories.end(), [&](const Story& s) {
    const ir::Diagnostic& t = s.diagnostic;
    return t.code == d.code && t.span.line == d.span.line &&
           t.span.column == d.span.column;
  });
}

class Search {
 public:
  // `keep_edges`: how positions follow each other, which only matters where
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
    Position next;
    if (out_.why.empty()) {
      next = explorer_.Start();
      Push(next, 0);
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
        std::swap(next, top.position);
      else
        next = top.position;
      size_t length = path_.size();
      if (!Make(next, move) || !Push(next, length)) path_.resize(length);
    }
    if (out_.why.empty() && keep_edges_ && !AllMayEnd())
      out_.why = "a schedule may go round for ever";
    out_.complete = out_.why.empty();
    out_.deviations = explorer_.deviations();
    return std::move(out_);
  }

  // A schedule came back to where it was before.
  bool rounds() const { return rounds_; }

 private:
  struct Frame {
    Position position;
    std::vector<Move> moves;
    size_t next = 0;
    size_t path = 0;  // its length before this position
    int32_t id = -1;
  };

  bool Make(Position& p, const Move& move) {
    path_.push_back(move);
    if (explorer_.Make(p, move)) return true;
    ++out_.stops;
    Stops();
    out_.faults = true;
    for (const machine::Finding& f : explorer_.findings()) Tell(f.diagnostic);
    if (explorer_.findings().empty())
      out_.why = "our bug: a move that was possible could not be made";
    return false;
  }

  // Goes on from a position, unless it has been there. `length`: of the path
  // before the move that led to it.
  bool Push(Position& p, size_t length) {
    Move move;
    while (options_.reduce && explorer_.InvisibleMove(p, move)) {
      if (!Make(p, move) || TooDeep()) return false;
    }
    auto id = static_cast<int32_t>(seen_.size());
    auto [position, fresh] = seen_.try_emplace(explorer_.KeyOf(p), id);
    id = position->second;
    Came(id, fresh);
    if (!fresh) return false;
    if (++out_.states > limit_) {
      bool told = !out_.stories.empty();
      out_.why = told ? "the search stopped after what it found"
                      : ir::Cat("more than ", options_.max_states,
                                " positions (--max-states)");
      return false;
    }
    std::vector<Move> moves = explorer_.Moves(p);
    if (moves.empty()) {
      stops_.push_back(id);
      End(p);
      return false;
    }
    if (TooDeep()) return false;
    on_stack_[id] = true;
    stack_.push_back({TakeSpare(), std::move(moves), 0, length, id});
    std::swap(stack_.back().position, p);
    return true;
  }

  void Pop() {
    Frame& top = stack_.back();
    path_.resize(top.path);
    on_stack_[top.id] = false;
    spare_.push_back(std::move(top.position));
    stack_.pop_back();
  }

  // Memory of a position that is done with: copying into it is cheap.
  Position TakeSpare() {
    if (spare_.empty()) return {};
    Position out = std::move(spare_.back());
    spare_.pop_back();
    return out;
  }

  // From the position on top of the stack to this one.
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

  // Whether every position may come to an end. One that may not goes round for
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

  void End(const Position& p) {
    ++out_.stops;
    bool finished = explorer_.Finished(p);
    (finished ? out_.finishes : out_.sticks) = true;
    if (!finished) {
      std::vector<ir::Diagnostic> why = explorer_.Stuck(p);
      if (why.empty()) why.push_back(Unexplained());
      for (const ir::Diagnostic& d : why) Tell(d);
    }
    if (!assignments_.insert(p.assignment).second) return;
    if (out_.ends.size() == kMaxEnds)
      out_.why = ir::Cat("more than ", kMaxEnds, " different orders of events");
    out_.ends.push_back(path_);
  }

  void Tell(const ir::Diagnostic& d) {
    auto known = FindStory(out_.stories, d);
    if (known != out_.stories.end()) {
      // Several diagnostics of one stop may look alike.
      known->stops += known->last_stop != out_.stops;
      known->last_stop = out_.stops;
      return;
    }
    if (out_.stories.empty())
      limit_ = std::min(limit_, options_.after_story * (out_.states + 1000));
    out_.stories.push_back({d, path_, 1, out_.stops});
  }

  ExploreOptions options_;
  bool keep_edges_;
  Explorer explorer_;
  int64_t limit_;
  std::vector<Frame> stack_;
  std::vector<Position> spare_;
  std::vector<bool> on_stack_;  // by position
  bool rounds_ = false;
  Path path_;
  absl::flat_hash_map<Key, int32_t> seen_;
  std::vector<absl::InlinedVector<int32_t, 2>> before_;  // a move earlier
  std::vector<int32_t> stops_;  // positions after which a schedule may be over
  absl::flat_hash_set<uint64_t> assignments_;
  Exploration out_;
};

}  // namespace

bool Exploration::EverySchedule(const ir::Diagnostic& d) const {
  auto story = FindStory(stories, d);
  return complete && story != stories.end() && story->stops == stops;
}

Exploration Explore(const machine::Code& code, const ExploreOptions& options) {
  Search search(code, options, false);
  Exploration out = search.Run();
  if (!search.rounds() || !out.complete) return out;
  return Search(code, options, true).Run();
}

}  // namespace tilesim::checkers::explore
