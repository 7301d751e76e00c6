#include "cli/output.h"

#include <filesystem>
#include <system_error>

#include "cli/complain.h"
#include "fmt/format.h"
#include "traces/output_file.h"

namespace tilesim::cli {

bool SameFile(const std::string& a, const std::string& b) {
  std::error_code none;
  return std::filesystem::is_regular_file(a, none) &&
         std::filesystem::equivalent(a, b, none);
}

bool WriteFile(const std::string& path, std::string_view bytes) {
  auto file = traces::OutputFile::Open(path);
  absl::Status status = file.status();
  if (status.ok()) {
    (*file)->Write(bytes);
    status = (*file)->Commit();
  }
  if (!status.ok()) Complain("{}", std::string(status.message()));
  return status.ok();
}

std::vector<NamedFile> FilesOf(const std::string& option,
                               const std::vector<std::string>& texts) {
  std::vector<NamedFile> out;
  for (const std::string& text : texts) {
    size_t equals = text.find('=');
    if (equals != std::string::npos)
      out.push_back({option, text.substr(equals + 1)});
  }
  return out;
}

bool SparesInputs(const std::vector<NamedFile>& outputs,
                  const std::vector<NamedFile>& inputs) {
  for (const NamedFile& output : outputs) {
    for (const NamedFile& input : inputs) {
      if (!SameFile(output.path, input.path)) continue;
      Complain(
          "{} {}: this would overwrite {}, which is read; name "
          "another file",
          output.option, output.path, input.path);
      return false;
    }
  }
  return true;
}

}  // namespace tilesim::cli
