#include "cli/replay.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "checkers/witness/replay.h"
#include "checkers/witness/trace.h"
#include "cli/check_sink.h"
#include "cli/complain.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/replay_timeline.h"
#include "cli/witness_json.h"
#include "fmt/format.h"
#include "ir/cat.h"
#include "ir/define.h"
#include "ir/values/read_file.h"
#include "nlohmann/json.hpp"
#include "traces/chrome_trace.h"

namespace tilesim::cli {
namespace {

constexpr int64_t kMaxWitnessBytes = int64_t{1} << 28;

void Say(const std::string& what) { Complain("{}", what); }

// The instance of the program that the witness is a schedule of.
std::optional<machine::Code> CodeOf(const Loaded& loaded,
                                    const checkers::report::Provenance& seen,
                                    const std::string& witness) {
  const auto& kernels = loaded.program.kernels;
  auto kernel =
      std::find_if(kernels.begin(), kernels.end(),
                   [&](const ir::Kernel& k) { return k.name == seen.kernel; });
  if (kernel == kernels.end()) {
    Say(ir::Cat(witness, " is about kernel `", seen.kernel, "`, which ",
                loaded.source.path, " does not have"));
    return std::nullopt;
  }
  ir::Diagnostics diagnostics;
  std::optional<machine::Code> code;
  auto bound = ir::Bind(
      *kernel,
      ir::ParamsOf(loaded.program, kernel - kernels.begin(), seen.sizes),
      seen.sm_count, diagnostics);
  if (bound) code = machine::Compile(std::move(*bound), diagnostics);
  PrintDiagnostics(diagnostics, loaded.source);
  if (!code) {
    Say(ir::Cat("the sizes in ", witness, " do not fit ", loaded.source.path));
    return std::nullopt;
  }
  int64_t clusters = code->bound.ctas() / code->bound.cluster_size();
  if (seen.cluster < clusters) return code;
  Say(ir::Cat(witness, " is about cluster ", seen.cluster, " of ", clusters));
  return std::nullopt;
}

// The first step that is none of this program's, in words.
std::string Foreign(const Witness& w, const checkers::run::Path& made) {
  size_t at =
      std::mismatch(made.begin(), made.end(), w.path.begin(), w.path.end())
          .second -
      w.path.begin();
  const checkers::run::Move& m = w.path[at];
  std::string who = ir::Cat("warp ", m.warp, " of CTA ", m.cta);
  return ir::Cat("step ", at + 1, " of the witness cannot be made: ",
                 m.operation < 0 ? who + " cannot move there"
                                 : ir::Cat("operation ", m.operation, " of ",
                                           who, " is not in flight there"));
}

// Who waits for what, once around.
std::string WaitForCycle(const checkers::report::Findings& findings) {
  std::string out;
  for (const checkers::report::Finding& f : findings.all()) {
    const ir::Diagnostic& d = f.diagnostic;
    if (d.code != "deadlock/cycle") continue;
    ir::Append(&out, "  the wait-for cycle:\n    line ", d.span.text_line(),
               ": ", d.span_text, "; ", d.message, "\n");
    for (const ir::Label& l : d.labels)
      ir::Append(&out, "    line ", l.span.text_line(), ": ", l.text, "\n");
    ir::Append(&out, "    and so on, from the first line again\n");
  }
  return out;
}

std::string SizesText(const checkers::report::Provenance& seen) {
  std::string out;
  for (const auto& [name, value] : seen.sizes)
    ir::Append(&out, ", ", name, " = ", value);
  return out;
}

class Replaying {
 public:
  explicit Replaying(const ReplayOptions& options) : options_(options) {}

  ExitCode Run() {
    bool spares =
        SparesInputs({{"--trace", options_.trace}},
                     {{"FILE", options_.file}, {"--replay", options_.witness}});
    if (!spares || !Read()) return kBadInput;
    std::unique_ptr<Loaded> loaded =
        ParseFile(options_.file, witness_.seen.sizes);
    if (loaded == nullptr) return kBadInput;
    std::optional<machine::Code> code =
        CodeOf(*loaded, witness_.seen, options_.witness);
    if (!code) return kBadInput;
    checkers::footprint::Fragments fragments;
    replay_ = checkers::witness::ReplayPath(*code, witness_.seen.cluster,
                                            witness_.path, fragments);
    const checkers::report::Finding* found =
        checkers::witness::MostLike(replay_.findings, witness_.signature,
                                    witness_.message)
            .found;
    if (replay_.log.made != witness_.path) {
      Say(ir::Cat(Foreign(witness_, replay_.log.made), "; is ", options_.file,
                  " the program that was checked?"));
      return kBadInput;
    }
    if (found == nullptr) {
      Say(ir::Cat("the schedule does not show ", witness_.signature.code.name(),
                  " on line ", witness_.signature.line % ir::kLinesOfPlace,
                  " (", witness_.message, "); is ", options_.file,
                  " the program that was checked?"));
      return kBadInput;
    }
    Tell(*loaded, *found);
    return WriteTrace() ? kFindings : kBadInput;
  }

 private:
  bool Read() {
    auto text = values::ReadFile(options_.witness, kMaxWitnessBytes);
    if (!text.ok()) {
      Say(std::string(text.status().message()));
      return false;
    }
    auto witness = ReadWitness(*text, options_.file, options_.finding);
    if (witness.ok()) {
      witness_ = std::move(*witness);
      return true;
    }
    Say(ir::Cat("cannot replay ", options_.witness, ": ",
                std::string(witness.status().message())));
    return false;
  }

  void Tell(const Loaded& loaded, const checkers::report::Finding& found) {
    checkers::report::Finding f;
    f.diagnostic = found.diagnostic;
    f.every_schedule = witness_.every_schedule;
    f.seen = witness_.seen;
    f.witness = witness_.path;
    f.trace = checkers::witness::TraceOf(replay_.log);
    trace_ = f.trace;
    if (options_.format == "json") {
      Json finding = FindingJson(loaded.source, f);
      Json file = {{"file", options_.file},
                   {"replayed", options_.witness},
                   {"findings", Json::array({std::move(finding)})}};
      Json out = {{"schema", 1}, {"files", Json::array({std::move(file)})}};
      PrintAnswer(out);
      return;
    }
    fmt::print("{}{}\n{}: replayed {} steps of cluster {}{}\n",
               FindingText(loaded.source, f), WaitForCycle(replay_.findings),
               options_.file, witness_.path.size(), witness_.seen.cluster,
               SizesText(witness_.seen));
  }

  bool WriteTrace() {
    if (options_.trace.empty()) return true;
    absl::Status status = traces::WriteChromeTrace(
        ReplayTimeline(trace_, options_.file), options_.trace);
    if (!status.ok()) Say(std::string(status.message()));
    return status.ok();
  }

  const ReplayOptions& options_;
  Witness witness_;
  checkers::witness::Replay replay_;
  checkers::report::Trace trace_;
};

}  // namespace

ExitCode ReplayWitness(const ReplayOptions& options) {
  return Replaying(options).Run();
}

}  // namespace tilesim::cli
