#include "cli/explain_word.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/documents.h"
#include "cli/language_words.h"
#include "ir/cat.h"
#include "ir/op.h"
#include "ir/target.h"

namespace tilesim::cli {
namespace {

struct Sign {
  std::string_view text, doc, section;
};
constexpr Sign kSigns[] = {
    {":+", "start :+ extent, a box of a dimension; the extent is a constant",
     "Ops"},
    {":",
     "behind the name of a declaration its type; as a subscript all of a "
     "dimension",
     "Ops"},
    {"..", "a..b: a range, without b; of param and of `in` with it", "Control"},
    {"@", "@ cta r: the copy of cluster rank r", "Ops"},
    {"|", "of integers bitwise or; between scopes, both: warp 0 | warps 4..6",
     "Who executes"},
    {";", "ends a statement, as the end of its line does", "Text"},
    {"//", "a comment, to the end of the line", "Text"},
    {"//!", "what a test expects of the program; only test runners read it",
     "Text"},
    {"?:", "a ? b : c, as in C: b where a is not 0, else c", "Expressions"},
    {"?", "of ?:, as in C", "Expressions"},
    {"=",
     "gives a var, or a name that is declared, its value; keyword = value "
     "of an op",
     "Control"},
    {"||", "or, as in C: 1 or 0", "Expressions"},
    {"&&", "and, as in C: 1 or 0", "Expressions"},
    {"^", "bitwise exclusive or", "Expressions"},
    {"&", "bitwise and", "Expressions"},
    {"==", "1 where both are equal, else 0", "Expressions"},
    {"!=", "1 where they differ, else 0", "Expressions"},
    {"<", "1 where the left is less, else 0", "Expressions"},
    {"<=", "1 where the left is not more, else 0", "Expressions"},
    {">", "1 where the left is more, else 0", "Expressions"},
    {">=", "1 where the left is not less, else 0", "Expressions"},
    {"<<", "shifted to the left", "Expressions"},
    {">>", "shifted to the right, the sign kept", "Expressions"},
    {"+", "the sum", "Expressions"},
    {"-", "the difference; of one integer, its negative", "Expressions"},
    {"*", "the product; in `computes`, of two tensors, the matrix product",
     "Expressions"},
    {"/", "the quotient, towards 0", "Expressions"},
    {"%", "the rest of that quotient, with the sign of the left",
     "Expressions"},
    {"!", "1 of 0, else 0", "Expressions"},
    {"~", "every bit the other way", "Expressions"},
};

// What is told of one word, and the sections that have the rest.
struct Told {
  std::string text;
  std::vector<std::string_view> sections;

