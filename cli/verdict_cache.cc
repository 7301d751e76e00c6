#include "cli/verdict_cache.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/fnv.h"
#include "cli/version.h"
#include "cli/witness_json.h"
#include "fmt/format.h"
#include "ir/cat.h"
#include "ir/values/read_file.h"
#include "traces/output_file.h"

namespace tilesim::cli {
namespace {

constexpr int64_t kMaxVerdictBytes = int64_t{1} << 30;

// The version, and a hash of the program that runs: a build of other sources
// has another, the rules of PTX that are compiled in included.
absl::StatusOr<std::string> BuildOf() {
  absl::StatusOr<std::string> bytes =
      values::ReadFile("/proc/self/exe", kMaxVerdictBytes);
  if (!bytes.ok()) return bytes.status();
  return fmt::format("{} {} {:016x}", Version(), bytes->size(), FnvOf(*bytes));
}

// Its length first: no text runs into the next.
void AddText(std::string_view text, std::string& key) {
  ir::Append(&key, text.size(), ":", text, "\n");
}

std::string SumOf(const Json& answer) {
  return fmt::format("{:016x}", FnvOf(answer.dump()));
}

std::optional<FileAnswer> AnswerOf(const Json& entry, const std::string& key) {
  if (!entry.is_object() || entry.value("key", Json()) != key ||
      !entry.contains("answer") ||
      entry.value("sum", Json()) != SumOf(entry["answer"]))
    return std::nullopt;
  const Json& answer = entry["answer"];
  return FileAnswer{answer.at("shown"),
                    static_cast<ExitCode>(answer.at("exit").get<int>())};
}

}  // namespace

absl::StatusOr<std::unique_ptr<VerdictCache>> VerdictCache::Open(
    const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder, error))
    return absl::InvalidArgumentError(
        ir::Cat("--cache ", folder, ": no folder can be made there",
                error ? ": " + error.message() : ""));
  absl::StatusOr<std::string> build = BuildOf();
  if (!build.ok()) return build.status();
  return std::unique_ptr<VerdictCache>(
      new VerdictCache(folder, std::move(*build)));
}

std::string VerdictCache::KeyOf(const ir::Source& source,
                                const checkers::CheckOptions& o,
                                std::string_view format) const {
  std::string key = ir::Cat("1\n", build_, "\n", format, "\n");
  for (const auto& [name, value] : o.defines)
    ir::Append(&key, "-D ", name, "=", value, "\n");
  for (const std::string& name : o.strict)
    ir::Append(&key, "--strict ", name, "\n");
  ir::Append(&key, "trips ", o.trips, " states ", o.max_states, " events ",
             o.max_events, " witness ", o.witness_events, " sms ", o.sm_count,
             "\n");
  AddText(source.path, key);
  AddText(source.text, key);
  for (const ir::Place& place : *source.places) {
    AddText(place.path, key);
    AddText(place.text ? std::string_view(*place.text) : "", key);
  }
  return key;
}

std::string VerdictCache::PathOf(const std::string& key) const {
  constexpr uint64_t kOther = 0x9ae16a3b2f90404fu;
  return fmt::format("{}/{:016x}{:016x}.json", folder_, FnvOf(key),
                     FnvOf(key, kOther));
}

std::optional<FileAnswer> VerdictCache::Find(const std::string& key) const {
  absl::StatusOr<std::string> text =
      values::ReadFile(PathOf(key), kMaxVerdictBytes);
  if (!text.ok()) return std::nullopt;
  Json entry = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  try {
    return AnswerOf(entry, key);
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

void VerdictCache::Keep(const std::string& key, const FileAnswer& answer) {
  std::scoped_lock one(writing_);
  std::string why;
  try {
    Json kept = {{"exit", static_cast<int>(answer.exit)},
                 {"shown", answer.shown}};
    std::string sum = SumOf(kept);
    Json entry = {{"key", key}, {"sum", sum}, {"answer", std::move(kept)}};
    auto file = traces::OutputFile::Open(PathOf(key));
    absl::Status status = file.status();
    if (status.ok()) {
      (*file)->Write(entry.dump());
      status = (*file)->Commit();
    }
    if (!status.ok()) why = std::string(status.message());
  } catch (const Json::exception&) {
    return;  // bytes that are no UTF-8: checked anew each time
  }
  if (why.empty() || told_) return;
  told_ = true;
  fmt::print(stderr, "tilesim: verdicts are not kept: {}\n", why);
}

}  // namespace tilesim::cli
