// The words between an opcode and its operands.
#include <algorithm>
#include <map>

#include "ptx/scalar/form.h"

namespace tilesim::ptx {
namespace {

struct Modifier {
  std::string_view word;
  void (*apply)(ScalarOp&);
};

// A word that is in no row changes nothing by itself: `lo` of mul, `to`.
constexpr Modifier kModifiers[] = {
    {"rn", [](ScalarOp& op) { op.rounding = RoundTo::kNearest; }},
    {"rz", [](ScalarOp& op) { op.rounding = RoundTo::kZero; }},
    {"rm", [](ScalarOp& op) { op.rounding = RoundTo::kDown; }},
    {"rp", [](ScalarOp& op) { op.rounding = RoundTo::kUp; }},
    {"rna", [](ScalarOp& op) { op.rounding = RoundTo::kAway; }},
    {"rni", [](ScalarOp& op) { op.rounding = RoundTo::kNearest; }},
    {"rzi", [](ScalarOp& op) { op.rounding = RoundTo::kZero; }},
    {"rmi", [](ScalarOp& op) { op.rounding = RoundTo::kDown; }},
    {"rpi", [](ScalarOp& op) { op.rounding = RoundTo::kUp; }},
    {"ftz", [](ScalarOp& op) { op.ftz = true; }},
    {"sat", [](ScalarOp& op) { op.sat = true; }},
    {"satfinite", [](ScalarOp& op) { op.satfinite = true; }},
    {"relu", [](ScalarOp& op) { op.relu = true; }},
    {"NaN", [](ScalarOp& op) { op.nan = true; }},
    {"xorsign", [](ScalarOp& op) { op.xorsign = true; }},
    {"abs", [](ScalarOp& op) { op.absolute = true; }},
    {"hi", [](ScalarOp& op) { op.high = true; }},
    {"clamp", [](ScalarOp& op) { op.clamp = true; }},
    {"shiftamt", [](ScalarOp& op) { op.shift_amount = true; }},
    {"and", [](ScalarOp& op) { op.combination = Combination::kAnd; }},
    {"or", [](ScalarOp& op) { op.combination = Combination::kOr; }},
    {"xor", [](ScalarOp& op) { op.combination = Combination::kXor; }},
    {"f4e", [](ScalarOp& op) { op.mode = 1; }},
    {"b4e", [](ScalarOp& op) { op.mode = 2; }},
    {"rc8", [](ScalarOp& op) { op.mode = 3; }},
    {"ecl", [](ScalarOp& op) { op.mode = 4; }},
    {"ecr", [](ScalarOp& op) { op.mode = 5; }},
    {"rc16", [](ScalarOp& op) { op.mode = 6; }},
    {"finite", [](ScalarOp& op) { op.mode = 1; }},
    {"infinite", [](ScalarOp& op) { op.mode = 2; }},
    {"number", [](ScalarOp& op) { op.mode = 3; }},
    {"notanumber", [](ScalarOp& op) { op.mode = 4; }},
    {"normal", [](ScalarOp& op) { op.mode = 5; }},
    {"subnormal", [](ScalarOp& op) { op.mode = 6; }},
};

struct ComparisonWord {
  std::string_view word;
  Comparison comparison;
  bool unordered = false, as_unsigned = false;
};

constexpr ComparisonWord kComparisons[] = {
    {"eq", Comparison::kEq},
    {"ne", Comparison::kNe},
    {"lt", Comparison::kLt},
    {"le", Comparison::kLe},
    {"gt", Comparison::kGt},
    {"ge", Comparison::kGe},
    {"lo", Comparison::kLt, false, true},
    {"ls", Comparison::kLe, false, true},
    {"hi", Comparison::kGt, false, true},
    {"hs", Comparison::kGe, false, true},
    {"equ", Comparison::kEq, true},
    {"neu", Comparison::kNe, true},
    {"ltu", Comparison::kLt, true},
    {"leu", Comparison::kLe, true},
    {"gtu", Comparison::kGt, true},
    {"geu", Comparison::kGe, true},
    {"num", Comparison::kNum},
    {"nan", Comparison::kNan},
};

void ApplyWord(std::string_view word, int* types, ScalarOp* op) {
  if (auto type = FindType(word)) {
    if (*types == 0) op->type = *type;
    if (*types <= 1) op->source = *type;
    ++*types;
    return;
  }
  for (const Modifier& m : kModifiers)
    if (m.word == word) m.apply(*op);
  for (const ComparisonWord& c : kComparisons) {
    if (c.word != word) continue;
    op->comparison = c.comparison;
    op->unordered = c.unordered;
    op->as_unsigned = c.as_unsigned;
  }
}

// The next word of `text`, which is parted by `mark`; removed from it.
std::string_view TakeWord(std::string_view& text, char mark) {
  size_t end = std::min(text.find(mark), text.size());
  std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

// ".rn|rz?" of a grammar.
struct Slot {
  std::string_view words;
  bool optional;

  bool Has(std::string_view word) const {
    for (std::string_view rest = words; !rest.empty();)
      if (TakeWord(rest, '|') == word) return true;
    return false;
  }
};

std::vector<Slot> SlotsOf(std::string_view spelling) {
  std::vector<Slot> slots;
  TakeWord(spelling, ' ');
  while (!spelling.empty()) {
    std::string_view words = TakeWord(spelling, ' ').substr(1);
    const bool optional = words.ends_with('?');
    if (optional) words.remove_suffix(1);
    slots.push_back({words, optional});
  }
  return slots;
}

}  // namespace

bool ReadModifiers(const ScalarForm& form, std::string_view spelling,
                   ScalarOp* op) {
  std::string_view rest = spelling;
  if (TakeWord(rest, '.') != form.opcode()) return false;
  int types = 0;
  for (const Slot& slot : SlotsOf(form.spelling)) {
    std::string_view after = rest;
    std::string_view word = TakeWord(after, '.');
    if (!word.empty() && slot.Has(word)) {
      ApplyWord(word, &types, op);
      rest = after;
    } else if (!slot.optional) {
      return false;
    }
  }
  return rest.empty();
}

std::vector<std::string> SpellingsOf(const ScalarForm& form) {
  std::vector<std::string> all = {std::string(form.opcode())};
  for (const Slot& slot : SlotsOf(form.spelling)) {
    std::vector<std::string> longer;
    for (const std::string& start : all) {
      if (slot.optional) longer.push_back(start);
      for (std::string_view rest = slot.words; !rest.empty();)
        longer.push_back(start + "." + std::string(TakeWord(rest, '|')));
    }
    all = std::move(longer);
  }
  return all;
}

}  // namespace tilesim::ptx
