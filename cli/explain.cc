#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/command_table.h"
#include "cli/complain.h"
#include "cli/completion_words.h"
#include "cli/documents.h"
#include "cli/explain_code.h"
#include "cli/explain_word.h"
#include "cli/input.h"
#include "cli/language_words.h"
#include "cli/layout_text.h"
#include "cli/op_json.h"
#include "cli/suggest_word.h"
#include "cli/topic.h"
#include "fmt/format.h"
#include "ir/cat.h"
#include "ir/code.h"
#include "ir/manual.h"
#include "sim/arch/arch.h"

namespace tilesim::cli {
namespace {

using Words = std::vector<std::string>;

std::string OpList() {
  std::string out;
  for (const ir::OpInfo* info : ir::AllOps())
    out += fmt::format("{:32} {}\n", info->mnemonic, info->doc);
  return out;
}

std::string ArchText(const arch::Arch& arch) {
  std::string out = fmt::format("{} ({})\n", arch.title, arch.name);
  for (size_t i = 0; i < arch::Params().size(); ++i) {
    const arch::ParamInfo& p = arch::Params()[i];
    out += fmt::format("{:20} {:>12} {:14} {:10} {}\n", p.name,
                       arch::ValueOf(arch, i), p.unit, arch.origins[i].origin,
                       arch.origins[i].source);
  }
  return out;
}

std::string WordList() {
  std::string out;
  for (const LanguageWord& w : LanguageWords())
    out += fmt::format("{:16} {:12} {}\n", w.name, Name(w.kind), w.doc);
  for (const auto& [sign, doc] : Signs())
    out += fmt::format("{:16} {:12} {}\n", sign, "sign", doc);
  return out;
}

std::string LayoutList() {
  std::string out;
  for (const LayoutTopic& t : LayoutTopics())
    out += fmt::format("{:26} {}\n", t.topic, t.doc);
  return out;
}

// What can be asked for, and the documents with their sections.
std::string TopicList() {
  return fmt::format(
      "{:26} every finding code; `explain CODE` explains one\n"
      "{:26} every op; op/NAME explains one, `ops` is the manual\n"
      "{:26} every word of the language; `explain WORD` explains one\n"
      "{:26} the language as a page\n"
      "{:26} the parameters of an architecture, such as arch/h200\n"
      "{}{}",
      "code", "op", "word", "language", "arch/NAME", LayoutList(),
      DocumentList());
}

Json WordListJson() {
  Json out = Json::array();
  for (const LanguageWord& w : LanguageWords())
    out.push_back({{"word", w.name}, {"kind", Name(w.kind)}, {"doc", w.doc}});
  for (const auto& [sign, doc] : Signs())
    out.push_back({{"word", sign}, {"kind", "sign"}, {"doc", doc}});
  return out;
}

// What `tma` may have meant: all ops that begin so.
std::string OpsBelow(const std::string& topic) {
  std::string out;
  for (const ir::OpInfo* info : ir::AllOps()) {
    if (info->mnemonic.starts_with(topic + "."))
      ir::Append(&out, out.empty() ? "" : ", ", "op/", info->mnemonic);
  }
  return out;
}

int Unknown(const std::string& topic, const Words& commands) {
  if (const std::string ops = OpsBelow(topic); !ops.empty()) {
    Complain("`{}` begins the ops {}; `tilesim explain {}` explains one", topic,
             ops, ops.substr(0, ops.find(',')));
    return kBadInput;
  }
  if (std::find(commands.begin(), commands.end(), topic) != commands.end()) {
    Complain("`{}` is a command: `tilesim help {}` explains it", topic, topic);
    return kBadInput;
  }
  std::string near = DidYouMean(topic, ExplainTopics());
  // `elect` is no op: what is meant may be known by its name alone.
  const std::string name = topic.substr(topic.find('/') + 1);
  if (near.empty() && name != topic && TopicText(name))
    near = fmt::format("; did you mean `{}`?", name);
  std::string page = topic.substr(0, topic.find('/'));
  if (near.empty() && DocumentText(page))
    near = fmt::format("; there is a page `{}`", page);
  Complain("nothing is known about `{}`{}; `tilesim explain` lists all topics",
           topic, near);
  return kBadInput;
}

int Explain(const std::string& topic, bool json, const Words& commands) {
  std::optional<std::string> text = TopicText(topic);
  if (!text) return Unknown(topic, commands);
  if (!json) {
    fmt::print("{}", *text);
    return kClean;
  }
  Json out = {{"schema", 1}};
  if (topic == "code") out = Json::parse(CodeListJson());
  if (topic == "op") out["ops"] = OpsJson();
  if (topic == "word") out["words"] = WordListJson();
  out["topic"] = topic;
  out["text"] = *text;
  PrintAnswer(out);
  return kClean;
}

}  // namespace

std::optional<std::string> TopicText(const std::string& topic) {
  if (topic.empty()) return TopicList();
  if (topic == "code") return CodeList();
  if (topic == "op") return OpList();
  if (topic == "ops") return ir::OpManual();
  if (topic == "word") return WordList();
  if (topic == "language") return std::string(LanguagePage());
  if (topic.starts_with("op/")) {
    const ir::OpInfo* info = ir::OpNamed(topic.substr(3));
    return info == nullptr ? std::nullopt : std::optional(ir::OpPage(*info));
  }
  if (arch::FindArch(topic) != nullptr) return TopicText("arch/" + topic);
  if (topic.starts_with("arch/")) {
    const arch::Arch* arch = arch::FindArch(topic.substr(5));
    return arch == nullptr ? std::nullopt : std::optional(ArchText(*arch));
  }
  if (std::optional<ir::Code> code = ir::FindCode(topic))
    return PageText(*code);
  if (std::optional<std::string> layout = LayoutText(topic)) return layout;
  if (std::optional<std::string_view> text = DocumentText(topic))
    return std::string(*text);
  const ir::OpInfo* info = ir::OpNamed(topic);
  if (info != nullptr && FindWord(topic) == nullptr) return ir::OpPage(*info);
  if (std::string page = ExplainWords(topic); !page.empty()) return page;
  return std::nullopt;
}

std::vector<std::string> ExplainTopics() {
  std::vector<std::string> out = {"code", "op", "ops", "word", "language"};
  for (ir::Code code : ir::AllCodes()) out.emplace_back(code.name());
  for (const ir::OpInfo* info : ir::AllOps())
    out.push_back(fmt::format("op/{}", info->mnemonic));
  for (const std::string& name : ArchNames()) out.push_back("arch/" + name);
  for (const LayoutTopic& t : LayoutTopics()) out.push_back(t.topic);
  for (const std::string& document : DocumentTopics()) out.push_back(document);
  for (const LanguageWord& w : LanguageWords()) out.push_back(w.name);
  for (const std::string& word : OtherWords()) out.push_back(word);
  return out;
}

void AddExplain(Command app, int& exit) {
  auto topic = std::make_shared<std::vector<std::string>>();
  auto format = std::make_shared<std::string>("text");
  Command explain = app.AddCommand(
      "explain",
      "Explains a code, an op, a word of the language, a layout, an "
      "architecture, or a section of the documents; alone it lists what there "
      "is.");
  explain.AddOption("TOPIC", *topic,
                    "such as race/war, op/tma.load, swizzle, "
                    "fragment/wgmma, arch/h200, hardware/A.5; several words "
                    "of a program: elect one; code, op and word list what "
                    "there is");
  explain.AddOption("--format", *format, "text or json")
      .OneOf({"text", "json"});
  explain.Footer(
      "examples:\n"
      "  tilesim explain race/war\n"
      "  tilesim explain op/tma.load\n"
      "  tilesim explain fragment/wgmma\n");
  explain.OnCall([app, topic, format, &exit] {
    Words commands;
    for (const CommandRow& row : CommandTable(app, CompletionWords))
      commands.push_back(fmt::format("{}", fmt::join(row.words, " ")));
    exit = Explain(fmt::format("{}", fmt::join(*topic, " ")), *format == "json",
                   commands);
  });
}

}  // namespace tilesim::cli
