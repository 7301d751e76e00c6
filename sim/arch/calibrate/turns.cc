#include "sim/arch/calibrate/turns.h"

namespace tilesim::arch {
namespace {

// A tensor store of so many rows of 128 bytes, until its source is read.
Quantity StoreTurn(Asked& r, double rows) {
  return r("alternate.turn", {{"order", "store"},
                              {"load", rows},
                              {"store", rows},
                              {"grid", 1.0},
                              {"ctas", 1.0}});
}

// From one round to the next, by rows of the box that is waited for.
Quantity Round(Asked& r, const char* form, double less, double more) {
  return r("hop.turn", {{"form", form}, {"rows", more}, {"grid", 1.0}}) -
         r("hop.turn", {{"form", form}, {"rows", less}, {"grid", 1.0}});
}

}  // namespace

Quantity OfPeer(Asked& r, const char* fragment) {
  return r("peer.turn", {{"fragment", fragment},
                         {"dtype", "f32"},
                         {"rows", 64.0},
                         {"columns", 64.0},
                         {"swizzle", ""},
                         {"cluster", 4.0},
                         {"grid", 120.0},
                         {"ctas", 1.0}});
}

Quantity PeerBandwidth(Asked& r) {
  constexpr double kBytes = 16 * 1024;
  const Quantity turn = OfPeer(r, "blocked(4)");
  return {kBytes / turn.value, kBytes / turn.high, kBytes / turn.low};
}

Quantity StoreAlone(Asked& r) {
  constexpr double kIssue = 6;  // mbarrier_issue
  return StoreTurn(r, 8) * 16.0 / 15 - StoreTurn(r, 128) / 15 - kIssue;
}

Quantity Poll(Asked& r) {
  return (Round(r, "a lane, its warp waits", 104, 248) +
          Round(r, "lane, warp", 104, 200) +
          Round(r, "lane, last lane", 104, 248)) /
         3;
}

}  // namespace tilesim::arch
