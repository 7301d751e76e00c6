#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

namespace tilesim::fuzz {
namespace {

using Lines = std::vector<std::string>;

constexpr const char* kNumbers[] = {
    "0",  "1",  "2",   "3",   "4",   "7",   "8",     "16",         "32",
    "48", "63", "64",  "96",  "127", "128", "192",   "256",        "512",
    "-1", "31", "100", "129", "240", "999", "65536", "2147483648", "1 << 40"};

Lines Split(const std::string& text) {
  Lines lines;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (lines.empty()) lines.emplace_back();
  return lines;
}

std::string Join(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

struct Span {
  size_t begin, end;
  size_t size() const { return end - begin; }
};

bool IsLetter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Whether a word goes on at `i`: a dot is part of one before a letter
// (tma.load) but not in a range (0..4).
bool InWord(const std::string& text, size_t i) {
  if (text[i] != '.') return IsLetter(text[i]) || IsDigit(text[i]);
  return i + 1 < text.size() && IsLetter(text[i + 1]);
}

// The words of a text: numbers, names, mnemonics.
std::vector<Span> Words(const std::string& text) {
  std::vector<Span> words;
  for (size_t i = 0; i < text.size(); ++i) {
    size_t begin = i;
    while (i < text.size() && InWord(text, i)) ++i;
    if (i > begin) words.push_back({begin, i});
  }
  return words;
}

class Mutator {
 public:
  explicit Mutator(uint32_t seed) : random_(seed) {}

  std::string Change(const std::string& text) {
    switch (Below(8)) {
      case 0:
        return Delete(Split(text));
      case 1:
        return Duplicate(Split(text));
      case 2:
        return Swap(Split(text));
      case 3:
        return Move(Split(text));
      case 4:
        return SwapWords(text);
      case 5:
        return CopyOperand(text);
      default:
        return ChangeNumber(text);
    }
  }

  std::string SpliceFrom(const std::string& text, const std::string& other) {
    Lines lines = Split(text), from = Split(other);
    Span taken = Chunk(from), place = Chunk(lines);
    if (Below(2) == 0)
      lines.erase(At(lines, place.begin), At(lines, place.end));
    lines.insert(At(lines, place.begin), At(from, taken.begin),
                 At(from, taken.end));
    return Join(lines);
  }

 private:
  size_t Below(size_t n) { return n == 0 ? 0 : random_() % n; }

  static Lines::iterator At(Lines& lines, size_t i) {
    return lines.begin() + static_cast<std::ptrdiff_t>(i);
  }

  // A line, or from a line that opens a block to where it closes.
  Span Chunk(const Lines& lines) {
    size_t begin = Below(lines.size()), end = begin;
    std::ptrdiff_t depth = 0;
    do {
      depth += std::count(lines[end].begin(), lines[end].end(), '{');
      depth -= std::count(lines[end].begin(), lines[end].end(), '}');
      ++end;
    } while (depth > 0 && end < lines.size());
    return {begin, end};
  }

  std::string Delete(Lines lines) {
    Span gone = Chunk(lines);
    bool only_braces = Below(4) == 0 && gone.size() > 1;
    if (only_braces) {  // the block stays, without what stood around it
      lines.erase(At(lines, gone.end - 1));
      lines.erase(At(lines, gone.begin));
    } else {
      lines.erase(At(lines, gone.begin), At(lines, gone.end));
    }
    return Join(lines);
  }

  std::string Duplicate(Lines lines) {
    Span span = Chunk(lines);
    Lines copy(At(lines, span.begin), At(lines, span.end));
    size_t to = Below(3) == 0 ? span.end : Below(lines.size() + 1);
    lines.insert(At(lines, to), copy.begin(), copy.end());
    return Join(lines);
  }

  std::string Swap(Lines lines) {
    Span a = Chunk(lines), b = Chunk(lines);
    if (a.begin > b.begin) std::swap(a, b);
    if (a.end > b.begin) return Duplicate(std::move(lines));
    std::rotate(At(lines, a.begin), At(lines, b.begin), At(lines, b.end));
    // b is in place; now a goes down past what stood between.
    size_t middle = a.begin + b.size();
    std::rotate(At(lines, middle), At(lines, middle + a.size()),
                At(lines, b.end));
    return Join(lines);
  }

  std::string Move(Lines lines) {
    Span span = Chunk(lines);
    Lines taken(At(lines, span.begin), At(lines, span.end));
    lines.erase(At(lines, span.begin), At(lines, span.end));
    size_t near = std::min(span.begin + Below(8), lines.size());
    size_t to = Below(2) == 0 ? near - std::min<size_t>(Below(8), near)
                              : Below(lines.size() + 1);
    lines.insert(At(lines, to), taken.begin(), taken.end());
    return Join(lines);
  }

  // One word in the place of another that looks alike.
  std::string SwapWords(std::string text) {
    std::vector<Span> words = Words(text);
    if (words.size() < 2) return text;
    Span to = words[Below(words.size())];
    for (int tries = 0; tries < 16; ++tries) {
      Span from = words[Below(words.size())];
      bool alike = Kind(text, from) == Kind(text, to);
      std::string word = text.substr(from.begin, from.size());
      if (!alike || word == text.substr(to.begin, to.size())) continue;
      return text.replace(to.begin, to.size(), word);
    }
    return text;
  }

  static int Kind(const std::string& text, Span word) {
    if (IsDigit(text[word.begin])) return 0;
    size_t dot = text.find('.', word.begin);
    return dot < word.end ? 1 : 2;
  }

  // What stands between two commas, in the place of another such piece.
  std::string CopyOperand(std::string text) {
    Span from = Piece(text), to = Piece(text);
    return text.replace(to.begin, to.size(),
                        text.substr(from.begin, from.size()));
  }

  Span Piece(const std::string& text) {
    constexpr const char* kEnds = ",\n{}";
    size_t at = Below(text.size());
    size_t begin = text.find_last_of(kEnds, at);
    begin = begin == std::string::npos ? 0 : begin + 1;
    size_t end = std::min(text.find_first_of(kEnds, begin), text.size());
    return {begin, end};
  }

  std::string ChangeNumber(std::string text) {
    std::vector<Span> numbers = Words(text);
    std::erase_if(numbers, [&](Span w) { return Kind(text, w) != 0; });
    if (numbers.empty()) return Delete(Split(text));
    Span n = numbers[Below(numbers.size())];
    std::string old = text.substr(n.begin, n.size());
    return text.replace(n.begin, n.size(), OtherNumber(old));
  }

  std::string OtherNumber(const std::string& old) {
    switch (Below(5)) {
      case 0:
        return old + " + 1";
      case 1:
        return old + " * 2";
      case 2:
        return old + " / 2";
      default:
        return kNumbers[Below(std::size(kNumbers))];
    }
  }

  std::minstd_rand random_;
};

}  // namespace

std::string Mutate(const std::string& text, uint32_t seed) {
  return Mutator(seed).Change(text);
}

std::string Splice(const std::string& text, const std::string& other,
                   uint32_t seed) {
  return Mutator(seed).SpliceFrom(text, other);
}

}  // namespace tilesim::fuzz
