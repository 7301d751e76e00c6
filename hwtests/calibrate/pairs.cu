// Boxes that SMs ask for at set times: a second SM of a TPC, of a GPC or of
// another GPC asks for the same box later; bursts of all SMs, in step or spread
// over the time between them.
#include "hwtests/calibrate/topology.cuh"

namespace calibrate {
namespace {

constexpr int kMaxStages = 6, kMaxTurns = 512, kPitch = 8192;
constexpr int kColumns = kPitch / kRowBytes;
constexpr int64_t kRows = int64_t{2} * kSms * 128;
constexpr int kSharedBytes = (192 << 10) + 2048;

// What an SM asks for in each turn, and when.
struct Part {
  int first, second;  // rows where its boxes begin
  int column, late;   // of the first turn; cycles after the others
};

struct Plan {
  int rows, boxes;  // of a box; boxes a turn, one or two
  int stages, turns;
  int columns;  // that are read in turn
  int period;   // cycles between turns, at least
  int ctas;
  SmSet sms;
};

struct Times {
  uint32_t issued, complete;
};

TILE_DEVICE void ask(const CUtensorMap* map, const Plan& p, const Part& part,
                     uint32_t full, uint32_t empty, uint32_t base,
                     Times* times) {
  const int bytes = p.rows * kRowBytes;
  Slot slot;
  int column = part.column;
  uint32_t due = tile::stamp() + 2000 + part.late;
  for (int i = 0; i < p.turns; ++i, slot.next(p.stages)) {
    const uint32_t bar = full + 8 * slot.index;
    const uint32_t to = base + slot.index * p.boxes * bytes;
    wait(empty + 8 * slot.index, slot.parity ^ 1);
    tile::mbarrier_arrive_expect_tx(bar, p.boxes * bytes);
    while (static_cast<int32_t>(tile::stamp() - due) < 0) {
    }
    due += p.period;
    times[i].issued = tile::stamp();
    load_box(to, map, bar, column * 64, part.first);
    if (p.boxes == 2) load_box(to + bytes, map, bar, column * 64, part.second);
    if (++column == p.columns) column = 0;
  }
}

__global__ __launch_bounds__(64, 1) void turns(
    const __grid_constant__ CUtensorMap map, const Plan p, const Part* parts,
    Gate* gate, Times* times) {
  __shared__ uint64_t barriers[2 * kMaxStages];
  const uint32_t sm = sm_index();
  if (!takes_part(p.sms.has(sm))) return;
  const uint32_t full = kept(shared_address(barriers));
  const uint32_t empty = kept(shared_address(barriers + kMaxStages));
  Times* mine = times + sm * p.turns;
  const Part part = parts[sm];
  if (threadIdx.x == 0) {
    for (int s = 0; s < p.stages; ++s) {
      tile::mbarrier_init(full + 8 * s, 1);
      tile::mbarrier_init(empty + 8 * s, 1);
    }
    tile::fence_mbarrier_init();
    start_together(gate, p.ctas);
  }
  __syncthreads();
  if (tile::warp_index() == 0) {
    if (tile::elect_one())
      ask(&map, p, part, full, empty, kept(shared_base()), mine);
    return;
  }
  const bool lane = tile::elect_one();
  Slot slot;
  for (int i = 0; i < p.turns; ++i, slot.next(p.stages)) {
    wait(full + 8 * slot.index, slot.parity);
    const uint32_t now = tile::stamp();
    if (lane) {
      tile::mbarrier_arrive(empty + 8 * slot.index);
      mine[i].complete = now;
    }
  }
}

using Groups = std::vector<std::vector<int>>;

struct Bench {
  Report& report;
  Buffer<uint8_t> data{kRows * kPitch};
  Buffer<Gate> gate{1};
  Buffer<Part> parts{kSms};
  Buffer<Times> times{kSms * kMaxTurns};

