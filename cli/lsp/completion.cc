#include "cli/lsp/completion.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "cli/language_words.h"
#include "ir/cat.h"
#include "ir/manual.h"
#include "ir/op.h"
#include "ir/target.h"

namespace tilesim::cli::lsp {
namespace {

// CompletionItemKind of the protocol.
enum ItemKind : int {
  kFunctionItem = 3,
  kVariableItem = 6,
  kValueItem = 12,
  kKeywordItem = 14,
};

class List {
 public:
  List(Position at, const Word& word)
      : range_({{"start", {{"line", at.line}, {"character", word.first}}},
                {"end", {{"line", at.line}, {"character", at.character}}}}) {}

  void Add(const std::string& label, ItemKind kind, std::string_view detail) {
    if (!seen_.insert(label).second) return;
    items_.push_back({{"label", label},
                      {"kind", static_cast<int>(kind)},
                      {"detail", detail},
                      {"textEdit", {{"range", range_}, {"newText", label}}}});
  }
  Json items() const { return items_; }

 private:
  Json range_;
  Json items_ = Json::array();
  std::set<std::string> seen_;
};

// The word that stands before the one at a column, with a colon it ends with.
std::string Before(std::string_view line, int64_t first) {
  std::string_view head =
      line.substr(0, std::min<size_t>(static_cast<size_t>(first), line.size()));
  size_t end = head.find_last_not_of(" \t");
  if (end == std::string_view::npos) return "";
  head = head.substr(0, end + 1);
  size_t begin = head.find_last_of(" \t");
  return std::string(begin == std::string_view::npos ? head
                                                     : head.substr(begin + 1));
}

void AddWords(WordKind kind, List& list) {
  for (const LanguageWord& w : LanguageWords()) {
    if (w.kind == kind) list.Add(w.name, kValueItem, w.doc);
  }
}

// Only what may stand behind that word; false: anything.
bool AddExpected(const std::string& before, List& list) {
  if (before == "target") {
    for (const ir::TargetInfo& t : ir::kTargets)
      list.Add(std::string(t.name), kValueItem, "");
  } else if (before == "swizzle") {
    for (const char* name : {"32B", "64B", "128B"})
      list.Add(name, kValueItem, "bytes that a row of the pattern has");
  } else if (before == "fragment") {
    AddWords(WordKind::kFragment, list);
  } else if (before == ":") {
    AddWords(WordKind::kType, list);
  } else {
    return false;
  }
  return true;
}

void AddOps(std::string_view begun, List& list) {
  for (const ir::OpInfo* info : ir::AllOps()) {
    std::string name(info->mnemonic);
    list.Add(name, kFunctionItem, info->doc);
    if (!begun.starts_with(name)) continue;
    // Behind the op what it can be modified with.
    std::string stem(begun.substr(0, begun.rfind('.')));
    for (const ir::ModSpec& mod : info->mods) {
      for (std::string_view choice : mod.choices) {
        if (!choice.empty())
          list.Add(ir::Cat(stem, ".", choice), kFunctionItem, mod.doc);
      }
    }
  }
}

}  // namespace

Json Completions(const Document& document, const Symbols& symbols,
                 Position at) {
  std::string_view line = LineOf(document.text, at.line);
  std::string_view head = line.substr(
      0, std::min<size_t>(static_cast<size_t>(at.character), line.size()));
  if (head.find("//") != std::string_view::npos) return Json::array();
  // What was begun ends here; the rest of the line is none of it.
  Word word = WordAt(head, {0, at.character});
  List list(at, word);
  if (AddExpected(Before(line, word.first), list)) return list.items();
  for (const Symbol* s : symbols.KnownAt(at.line))
    list.Add(s->name, s->what == "fn" ? kFunctionItem : kVariableItem, s->line);
  for (const LanguageWord& w : LanguageWords()) {
    bool value = w.kind == WordKind::kType || w.kind == WordKind::kFragment;
    if (!value) list.Add(w.name, kKeywordItem, w.doc);
  }
  AddOps(word.text, list);
  return list.items();
}

}  // namespace tilesim::cli::lsp
