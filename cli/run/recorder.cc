#include "cli/run/recorder.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "ir/cat.h"

namespace tilesim::cli {
namespace {

using machine::Signal;
using timing::Cycle;

// Tracks below those of threads: units in the order in which data meets them,
// tiles, barriers.
constexpr int64_t kSortCopies = 1 << 12;
constexpr int64_t kSortUnits = 1 << 16;
constexpr int64_t kSortTiles = 1 << 17;
constexpr int64_t kSortBarriers = 1 << 24;
constexpr int64_t kLanes = 64;  // with numbers of their own, of one unit

struct Unit {
  std::string_view name;
  int order;
};

Unit UnitOf(const machine::InFlight& f, ir::AsyncUnit unit) {
  if (f.is_track) return {"commit", 3};
  switch (unit) {
    case ir::AsyncUnit::kTma:
      return {"TMA", 0};
    case ir::AsyncUnit::kCpAsync:
      return {"cp.async", 1};
    case ir::AsyncUnit::kWgmma:
    case ir::AsyncUnit::kTcgen05:
      return {"tensor core", 2};
    case ir::AsyncUnit::kTmemLd:
    case ir::AsyncUnit::kTmemSt:
      return {"tensor memory", 4};
    case ir::AsyncUnit::kClc:
      return {"launch control", 5};
    case ir::AsyncUnit::kStAsync:
      return {"st.async", 6};
    case ir::AsyncUnit::kNone:
      break;
  }
  return {"unit", 7};
}

// "a[2]", "acc"
std::string TileName(const ir::BoundKernel& bound, const ir::TileValue& tile) {
  const std::string& name = bound.kernel->decls[tile.decl].name;
  const ir::BoundDecl& d = bound.decls[tile.decl];
  if (d.array_rank == 0) return name;
  std::string subs;
  int32_t at = tile.index;
  for (int k = d.array_rank - 1; k >= 0; --k) {
    subs = ir::Cat("[", at % d.array[k], "]", subs);
    at /= d.array[k];
  }
  return name + subs;
}

// For each op the slots of the counters of the loops around it, the outermost
// first.
std::vector<std::vector<int32_t>> LoopsOf(const machine::Code& code) {
  using Kind = machine::Instr::Kind;
  std::vector<std::vector<int32_t>> loops(code.ops.size());
  for (size_t i = 0; i < code.instrs.size(); ++i) {
    const machine::Instr& test = code.instrs[i];
    if (test.kind != Kind::kForTest) continue;
    for (size_t j = i + 1; j < static_cast<size_t>(test.b); ++j) {
      if (code.instrs[j].kind == Kind::kOp)
        loops[code.instrs[j].a].push_back(test.a);
    }
  }
  return loops;
}

// By declaration, then by stage.
int64_t SortOfTile(const ir::TileValue& tile) {
  constexpr int64_t kStages = 32;
  return tile.decl * kStages + std::min<int64_t>(tile.index, kStages - 1);
}

// The track of an operation: its unit's, of copies one named after the tile in
// shared memory.
std::pair<std::string, int64_t> LaneOf(const ir::BoundKernel& bound,
                                       const machine::InFlight& f,
                                       const ir::ConcreteOp& op) {
  const ir::AsyncUnit unit = op.info().async;
  const auto [name, order] = UnitOf(f, unit);
  for (const ir::OperandValue& v : op.operands) {
    if (unit == ir::AsyncUnit::kTma && !f.is_track &&
        v.kind == ir::OperandValue::Kind::kTile &&
        v.tile.space == ir::Space::kShared)
      return {ir::Cat(name, " ", TileName(bound, v.tile)),
              kSortCopies + SortOfTile(v.tile)};
  }
  return {std::string(name), kSortUnits + kLanes * order};
}

}  // namespace

void AddSizes(const ir::BoundKernel& kernel,
              std::vector<std::pair<std::string, int64_t>>& sizes) {
  for (const ir::Param& p : kernel.kernel->params) {
    const bool known =
        std::any_of(sizes.begin(), sizes.end(),
                    [&](const auto& size) { return size.first == p.name; });
    if (!known && p.slot >= 0 && kernel.slots[p.slot])
      sizes.emplace_back(p.name, kernel.slots[p.slot]->number);
  }
}

std::vector<std::pair<std::string, int64_t>> SizesOf(
    const machine::Machine& machine) {
  std::vector<std::pair<std::string, int64_t>> out;
  for (size_t k = 0; k < machine.kernels(); ++k)
    AddSizes(machine.code(static_cast<int>(k)).bound, out);
  return out;
}

Recorder::Recorder(const machine::Machine& machine, traces::TimelineInfo info,
                   std::function<bool(int, int64_t)> wants,
                   const ir::Source* source)
    : machine_(machine),
      source_(source),
      timeline_(std::move(info)),
      wants_(std::move(wants)) {
  timeline_.set_sizes(SizesOf(machine));
  for (size_t k = 0; k < machine.kernels(); ++k)
    loops_.push_back(LoopsOf(machine.code(static_cast<int>(k))));
}

bool Recorder::OnCtaStart(const machine::State& state, int32_t cta, int sm,
                          Cycle at) {
  const machine::Cta& c = state.ctas[cta];
  if (auto it = ctas_.find(cta); it != ctas_.end()) {
    ended_.push_back(std::move(it->second));
    ctas_.erase(it);
  }
  const int32_t number = launches_++;
  if (!wants_(sm, c.linear)) return false;
  CtaLog log;
  std::string name = ir::Cat("SM ", sm, " / ", machine::Machine::CtaName(c));
  if (machine_.code_of(c).bound.cluster_size() > 1)
    name += ir::Cat(" rank ", c.rank);
  if (machine_.kernels() > 1)
    name = machine_.code_of(c).kernel().name + ": " + name;
  traces::Process process;
  process.name = name;
  process.sort_index = sm;
  process.sm = sm;
  process.cta = c.linear;
  log.process = timeline_.AddProcess(std::move(process));
  recorded_[number] = log.process;
  log.sm = sm;
  for (size_t b = 0; b < c.mbarriers.size(); ++b)
    log.phase_start[static_cast<int32_t>(b)] = at;
  ctas_[cta] = std::move(log);
  return true;
}

// "mma (warp 0, one lane)", "epilogue (warps 4 to 7)", "warps 1 to 3"
RoleTracks::Who Recorder::WhoIs(const machine::State& state,
                                int32_t strand) const {
  machine::Strand s = state.strands[strand];
  RoleTracks::Who who;
  who.seat.process = ctas_.at(s.cta).process;
  who.seat.thread = s.threads.first_thread();
  who.seat.role = s.role;
  who.name = machine_.RoleName(state, s);
  who.has_role = s.role >= 0;
  if (!who.has_role) return who;
  s.role = -1;
  bool lane = s.threads.lanes_per_warp() == 1;
  who.name +=
      ir::Cat(" (", machine_.RoleName(state, s), lane ? ", one lane)" : ")");
  return who;
}

void Recorder::OnStrandStart(const machine::State& state, int32_t strand,
                             Cycle at) {
  last_seen_[strand] = WhoIs(state, strand);
  roles_.Start(strand, last_seen_[strand], at);
}

void Recorder::OnStrandEnd(const machine::State& state, int32_t strand,
                           const Signal* blocked_on, Cycle at) {
  if (!roles_.Lives(strand)) return;
  if (blocked_on != nullptr) {
    Bar bar;
    bar.category = traces::Category::kWait;
    bar.from = roles_.ToldUntil(strand);
    bar.to = at;
    Describe(state, *blocked_on, /*over=*/false, bar);
    roles_.Add(strand, last_seen_[strand], std::move(bar));
  }
  roles_.End(strand, at);
}

void Recorder::OnWork(const machine::State& state, int32_t strand,
                      const machine::CompiledOp* op, Cycle from, Cycle to) {
  last_seen_[strand] = WhoIs(state, strand);
  const int kernel = state.ctas[state.strands[strand].cta].kernel;
  const auto index = static_cast<size_t>(op - machine_.code(kernel).ops.data());
  Bar bar{std::string(op->op->info->mnemonic),
          traces::Category::kWork,
          from,
          to,
          op->op->span.text_line(),
          {},
          TurnOf(state, strand, kernel, index)};
  if (std::string file = FileOf(op->op->span); !file.empty())
    bar.text_args.emplace_back("file", std::move(file));
  roles_.Add(strand, last_seen_[strand], std::move(bar));
}

std::string Recorder::FileOf(ir::Span span) const {
  if (source_ == nullptr || source_->PathOf(span) == source_->path) return "";
  const std::string& path = source_->PathOf(span);
  return path.substr(path.find_last_of('/') + 1);
}

Recorder::Turn Recorder::TurnOf(const machine::State& state, int32_t strand,
                                int kernel, size_t op) const {
  Turn turn;
  const auto& names = machine_.code(kernel).kernel().slot_names;
  for (int32_t slot : loops_[kernel][op])
    turn.emplace_back(names[slot], state.strands[strand].slots[slot]);
  return turn;
}

void Recorder::OnIssue(const machine::State& state, int32_t strand,
                       int32_t inflight, Cycle) {
  const machine::InFlight& f = state.inflight[inflight];
  turns_[inflight] = TurnOf(state, strand, state.ctas[f.cta].kernel,
                            static_cast<size_t>(f.op));
}

void Recorder::Describe(const machine::State& state, const Signal& signal,
                        bool over, Bar& bar) const {
  static constexpr std::string_view kGroups[] = {"",
                                                 "bulk group",
                                                 "cp.async group",
                                                 "wgmma group",
                                                 "tcgen05.wait::ld",
                                                 "tcgen05.wait::st"};
  switch (signal.kind) {
    case Signal::Kind::kMbarrier: {
      const machine::Cta& owner = state.ctas[signal.id];
      std::string name = machine_.BarrierName(owner, signal.index);
      bar.name = ir::Cat("WAIT ", name);
      bar.text_args.emplace_back("barrier", name);
      int64_t phase = owner.mbarriers[signal.index].phase;
      bar.int_args.emplace_back("phase", over ? phase - 1 : phase);
      return;
    }
    case Signal::Kind::kNamed:
      bar.name = ir::Cat("WAIT bar ", signal.index);
      return;
    case Signal::Kind::kGroup:
      bar.name = ir::Cat("WAIT ", kGroups[signal.index]);
      return;
    case Signal::Kind::kCluster:
      bar.name = "WAIT cluster barrier";
      return;
    case Signal::Kind::kRegisters:
      bar.name = "WAIT registers";
      return;
    case Signal::Kind::kTmem:
      bar.name = "WAIT tensor memory";
      return;
    case Signal::Kind::kCollective:
      bar.name = "WAIT warpgroup";
      return;
    case Signal::Kind::kGrid:
      bar.name = "WAIT earlier kernel";
      return;
    case Signal::Kind::kPoll:
      bar.name =
          signal.index == timing::kLoad ? "WAIT load" : "WAIT earlier result";
      return;
    case Signal::Kind::kExit:
      break;
  }
  bar.name = "WAIT";
}

void Recorder::OnWait(const machine::State& state, int32_t strand,
                      const Signal& signal, const timing::Source& source,
                      Cycle from, Cycle to) {
  const machine::Strand& s = state.strands[strand];
  if (signal.kind == Signal::Kind::kPoll &&
      signal.index == timing::kPollsForEver)
    return roles_.NameLast(strand, "POLLS FOR EVER", traces::Category::kWait);
  // Others may have joined it while it waited.
  RoleTracks::Who& who = last_seen_[strand];
  Bar bar{"", traces::Category::kWait, from, to, 0, {}, {}};
  const bool over = source.inflight >= 0 || source.strand >= 0;
  Describe(state, signal, over, bar);
  const machine::CompiledOp* op = machine_.op_at(state, s);
  if (op != nullptr) {
    bar.line = op->op->span.text_line();
    if (std::string file = FileOf(op->op->span); !file.empty())
      bar.text_args.emplace_back("file", std::move(file));
  }
  if (to > from) {
    Arrow arrow;
    arrow.to_seat = who.seat;
    arrow.to = to;
    arrow.name = bar.name.substr(std::min<size_t>(5, bar.name.size()));
    AddArrow(state, source, std::move(arrow));
  }
  roles_.Add(strand, who, std::move(bar));
  who = WhoIs(state, strand);
}

// From the operation's bar, or from the bar of what the strand does there.
void Recorder::AddArrow(const machine::State& state,
                        const timing::Source& source, Arrow arrow) {
  arrow.from = source.at;
  if (source.inflight >= 0) {
    const machine::InFlight& f = state.inflight[source.inflight];
    if (source.inflight == last_inflight_ && source.at == last_end_) {
      arrow.from_track = last_track_;
      arrows_.push_back(std::move(arrow));
    } else if (f.live && ctas_.contains(f.cta)) {
      early_[source.inflight].push_back(std::move(arrow));
    }
  } else if (roles_.Lives(source.strand)) {
    // That bar begins now; an arrow ends a nanosecond before its time.
    constexpr Cycle kInside = 4;
    arrow.from_seat = WhoIs(state, source.strand).seat;
    arrow.from = std::min(source.at + kInside, arrow.to);
    arrows_.push_back(std::move(arrow));
  }
}

traces::TrackId Recorder::Lane(CtaLog& log, const std::string& name,
                               traces::TrackKind kind, int64_t sort, Cycle from,
                               Cycle to) {
  auto& lanes = log.lanes[name];
  if (lanes == nullptr) {
    traces::Track track;
    track.process = log.process;
    track.name = name;
    track.kind = kind;
    track.sort_index = sort;
    lanes = std::make_unique<traces::Lanes>(&timeline_, std::move(track));
  }
  return lanes->Take(from, to);
}

void Recorder::OnOperation(const machine::State& state, int32_t inflight,
                           Cycle from, Cycle to) {
  const machine::InFlight& f = state.inflight[inflight];
  CtaLog& log = ctas_.at(f.cta);
  const ir::ConcreteOp op = machine_.ConcreteOf(state, f);
  ir::AsyncUnit unit = op.info().async;
  const ir::BoundKernel& bound = machine_.code_of(state.ctas[f.cta]).bound;
  auto [name, sort] = LaneOf(bound, f, op);
  last_track_ = Lane(log, name, traces::TrackKind::kUnit, sort, from, to);
  last_inflight_ = inflight;
  last_end_ = to;
  for (Arrow& arrow : early_[inflight]) {
    arrow.from_track = last_track_;
    arrows_.push_back(std::move(arrow));
  }
  early_.erase(inflight);
  traces::SliceSpec slice;
  slice.track = last_track_;
  std::string label(op.info().mnemonic);
  for (const ir::OperandValue& v : op.operands) {
    if (v.kind != ir::OperandValue::Kind::kTile ||
        v.tile.space == ir::Space::kReg)
      continue;
    label += " " + TileName(bound, v.tile);
    break;
  }
  slice.name = label;
  slice.start = from;
  slice.end = to;
  slice.line = op.op->span.text_line();
  if (unit == ir::AsyncUnit::kTma || unit == ir::AsyncUnit::kCpAsync ||
      unit == ir::AsyncUnit::kStAsync) {
    int64_t bytes = op.tile(0).bytes();
    slice.args.emplace_back("bytes", bytes);
    log.bytes_in_flight[from] += bytes;
    log.bytes_in_flight[to] -= bytes;
  }
  if (unit == ir::AsyncUnit::kTma && !f.is_track) {
    ++log.tma_operations[from];
    --log.tma_operations[to];
  }
  const std::string file = FileOf(op.op->span);
  if (!file.empty()) slice.args.emplace_back("file", file);
  for (const auto& [counter, value] : turns_[inflight])
    slice.args.emplace_back(counter, value);
  if (name == "tensor core") {
    ++log.tensor_busy[from];
    --log.tensor_busy[to];
  }
  timeline_.AddSlice(slice);
  if (!f.is_track) RecordTiles(state, f, op, from, to);
}

// The shared and tensor memory tiles an operation fills or reads.
void Recorder::RecordTiles(const machine::State& state,
                           const machine::InFlight& f, const ir::ConcreteOp& op,
                           Cycle from, Cycle to) {
  CtaLog& log = ctas_.at(f.cta);
  const ir::BoundKernel& bound = machine_.code_of(state.ctas[f.cta]).bound;
  const std::string file = FileOf(op.op->span);
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const ir::OperandValue& v = op.operands[i];
    if (v.kind != ir::OperandValue::Kind::kTile) continue;
    bool shared = v.tile.space == ir::Space::kShared;
    bool tmem = v.tile.space == ir::Space::kTmem;
    if (!shared && !tmem) continue;
    std::string name = TileName(bound, v.tile);
    bool writes = i == 0;
    traces::SliceSpec slice;
    slice.track = Lane(
        log, name, tmem ? traces::TrackKind::kTmem : traces::TrackKind::kStage,
        kSortTiles + SortOfTile(v.tile) * kLanes, from, to);
    std::string label =
        ir::Cat(writes ? "written by " : "read by ", op.info().mnemonic);
    slice.name = label;
    slice.start = from;
    slice.end = to;
    slice.line = op.op->span.text_line();
    if (!file.empty()) slice.args.emplace_back("file", file);
    timeline_.AddSlice(slice);
    bool& full = log.full[name];
    if (shared && full != writes) {
      log.stages_full[to] += writes ? 1 : -1;
      full = writes;
    }
  }
}

