#include "cli/launch_input.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/complain.h"
#include "cli/input.h"
#include "fmt/format.h"
#include "ir/values/npy.h"

namespace tilesim::cli {
namespace {

std::string NameOf(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

}  // namespace

bool IsPtx(std::string_view path) { return path.ends_with(".ptx"); }

bool IsLaunch(std::string_view path) { return path.ends_with(".json"); }

bool IsNoPtx(const std::string& path) {
  if (!IsPtx(path)) return true;
  Complain(
      "{}: this command takes .tile programs; run and check take PTX with "
      "--launch, ptx shows what is in it",
      path);
  return false;
}

bool IsLaunchOf(const ptx::LaunchFile& launches, size_t at,
                const std::string& ptx_path) {
  const std::string& ptx = launches.launches[at].ptx;
  return ptx.empty() || NameOf(ptx) == NameOf(ptx_path);
}

std::string NoLaunchOf(const std::string& path, const ptx::LaunchFile& launches,
                       const std::string& ptx_path) {
  std::string of;
  std::set<std::string> named;
  for (const ptx::Launch& launch : launches.launches) {
    if (named.insert(launch.ptx).second)
      of += (of.empty() ? "" : ", ") + launch.ptx;
  }
  return path + ": it has no launch of " + NameOf(ptx_path) +
         (of.empty() ? "" : "; its launches are of " + of + " (field `ptx`)");
}

std::string TextOf(const std::string& path,
                   const std::vector<ptx::LaunchError>& errors) {
  std::string out;
  for (const ptx::LaunchError& e : errors)
    out += (out.empty() ? "" : "\ntilesim: ") + path + ": error: " + e.where +
           (e.where.empty() ? "" : ": ") + e.message;
  return out;
}

std::optional<ptx::LaunchFile> OpenLaunches(const std::string& path,
                                            std::string* failure) {
  absl::StatusOr<ir::Source> text = OpenSource(path);
  if (!text.ok()) {
    *failure = std::string(text.status().message());
    return std::nullopt;
  }
  std::vector<ptx::LaunchError> errors;
  std::optional<ptx::LaunchFile> out = ptx::ReadLaunch(text->text, errors);
  if (!out) *failure = TextOf(path, errors);
  return out;
}

std::vector<std::string> PtxOf(const std::string& launch_path,
                               std::string* failure) {
  const std::optional<ptx::LaunchFile> file =
      OpenLaunches(launch_path, failure);
  if (!file) return {};
  const auto folder = std::filesystem::path(launch_path).parent_path();
  std::vector<std::string> out;
  for (const ptx::Launch& launch : file->launches) {
    if (launch.ptx.empty()) {
      *failure = fmt::format(
          "{}: the launch of {} names no file (\"ptx\"): tilesim check "
          "KERNEL.ptx --launch {}",
          launch_path, launch.kernel, launch_path);
      return {};
    }
    std::string path = (folder / launch.ptx).string();
    if (std::find(out.begin(), out.end(), path) == out.end())
      out.push_back(std::move(path));
  }
  if (out.empty()) *failure = launch_path + ": it has no launches";
  return out;
}

namespace {

// As its own type, or as integers of any: it is bytes that are wanted.
absl::StatusOr<values::Tensor> ReadArray(const std::string& path,
                                         const ptx::Buffer& buffer) {
  using values::DType;
  std::vector<DType> types = {DType::kU8,  DType::kS32, DType::kU32,
                              DType::kS64, DType::kU64, DType::kS8};
  if (auto own = values::FindDType(buffer.dtype))
    types.insert(types.begin(), *own);
  absl::StatusOr<values::Tensor> first = values::ReadNpy(path, types[0]);
  if (first.ok()) return first;
  for (DType type : types) {
    absl::StatusOr<values::Tensor> array = values::ReadNpy(path, type);
    if (array.ok()) return array;
  }
  return first;
}

}  // namespace

std::vector<ptx::LaunchError> ReadContents(const std::string& launch_path,
                                           uint64_t most_bytes,
                                           ptx::LaunchFile& launches) {
  const auto folder = std::filesystem::path(launch_path).parent_path();
  std::vector<ptx::LaunchError> errors;
  for (ptx::Buffer& b : launches.buffers) {
    if (b.start.kind != ptx::Start::Kind::kNpy || b.bytes > most_bytes)
      continue;
    const std::string where = fmt::format("buffers.{}.start.npy", b.name);
    const std::string path = (folder / b.start.npy).string();
    absl::StatusOr<values::Tensor> array = ReadArray(path, b);
    if (!array.ok()) {
      errors.push_back({where, std::string(array.status().message())});
    } else if (array->data.size() != b.bytes) {
      errors.push_back({where, fmt::format("{} holds {} bytes, the buffer {}",
                                           path, array->data.size(), b.bytes)});
    } else {
      b.start.bytes = std::move(array->data);
      // As a recorder writes them, counters that are 0 at first.
      if (std::all_of(b.start.bytes.begin(), b.start.bytes.end(),
                      [](uint8_t byte) { return byte == 0; })) {
        b.start.kind = ptx::Start::Kind::kZero;
        b.start.bytes.clear();
      }
    }
  }
  return errors;
}

std::vector<std::string> GiveDistinct(ptx::LaunchFile& launches) {
  std::vector<std::string> names;
  for (ptx::Buffer& b : launches.buffers) {
    if (!b.distinct || !b.start.bytes.empty()) continue;
    const uint64_t each = ptx::ScalarBytes(b.dtype);
    b.start.kind = ptx::Start::Kind::kNpy;
    b.start.bytes.assign(b.bytes, 0);
    for (uint64_t i = 0; i < b.bytes / each; ++i) {
      const uint64_t bits = static_cast<uint64_t>(b.domain->first) + i;
      for (uint64_t k = 0; k < each; ++k)
        b.start.bytes[i * each + k] = static_cast<uint8_t>(bits >> (8 * k));
    }
    names.push_back(b.name);
  }
  return names;
}

}  // namespace tilesim::cli
