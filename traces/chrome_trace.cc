#include "traces/chrome_trace.h"

#include <algorithm>
#include <charconv>
#include <concepts>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "traces/micros.h"
#include "traces/output_file.h"

namespace tilesim::traces {
namespace {

using TakeBytes = absl::FunctionRef<void(std::string_view)>;

// `text` as a JSON string with its quotes. Bytes that are not UTF-8 become
// U+FFFD: a strange name must not cost the user the trace.
std::string Quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false,
                                   nlohmann::json::error_handler_t::replace);
}

// The shortest digits that read back as `value`.
std::string Number(double value) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

class Writer {
 public:
  Writer(const Timeline& timeline, TakeBytes take);

  void WriteAll();

 private:
  void WriteHead();
  void WriteProcess(size_t index);
  void WriteTrack(size_t index);
  void WriteSlice(const Slice& slice);
  void WriteFlow(const Flow& flow, size_t id);
  void WriteCounter(const Counter& counter);

  // Begins an event up to its tid or pid.
  void Begin(std::string_view phase);
  void OnTrack(TrackId track);
  void OnProcess(ProcessId process);
  void Metadata(std::string_view what, std::string_view key,
                std::string_view value);
  void At(int64_t ns);
  void FlowEnd(std::string_view phase, size_t id, TrackId track, Cycle cycle,
               StringId name);
  const std::string& Text(StringId id) const {
    return quoted_[static_cast<size_t>(id)];
  }
  void Add(std::string_view text) { buffer_.append(text); }
  template <std::integral Int>
  void Add(Int value) {
    absl::StrAppend(&buffer_, value);
  }
  template <typename... Parts>
  void Put(const Parts&... parts) {
    (Add(parts), ...);
  }
  int64_t Ns(Cycle cycle) const {
    return Nanoseconds(cycle, timeline_.info().clock_khz);
  }

  const Timeline& timeline_;
  TakeBytes take_;
  std::vector<std::string> quoted_;  // by StringId: each escaped only once
  std::string buffer_;
  bool first_ = true;
};

Writer::Writer(const Timeline& timeline, TakeBytes take)
    : timeline_(timeline), take_(take) {
  quoted_.reserve(timeline.strings().size());
  for (std::string_view text : timeline.strings()) {
    quoted_.push_back(Quoted(text));
  }
}

void Writer::WriteAll() {
  WriteHead();
  for (size_t i = 0; i < timeline_.processes().size(); ++i) WriteProcess(i);
  for (size_t i = 0; i < timeline_.tracks().size(); ++i) WriteTrack(i);
  for (uint32_t i : timeline_.SlicesInOrder()) {
    WriteSlice(timeline_.slices()[i]);
  }
  size_t id = 0;
  for (uint32_t i : timeline_.FlowsInOrder()) {
    WriteFlow(timeline_.flows()[i], ++id);
  }
  for (uint32_t i : timeline_.CountersInOrder()) {
    WriteCounter(timeline_.counters()[i]);
  }
  Put("\n]}\n");
  take_(buffer_);
}

void Writer::WriteHead() {
  const TimelineInfo& info = timeline_.info();
  const Omission& omission = timeline_.omission();
  const std::string mhz = Number(static_cast<double>(info.clock_khz) / 1000);
  Put("{\"displayTimeUnit\":\"ns\",\n\"otherData\":{");
  Put("\"schema\":", kChromeTraceSchema, ",\"generator\":\"tilesim\"");
  Put(",\"program\":", Quoted(info.program), ",\"arch\":", Quoted(info.arch));
  Put(",\"clock_mhz\":", mhz);
  if (!info.source.empty()) Put(",\"source\":", Quoted(info.source));
  if (!info.sizes.empty()) {
    Put(",\"sizes\":{");
    for (size_t i = 0; i < info.sizes.size(); ++i)
      Put(i == 0 ? "" : ",", Quoted(info.sizes[i].first), ":",
          info.sizes[i].second);
    Put("}");
  }
  if (info.seed) Put(",\"seed\":", *info.seed);
  if (info.run_cycles) Put(",\"run_cycles\":", *info.run_cycles);
  std::string time = info.time_axis.empty()
                         ? absl::StrCat("ts and dur are microseconds at ", mhz,
                                        " MHz; args hold SM cycles")
                         : info.time_axis;
  Put(",\"time\":", Quoted(time));
  Put(",\n\"slices\":", timeline_.slices().size());
  Put(",\"flows\":", timeline_.flows().size());
  Put(",\"counters\":", timeline_.counters().size());
  Put(",\n\"truncated\":", omission.truncated ? "true" : "false");
  Put(",\"filter\":", Quoted(omission.filter));
  Put(",\"omitted_slices\":", omission.slices);
  Put(",\"omitted_flows\":", omission.flows);
  Put(",\"omitted_counters\":", omission.counters);
  Put("},\n\"traceEvents\":[\n");
}

