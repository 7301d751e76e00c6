// tilesim man [COMMAND]: the manual pages, made of the tables that the command
// itself reads.
#include <algorithm>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/command_table.h"
#include "cli/complain.h"
#include "cli/completion_words.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/suggest_word.h"
#include "cli/version.h"
#include "fmt/format.h"

namespace tilesim::cli {
namespace {

// Text in roff: a backslash starts an escape, a dot or a quote at the start of
// a line a request, and a plain `-` may become a hyphen.
std::string Roff(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    bool first = i == 0 || text[i - 1] == '\n';
    if (first && (text[i] == '.' || text[i] == '\'')) out += "\\&";
    if (text[i] == '\\') {
      out += "\\e";
    } else if (text[i] == '-') {
      out += "\\-";
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string NameOf(const CommandRow& row, std::string_view between) {
  std::string out = "tilesim";
  for (const std::string& word : row.words) {
    out += between;
    out += word;
  }
  return out;
}

std::string Synopsis(const CommandRow& row) {
  std::string out = fmt::format(".B {}\n", Roff(NameOf(row, " ")));
  out += "[\\fIoptions\\fR]\n";
  for (const OptionRow& o : row.options) {
    if (!o.positional) continue;
    std::string name = "\\fI" + Roff(o.names[0]) + "\\fR";
    if (o.takes_several) name += " ...";
    out += o.required ? name + "\n" : "[" + name + "]\n";
  }
  if (!row.commands.empty()) out += "\\fIcommand\\fR ...\n";
  return out;
}

std::string Options(const CommandRow& row) {
  std::string out;
  for (const OptionRow& o : row.options) {
    std::string names =
        o.positional
            ? "\\fI" + Roff(o.names[0]) + "\\fR"
            : fmt::format("\\fB{}\\fR",
                          Roff(fmt::format("{}", fmt::join(o.names, ", "))));
    if (o.takes_value && !o.positional) names += " \\fIvalue\\fR";
    out += ".TP\n" + names + "\n" + Roff(o.doc);
    constexpr size_t kListed = 20;
    bool listed = !o.values.empty() && o.values.size() <= kListed;
    if (!o.doc.empty() && listed) out += "\n.br\n";
    if (listed)
      out += "one of: " + Roff(fmt::format("{}", fmt::join(o.values, ", ")));
    out += '\n';
  }
  return out;
}

constexpr char kExit[] =
    ".SH EXIT STATUS\n"
    "0 clean, 1 findings, 2 bad input, 3 incomplete, 4 no device or "
    "toolchain, 70 a bug in tilesim, 130 interrupted\n";

std::string Page(const CommandRow& row, const std::vector<CommandRow>& table) {
  std::string name = NameOf(row, "-");
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  std::string out = fmt::format(
      ".\\\" made by `tilesim man`\n.TH {} 1 \"\" \"{}\" \"tilesim\"\n"
      ".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}",
      Roff(upper), Roff(Version()), Roff(name), Roff(row.doc), Synopsis(row));
  out += ".SH OPTIONS\n" + Options(row);
  if (!row.commands.empty()) out += ".SH COMMANDS\n";
  for (const CommandRow& below : table) {
    bool direct =
        below.words.size() == row.words.size() + 1 &&
        std::equal(row.words.begin(), row.words.end(), below.words.begin());
    if (direct)
      out += fmt::format(".TP\n\\fB{}\\fR(1)\n{}\n", Roff(NameOf(below, "-")),
                         Roff(below.doc));
  }
  if (!row.examples.empty())
    out += ".SH EXAMPLES\n.nf\n" + Roff(row.examples) + ".fi\n";
  return out + kExit;
}

int One(const std::vector<CommandRow>& table,
        const std::vector<std::string>& words, bool json) {
  std::vector<std::string> known;
  for (const CommandRow& row : table) {
    known.push_back(fmt::format("{}", fmt::join(row.words, " ")));
    if (row.words != words) continue;
    if (json)
      PrintAnswer({{"schema", 1}, {"page", Page(row, table)}});
    else
      fmt::print("{}", Page(row, table));
    return kClean;
  }
  std::string name = fmt::format("{}", fmt::join(words, " "));
  Complain("no command `{}`{}", name, DidYouMean(name, known));
  return kBadInput;
}

int All(const std::vector<CommandRow>& table, const std::string& folder,
        bool json) {
  Json files = Json::array();
  for (const CommandRow& row : table) {
    std::string path = fmt::format("{}/{}.1", folder, NameOf(row, "-"));
    if (!WriteFile(path, Page(row, table))) return kBadInput;
    files.push_back({{"file", std::move(path)}});
  }
  if (json) PrintAnswer({{"schema", 1}, {"files", std::move(files)}});
  return kClean;
}

}  // namespace

void AddMan(Command app, int& exit) {
  auto words = std::make_shared<std::vector<std::string>>();
  Command man = app.AddCommand(
      "man", "Prints the manual page of a command, for `man -l -`.");
  man.AddOption("COMMAND", *words, "such as: run; sweep merge");
  auto folder = std::make_shared<std::string>();
  man.AddOption("--all", *folder, "write the pages of all into that folder");
  auto format = std::make_shared<std::string>("text");
  man.AddOption("--format", *format, "text or json").OneOf({"text", "json"});
  man.Footer("example:\n  tilesim man run | man -l -\n");
  man.OnCall([app, words, folder, format, &exit] {
    std::vector<CommandRow> table = CommandTable(app, CompletionWords);
    const bool json = *format == "json";
    exit =
        folder->empty() ? One(table, *words, json) : All(table, *folder, json);
  });
}

}  // namespace tilesim::cli
