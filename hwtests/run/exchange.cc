#include "hwtests/run/exchange.h"

#include <fstream>
#include <iterator>

#include "absl/strings/cord.h"
#include "ir/cat.h"
#include "nlohmann/json.hpp"

namespace tilesim::hwtests {
namespace {

using nlohmann::json;

constexpr char kErrorPayload[] = "tilesim/hw_error";
constexpr char kReportPayload[] = "tilesim/wait_report";
constexpr std::string_view kErrorNames[] = {
    "none",    "no-driver", "no-device", "no-nvrtc", "wrong-arch",
    "compile", "launch",    "hang",      "internal"};

json ToJson(const WaitReport& r) {
  return {{"barrier", r.barrier},
          {"index", r.index},
          {"parity", r.parity},
          {"role", r.role},
          {"line", r.line},
          {"cta", {r.cta[0], r.cta[1], r.cta[2]}},
          {"cluster_rank", r.cluster_rank},
          {"thread", r.thread},
          {"pending", r.pending}};
}

WaitReport ReportFrom(const json& j) {
  WaitReport r;
  r.barrier = j.value("barrier", "");
  r.index = j.value("index", int64_t{0});
  r.parity = j.value("parity", int64_t{0});
  r.role = j.value("role", "");
  r.line = j.value("line", 0);
  for (int i = 0; i < 3; ++i) r.cta[i] = j.at("cta").at(i).get<int64_t>();
  r.cluster_rank = j.value("cluster_rank", int64_t{0});
  r.thread = j.value("thread", int64_t{0});
  r.pending = j.value("pending", int64_t{-1});
  return r;
}

absl::StatusCode CodeOf(HwError error) {
  switch (error) {
    case HwError::kNone:
      return absl::StatusCode::kOk;
    case HwError::kNoDriver:
    case HwError::kNoDevice:
    case HwError::kNoNvrtc:
      return absl::StatusCode::kNotFound;
    case HwError::kWrongArch:
      return absl::StatusCode::kFailedPrecondition;
    case HwError::kCompile:
      return absl::StatusCode::kInvalidArgument;
    case HwError::kLaunch:
      return absl::StatusCode::kAborted;
    case HwError::kHang:
      return absl::StatusCode::kDeadlineExceeded;
    case HwError::kInternal:
      break;
  }
  return absl::StatusCode::kInternal;
}

std::optional<std::string> Payload(const absl::Status& status,
                                   const char* which) {
  absl::optional<absl::Cord> cord = status.GetPayload(which);
  if (!cord) return std::nullopt;
  return std::string(*cord);
}

}  // namespace

absl::Status WriteBytes(const std::string& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (out) return absl::OkStatus();
  return HwFailure(HwError::kInternal, ir::Cat("cannot write ", path));
}

absl::StatusOr<std::string> ReadBytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return HwFailure(HwError::kInternal, ir::Cat("cannot read ", path));
  return std::string(std::istreambuf_iterator<char>(in), {});
}

absl::Status WriteJson(const std::string& path, const json& j) {
  return WriteBytes(path, j.dump(1));
}

absl::StatusOr<json> ReadJson(const std::string& path) {
  absl::StatusOr<std::string> text = ReadBytes(path);
  if (!text.ok()) return text.status();
  json j = json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (j.is_discarded())
    return HwFailure(HwError::kInternal, ir::Cat(path, " is not JSON"));
  return j;
}

std::string_view Name(HwError error) {
  return kErrorNames[static_cast<int>(error)];
}

absl::Status HwFailure(HwError error, std::string_view message) {
  absl::Status status(CodeOf(error),
                      absl::string_view(message.data(), message.size()));
  std::string_view name = Name(error);
  status.SetPayload(kErrorPayload,
                    absl::Cord(absl::string_view(name.data(), name.size())));
  return status;
}

absl::Status HwHang(std::string_view message, const WaitReport& report) {
  absl::Status status =
      HwFailure(HwError::kHang, ir::Cat(message, ": ", report.Text()));
  status.SetPayload(kReportPayload, absl::Cord(ToJson(report).dump()));
  return status;
}

HwError HwErrorOf(const absl::Status& status) {
  if (status.ok()) return HwError::kNone;
  std::string name = Payload(status, kErrorPayload).value_or("internal");
  for (size_t i = 0; i < std::size(kErrorNames); ++i) {
    if (kErrorNames[i] == name) return static_cast<HwError>(i);
  }
  return HwError::kInternal;
}

std::optional<WaitReport> WaitReportOf(const absl::Status& status) {
  std::optional<std::string> text = Payload(status, kReportPayload);
  if (!text) return std::nullopt;
  json j = json::parse(*text, nullptr, false);
  if (j.is_discarded()) return std::nullopt;
  return ReportFrom(j);
}

std::string WaitReport::Text() const {
  std::string what = barrier.empty() ? std::string("a polling loop")
                                     : ir::Cat("the wait for ", barrier, "[",
                                               index, "] parity ", parity);
  std::string seen = pending < 0
                         ? ""
                         : ir::Cat(": that phase still lacks ", pending,
                                   pending == 1 ? " arrival" : " arrivals");
  return ir::Cat(what, role.empty() ? "" : ir::Cat(" in role ", role),
                 " (line ", line, ") of CTA (", cta[0], ", ", cta[1], ", ",
                 cta[2], "), thread ", thread, ", never ended", seen);
}

json ToJson(const absl::Status& status) {
  json j = {{"error", Name(HwErrorOf(status))},
            {"message", std::string(status.message())}};
  if (std::optional<std::string> report = Payload(status, kReportPayload))
    j["report"] = json::parse(*report, nullptr, false);
  return j;
}

absl::Status StatusFromJson(const json& j) {
  std::string name = j.value("error", "none");
  std::string message = j.value("message", "");
  HwError error = HwError::kInternal;
  for (size_t i = 0; i < std::size(kErrorNames); ++i) {
    if (kErrorNames[i] == name) error = static_cast<HwError>(i);
  }
  if (error == HwError::kNone) return absl::OkStatus();
  absl::Status status = HwFailure(error, message);
  if (j.contains("report"))
    status.SetPayload(kReportPayload, absl::Cord(j.at("report").dump()));
  return status;
}

}  // namespace tilesim::hwtests
