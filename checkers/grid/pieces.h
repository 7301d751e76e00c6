// Tiles that CTAs have in pieces of one line: the first so many CTA 0, those
// behind them CTA 1, and so on (`for t in cta.x * T / P..(cta.x + 1) * T / P`;
// stream-K, where the line is one of units of K, and a tile is stored by who
// has its first unit).
#ifndef TILESIM_CHECKERS_GRID_PIECES_H_
#define TILESIM_CHECKERS_GRID_PIECES_H_

#include <cstddef>
#include <vector>

#include "checkers/grid/accesses.h"

namespace tilesim::checkers::grid {

// How an access, in an iteration of a loop around it and a CTA along a
// dimension of the grid, gets the number of its tile.
struct Piece {
  size_t loop = 0, dim = 0;
  Linear tile;
  // Where on the line the CTA begins, and how many places of it are a tile's.
  Linear begin, per_tile;
  // The first iteration has the tile where the CTA begins, each other the next.
  bool one_by_one = false;
};

// Ways to see one access. Adds to `all.terms`.
std::vector<Piece> PiecesOf(Accesses& all, const Access& a);

// How many tiles there may be in all: numbers of the launch on which it depends
// where and when it is made.
std::vector<Linear> NumbersOfTiles(const Accesses& all, const Access& a);

// Wherever the access is made, the number of the tile is below `tiles`.
bool HasOnly(Accesses& all, const Access& a, const Piece& piece,
             const Linear& tiles);

// Each number below `tiles` is that of the tile in one iteration of the loop in
// one of the CTAs along the dimension, which makes the access. (With any
// iterations of its other loops, and in all warps that its scopes let pass.)
bool HasEach(Accesses& all, const Access& a, const Piece& piece,
             const Linear& tiles);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_PIECES_H_
