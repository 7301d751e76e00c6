#include "sim/arch/calibrate/rules.h"

#include <cmath>

#include "ir/cat.h"
#include "sim/arch/calibrate/turns.h"

namespace tilesim::arch {
namespace {

constexpr double kSms = 132, kKb = 1024;
constexpr double kQueue = 205;  // store_queue, which no reading has

// GB/s as bytes of a cycle at the clock that the readings were taken at.
Quantity BytesOfCycle(Asked& r, const Quantity& gb_of_second) {
  const Quantity mhz = r("machine.sm_clock", {{"when", "before l2_load"}});
  return gb_of_second * 1000 / mhz.value;
}

Quantity Loop(Asked& r, const char* loop) {
  return r("loop.step", {{"loop", loop}});
}

Quantity Gpc(Asked& r, int gpc) { return r("gpc.sms", {{"gpc", gpc * 1.0}}); }

// A tile of 128 x 128 stored by all warps of a warpgroup: of eight in a row the
// last seven, for the first one has a fence behind it. `queued`: how many of
// its sectors need not be gone at the end (store_queue).
Quantity Fragments(Asked& r, const char* way, double ctas, double queued) {
  auto reading = [&](const char* what) {
    return r(std::string("store.fragment.") + what, {{"way", way},
                                                     {"warpgroups", 1.0},
                                                     {"ctas", ctas},
                                                     {"tiles", "again"}});
  };
  constexpr double kTiles = 7, kSectors = 2048;
  return (reading("round") * (kTiles + 1) - reading("visible")) /
         (kTiles - queued / kSectors);
}

Quantity TensorStore(Asked& r, const char* reading, const char* way, double kb,
                     double ctas) {
  return r(reading,
           {{"way", way}, {"kb", kb}, {"ctas", ctas}, {"tiles", "again"}});
}

// Medians: the readings of HBM have two humps, near and far.
Quantity Middle(const Quantity& q) { return q.value; }

Quantity HbmLine(Asked& r) {
  return Middle(r("hbm.line", {})) -
         Middle(r("l2.line", {{"sm", 0.0}, {"op", "ld"}}));
}

Quantity Pitch(Asked& r, double pitch, const char* data) {
  return Middle(r("tma.pitch", {{"pitch", pitch}, {"data", data}}));
}

// Two humps, too.
Quantity Atomic(Asked& r) {
  const Quantity q = r("l2.line", {{"sm", 0.0}, {"op", "atom"}});
  return {(q.low + q.high) / 2, q.low, q.high};
}

// 64 rows, 128 bytes or 8 KB apart.
Quantity Page(Asked& r) {
  return (Pitch(r, 8192, "hbm") - Pitch(r, 128, "hbm")) / 60;
}

Quantity Rows(Asked& r, double begin, double rest, double sms) {
  return r(
      "rows.port",
      {{"begin", begin}, {"pitch_rest", rest}, {"data", "l2"}, {"sms", sms}});
}

// Of the way to a GPC that boxes of 128 rows of 128 bytes take, beyond their
// own bytes, for each row.
Quantity BeyondRow(Asked& r, double begin) {
  const Quantity whole = Rows(r, 0, 0, kSms), some = Rows(r, begin, 0, kSms);
  return {128 * (whole.value / some.value - 1),
          128 * (whole.low / some.low - 1), 128 * (whole.high / some.high - 1)};
}

// Rows of half a line take more than half as long: for each byte that they
// lack.
Quantity Narrow(Asked& r) {
  auto turn = [&](const char* ring) {
    return Middle(r("ring.turn", {{"ring", ring},
                                  {"stages", 4.0},
                                  {"ctas", kSms},
                                  {"rows", 128.0},
                                  {"pitch", 4096.0}}));
  };
  constexpr double kLine = 128, kHalf = 64;
  return turn("narrow own") / turn("own") * (kLine / kHalf) - 1;
}

Quantity First(Asked& r, const char* step) {
  return r(
      "start.tile",
      {{"step", step}, {"maps", "parameter"}, {"data", "l2"}, {"sms", 1.0}});
}

Quantity Code(Asked& r, double kb) {
  return r("start.instructions",
           {{"code_kb", kb}, {"sms", kSms}, {"l2", "as left"}, {"pass", 0.0}});
}

Quantity Stream(Asked& r, double reads, double writes) {
  return r(
      "stream.rate",
      {{"reads", reads}, {"writes", writes}, {"mb", 256.0}, {"l2", "warm"}});
}

Quantity UnitRate(Asked& r, const char* op, const char* beside) {
  return r("unit.rate", {{"op", op}, {"warpgroups", 2.0}, {"beside", beside}});
}

// What wgmma m64n128 loses to an operation of FP32 that uses all lanes.
Quantity TensorLoss(Asked& r) {
  auto interval = [&](double warpgroups) {
    return r("unit.wgmma_interval", {{"op", "fma.f32"},
                                     {"warpgroups", warpgroups},
                                     {"beside", "wgmma m64n128"}});
  };
  auto rate = [&](double warpgroups) {
    return r("unit.rate", {{"op", "fma.f32"},
                           {"warpgroups", warpgroups},
                           {"beside", "wgmma m64n128"}});
  };
  // Of an interval the part that is lost, by the part that FP32 is busy.
  auto loss = [&](double w) {
    return (interval(w) - 64) / (interval(w) * (rate(w) / 128));
  };
  const Quantity one = loss(1), two = loss(2);
  return {(one.value + two.value) / 2, std::min(one.low, two.low),
          std::max(one.high, two.high)};
}

// Of the bytes that two SMs ask for together, the part that the second one
// takes.
Quantity SecondOf(Asked& r, const char* pairs, double kb) {
  const Quantity own = Middle(
      r("l2.merge.port", {{"readers", "each its own"}, {"in_flight_kb", kb}}));
  return own * 2 /
             r("l2.merge.port", {{"readers", pairs}, {"in_flight_kb", kb}}) -
         1;
}

Quantity Load(Asked& r, const char* what, const char* pattern, double sms,
              double kb) {
  return Middle(r(std::string("l2.load.") + what, {{"pattern", pattern},
                                                   {"sms", sms},
                                                   {"box_kb", 16.0},
                                                   {"in_flight_kb", kb}}));
}

// How much longer a request takes beside those of others than alone, over half
// of share / (1 - share): `most` is what the unit gives to all of them.
Quantity Crowding(Asked& r, const char* pattern, double sms, double kb,
                  const Quantity& most, double sharing) {
  const double more = Load(r, "latency", pattern, sms, kb).value -
                      Load(r, "latency", pattern, 1, kb).value;
  const double share =
      Load(r, "port", pattern, sms, kb).value * sharing / most.value;
  return more * 2 * (1 - share) / share;
}

Quantity HbmRate(Asked& r) {
  return BytesOfCycle(r, r("l2.load.rate", {{"pattern", "hbm"},
                                            {"sms", kSms},
                                            {"box_kb", 32.0},
                                            {"in_flight_kb", 192.0}}));
}

Quantity GpcRate(Asked& r) {
  return r("l2.neighbours.port", {{"set", "a gpc of 18"}}) * 18;
}

// How much may be read before half of what is read again is gone from L2.
Quantity Kept(Asked& r, double sharers, double less, double more) {
  const auto lost = [&](double mb) {
    return Middle(r("l2.reread", {{"sharers", sharers}, {"mb", mb}})).value;
  };
  const double gone = lost(less);
  const double mb = less + (more - less) * (0.5 - gone) / (lost(more) - gone);
  return mb * kKb * kKb;
}

// GPCs to whose SMs the same lines are near as to those of the first: a bit
// each.
Quantity Sides(Asked& r) {
  int sides = 0;
  for (int gpc = 0; gpc < 8; ++gpc) {
    const double alike =
        Middle(r("l2.line.correlation", {{"gpc", 1.0 * gpc}})).value;
    if (alike > 0) sides |= 1 << gpc;
  }
  return sides;
}

// Cycles of a CTA, of a launch of very many that do nothing.
Quantity Launched(Asked& r, double cluster) {
  constexpr double kCtas = 65536, kNs = 1000;
  const Quantity us = r("launch.many", {{"cluster", cluster},
                                        {"threads", 128.0},
                                        {"shared_kb", 0.0},
                                        {"barrier", 0.0}});
  const Quantity ns =
      r("launch.beyond_span", {{"timing", "events"}, {"kernel_ns", 5000.0}});
  const Quantity mhz = r("machine.sm_clock", {{"when", "before l2_load"}});
  return (us - ns.value / kNs) * mhz.value / kCtas;
}

// What HBM has not seen when arrays have been read and written once.
Quantity Unwritten(Asked& r, double mb) {
  auto rate = [&](double writes, double of, const char* l2) {
    return Middle(
               r("stream.rate",
                 {{"reads", 1.0}, {"writes", writes}, {"mb", of}, {"l2", l2}}))
        .value;
  };
  const double bytes = mb * kKb * kKb, read = rate(0, 256, "warm");
  const double write = 1 / (2 / rate(1, 256, "warm") - 1 / read);
  return write *
         (bytes / read + bytes / write - 2 * bytes / rate(1, mb, "cold"));
}

Quantity Sync(Asked& r, const char* what, double threads, double ctas = 1) {
  return r("sync.time", {{"what", what}, {"threads", threads}, {"ctas", ctas}});
}

// --- power -------------------------------------------------------------------

// A launch of about `us`, tiles of 128 x 256, no rests.
Quantity Turn(Asked& r, const char* what, double us, double sms,
              bool loads = true) {
  return r(std::string("turns.") + what, {{"columns", 256.0},
                                          {"asked_us", us},
                                          {"rest", 0.0},
                                          {"loads", loads ? 1.0 : 0.0},
                                          {"sms", sms}});
}

// MHz for each of the tensor cores' time, where they are nearly always busy.
Quantity DroopFull(Asked& r) {
  return (Turn(r, "clock", 5, kSms) - Turn(r, "clock", 50, kSms)).value /
         (Turn(r, "busy", 50, kSms) - Turn(r, "busy", 5, kSms)).value;
}

struct Point {
  double busy = 0, clock = 0;
};
// Mean of launches of 10, 20 and 50 us on some of the SMs.
Point Few(Asked& r, double sms) {
  Point mean;
  for (double us : {10.0, 20.0, 50.0}) {
    mean.busy += Turn(r, "busy", us, sms).value * sms / kSms / 3;
    mean.clock += Turn(r, "clock", us, sms).value / 3;
  }
  return mean;
}

Quantity Droop(Asked& r) {
  const Point few = Few(r, 16), half = Few(r, 66);
  return (few.clock - half.clock) / (half.busy - few.busy);
}

// Of a launch of so many us and the rest behind it (launch_rest), the part that
// it works.
double Working(double us) {
  constexpr double kRest = 50;
  return us / (us + kRest);
}

// The same, of the tensor cores.
double Working(Asked& r, double us, bool loads) {
  return Turn(r, "busy", us, kSms, loads).value *
         Working(Turn(r, "length", us, kSms, loads).value);
}

double Exponent(Asked& r) {
  return std::log(Turn(r, "clock", 100, kSms).value /
                  Turn(r, "clock", 1500, kSms).value) /
         std::log(Working(r, 1500, true) / Working(r, 100, true));
}

Quantity Sustained(Asked& r) {
  const Quantity clock = Turn(r, "clock", 1500, kSms);
  return clock * std::pow(Working(r, 1500, true), Exponent(r));
}

// Of the power at which the clock is the sustained one: what it takes to come
// down to that.
double PowerAt(Asked& r, const Quantity& clock) {
  return std::pow(Sustained(r).value / clock.value, 1 / Exponent(r));
}

Quantity OfProducts(Asked& r) {
  return PowerAt(r, Turn(r, "clock", 1500, kSms, false)) /
         Working(r, 1500, false);
}

// Products of 128 x 256 beside loads of so many bytes a k-step.
struct Beside {
  double power, busy, loaded;  // loaded: bytes a cycle and SM
};
Beside Loading(Asked& r, const char* from, double bytes) {
  auto reading = [&](const char* what) {
    return r(std::string("energy.") + what, {{"columns", 256.0},
                                             {"asked_us", 1500.0},
                                             {"from", from},
                                             {"bytes", bytes}});
  };
  constexpr double kStep = 1024;  // cycles
  const double busy = reading("busy").value;
  return {PowerAt(r, reading("clock")) / Working(reading("length").value), busy,
          bytes * busy / kStep};
}

// What so many bytes a cycle take beyond the products.
double OfBytes(Asked& r, const Beside& with, double bytes) {
  const Beside without = Loading(r, "nothing", 0);
  return (with.power - with.busy * without.power / without.busy) / with.loaded *
         bytes;
}

Quantity OfLoads(Asked& r) {
  return OfBytes(r, Loading(r, "tiles in L2", 48 * kKb), 48);
}

// They come from L2 as well.
Quantity OfHbm(Asked& r) {
  constexpr double kBytes = 16;
  return OfBytes(r, Loading(r, "own in HBM", 16 * kKb), kBytes) -
         OfLoads(r).value * kBytes / 48;
}

#define MEASURED(Param, Source, ...)                      \
  {                                                       \
#Param, "measured", Source,                           \
        [](Asked & r) -> Quantity { return __VA_ARGS__; } \
  }
#define DERIVED(Param, Source, ...)                       \
  {                                                       \
#Param, "derived", Source,                            \
        [](Asked & r) -> Quantity { return __VA_ARGS__; } \
  }

constexpr Rule kRules[] = {
    MEASURED(clock_mhz, "machine.sm_clock: without load",
             r("machine.sm_clock", {{"when", "before l2_load"}})),
    DERIVED(tensor_clock_mhz, "turns.clock: 50 us, at busy 1",
            Turn(r, "clock", 50, kSms) -
                DroopFull(r) * (1 - Turn(r, "busy", 50, kSms).value)),
    DERIVED(clock_droop_full, "turns.clock, turns.busy: 5 and 50 us",
            DroopFull(r)),
    DERIVED(wgmma_clock_mhz, "turns.clock: 16 SMs, at busy 0",
            Droop(r) * Few(r, 16).busy + Few(r, 16).clock),
    DERIVED(clock_droop, "turns.clock: 16 SMs less 66", Droop(r)),
    DERIVED(sustained_clock_mhz,
            "turns.clock: 1.9 ms, without the rest between", Sustained(r)),
    DERIVED(power_exponent, "turns.clock: 0.1 and 1.9 ms", Exponent(r)),
    DERIVED(power_products, "turns.clock: 1.5 ms without loads", OfProducts(r)),
    DERIVED(power_loads, "energy.clock: tiles in L2 less nothing", OfLoads(r)),
    DERIVED(power_hbm, "energy.clock: own in HBM less nothing", OfHbm(r)),
    MEASURED(gpc_sms_0, "gpc.sms", Gpc(r, 0)),
    MEASURED(gpc_sms_1, "gpc.sms", Gpc(r, 1)),
    MEASURED(gpc_sms_2, "gpc.sms", Gpc(r, 2)),
    MEASURED(gpc_sms_3, "gpc.sms", Gpc(r, 3)),
    MEASURED(gpc_sms_4, "gpc.sms", Gpc(r, 4)),
    MEASURED(gpc_sms_5, "gpc.sms", Gpc(r, 5)),
    MEASURED(gpc_sms_6, "gpc.sms", Gpc(r, 6)),
    MEASURED(gpc_sms_7, "gpc.sms: 8, and four pairs that share its port",
             Gpc(r, 7) + Gpc(r, 8) + Gpc(r, 9) + Gpc(r, 10) + Gpc(r, 11)),
    MEASURED(gpc_pairs, "gpc.sms",
             Gpc(r, 8) + Gpc(r, 9) + Gpc(r, 10) + Gpc(r, 11)),
    DERIVED(gpc_sides, "l2.line.correlation: above 0", Sides(r)),
    MEASURED(
        launch_time, "launch.beyond_span: launches queue up",
        r("launch.beyond_span", {{"timing", "events"}, {"kernel_ns", 5000.0}})),
    MEASURED(launch_gap, "launch.gap: no events",
             r("launch.gap", {{"timing", "no events"}, {"kernel_ns", 5000.0}})),
    MEASURED(launch_gap_programmatic, "launch.dependent.released",
             r("launch.dependent.released", {{"launch_dependents", "at end"}})),
    MEASURED(map_fetch, "start.tile: first use less second",
             First(r, "first use") - First(r, "second use")),
    MEASURED(code_fetch, "start.instructions: 12 KB of 16 beyond the first 4",
             (Code(r, 16) - Middle(Code(r, 4))) / 768),
    MEASURED(launch_interval, "launch.many: 65,536 CTAs, less launch_time",
             Launched(r, 1)),
    DERIVED(launch_cluster, "launch.many: clusters of four, less their CTAs",
            (Launched(r, 4) - Launched(r, 1)) * 4),
    MEASURED(cta_reuse, "launch.replacement",
             r("launch.replacement", {{"cluster", 1.0}, {"threads", 128.0}})),
    DERIVED(l2_kept, "l2.reread: where half comes from HBM, a CTA to a slice",
            Kept(r, 1, 44, 48)),
    DERIVED(l2_kept_both, "l2.reread: the same, all CTAs read all of it",
            Kept(r, 132, 28, 32)),
    DERIVED(l2_dirty, "stream.rate: 24 MB read and written, cold",
            Unwritten(r, 24)),
    DERIVED(l2_queue, "l2.load.latency: own, two thirds of l2_gpc",
            Mean(Crowding(r, "own", 64, 32, GpcRate(r), 8),
                 Crowding(r, "own", kSms, 16, GpcRate(r), 16.5))),
    MEASURED(l2_gpc, "l2.neighbours.port: the 18 SMs of a GPC", GpcRate(r)),
    MEASURED(l2_merged, "l2.merge.port: pairs of a GPC",
             Mean(SecondOf(r, "pairs of a gpc", 64),
                  SecondOf(r, "pairs of a gpc", 192))),
    MEASURED(l2_merged_tpc, "l2.merge.port: pairs of a TPC",
             Mean(SecondOf(r, "pairs of a tpc", 64),
                  SecondOf(r, "pairs of a tpc", 192))),
    DERIVED(l2_line, "rows.port: rows that begin at 64 bytes of a line",
            BeyondRow(r, 64)),
    DERIVED(l2_part, "rows.port: rows that begin at 16 to 112, less l2_line",
            Mean(Mean(BeyondRow(r, 16), BeyondRow(r, 48)),
                 Mean(BeyondRow(r, 80), BeyondRow(r, 112))) /
                    2 -
                BeyondRow(r, 64) / 2),
    DERIVED(l2_narrow,
            "ring.turn: own, four stages, rows of 64 bytes and lines",
            Narrow(r)),
    MEASURED(l2_port, "ring.step: 32 KB each, one SM, seven stages",
             Quantity(32 * kKb) / r("ring.step", {{"stages", 7.0},
                                                  {"work", "none"},
                                                  {"tiles", "own"},
                                                  {"data", "l2"},
                                                  {"sms", 1.0}})),
    MEASURED(l2_latency, "l2.line: half of the lines far",
             r("l2.line", {{"sm", 0.0}, {"op", "ld"}})),
    MEASURED(hbm_bandwidth, "l2.load.rate: hbm, all SMs, 192 KB each under way",
             HbmRate(r)),
    DERIVED(hbm_queue, "l2.load.latency: hbm, 0.6 of hbm_bandwidth",
            Mean(Crowding(r, "hbm", 32, 64, HbmRate(r), 32),
                 Crowding(r, "hbm", 64, 32, HbmRate(r), 64))),
    MEASURED(hbm_stream, "stream.rate: read alone",
             BytesOfCycle(r, Stream(r, 1, 0))),
    DERIVED(hbm_write, "stream.rate: read and written in turns, read alone",
            BytesOfCycle(r, Quantity(1) / (Quantity(2) / Stream(r, 1, 1) -
                                           Quantity(1) / Stream(r, 1, 0)))),
    MEASURED(hbm_write_alone, "stream.rate: written alone",
             BytesOfCycle(r, Stream(r, 0, 1))),
    MEASURED(
        l2_write, "store.tma.round: all SMs, f16",
        Quantity(kSms * 32 * kKb) /
            TensorStore(r, "store.tma.round", "stmatrix, tma f16", 32, kSms)),
    MEASURED(l2_write_sectors, "store.fragment.round: all SMs, f32",
             Quantity(kSms * 2048) / Fragments(r, "st f32", kSms, 0)),
    MEASURED(l2_write_pieces, "store.fragment.round: all SMs, f16",
             Quantity(kSms * 2048) / Fragments(r, "st f16", kSms, kQueue)),
    MEASURED(tma_store_port, "store.tma.read: 64 KB less 16",
             Quantity(48 * kKb) /
                 (TensorStore(r, "store.tma.read", "tma f32", 64, 1) -
                  TensorStore(r, "store.tma.read", "tma f32", 16, 1))),
    MEASURED(tma_reduce_port, "store.tma.read: the same, added",
             Quantity(48 * kKb) /
                 (TensorStore(r, "store.tma.read", "tma add f32", 64, 1) -
                  TensorStore(r, "store.tma.read", "tma add f32", 16, 1))),
    MEASURED(l2_reduce, "store.tma.round: all SMs, added",
             Quantity(kSms * 64 * kKb) /
                 TensorStore(r, "store.tma.round", "tma add f32", 64, kSms)),
    MEASURED(tma_store_read,
             "alternate.turn: 1 KB stored, less bytes and issue",
             StoreAlone(r)),
    MEASURED(tma_store_done, "store.tma.done less store.tma.read",
             TensorStore(r, "store.tma.done", "tma f32", 16, 1) -
                 TensorStore(r, "store.tma.read", "tma f32", 16, 1)),
    MEASURED(
        cp_async_issue, "loop.step: two tiles of eight less one",
        (Loop(r, "two tiles by cp.async") - Loop(r, "a tile by cp.async")) / 8),
    MEASURED(store_sector, "store.fragment.round: one CTA, f32",
             Fragments(r, "st f32", 1, 0) / 2048),
    MEASURED(store_piece, "store.fragment.round: one CTA, f16",
             Fragments(r, "st f16", 1, kQueue) / 2048),
    MEASURED(hbm_latency, "hbm.line less l2.line", HbmLine(r)),
    MEASURED(
        hbm_box, "tma.pitch: 64 rows in 4 pages, beyond L2 and hbm_latency",
        Pitch(r, 128, "hbm") - Pitch(r, 128, "l2") - HbmLine(r) - Page(r) * 4),
    MEASURED(hbm_page, "tma.pitch: 64 rows in 64 pages less in 4", Page(r)),
    MEASURED(hot_word, "word.turn.visible: one word, all SMs",
             r("word.turn.visible", {{"op", "red"},
                                     {"words", 1.0},
                                     {"stride", 4.0},
                                     {"count", 512.0},
                                     {"warps", 8.0},
                                     {"ctas", kSms}})),
    MEASURED(atom_latency, "l2.line: atom, mean of near and far", Atomic(r)),
    MEASURED(alu_half_lanes_tensor, "unit.rate: max.f32",
             UnitRate(r, "max.f32", "wgmma m64n128")),
    MEASURED(mufu_lanes_tensor, "unit.rate: ex2",
             UnitRate(r, "ex2", "wgmma m64n128")),
    MEASURED(
        shfl_tensor, "unit.rate: shfl",
        UnitRate(r, "shfl", "nothing") / UnitRate(r, "shfl", "wgmma m64n128")),
    DERIVED(alu_tensor, "unit.wgmma_interval: beside fma.f32", TensorLoss(r)),
    MEASURED(
        tma_issue, "sync.time: 8 boxes less one",
        (Sync(r, "8 boxes of 16 rows", 32) - Sync(r, "a box of 16 rows", 32)) /
            7),
    MEASURED(tma_box, "box.time: 8 rows, twelve warps",
             r("box.time", {{"way", "load"},
                            {"rows", 8.0},
                            {"at_once", 2.0},
                            {"warps", 12.0},
                            {"data", "l2"},
                            {"sms", 1.0}})),
    MEASURED(tma_bulk, "table.turn: 256 bytes, ten CTAs of four warps",
             r("table.turn", {{"bytes", 256.0},
                              {"table_kb", 128.0},
                              {"rows", "own"},
                              {"grid", 1320.0},
                              {"ctas", 10.0}}) /
                 40),
    MEASURED(shared_latency, "sync.time: ld.shared",
             Sync(r, "ld.shared of its result", 32)),
    MEASURED(dsmem_latency, "sync.time: own and peer's in turn",
             Sync(r, "ld.shared::cluster of its result", 32, 2) * 2 -
                 Sync(r, "ld.shared of its result", 32)),
    MEASURED(dsmem_bandwidth, "peer.turn: lines", PeerBandwidth(r)),
    MEASURED(dsmem_line, "peer.turn: 32 bytes of a line",
             OfPeer(r, "wgmma") / 512),
    MEASURED(mma_sync_interval, "sync.time: mma.sync, 16 warps",
             Sync(r, "mma.sync m16n8k16", 512) / 4),
    MEASURED(mma_sync_latency, "sync.time: mma.sync of its result",
             Sync(r, "mma.sync m16n8k16 of its result", 32)),
    MEASURED(bar_sync_base, "sync.time: bar.sync, 1 and 32 warps",
             Sync(r, "bar.sync", 32) -
                 (Sync(r, "bar.sync", 1024) - Sync(r, "bar.sync", 32)) / 31),
    MEASURED(bar_sync_warp, "sync.time: bar.sync, 1 and 32 warps",
             (Sync(r, "bar.sync", 1024) - Sync(r, "bar.sync", 32)) / 31),
    MEASURED(warp_sync, "sync.time", Sync(r, "bar.warp.sync", 32)),
    MEASURED(cluster_barrier, "sync.time: relaxed, two CTAs",
             Sync(r, "barrier.cluster, relaxed", 32, 2)),
    MEASURED(fence_cta, "sync.time", Sync(r, "fence.acq_rel.cta", 32)),
    MEASURED(fence_cluster, "sync.time", Sync(r, "fence.acq_rel.cluster", 32)),
    MEASURED(fence_gpu, "sync.time", Sync(r, "fence.acq_rel.gpu", 32)),
    MEASURED(
        fence_loads, "fence.first: a box on one SM, 400 cycles ago",
        r("fence.first", {{"sms", 1.0}, {"boxes", 1.0}, {"offset", 400.0}})),
    MEASURED(fence_proxy_shared, "sync.time: four warps",
             Sync(r, "fence.proxy.async.shared::cta", 128)),
    MEASURED(fence_proxy, "sync.time", Sync(r, "fence.proxy.async", 32)),
    MEASURED(wgmma_fence, "sync.time", Sync(r, "wgmma.fence", 128)),
    MEASURED(scalar_branch, "loop.step: an if of a turn",
             Loop(r, "wait, arrive if k > 0") - Loop(r, "wait, arrive")),
    MEASURED(mbarrier_poll, "hop.turn: rounds of three rings", Poll(r)),
    MEASURED(mbarrier_wait, "loop.step: four waits of a turn less two",
             (Loop(r, "four waits") - Loop(r, "wait, wait")) / 2),
};

}  // namespace

Quantity Asked::operator()(const std::string& name,
                           const Readings::Where& where) {
  names_.insert(name);
  std::optional<Reading> found = readings_.Find(name, where);
  if (!found) {
    missing_ = name;
    return 1;
  }
  return {found->median, found->low, found->high};
}

std::span<const Rule> Rules() { return kRules; }

}  // namespace tilesim::arch
