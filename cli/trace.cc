// tilesim trace: about trace files, of the model and of a GPU.
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/complain.h"
#include "fmt/format.h"
#include "traces/trace_diff.h"

namespace tilesim::cli {
namespace {

int Diff(const std::string& a, const std::string& b) {
  absl::StatusOr<traces::RoleTraces> one = traces::ReadRoleTraces(a);
  absl::StatusOr<traces::RoleTraces> two = traces::ReadRoleTraces(b);
  for (const absl::Status& status : {one.status(), two.status()}) {
    if (status.ok()) continue;
    Complain("{}", std::string(status.message()));
    return kBadInput;
  }
  std::vector<traces::RoleDiff> roles = traces::Diff(*one, *two);
  if (roles.empty()) {
    Complain("the traces have no CTA and role in common");
    return kBadInput;
  }
  fmt::print("{}", traces::DiffText(roles, a, b));
  return kClean;
}

}  // namespace

void AddTrace(CLI::App& app, int& exit) {
  CLI::App* trace = app.add_subcommand("trace", "About trace files.");
  trace->require_subcommand(1);
  CLI::App* diff = trace->add_subcommand(
      "diff", "Where two traces of a program part, role by role.");
  auto files = std::make_shared<std::pair<std::string, std::string>>();
  diff->add_option("A", files->first, "a trace file")->required();
  diff->add_option("B", files->second, "another")->required();
  diff->footer(
      "example:\n"
      "  tilesim run gemm.tile --trace model.json --trace-cta 0\n"
      "  tilesim hw gemm.tile --trace gpu.json\n"
      "  tilesim trace diff model.json gpu.json\n");
  diff->callback([files, &exit] { exit = Diff(files->first, files->second); });
}

}  // namespace tilesim::cli
