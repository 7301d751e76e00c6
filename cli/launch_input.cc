#include "cli/launch_input.h"

#include <filesystem>

#include "cli/complain.h"
#include "cli/input.h"
#include "ir/values/npy.h"

namespace tilesim::cli {
namespace {

std::string NameOf(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

}  // namespace

bool IsPtx(std::string_view path) { return path.ends_with(".ptx"); }

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

void ReadContents(const std::string& launch_path, uint64_t most_bytes,
                  ptx::LaunchFile& launches) {
  using values::DType;
  const auto folder = std::filesystem::path(launch_path).parent_path();
  for (ptx::Buffer& b : launches.buffers) {
    if (b.start.kind != ptx::Start::Kind::kNpy || b.bytes > most_bytes)
      continue;
    std::vector<DType> types = {DType::kU8,  DType::kS32, DType::kU32,
                                DType::kS64, DType::kU64, DType::kS8};
    if (auto own = values::FindDType(b.dtype))
      types.insert(types.begin(), *own);
    for (DType type : types) {
      absl::StatusOr<values::Tensor> array =
          values::ReadNpy((folder / b.start.npy).string(), type);
      if (!array.ok()) continue;
      b.start.bytes = std::move(array->data);
      break;
    }
  }
}

}  // namespace tilesim::cli
