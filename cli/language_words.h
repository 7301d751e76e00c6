// The words of the .tile language, for `tilesim explain WORD`, hover and
// completion of editors, and grammars: each with what it means in a line and
// the section of frontend/language.md that has the rest.
#ifndef TILESIM_CLI_LANGUAGE_WORDS_H_
#define TILESIM_CLI_LANGUAGE_WORDS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilesim::cli {

// What a word is, as grammars colour it.
enum class WordKind : uint8_t {
  kDeclaration,  // param, shared
  kControl,      // for, if
  kScope,        // warp, elect
  kAttribute,    // swizzle, align
  kFunction,     // min, softmax
  kBuiltin,      // cta.x
  kType,         // f16
  kFragment,     // wgmma
};
std::string_view Name(WordKind kind);

struct LanguageWord {
  std::string name;
  WordKind kind;
  std::string doc;           // no full stop
  std::string_view section;  // a heading of frontend/language.md
};

// Sorted by kind, in the order of their tables.
const std::vector<LanguageWord>& LanguageWords();
const LanguageWord* FindWord(std::string_view name);
// Of a name of operands of ops (parity, accumulate): what it is in each; "":
// no op has such a one.
std::string OperandPage(std::string_view name);
// The section of frontend/language.md with that heading; none: nothing.
std::string_view LanguageSection(std::string_view heading);
// frontend/language.md.
std::string_view LanguagePage();

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_LANGUAGE_WORDS_H_
