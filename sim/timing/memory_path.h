// The way of bytes between global memory and an SM: L2 blocks, HBM, the ports
// of GPC and SM.
#ifndef TILESIM_SIM_TIMING_MEMORY_PATH_H_
#define TILESIM_SIM_TIMING_MEMORY_PATH_H_

#include "sim/timing/cost.h"

namespace tilesim::timing {

// What L2 and DRAM hand out at least.
inline constexpr int64_t kSectorBytes = 32;

struct Fetched {
  double asked = 0;      // of L2
  double available = 0;  // in L2
  double leaves = 0;     // last byte through the port of the GPC
  int32_t request = -1;  // of that port
  double after = 0;      // it, the last byte may be at the SM
  double done = 0;       // last byte at the SM
  Chain chain;
};

// What is there of the tile: elements of a dimension with stride 0 are one.
ir::TileValue DistinctOf(const CostContext& context, ir::TileValue tile);

// Bytes of a global tile to the SM of the context. `request` is when the
// request leaves the SM, `latency` the unloaded L2 round trip.
// `share` is the part of them that this request is for. What is `merged` comes
// for other SMs of the GPC that ask for it at about the same time. A multicast
// is handed on to so many `destinations`.
Fetched FetchTile(const CostContext& context, const ir::TileValue& tile,
                  double request, double latency, double share = 1,
                  bool merged = true, int destinations = 1);

// The last part of the way alone: from L2, where bytes are asked for at
// `asked`, are `available` and which they have left by `leaves`, through the
// port of the context's SM. Returns when the last one is there. A multicast
// spares L2, HBM and the GPC's port a fetch, not the way to every destination.
// `slower`: how many times longer the SM takes than for rows that begin at
// multiples of 128 bytes.
double DeliverTile(const CostContext& context, double bytes, double asked,
                   double available, double leaves, double latency,
                   double slower = 1);

// Bytes of a tile on their way out, of which the first are `ready` to leave the
// SM.
struct Outgoing {
  double bytes = 0;
  double ready = 0;
  double l2_time = 0;  // cycles that L2 needs for them
  // L2 takes whole lines beside what is loaded, parts of them in turn with it.
  bool lines = false;
  bool adds = false;  // to what was in L2 before
  // Where given: when that is done, which those who send do not wait for.
  double* added = nullptr;
  int32_t* request = nullptr;  // where given: what was asked of the way out
};
// Writes them; HBM gets them when they have to leave L2. Returns when L2 has
// them. `sent`, where given, gets when they had come that far: from then on
// they wait for HBM.
double WriteTile(const CostContext& context, const ir::TileValue& tile,
                 const Outgoing& out, double* sent = nullptr);

// What compiled code loads by the tile: how many lines of 128 bytes it has, and
// how many of them were not in the SM's L1, where they are from now on.
struct Lines {
  double all = 0, fetched = 0;
};
Lines LoadNear(const CostContext& context, const ir::TileValue& tile);

// Registers to shared memory of a CTA of the cluster without waiting, operands
// `dst` and `src`: over the network between SMs, to the own SM too.
Schedule StoreToCta(const CostContext& context, int dst, int src);

// clusterlaunchcontrol.try_cancel and its answer.
Schedule Clc(const CostContext& context);

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_MEMORY_PATH_H_
