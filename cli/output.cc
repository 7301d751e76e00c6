#include "cli/output.h"

#include "fmt/format.h"
#include "traces/output_file.h"

namespace tilesim::cli {

bool WriteFile(const std::string& path, std::string_view bytes) {
  auto file = traces::OutputFile::Open(path);
  absl::Status status = file.status();
  if (status.ok()) {
    (*file)->Write(bytes);
    status = (*file)->Commit();
  }
  if (!status.ok())
    fmt::print(stderr, "tilesim: {}\n", std::string(status.message()));
  return status.ok();
}

}  // namespace tilesim::cli
