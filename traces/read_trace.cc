#include "traces/read_trace.h"

#include <zlib.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tilesim::traces {
namespace {

using nlohmann::json;

// gzread reads what is not compressed, too.
absl::StatusOr<std::string> ReadMaybeGzip(const std::string& path) {
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"),
                                                  gzclose);
  if (file == nullptr)
    return absl::NotFoundError(absl::StrCat(path, ": cannot be opened"));
  std::string text;
  char buffer[1 << 16];
  int n = 0;
  while ((n = gzread(file.get(), buffer, sizeof(buffer))) > 0)
    text.append(buffer, static_cast<size_t>(n));
  if (n < 0)
    return absl::InvalidArgumentError(absl::StrCat(path, ": cannot be read"));
  return text;
}

// Adds events of one file: names first, as they come in any order.
class Reader {
 public:
  Reader(const std::string& prefix, Timeline& timeline)
      : prefix_(prefix), timeline_(timeline) {
    for (const Process& p : timeline.processes())
      last_ = std::max(last_, p.sort_index);
  }

  void Name(const json& e) {
    if (e.value("ph", "") != "M") return;
    const auto pid = e.value("pid", int64_t{0});
    const std::string what = e.value("name", "");
    const json& args = e.at("args");
    if (what == "process_name") processes_[pid] = args.value("name", "");
    if (what == "thread_name")
      tracks_[{pid, e.at("tid").get<int64_t>()}] = args.value("name", "");
  }

  void Slice(const json& e) {
    if (e.value("ph", "") != "X") return;
    const json& args = e.at("args");
    const auto start = args.at("cycle").get<Cycle>();
    const std::string name = e.value("name", "");
    const std::string kind = e.value("cat", "");
    SliceSpec slice;
    slice.track =
        TrackOf({e.value("pid", int64_t{0}), e.at("tid").get<int64_t>()});
    slice.name = name;
    slice.category = kind == "wait"   ? Category::kWait
                     : kind == "idle" ? Category::kIdle
                                      : Category::kWork;
    slice.start = start;
    slice.end = start + args.at("cycles").get<Cycle>();
    slice.line = args.value("line", 0);
    timeline_.AddSlice(slice);
  }

 private:
  using Id = std::pair<int64_t, int64_t>;

  TrackId TrackOf(const Id& id) {
    auto [at, fresh] = track_ids_.try_emplace(id);
    if (!fresh) return at->second;
    auto [process, unknown] = process_ids_.try_emplace(id.first);
    if (unknown)
      process->second =
          timeline_.AddProcess({.name = prefix_ + processes_[id.first],
                                .sort_index = last_ + 1 + id.first});
    at->second = timeline_.AddTrack({.process = process->second,
                                     .name = tracks_[id],
                                     .kind = TrackKind::kUnit,
                                     .sort_index = id.second});
    return at->second;
  }

  const std::string& prefix_;
  Timeline& timeline_;
  int64_t last_ = 0;
  std::map<int64_t, std::string> processes_;
  std::map<Id, std::string> tracks_;
  std::map<int64_t, ProcessId> process_ids_;
  std::map<Id, TrackId> track_ids_;
};

}  // namespace

absl::StatusOr<json> ReadTraceJson(const std::string& path) {
  absl::StatusOr<std::string> text = ReadMaybeGzip(path);
  if (!text.ok()) return text.status();
  json file = json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!file.is_object() || !file.contains("traceEvents") ||
      !file.at("traceEvents").is_array())
    return absl::InvalidArgumentError(absl::StrCat(path, ": is no trace file"));
  return file;
}

absl::Status AddTraceFile(const std::string& path, const std::string& prefix,
                          Timeline& timeline) {
  absl::StatusOr<json> file = ReadTraceJson(path);
  if (!file.ok()) return file.status();
  Reader reader(prefix, timeline);
  try {
    for (const json& e : file->at("traceEvents")) reader.Name(e);
    for (const json& e : file->at("traceEvents")) reader.Slice(e);
  } catch (const json::exception& e) {  // the library throws; we do not
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", e.what()));
  }
  return timeline.Validate();
}

}  // namespace tilesim::traces