void Recorder::OnPhase(const machine::State& state,
                       const machine::BarrierUse& use, Cycle at) {
  const auto [cta, barrier, life] = use.barrier;
  CtaLog& log = ctas_.at(cta);
  Cycle start = std::exchange(log.phase_start[barrier], at);
  if (!use.completes) return;
  auto it = log.barrier_tracks.find(barrier);
  if (it == log.barrier_tracks.end()) {
    traces::Track track;
    track.process = log.process;
    track.name = machine_.BarrierName(state.ctas[cta], barrier);
    if (!track.name.starts_with("mbarrier ")) track.name.insert(0, "mbarrier ");
    track.kind = traces::TrackKind::kBarrier;
    track.sort_index = kSortBarriers + barrier;
    it = log.barrier_tracks
             .emplace(barrier, timeline_.AddTrack(std::move(track)))
             .first;
  }
  traces::SliceSpec slice;
  slice.track = it->second;
  std::string name = ir::Cat("phase ", use.phase);
  slice.name = name;
  slice.start = start;
  slice.end = at;
  slice.args.emplace_back("phase", use.phase);
  timeline_.AddSlice(slice);
}

void Recorder::Curve(traces::ProcessId process, const char* name,
                     const std::map<Cycle, int64_t>& changes) {
  int64_t value = 0;
  for (const auto& [at, change] : changes) {
    if (change == 0) continue;
    value += change;
    traces::CounterSpec counter;
    counter.process = process;
    counter.name = name;
    counter.cycle = at;
    counter.value = static_cast<double>(value);
    timeline_.AddCounter(counter);
  }
}