  void Add(std::string_view heading) {
    if (std::find(sections.begin(), sections.end(), heading) == sections.end())
      sections.push_back(heading);
  }
};

// ".acquire" of these ops, each meaning once.
std::string ModifierText(std::string_view name) {
  std::vector<std::pair<std::string, std::string>> all;  // what, ops
  for (const ir::OpInfo* op : ir::AllOps()) {
    for (const ir::ModSpec& m : op->mods) {
      const auto& c = m.choices;
      if (std::find(c.begin(), c.end(), name) == c.end() && m.name != name)
        continue;
      std::string choices;
      for (std::string_view choice : c)
        if (!choice.empty())
          ir::Append(&choices, choices.empty() ? "" : ", ", ".", choice);
      std::string what = ir::Cat(m.doc, " (", choices, ")");
      auto same = std::find_if(all.begin(), all.end(),
                               [&](const auto& a) { return a.first == what; });
      if (same == all.end())
        same = all.insert(all.end(), {std::move(what), ""});
      ir::Append(&same->second, same->second.empty() ? "" : ", ", op->mnemonic);
    }
  }
  std::string out;
  for (const auto& [what, ops] : all)
    ir::Append(&out, "`.", name, "` of ", ops, ": ", what, "\n");
  return out;
}

std::string TargetText(std::string_view name) {
  const std::optional<ir::Target> target = ir::TargetNamed(name);
  if (!target) return "";
  const ir::TargetInfo& info = ir::InfoOf(*target);
  std::string ops;
  for (const ir::OpInfo* op : ir::AllOps()) {
    if (op->targets == ir::BitOf(*target))
      ir::Append(&ops, ops.empty() ? "" : ", ", op->mnemonic);
  }
  return ir::Cat("`", name, "`: a target: GPUs of compute capability ",
                 info.compute_capability, ".0; modelled as ", info.arch, " (",
                 info.sms, " SMs) unless --arch says otherwise\n",
                 "Ops that it alone has: ", ops, "\n");
}

std::vector<std::string_view> Split(std::string_view text,
                                    std::string_view mark) {
  std::vector<std::string_view> out;
  for (size_t end = 0; end != std::string_view::npos;) {
    end = text.find(mark);
    out.push_back(text.substr(0, end));
    if (end != std::string_view::npos) text.remove_prefix(end + mark.size());
  }
  return out;
}

std::string Stripped(std::string_view text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return "";
  return std::string(
      text.substr(begin, text.find_last_not_of(' ') + 1 - begin));
}

// --- the glossary ----------------------------------------------------------

struct GlossaryRow {
  std::vector<std::string> words;  // "param, const"
  std::string means, elsewhere, section;
};

// Rows of its tables, below their heads.
std::vector<GlossaryRow> ReadGlossary() {
  std::vector<GlossaryRow> out;
  std::string section;
  const std::string_view page = DocumentText("glossary").value_or("");
  for (std::string_view line : Split(page, "\n")) {
    if (line.starts_with("# "))
      section = std::string(line.substr(2, line.find(' ', 2) - 2));
    if (!line.starts_with("| ") || line.starts_with("| word |")) continue;
    std::vector<std::string> cells;
    for (std::string_view cell : Split(line.substr(1), " |"))
      cells.push_back(Stripped(cell));
    if (cells.size() < 3) continue;
    GlossaryRow row;
    for (std::string_view word : Split(cells[0], ", "))
      row.words.emplace_back(word);
    row.means = cells[1];
    row.elsewhere = cells[2];
    row.section = ir::Cat("glossary/", section);
    out.push_back(std::move(row));
  }
  return out;
}

const std::vector<GlossaryRow>& Glossary() {
  static const auto* const kRows = new std::vector<GlossaryRow>(ReadGlossary());
  return *kRows;
}

std::string GlossaryText(std::string_view word) {
  std::string out;
  for (const GlossaryRow& row : Glossary()) {
    const bool has = std::any_of(
        row.words.begin(), row.words.end(), [&](const std::string& w) {
          return w == word || w + "s" == word || word.starts_with(w + ":");
        });
    if (!has && row.elsewhere != word) continue;
    ir::Append(&out, "`", has ? word : row.words.front(), "`: ", row.means);
    if (!row.elsewhere.empty()) ir::Append(&out, "; elsewhere ", row.elsewhere);
    ir::Append(&out, " (", row.section, ")\n");
  }
  return out;
}

// False: nothing is known of it.
bool Tell(std::string_view word, Told& told) {
  const size_t before = told.text.size();
  if (const LanguageWord* known = FindWord(word)) {
    ir::Append(&told.text, "`", word, "`: ", known->doc, "\n");
    told.Add(known->section);
  }
  for (const Sign& sign : kSigns) {
    if (sign.text != word) continue;
    ir::Append(&told.text, "`", word, "`: ", sign.doc, "\n");
    told.Add(sign.section);
  }
  std::string_view name = word;
  if (name.size() > 1 && name[0] == '.') name.remove_prefix(1);
  told.text += TargetText(word);
  told.text += OperandPage(word);
  told.text += ModifierText(name);
  told.text += GlossaryText(word);
  if (told.text.size() == before) return false;
  if (ir::OpNamed(word) != nullptr)
    ir::Append(&told.text, "An op is called so, too: tilesim explain op/", word,
               "\n");
  return true;
}

}  // namespace

std::string ExplainWords(std::string_view words) {
  Told told;
  if (Tell(words, told)) words = {};  // "critical path"
  for (std::string_view word : Split(words, " ")) {
    while (word.size() > 1 && word.ends_with(',')) word.remove_suffix(1);
    if (!word.empty() && !Tell(word, told)) return "";
  }
  for (std::string_view section : told.sections)
    ir::Append(&told.text, "\n", LanguageSection(section));
  return told.text;
}

std::vector<std::string> OtherWords() {
  std::vector<std::string> out;
  for (const GlossaryRow& row : Glossary())
    out.insert(out.end(), row.words.begin(), row.words.end());
  for (const ir::TargetInfo& t : ir::kTargets) out.emplace_back(t.name);
  return out;
}

std::vector<std::pair<std::string_view, std::string_view>> Signs() {
  std::vector<std::pair<std::string_view, std::string_view>> out;
  for (const Sign& sign : kSigns) out.emplace_back(sign.text, sign.doc);
  return out;
}

}  // namespace tilesim::cli
