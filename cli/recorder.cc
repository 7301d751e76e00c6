#include "cli/recorder.h"

#include <algorithm>

#include "ir/cat.h"

namespace tilesim::cli {
namespace {

using machine::Signal;
using timing::Cycle;

constexpr int64_t kSortUnits = 1000;
constexpr int64_t kSortStages = 2000;
constexpr int64_t kSortBarriers = 3000;

std::string_view UnitName(const machine::InFlight& f, ir::AsyncUnit unit) {
  if (f.is_track) return "commit";
  switch (unit) {
    case ir::AsyncUnit::kTma: return "TMA";
    case ir::AsyncUnit::kCpAsync: return "cp.async";
    case ir::AsyncUnit::kWgmma:
    case ir::AsyncUnit::kTcgen05: return "tensor core";
    case ir::AsyncUnit::kTmemLd:
    case ir::AsyncUnit::kTmemSt: return "tensor memory";
    case ir::AsyncUnit::kClc: return "launch control";
    case ir::AsyncUnit::kNone: break;
  }
  return "unit";
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

}  // namespace

Recorder::Recorder(const machine::Machine& machine, traces::TimelineInfo info,
                   std::function<bool(int, int64_t)> wants)
    : machine_(machine), timeline_(std::move(info)), wants_(std::move(wants)) {}

bool Recorder::OnCtaStart(const machine::State& state, int32_t cta, int sm,
                          Cycle at) {
  const machine::Cta& c = state.ctas[cta];
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
  log.sm = sm;
  for (size_t b = 0; b < c.mbarriers.size(); ++b)
    log.phase_start[static_cast<int32_t>(b)] = at;
  ctas_[cta] = std::move(log);
  return true;
}

void Recorder::OnCtaEnd(const machine::State&, int32_t cta, Cycle) {
  auto it = ctas_.find(cta);
  if (it == ctas_.end()) return;
  ended_.push_back(std::move(it->second));
  ctas_.erase(it);
}

Recorder::StrandLog& Recorder::LogOf(int32_t strand) {
  return logs_[live_.at(strand)];
}

void Recorder::OnStrandStart(const machine::State& state, int32_t strand,
                             Cycle at) {
  live_[strand] = static_cast<int32_t>(logs_.size());
  StrandLog& log = logs_.emplace_back();
  const machine::Strand& s = state.strands[strand];
  log.process = static_cast<int32_t>(ctas_.at(s.cta).process);
  log.birth = at;
  log.first_thread = s.threads.first_warp * 32;
}

void Recorder::OnStrandEnd(int32_t strand, Cycle at) {
  auto it = live_.find(strand);
  if (it == live_.end()) return;
  logs_[it->second].death = at;
  live_.erase(it);
}

void Recorder::OnWork(const machine::State& state, int32_t strand,
                      const machine::CompiledOp* op, Cycle from, Cycle to) {
  StrandLog& log = LogOf(strand);
  log.time_in[machine_.RoleName(state, state.strands[strand])] += to - from + 1;
  log.bars.push_back({std::string(op->op->info->mnemonic),
                      traces::Category::kWork, from, to, op->op->span.line,
                      {}, {}});
}

void Recorder::Describe(const machine::State& state, const machine::Cta& cta,
                        const Signal& signal, Bar& bar) const {
  static constexpr std::string_view kGroups[] = {
      "", "bulk group", "cp.async group", "wgmma group", "tcgen05.wait::ld",
      "tcgen05.wait::st"};
  switch (signal.kind) {
    case Signal::Kind::kMbarrier: {
      const machine::Cta& owner = state.ctas[signal.id];
      std::string name = machine_.BarrierName(owner, signal.index);
      bar.name = ir::Cat("WAIT ", name);
      bar.text_args.emplace_back("barrier", name);
      int64_t phase = owner.mbarriers[signal.index].phase;
      bar.int_args.emplace_back("phase", phase - 1);
      return;
    }
    case Signal::Kind::kNamed:
      bar.name = ir::Cat("WAIT bar ", signal.index);
      return;
    case Signal::Kind::kGroup:
      bar.name = ir::Cat("WAIT ", kGroups[signal.index]);
      return;
    case Signal::Kind::kCluster: bar.name = "WAIT cluster barrier"; return;
    case Signal::Kind::kRegisters: bar.name = "WAIT registers"; return;
    case Signal::Kind::kTmem: bar.name = "WAIT tensor memory"; return;
    case Signal::Kind::kCollective: bar.name = "WAIT warpgroup"; return;
    case Signal::Kind::kGrid: bar.name = "WAIT earlier kernel"; return;
    case Signal::Kind::kPoll: bar.name = "WAIT load"; return;
    case Signal::Kind::kExit: break;
  }
  (void)cta;
  bar.name = "WAIT";
}

void Recorder::OnWait(const machine::State& state, int32_t strand,
                      const Signal& signal, const timing::Source& source,
                      Cycle from, Cycle to) {
  StrandLog& log = LogOf(strand);
  const machine::Strand& s = state.strands[strand];
  log.time_in[machine_.RoleName(state, s)] += to - from + 1;
  Bar bar{"", traces::Category::kWait, from, to, 0, {}, {}};
  Describe(state, state.ctas[s.cta], signal, bar);
  const machine::CompiledOp* op = machine_.op_at(state, s);
  if (op != nullptr) bar.line = op->op->span.line;
  if (to > from) {
    Arrow arrow;
    arrow.to_strand = live_.at(strand);
    arrow.to = to;
    arrow.name = bar.name.substr(std::min<size_t>(5, bar.name.size()));
    if (source.inflight >= 0 && last_end_ >= 0) {
      arrow.from_track = last_track_;
      arrow.from = last_end_;
      arrows_.push_back(arrow);
    } else if (auto it = live_.find(source.strand); it != live_.end()) {
      arrow.from_strand = it->second;
      arrow.from = std::max(from, logs_[it->second].birth);
      if (!logs_[it->second].bars.empty())
        arrow.from = logs_[it->second].bars.back().to;
      if (arrow.from <= arrow.to) arrows_.push_back(arrow);
    }
  }
  log.bars.push_back(std::move(bar));
}

traces::TrackId Recorder::Lane(CtaLog& log, const std::string& name,
                               traces::TrackKind kind, int64_t sort,
                               Cycle from, Cycle to) {
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
  const machine::CompiledOp& op = machine_.op_of(state, f);
  ir::AsyncUnit unit = op.op->info->async;
  std::string name(UnitName(f, unit));
  last_track_ = Lane(log, name, traces::TrackKind::kUnit, kSortUnits, from, to);
  last_end_ = to;
  traces::SliceSpec slice;
  slice.track = last_track_;
  std::string label(op.op->info->mnemonic);
  for (size_t i = 0; i < op.op->operands.size(); ++i) {
    const ir::OperandValue& v = f.operands[i];
    if (v.kind != ir::OperandValue::Kind::kTile ||
        v.tile.space == ir::Space::kReg)
      continue;
    label += " " + TileName(machine_.code_of(state.ctas[f.cta]).bound, v.tile);
    break;
  }
  slice.name = label;
  slice.start = from;
  slice.end = to;
  slice.line = op.op->span.line;
  if (unit == ir::AsyncUnit::kTma || unit == ir::AsyncUnit::kCpAsync) {
    int64_t bytes = f.operands[0].tile.bytes();
    slice.args.emplace_back("bytes", bytes);
    log.bytes_in_flight[from] += bytes;
    log.bytes_in_flight[to] -= bytes;
  }
  if (name == "tensor core") {
    ++log.tensor_busy[from];
    --log.tensor_busy[to];
  }
  timeline_.AddSlice(slice);
  if (!f.is_track) RecordTiles(state, inflight, op, from, to);
}

// The shared and tensor memory tiles an operation fills or reads.
void Recorder::RecordTiles(const machine::State& state, int32_t inflight,
                           const machine::CompiledOp& op, Cycle from,
                           Cycle to) {
  const machine::InFlight& f = state.inflight[inflight];
  CtaLog& log = ctas_.at(f.cta);
  const ir::BoundKernel& bound = machine_.code_of(state.ctas[f.cta]).bound;
  for (size_t i = 0; i < op.op->operands.size(); ++i) {
    const ir::OperandValue& v = f.operands[i];
    if (v.kind != ir::OperandValue::Kind::kTile) continue;
    bool shared = v.tile.space == ir::Space::kShared;
    bool tmem = v.tile.space == ir::Space::kTmem;
    if (!shared && !tmem) continue;
    std::string name = TileName(bound, v.tile);
    bool writes = i == 0;
    traces::SliceSpec slice;
    slice.track = Lane(log, name,
                       tmem ? traces::TrackKind::kTmem
                            : traces::TrackKind::kStage,
                       kSortStages + v.tile.decl, from, to);
    std::string label =
        ir::Cat(writes ? "written by " : "read by ", op.op->info->mnemonic);
    slice.name = label;
    slice.start = from;
    slice.end = to;
    slice.line = op.op->span.line;
    timeline_.AddSlice(slice);
    bool& full = log.full[name];
    if (shared && full != writes) {
      log.stages_full[to] += writes ? 1 : -1;
      full = writes;
    }
  }
}

void Recorder::OnPhase(const machine::State& state, int32_t cta,
                       int32_t barrier, Cycle at) {
  CtaLog& log = ctas_.at(cta);
  const machine::Mbarrier& b = state.ctas[cta].mbarriers[barrier];
  Cycle start = log.phase_start[barrier];
  log.phase_start[barrier] = at;
  if (b.phase == 0) return;  // mbarrier.init
  auto it = log.barrier_tracks.find(barrier);
  if (it == log.barrier_tracks.end()) {
    traces::Track track;
    track.process = log.process;
    track.name = "mbarrier " + machine_.BarrierName(state.ctas[cta], barrier);
    track.kind = traces::TrackKind::kBarrier;
    track.sort_index = kSortBarriers + barrier;
    it = log.barrier_tracks
             .emplace(barrier, timeline_.AddTrack(std::move(track)))
             .first;
  }
  traces::SliceSpec slice;
  slice.track = it->second;
  std::string name = ir::Cat("phase ", b.phase - 1);
  slice.name = name;
  slice.start = start;
  slice.end = at;
  slice.args.emplace_back("phase", static_cast<int64_t>(b.phase) - 1);
  timeline_.AddSlice(slice);
}

void Recorder::Flush(StrandLog& log) {
  auto most = std::max_element(
      log.time_in.begin(), log.time_in.end(),
      [](const auto& a, const auto& b) { return a.second < b.second; });
  traces::Track track;
  track.process = static_cast<traces::ProcessId>(log.process);
  track.name = most == log.time_in.end() ? "threads" : most->first;
  track.kind = traces::TrackKind::kRole;
  track.sort_index = log.first_thread;
  log.track = timeline_.AddTrack(std::move(track));
  timeline_.SetLifetime(log.track, log.birth, log.death);
  for (const Bar& bar : log.bars) {
    if (bar.to == bar.from) continue;
    traces::SliceSpec slice;
    slice.track = log.track;
    slice.name = bar.name;
    slice.category = bar.category;
    slice.start = bar.from;
    slice.end = bar.to;
    slice.line = bar.line;
    for (const auto& [k, v] : bar.text_args) slice.args.emplace_back(k, v);
    for (const auto& [k, v] : bar.int_args) slice.args.emplace_back(k, v);
    timeline_.AddSlice(slice);
  }
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

traces::Timeline Recorder::Finish(Cycle end) {
  for (auto& [slot, log] : ctas_) ended_.push_back(std::move(log));
  ctas_.clear();
  for (StrandLog& log : logs_) {
    if (log.death < 0) log.death = log.bars.empty() ? end : log.bars.back().to;
    Flush(log);
  }
  for (const Arrow& a : arrows_) {
    traces::FlowSpec flow;
    flow.from_track = a.from_strand >= 0 ? logs_[a.from_strand].track
                                         : a.from_track;
    flow.from_cycle = a.from;
    flow.to_track = logs_[a.to_strand].track;
    flow.to_cycle = a.to;
    flow.name = a.name;
    timeline_.AddFlow(flow);
  }
  for (CtaLog& log : ended_) {
    Curve(log.process, "bytes in flight", log.bytes_in_flight);
    Curve(log.process, "tensor core operations", log.tensor_busy);
    Curve(log.process, "stages full", log.stages_full);
  }
  return std::move(timeline_);
}

}  // namespace tilesim::cli
