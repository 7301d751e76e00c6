#include "sim/arch/calibrate/rules.h"

#include "ir/cat.h"

namespace tilesim::arch {
namespace {

constexpr double kSms = 132, kKb = 1024;

// GB/s as bytes of a cycle at the clock that the readings were taken at.
Quantity BytesOfCycle(Asked& r, const Quantity& gb_of_second) {
  const Quantity mhz = r("machine.sm_clock", {{"when", "before l2_load"}});
  return gb_of_second * 1000 / mhz.value;
}

Quantity Loop(Asked& r, const char* loop) {
  return r("loop.step", {{"loop", loop}});
}

Quantity Gpc(Asked& r, int gpc) { return r("gpc.sms", {{"gpc", gpc * 1.0}}); }

// Tiles of 128 x 128 stored by all warps of a warpgroup, each eight in a row.
Quantity Fragments(Asked& r, const char* way, double ctas) {
  return r("store.fragment.round", {{"way", way},
                                    {"warpgroups", 1.0},
                                    {"ctas", ctas},
                                    {"tiles", "again"}});
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

// 64 rows, 128 bytes or 8 KB apart.
Quantity Page(Asked& r) {
  return (Pitch(r, 8192, "hbm") - Pitch(r, 128, "hbm")) / 60;
}

Quantity Rows(Asked& r, double begin, double rest, double sms) {
  return r("rows.port", {{"begin", begin},
                         {"pitch_rest", rest},
                         {"data", "l2"},
                         {"sms", sms}});
}

// Of the way to a GPC that boxes of 128 rows of 128 bytes take, beyond their
// own bytes, for each row.
Quantity BeyondRow(Asked& r, double begin) {
  const Quantity whole = Rows(r, 0, 0, kSms), some = Rows(r, begin, 0, kSms);
  return {128 * (whole.value / some.value - 1),
          128 * (whole.low / some.low - 1), 128 * (whole.high / some.high - 1)};
}

Quantity First(Asked& r, const char* step) {
  return r("start.tile", {{"step", step},
                          {"maps", "parameter"},
                          {"data", "l2"},
                          {"sms", 1.0}});
}

Quantity Code(Asked& r, double pass) {
  return r("start.instructions", {{"code_kb", 16.0},
                                  {"sms", kSms},
                                  {"l2", "as left"},
                                  {"pass", pass}});
}

Quantity Stream(Asked& r, double reads, double writes) {
  return r("stream.rate", {{"reads", reads},
                           {"writes", writes},
                           {"mb", 256.0},
                           {"l2", "warm"}});
}

Quantity UnitRate(Asked& r, const char* op, const char* beside) {
  return r("unit.rate", {{"op", op}, {"warpgroups", 2.0}, {"beside", beside}});
}

Quantity Copies(Asked& r, const char* reading, const char* how, double kb) {
  return r(reading, {{"how", how},
                     {"stages", how[0] == 'c' ? 3.0 : 1.0},
                     {"stage_kb", kb},
                     {"ctas", 1.0},
                     {"tiles", "own"},
                     {"work", 0.0}});
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

#define MEASURED(Param, Source, ...) \
  {#Param, "measured", Source, [](Asked& r) -> Quantity { return __VA_ARGS__; }}
#define DERIVED(Param, Source, ...) \
  {#Param, "derived", Source, [](Asked& r) -> Quantity { return __VA_ARGS__; }}

constexpr Rule kRules[] = {
    MEASURED(clock_mhz, "machine.sm_clock: without load",
             r("machine.sm_clock", {{"when", "before l2_load"}})),
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
    MEASURED(launch_time, "launch.beyond_span: launches queue up",
             r("launch.beyond_span",
               {{"timing", "events"}, {"kernel_ns", 5000.0}})),
    MEASURED(launch_gap, "launch.gap: no events",
             r("launch.gap", {{"timing", "no events"}, {"kernel_ns", 5000.0}})),
    MEASURED(launch_gap_programmatic, "launch.dependent.released",
             r("launch.dependent.released", {{"launch_dependents", "at end"}})),
    MEASURED(map_fetch, "start.tile: first use less second",
             First(r, "first use") - First(r, "second use")),
    MEASURED(code_fetch, "start.instructions: 12 KB of 16 beyond the first 4",
             (Code(r, 0) - Code(r, 1)) / 768),
    MEASURED(cta_reuse, "launch.replacement",
             r("launch.replacement", {{"cluster", 1.0}, {"threads", 128.0}})),
    MEASURED(l2_gpc, "l2.neighbours.port: the 18 SMs of a GPC",
             r("l2.neighbours.port", {{"set", "a gpc of 18"}}) * 18),
    DERIVED(l2_line, "rows.port: rows that begin at 64 bytes of a line",
            BeyondRow(r, 64)),
    DERIVED(l2_part, "rows.port: rows that begin at 16, less l2_line",
            (BeyondRow(r, 16) - BeyondRow(r, 64)) / 2),
    MEASURED(l2_port, "ring.step: 32 KB each, one SM, seven stages",
             Quantity(32 * kKb) / r("ring.step", {{"stages", 7.0},
                                                  {"work", "none"},
                                                  {"tiles", "own"},
                                                  {"data", "l2"},
                                                  {"sms", 1.0}})),
    MEASURED(l2_latency, "l2.line: half of the lines far",
             r("l2.line", {{"sm", 0.0}, {"op", "ld"}})),
    MEASURED(hbm_bandwidth, "l2.load.rate: hbm, all SMs, 192 KB each under way",
             BytesOfCycle(r, r("l2.load.rate", {{"pattern", "hbm"},
                                                {"sms", kSms},
                                                {"box_kb", 32.0},
                                                {"in_flight_kb", 192.0}}))),
    DERIVED(hbm_write, "stream.rate: read and written in turns, read alone",
            BytesOfCycle(r, Quantity(1) / (Quantity(2) / Stream(r, 1, 1) -
                                           Quantity(1) / Stream(r, 1, 0)))),
    MEASURED(l2_write, "store.tma.round: all SMs, f16",
             Quantity(kSms * 32 * kKb) / TensorStore(r, "store.tma.round",
                                                     "stmatrix, tma f16", 32,
                                                     kSms)),
    MEASURED(l2_write_sectors, "store.fragment.round: all SMs, f32",
             Quantity(kSms * 2048) / Fragments(r, "st f32", kSms)),
    MEASURED(l2_write_pieces, "store.fragment.round: all SMs, f16",
             Quantity(kSms * 2048) / Fragments(r, "st f16", kSms)),
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
    MEASURED(tma_store_read, "store.tma.read: 16 KB, less its bytes",
             TensorStore(r, "store.tma.read", "tma f32", 16, 1) * 4.0 / 3 -
                 TensorStore(r, "store.tma.read", "tma f32", 64, 1) / 3),
    MEASURED(tma_store_done, "store.tma.done less store.tma.read",
             TensorStore(r, "store.tma.done", "tma f32", 16, 1) -
                 TensorStore(r, "store.tma.read", "tma f32", 16, 1)),
    MEASURED(cp_async_issue, "copy.issued: sixteen less eight",
             (Copies(r, "copy.issued", "cp.async", 32) -
              Copies(r, "copy.issued", "cp.async", 16)) / 8),
    MEASURED(store_sector, "store.fragment.round: one CTA, f32",
             Fragments(r, "st f32", 1) / 2048),
    MEASURED(store_piece, "store.fragment.round: one CTA, f16",
             Fragments(r, "st f16", 1) / 2048),
    MEASURED(hbm_latency, "hbm.line less l2.line", HbmLine(r)),
    MEASURED(hbm_box, "tma.pitch: 64 rows in 4 pages, beyond L2 and hbm_latency",
             Pitch(r, 128, "hbm") - Pitch(r, 128, "l2") - HbmLine(r) -
                 Page(r) * 4),
    MEASURED(hbm_page, "tma.pitch: 64 rows in 64 pages less in 4", Page(r)),
    MEASURED(atom_latency, "l2.line: atom, half of the lines far",
             r("l2.line", {{"sm", 0.0}, {"op", "atom"}})),
    MEASURED(alu_half_lanes_tensor, "unit.rate: max.f32",
             UnitRate(r, "max.f32", "wgmma m64n128")),
    MEASURED(mufu_lanes_tensor, "unit.rate: ex2",
             UnitRate(r, "ex2", "wgmma m64n128")),
    MEASURED(shfl_tensor, "unit.rate: shfl",
             UnitRate(r, "shfl", "nothing") /
                 UnitRate(r, "shfl", "wgmma m64n128")),
    DERIVED(alu_tensor, "unit.wgmma_interval: beside fma.f32", TensorLoss(r)),
    MEASURED(scalar_branch, "loop.step: an if of a turn",
             Loop(r, "wait, arrive if k > 0") - Loop(r, "wait, arrive")),
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