  // Latencies of the SMs for which `of` says so, and cycles of a turn of all.
  template <class Of>
  void Measure(const char* name, Plan p, const std::vector<Part>& part, Of of,
               const Parameters& parameters) {
    p.ctas = p.sms.size();
    constexpr int kFirst = 8;
    // SMs leave the gate within some 60 cycles of each other.
    const int repeats = p.ctas == 2 ? 9 : 3;
    const CUtensorMap map = MapOf(data.get(), kRows, kPitch, p.rows);
    parts.Write(part);
    Samples latency, turn;
    for (int repeat = -1; repeat < repeats; ++repeat) {
      gate.Clear();
      Run(turns, kSms, 1, 64, kSharedBytes, map, p, parts.get(), gate.get(),
          times.get());
      if (repeat < 0) continue;  // brings the data to L2
      const std::vector<Times> all = times.Read(kSms * p.turns);
      for (int sm = 0; sm < kSms; ++sm) {
        if (!p.sms.has(sm)) continue;
        const Times* t = &all[sm * p.turns];
        turn.push_back(double(t[p.turns - 1].complete - t[kFirst].complete) /
                       (p.turns - 1 - kFirst));
        if (!of(sm)) continue;
        for (int i = kFirst; i < p.turns; ++i)
          latency.push_back(t[i].complete - t[i].issued);
      }
    }
    const std::string prefix = name;
    report.Add((prefix + ".latency").c_str(), parameters, "cycles", latency);
    if (prefix == "burst")
      report.Add("burst.turn", parameters, "cycles", turn);
  }
};

// One SM asks for what another asked for some cycles before.
void Pairs(Bench& bench, const Groups& gpcs) {
  const int a = gpcs[0][0], tpc = a ^ 1;
  int gpc = -1;
  for (int sm : gpcs[0]) {
    if (sm / 2 != a / 2) gpc = sm;
  }
  const std::vector<std::pair<const char*, int>> others = {
      {"of the tpc", tpc}, {"of the gpc", gpc}, {"elsewhere", gpcs[1][0]}};
  for (const auto& [where, b] : others) {
    for (int rows : {16, 128}) {
      for (int late : {0, 40, 80, 120, 160, 200, 240, 280, 320, 400, 600}) {
        std::vector<Part> part(kSms);
        part[b].late = late;
        Plan p = {rows, 1, 2, 256, kColumns, 3000, 0, SetOf({a, b})};
        bench.Measure("pair", p, part, [&, b = b](int sm) { return sm == b; },
                      {{"other", where}, {"rows", rows}, {"late", late}});
      }
    }
  }
}

struct Kind {
  const char* name;
  int columns;  // read in turn
  bool shared, skewed;
};
const Kind kKinds[] = {
    {"shared", kColumns, true, false},  // tiles of A and B as in a GEMM
    {"own, 4 columns", 4, false, false},
    {"own, 64 columns", 64, false, true},  // more than L2 holds
};

std::vector<Part> PartsOf(const Kind& kind, int rows, int spread) {
  std::vector<Part> part(kSms);
  for (unsigned sm = 0; sm < kSms; ++sm) {
    const int m = static_cast<int>(kind.shared ? sm % 8 : sm);
    const int n = static_cast<int>(kind.shared ? 8 + sm / 8 : kSms + sm);
    part[sm] = {m * rows, n * rows, kind.skewed ? static_cast<int>(sm * 29 % kColumns) : 0,
                static_cast<int>(sm * 40503u % 65536 * spread / 65536)};
  }
  return part;
}

// All SMs at once, with nothing under way before, or at any time.
void Bursts(Bench& bench) {
  std::vector<int> all, half, first;
  for (int sm = 0; sm < kSms; ++sm) {
    all.push_back(sm);
    if (sm % 2 == 0) half.push_back(sm);
    if (sm < 16) first.push_back(sm);
  }
  const auto everyone = [](int) { return true; };
  for (const Kind& kind : kKinds) {
    for (const auto& sms : {all, half, first}) {
      for (int boxes : {1, 2}) {
        for (int rows : {16, 64, 128}) {
          for (int spread : {0, 1}) {
            const int period = 4000;
            Plan p = {rows, boxes, 1, 128, kind.columns, period, 0, SetOf(sms)};
            bench.Measure("burst", p,
                          PartsOf(kind, rows, spread == 0 ? 0 : period),
                          everyone,
                          {{"tiles", kind.name},
                           {"sms", sms.size()},
                           {"boxes", boxes},
                           {"rows", rows},
                           {"period", period},
                           {"stages", 1},
                           {"spread", spread}});
          }
        }
      }
    }
    // Fuller and fuller, with and without room to fall behind.
    for (int period : {1600, 1200, 1000, 900, 800, 700, 600}) {
      for (int stages : {1, 2, 4}) {
        for (int spread : {0, 1}) {
          Plan p = {128, 2, stages, 256, kind.columns, period, 0, SetOf(all)};
          bench.Measure("burst", p,
                        PartsOf(kind, 128, spread == 0 ? 0 : period), everyone,
                        {{"tiles", kind.name},
                         {"sms", all.size()},
                         {"boxes", 2},
                         {"rows", 128},
                         {"period", period},
                         {"stages", stages},
                         {"spread", spread}});
        }
      }
    }
  }
}

}  // namespace
}  // namespace calibrate

int main(int argc, char** argv) {
  using namespace calibrate;
  Report report(argc, argv);
  ReportClock(report, "before pairs");
  Bench bench{report};
  Fill(bench.data, Data::kNormalF16);
  Pairs(bench, Gpcs());
  Bursts(bench);
  ReportClock(report, "after pairs");
}