void Writer::Begin(std::string_view phase) {
  constexpr size_t kFlushBytes = 1 << 16;
  if (!first_) Put(",\n");
  first_ = false;
  if (buffer_.size() > kFlushBytes) {
    take_(buffer_);
    buffer_.clear();
  }
  Put("{\"ph\":\"", phase, "\"");
}

void Writer::OnProcess(ProcessId process) {
  Put(",\"pid\":", static_cast<uint64_t>(process) + 1);
}

void Writer::OnTrack(TrackId track) {
  OnProcess(timeline_.track(track).process);
  Put(",\"tid\":", static_cast<uint64_t>(track) + 1);
}

void Writer::At(int64_t ns) {
  Put(",\"ts\":");
  AppendMicros(&buffer_, ns);
}

void Writer::Metadata(std::string_view what, std::string_view key,
                      std::string_view value) {
  Put(",\"name\":\"", what, "\",\"args\":{\"", key, "\":", value, "}}");
}

void Writer::WriteProcess(size_t index) {
  const Process& process = timeline_.processes()[index];
  const auto id = static_cast<ProcessId>(index);
  Begin("M");
  OnProcess(id);
  Metadata("process_name", "name", Quoted(process.name));
  Begin("M");
  OnProcess(id);
  Metadata("process_sort_index", "sort_index",
           absl::StrCat(process.sort_index));
}

void Writer::WriteTrack(size_t index) {
  const Track& track = timeline_.tracks()[index];
  const auto id = static_cast<TrackId>(index);
  Begin("M");
  OnTrack(id);
  Metadata("thread_name", "name", Quoted(track.name));
  Begin("M");
  OnTrack(id);
  Metadata("thread_sort_index", "sort_index", absl::StrCat(track.sort_index));
}

void Writer::WriteSlice(const Slice& slice) {
  const int64_t start_ns = Ns(slice.start);
  Begin("X");
  OnTrack(slice.track);
  At(start_ns);
  Put(",\"dur\":");
  AppendMicros(&buffer_, Ns(slice.end) - start_ns);
  Put(",\"name\":", Text(slice.name));
  Put(",\"cat\":\"", CategoryName(slice.category), "\"");
  Put(",\"args\":{\"cycle\":", slice.start);
  Put(",\"cycles\":", slice.end - slice.start);
  if (slice.line > 0) Put(",\"line\":", slice.line);
  for (const KeptArg& arg : timeline_.Args(slice)) {
    Put(",", Text(arg.key), ":");
    if (arg.is_string) {
      Put(Text(static_cast<StringId>(arg.value)));
    } else {
      Put(arg.value);
    }
  }
  Put("}}");
}

void Writer::FlowEnd(std::string_view phase, size_t id, TrackId track,
                     Cycle cycle, StringId name) {
  Begin(phase);
  if (phase == "f") Put(",\"bp\":\"e\"");  // bind to the enclosing slice
  Put(",\"id\":", id);
  OnTrack(track);
  // A viewer binds an arrow to the slice that covers its time, and a slice
  // does not cover its own end: step one nanosecond back into it.
  At(std::max<int64_t>(Ns(cycle) - 1, 0));
  Put(",\"name\":", Text(name), ",\"cat\":\"flow\"}");
}

void Writer::WriteFlow(const Flow& flow, size_t id) {
  FlowEnd("s", id, flow.from_track, flow.from_cycle, flow.name);
  FlowEnd("f", id, flow.to_track, flow.to_cycle, flow.name);
}

void Writer::WriteCounter(const Counter& counter) {
  Begin("C");
  OnProcess(counter.process);
  At(Ns(counter.cycle));
  Put(",\"name\":", Text(counter.name));
  Put(",\"args\":{\"value\":", Number(counter.value), "}}");
}

}  // namespace

absl::Status WriteChromeTrace(const Timeline& timeline,
                              const std::string& path) {
  if (absl::Status valid = timeline.Validate(); !valid.ok()) return valid;
  absl::StatusOr<std::unique_ptr<OutputFile>> file = OutputFile::Open(path);
  if (!file.ok()) return file.status();
  const auto take = [&](std::string_view bytes) { (*file)->Write(bytes); };
  Writer(timeline, take).WriteAll();
  return (*file)->Commit();
}

std::string ChromeTraceText(const Timeline& timeline) {
  std::string text;
  const auto take = [&](std::string_view bytes) { text.append(bytes); };
  Writer(timeline, take).WriteAll();
  return text;
}

}  // namespace tilesim::traces
