#include "cli/lsp/hover.h"

#include <optional>

#include "checkers/explain/pages.h"
#include "cli/language_words.h"
#include "ir/cat.h"
#include "ir/code.h"
#include "ir/manual.h"

namespace tilesim::cli::lsp {
namespace {

// The op of "tma.load.im2col": modifiers stand behind its name.
const ir::OpInfo* OpOf(std::string name) {
  while (true) {
    if (const ir::OpInfo* info = ir::OpNamed(name)) return info;
    size_t dot = name.rfind('.');
    if (dot == std::string::npos) return nullptr;
    name.resize(dot);
  }
}

}  // namespace

std::string HoverText(const Word& word, const Symbol* symbol) {
  if (symbol != nullptr)
    return ir::Cat("```tile\n", symbol->line, "\n```\n", symbol->what);
  // `min` and `max` are ops as well, and `st` is short for none of them.
  if (const ir::OpInfo* op = OpOf(word.text)) return ir::OpPage(*op);
  const LanguageWord* known = FindWord(word.text);
  if (known == nullptr) return OperandPage(word.text);
  return ir::Cat("`", known->name, "`: ", known->doc);
}

std::string CodeText(const std::string& name) {
  std::optional<ir::Code> code = ir::FindCode(name);
  if (!code) return "";
  return ir::Cat("**", code->name(), "**: ", code->summary(), "\n\n",
                 checkers::explain::PageOf(*code).why);
}

}  // namespace tilesim::cli::lsp
