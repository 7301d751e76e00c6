#include <algorithm>
#include <utility>

#include "checkers/explore/search_state.h"
#include "checkers/run/control_memory.h"
#include "checkers/witness/witness.h"

namespace tilesim::checkers::witness {
using explore::Explorer;
using explore::SearchState;
using run::Move;
using run::Path;

namespace {

bool IsOperation(const Move& m) { return m.operation >= 0; }

auto CtaAndWarp(const Move& m) { return std::make_pair(m.cta, m.warp); }

// Among `moves`, warps come before operations, each in order.
Move Choose(std::vector<Move> moves, const Move* last, Manner manner) {
  auto operation = std::find_if(moves.begin(), moves.end(), IsOperation);
  if (manner.backwards) {
    std::reverse(moves.begin(), operation);
    std::reverse(operation, moves.end());
  }
  bool only = operation == moves.begin();
  if (only || (manner.eager && operation != moves.end())) return *operation;
  if (last == nullptr) return moves.front();
  auto next = std::find_if(moves.begin(), operation, [&](const Move& m) {
    if (!manner.turns) return CtaAndWarp(m) == CtaAndWarp(*last);
    return manner.backwards ? CtaAndWarp(m) < CtaAndWarp(*last)
                            : CtaAndWarp(m) > CtaAndWarp(*last);
  });
  return next == operation ? moves.front() : *next;
}

}  // namespace

Path SimpleSchedule(const machine::Code& code, int64_t cluster, Manner manner,
                    const ScheduleBounds& bounds) {
  Explorer explorer(code, {.cluster = cluster});
  SearchState state = explorer.Start();
  Path path;
  Move last;  // of a warp
  bool first = true;
  int64_t choices = 0;
  while (std::ssize(path) < bounds.moves && choices < bounds.choices) {
    std::vector<Move> moves = explorer.Moves(state);
    if (moves.empty()) return path;
    choices += std::ssize(moves);
    Move move = Choose(moves, first ? nullptr : &last, manner);
    path.push_back(move);
    if (!explorer.Make(state, move)) return path;
    if (IsOperation(move)) continue;
    last = move;
    first = false;
  }
  return {};
}

SimpleSchedules::SimpleSchedules(const machine::Code& code, int64_t cluster)
    : code_(code), cluster_(cluster) {}

const Path& SimpleSchedules::Of(size_t manner) {
  std::optional<Path>& made = made_[manner];
  if (!made) made = SimpleSchedule(code_, cluster_, kManners[manner]);
  return *made;
}

}  // namespace tilesim::checkers::witness
