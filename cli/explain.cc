#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/documents.h"
#include "cli/explain_code.h"
#include "fmt/format.h"
#include "frontend/suggest.h"
#include "ir/code.h"
#include "ir/manual.h"
#include "sim/arch/arch.h"

namespace tilesim::cli {
namespace {

int ExplainOp(const std::string& name) {
  const ir::OpInfo* info = ir::OpNamed(name);
  if (info == nullptr) {
    fmt::print(stderr, "tilesim: no op `{}`; `tilesim explain op` lists them\n",
               name);
    return kBadInput;
  }
  fmt::print("{}", ir::OpPage(*info));
  return kClean;
}

int ListOps() {
  for (const ir::OpInfo* info : ir::AllOps())
    fmt::print("{:32} {}\n", info->mnemonic, info->doc);
  return kClean;
}

int ExplainArch(const std::string& name) {
  const arch::Arch* arch = arch::FindArch(name);
  if (arch == nullptr) {
    fmt::print(stderr, "tilesim: no architecture `{}`\n", name);
    return kBadInput;
  }
  fmt::print("{} ({})\n", arch->title, arch->name);
  for (size_t i = 0; i < arch::Params().size(); ++i) {
    const arch::ParamInfo& p = arch::Params()[i];
    fmt::print("{:20} {:>12} {:14} {:10} {}\n", p.name, arch::ValueOf(*arch, i),
               p.unit, arch->origins[i].origin, arch->origins[i].source);
  }
  return kClean;
}

// What can be asked for, and the documents with their sections.
int ListTopics() {
  fmt::print(
      "{:26} every finding code; `explain CODE` tells of one\n"
      "{:26} every op; op/NAME tells of one, `ops` is the manual\n"
      "{:26} the parameters of an architecture, such as arch/h200\n"
      "{}",
      "code", "op", "arch/NAME", DocumentList());
  return kClean;
}

// Sections of a document that there is, of which this is none.
int UnknownSection(const std::string& topic) {
  std::vector<std::string> topics = DocumentTopics();
  std::vector<std::string_view> candidates(topics.begin(), topics.end());
  std::string_view nearest = frontend::Nearest(topic, candidates);
  std::string_view page = std::string_view(topic).substr(0, topic.find('/'));
  if (nearest.empty()) nearest = page;
  fmt::print(stderr,
             "tilesim: no section `{}`; the nearest is `{}`; `tilesim explain` "
             "lists the sections\n",
             topic, nearest);
  return kBadInput;
}

bool IsOfDocument(const std::string& topic) {
  std::string_view page = std::string_view(topic).substr(0, topic.find('/'));
  return DocumentText(page).has_value();
}

int Explain(const std::string& topic, bool json) {
  if (topic == "code") {
    fmt::print("{}", json ? CodeListJson() : CodeList());
    return kClean;
  }
  if (json) {
    fmt::print(stderr,
               "tilesim: --format json is for `tilesim explain code`\n");
    return kBadInput;
  }
  if (topic.empty()) return ListTopics();
  if (topic == "op") return ListOps();
  if (topic == "ops") {
    fmt::print("{}", ir::OpManual());
    return kClean;
  }
  if (topic.starts_with("op/")) return ExplainOp(topic.substr(3));
  if (topic.starts_with("arch/")) return ExplainArch(topic.substr(5));
  if (std::optional<ir::Code> code = ir::FindCode(topic)) {
    fmt::print("{}", PageText(*code));
    return kClean;
  }
  if (std::optional<std::string_view> text = DocumentText(topic)) {
    fmt::print("{}", *text);
    return kClean;
  }
  if (IsOfDocument(topic)) return UnknownSection(topic);
  fmt::print(stderr,
             "tilesim: nothing is known about `{}`; try code (lists codes), "
             "op, op/NAME, arch/NAME; `tilesim explain` lists all topics\n",
             topic);
  return kBadInput;
}

}  // namespace

void AddExplain(CLI::App& app, int& exit) {
  auto topic = std::make_shared<std::string>();
  auto format = std::make_shared<std::string>("text");
  CLI::App* explain = app.add_subcommand(
      "explain",
      "Explains a code, an op, an architecture, or a section of "
      "the documents; alone it lists what there is.");
  explain->add_option("CODE", *topic,
                      "such as race/war; code (lists them), op (lists them), "
                      "op/NAME, ops (the manual), arch/NAME, hardware/A.5");
  explain->add_option("--format", *format, "of the list of codes: text or json")
      ->check(CLI::IsMember({"text", "json"}));
  explain->callback(
      [topic, format, &exit] { exit = Explain(*topic, *format == "json"); });
}

}  // namespace tilesim::cli
