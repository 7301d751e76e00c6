// `tilesim explain WORD`: all that is known of a word or sign that stands in a
// program or a report, whatever it is: a word of the language, an operand or a
// modifier of ops, a target, a sign such as `:+`, a word of the glossary.
#ifndef TILESIM_CLI_EXPLAIN_WORD_H_
#define TILESIM_CLI_EXPLAIN_WORD_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilesim::cli {

// What each is, a line or two, then the sections of frontend/language.md that
// have the rest. Of several words (`elect one`) each; "": one is not known.
std::string ExplainWords(std::string_view words);

// Of the language, with what each means: ":+", "..", "&&".
std::vector<std::pair<std::string_view, std::string_view>> Signs();

// Targets and words of the glossary: what may be asked for beside the words of
// LanguageWords(), signs, and the names that ops have.
std::vector<std::string> OtherWords();

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_EXPLAIN_WORD_H_
