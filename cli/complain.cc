#include "cli/complain.h"

#include <cstdio>
#include <set>
#include <string>

#include "cli/color.h"
#include "cli/diagnostic_json.h"
#include "cli/exit_code.h"

namespace tilesim::cli {
namespace {

// What this process has said. A command runs once.
struct Said {
  std::string failure;  // lines
  std::set<std::string> frames;
  Json errors = Json::array();
  bool answered = false;
};

Said& EverythingSaid() {
  static auto* const kSaid = new Said;
  return *kSaid;
}

}  // namespace

void ComplainOf(std::string_view what) {
  std::string& failure = EverythingSaid().failure;
  if (!failure.empty()) failure += '\n';
  failure += what;
  fmt::print(stderr, "tilesim: {}\n", what);
}

// A text is judged at its defaults, and again at the sizes asked for: what is
// the same of both is said once.
void ComplainOf(const ir::Diagnostics& diagnostics, const ir::Source& source) {
  for (const ir::Diagnostic& d : diagnostics.all()) {
    std::string frame = ir::Render(d, source, PaintOn(stderr));
    if (!EverythingSaid().frames.insert(frame).second) continue;
    fmt::print(stderr, "{}\n", frame);
    EverythingSaid().errors.push_back(DiagnosticJson(source, d));
  }
  size_t hidden = diagnostics.errors() > ir::Diagnostics::kLimit
                      ? diagnostics.errors() - ir::Diagnostics::kLimit
                      : 0;
  if (hidden > 0) fmt::print(stderr, "... and {} more errors\n", hidden);
}

bool NumbersFrom0(std::string_view option, const std::vector<int64_t>& chosen,
                  int64_t count) {
  for (int64_t number : chosen) {
    if (number < count) continue;
    Complain("{} {}: they are numbered from 0 to {}", option, number,
             count - 1);
    return false;
  }
  return true;
}

void PrintAnswer(const Json& answer) {
  EverythingSaid().answered = true;
  fmt::print("{}\n", Dump(answer));
}

void AnswerComplaints(const std::string& file, int exit) {
  Said& said = EverythingSaid();
  if (said.answered) return;
  Json out = {{"file", file}};
  // Of a machine without a GPU, and of our bug, nothing is said of the file.
  if (exit == kBadInput) out["verdict"] = "rejected";
  if (exit == kIncomplete || exit == kInterrupted)
    out["verdict"] = "incomplete";
  if (!said.failure.empty()) out["failure"] = said.failure;
  out["errors"] = said.errors;
  out["findings"] = Json::array();
  PrintAnswer({{"schema", 1}, {"files", Json::array({std::move(out)})}});
}

}  // namespace tilesim::cli