void Recorder::DrawArrows() {
  for (const Arrow& a : arrows_) {
    const traces::TrackId* from =
        a.from_seat ? roles_.TrackOf(*a.from_seat) : &a.from_track;
    const traces::TrackId* to = roles_.TrackOf(a.to_seat);
    if (from == nullptr || to == nullptr) continue;
    traces::FlowSpec flow;
    flow.from_track = *from;
    flow.from_cycle = a.from;
    flow.to_track = *to;
    flow.to_cycle = a.to;
    flow.name = a.name;
    timeline_.AddFlow(flow);
  }
}

traces::Timeline Recorder::Finish(const timing::RunStats& stats,
                                  GpuTracks gpu) {
  for (auto& [slot, log] : ctas_) ended_.push_back(std::move(log));
  ctas_.clear();
  roles_.Flush(stats.cycles, timeline_);
  DrawArrows();
  // What power left of the clock, as in the report.
  if (stats.clock_mhz > 0)
    timeline_.set_clock_khz(std::llround(stats.clock_mhz * 1000));
  if (stats.finished) timeline_.set_run_cycles(stats.cycles);
  for (CtaLog& log : ended_) {
    Curve(log.process, "bytes in flight", log.bytes_in_flight);
    Curve(log.process, "TMA operations in flight", log.tma_operations);
    Curve(log.process, "tensor core operations", log.tensor_busy);
    Curve(log.process, "stages full", log.stages_full);
  }
  AddGpuTracks(
      machine_, stats, recorded_,
      [this](ir::Span span) { return FileOf(span); }, gpu, timeline_);
  return std::move(timeline_);
}

}  // namespace tilesim::cli
