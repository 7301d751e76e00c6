#include "ir/manual.h"

#include <iterator>
#include <string_view>

#include "ir/cat.h"
#include "ir/tilelang_builtins.h"
#include "ir/types.h"

namespace tilesim::ir {
namespace {

struct TypeWord {
  OperandType type;
  std::string_view word;
};
constexpr TypeWord kTypeWords[] = {
    {kTakesInt, "integer"},         {kTakesFloat, "constant float"},
    {kTakesVar, "var, written"},    {kTakesBarrier, "mbarrier"},
    {kTakesGlobal, "global tile"},  {kTakesShared, "shared tile"},
    {kTakesTmem, "tmem tile"},      {kTakesReg, "register tile"},
    {kTakesPool, "tmem allocation"}};

constexpr std::string_view kScopes[] = {
    "each thread that reaches it does its own",
    "whole warps, converged",
    "whole warpgroups, converged",
    "a set of threads shares the work on a tile",
};
constexpr std::string_view kArithmetics[] = {
    "none", "exact: bit for bit", "bounded: within a few ulp",
    "unordered: the order of additions is not determined"};
constexpr std::string_view kUnits[] = {
    "no",
    "yes: the TMA engine",
    "yes: cp.async",
    "yes: the tensor core, wgmma",
    "yes: the tensor core, tcgen05",
    "yes: tensor memory loads",
    "yes: tensor memory stores",
    "yes: cluster launch control",
    "yes: st.async",
};
static_assert(std::size(kUnits) ==
              static_cast<size_t>(AsyncUnit::kStAsync) + 1);

std::string Types(uint16_t types) {
  std::string out;
  for (const TypeWord& row : kTypeWords) {
    if (types & row.type) Append(&out, out.empty() ? "" : ", ", row.word);
  }
  return out;
}

// `.A | .B`, in brackets: a default may always be left out.
std::string ModSyntax(const ModSpec& mod) {
  std::string out;
  for (std::string_view choice : mod.choices) {
    if (!choice.empty()) Append(&out, out.empty() ? "." : " | .", choice);
  }
  return Cat("[", out, "]");
}

std::string Syntax(const OpInfo& info) {
  std::string out(info.mnemonic);
  for (const ModSpec& mod : info.mods) Append(&out, ModSyntax(mod));
  std::string_view separator = " ";
  for (bool keyword : {false, true}) {
    for (const OperandSpec& spec : info.operands) {
      if (spec.keyword != keyword) continue;
      std::string text =
          keyword ? Cat(spec.name, " = ...") : std::string(spec.name);
      Append(&out, spec.optional ? "[" : "", separator, text,
             spec.optional ? "]" : "");
      separator = ", ";
    }
  }
  return out;
}

// In a table cell `|` must be escaped.
std::string Cell(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

void Operands(const OpInfo& info, std::string* out) {
  if (info.operands.empty()) return;
  Append(out, "\n| operand | is | |\n|---|---|---|\n");
  for (const OperandSpec& s : info.operands) {
    std::string name =
        s.keyword ? Cat("`", s.name, " =`") : Cat("`", s.name, "`");
    Append(out, "| ", name, s.optional ? ", optional" : "", " | ",
           Types(s.types), " | ", Cell(s.doc), " |\n");
  }
}

void Modifiers(const OpInfo& info, std::string* out) {
  if (info.mods.empty()) return;
  Append(out, "\n| modifier | choices | |\n|---|---|---|\n");
  for (const ModSpec& mod : info.mods) {
    std::string choices;
    for (size_t i = 0; i < mod.choices.size(); ++i) {
      if (mod.choices[i].empty()) continue;
      Append(&choices, choices.empty() ? "" : ", ", "`.", mod.choices[i], "`",
             i == 0 ? " (default)" : "");
    }
    Append(out, "| ", mod.name, " | ", choices, " | ", Cell(mod.doc), " |\n");
  }
}

std::string Anchor(std::string_view mnemonic) {
  std::string out;
  for (char c : mnemonic) {
    if (c != '.' && c != ':') out += c;
  }
  return out;
}

std::string Link(std::string_view mnemonic) {
  return Cat("[`", mnemonic, "`](#", Anchor(mnemonic), ")");
}

// A word of the language: an op leads to its page, a construct stands in
// frontend/language.md.
std::string Word(std::string_view word) {
  return OpNamed(word) != nullptr ? Link(word) : Cat("`", Cell(word), "`");
}

void TileLangTable(std::string* out) {
  Append(out,
         "\n## TileLang\n\nThe functions of `tilelang.language.builtin`, and "
         "what says the same here.\n\n| function | here | |\n|---|---|---|\n");
  for (const TileLangBuiltin& row : TileLangBuiltins()) {
    std::string words;
    for (std::string_view word : row.words) {
      if (!word.empty()) Append(&words, words.empty() ? "" : ", ", Word(word));
    }
    Append(out, "| `", row.function, "` | ", words.empty() ? "none" : words,
           " | ", row.note, " |\n");
  }
}

}  // namespace

std::string OpPage(const OpInfo& info) {
  std::string out = Cat("## ", info.mnemonic, "\n\n    ", Syntax(info), "\n\n",
                        info.doc, "\n\n");
  Append(&out, "* executed by: ", kScopes[static_cast<int>(info.scope)],
         "\n* targets: ", NamesOf(info.targets, ", "),
         "\n* asynchronous: ", kUnits[static_cast<int>(info.async)], "\n");
  if (info.arithmetic != Arithmetic::kNone) {
    Append(&out,
           "* arithmetic: ", kArithmetics[static_cast<int>(info.arithmetic)],
           "\n");
  }
  Append(&out, "* source: ", info.source, "\n");
  Operands(info, &out);
  Modifiers(info, &out);
  return out;
}

std::string OpManual() {
  std::string out =
      "# Op manual\n\nGenerated from the op table (`ir/ops/*.cc`); do not "
      "edit. How operands are\nwritten is in "
      "[the language](../frontend/language.md).\n\n";
  for (const OpInfo* info : AllOps()) {
    Append(&out, "* ", Link(info->mnemonic), "\n");
  }
  Append(&out, "\nReaders of TileLang: [its builtins](#tilelang).\n");
  for (const OpInfo* info : AllOps()) Append(&out, "\n", OpPage(*info));
  TileLangTable(&out);
  return out;
}

}  // namespace tilesim::ir
