#include "cli/reduce/edits.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/cat.h"

namespace tilesim::cli::reduce {
namespace {

using Tokens = std::vector<std::string>;

int DepthOf(std::string_view token) {
  if (token == "(" || token == "[") return 1;
  return token == ")" || token == "]" ? -1 : 0;
}

// Whether brackets in tokens [from, to) are closed there that are opened there,
// and no others.
bool Balanced(const Tokens& tokens, size_t from, size_t to) {
  int depth = 0;
  for (size_t i = from; i < to; ++i) {
    depth += DepthOf(tokens[i]);
    if (depth < 0) return false;
  }
  return depth == 0;
}

// The place of the first `token` outside of brackets, or the number of tokens.
size_t Find(const Tokens& tokens, std::string_view token, size_t from = 0) {
  int depth = 0;
  for (size_t i = from; i < tokens.size(); ++i) {
    if (depth == 0 && tokens[i] == token) return i;
    depth += DepthOf(tokens[i]);
  }
  return tokens.size();
}

Tokens Slice(const Tokens& tokens, size_t from, size_t to) {
  return {tokens.begin() + static_cast<int64_t>(from),
          tokens.begin() + static_cast<int64_t>(to)};
}

// `name` becomes `value` wherever it stands as a name of its own.
void Substitute(Lines& lines, const std::string& name, const Tokens& value) {
  for (Line& line : lines) {
    Tokens out;
    for (const std::string& token : line.tokens) {
      if (token != name) {
        out.push_back(token);
        continue;
      }
      if (value.size() > 1) out.emplace_back("(");
      out.insert(out.end(), value.begin(), value.end());
      if (value.size() > 1) out.emplace_back(")");
    }
    line.tokens = std::move(out);
    Substitute(line.body, name, value);
  }
}

// `let s = k % STAGES`, `const BK = 64`: what it is called, and its value.
bool IsFixed(const Tokens& tokens, std::string& name, Tokens& value) {
  bool fixed = tokens.size() >= 4 && tokens[2] == "=" &&
               (tokens[0] == "let" || tokens[0] == "const") &&
               Find(tokens, ",") == tokens.size();
  if (!fixed) return false;
  name = tokens[1];
  value = Slice(tokens, 3, tokens.size());
  return true;
}

// `for k in 0..K step 2`: the counter, and its first value.
bool IsFor(const Tokens& tokens, std::string& name, Tokens& first) {
  size_t dots = Find(tokens, "..");
  bool loop = tokens.size() > 4 && tokens[0] == "for" && tokens[2] == "in" &&
              dots < tokens.size();
  if (!loop) return false;
  name = tokens[1];
  first = Slice(tokens, 3, dots);
  return true;
}

// Block number `block`, line `at` of it, in a copy.
struct Copy {
  Copy(const Lines& from, size_t block) : lines(from) {
    std::vector<Lines*> blocks = BlocksOf(lines);
    of = block < blocks.size() ? blocks[block] : nullptr;
  }
  Lines lines;
  Lines* of;
};

void DropFrom(const Lines& lines, size_t block, const Take& take) {
  size_t count = Copy(lines, block).of->size();
  for (size_t size = count; size > 0; size /= 2) {
    // From the end on: who uses a name stands behind where it is declared.
    for (size_t end = count; end > 0;) {
      size_t first = end > size ? end - size : 0;
      Copy copy(lines, block);
      copy.of->erase(copy.of->begin() + static_cast<int64_t>(first),
                     copy.of->begin() + static_cast<int64_t>(end));
      if (take(std::move(copy.lines))) count -= end - first;
      end = first;
    }
    size = std::min(size, count);
    if (size == 0) break;
  }
}

size_t BlocksIn(const Lines& lines) {
  Lines copy = lines;
  return BlocksOf(copy).size();
}

// Puts what line `at` of a block holds in its place, and drops `more` lines
// behind it.
bool Unwrap(const Lines& lines, size_t block, size_t at, size_t more,
            const Take& take) {
  Copy copy(lines, block);
  Lines& of = *copy.of;
  if (at + more >= of.size()) return false;
  auto line = of.begin() + static_cast<int64_t>(at);
  Lines body = std::move(line->body);
  std::string counter;
  Tokens first;
  if (IsFor(line->tokens, counter, first)) Substitute(body, counter, first);
  line = of.erase(line, line + 1 + static_cast<int64_t>(more));
  of.insert(line, std::make_move_iterator(body.begin()),
            std::make_move_iterator(body.end()));
  return take(std::move(copy.lines));
}

// Tries of one line.
class Shortener {
 public:
  Shortener(const Lines& lines, size_t number, const Take& take)
      : lines_(lines), number_(number), take_(take) {}

  void Run() {
    while (Ranges() || Numbers() || Names()) {
    }
  }

 private:
  Tokens Now() const {
    Lines copy = lines_;
    return AllLinesOf(copy)[number_]->tokens;
  }

  bool Try(Tokens tokens) {
    Lines copy = lines_;
    AllLinesOf(copy)[number_]->tokens = std::move(tokens);
    return take_(std::move(copy));
  }

  bool Replace(const Tokens& now, size_t from, size_t to, Tokens by) {
    Tokens out = Slice(now, 0, from);
    out.insert(out.end(), by.begin(), by.end());
    out.insert(out.end(), now.begin() + static_cast<int64_t>(to), now.end());
    return Try(std::move(out));
  }

  bool Ranges() {
    const Tokens now = Now();
    for (size_t length = now.size(); length-- > 1;) {
      for (size_t from = 0; from + length <= now.size(); ++from) {
        size_t to = from + length;
        if (!Balanced(now, from, to)) continue;
        if (Replace(now, from, to, {})) return true;
        if (length > 1 &&
            (Replace(now, from, to, {"0"}) || Replace(now, from, to, {"1"})))
          return true;
      }
    }
    return false;
  }

  bool Numbers() {
    const Tokens now = Now();
    for (size_t i = 0; i < now.size(); ++i) {
      int64_t value = IntegerOf(now[i]);
      for (int64_t less : {int64_t{0}, int64_t{1}, int64_t{2}, value / 4,
                           value / 2, value - value / 4, value - 1}) {
        if (less < value && less >= 0 &&
            Replace(now, i, i + 1, {std::to_string(less)}))
          return true;
      }
    }
    return false;
  }

  // `mbarrier.wait.acquire.cluster` with one part less.
  bool Names() {
    const Tokens now = Now();
    for (size_t i = 0; i < now.size(); ++i) {
      for (size_t dot = now[i].rfind('.'); dot != std::string::npos && dot > 0;
           dot = now[i].rfind('.', dot - 1)) {
        size_t end = now[i].find('.', dot + 1);
        std::string name = now[i].substr(0, dot);
        if (end != std::string::npos) name += now[i].substr(end);
        if (Replace(now, i, i + 1, {std::move(name)})) return true;
      }
    }
    return false;
  }

  const Lines& lines_;
  size_t number_;
  const Take& take_;
};

}  // namespace

void DropLines(const Lines& lines, const Take& take) {
  for (size_t block = 0; block < BlocksIn(lines); ++block)
    DropFrom(lines, block, take);
}

void DropHolders(const Lines& lines, const Take& take) {
  // The first is the program itself, whose kernels stay.
  for (size_t block = 1; block < BlocksIn(lines); ++block) {
    for (size_t at = 0; at < Copy(lines, block).of->size();) {
      const Copy copy(lines, block);
      bool gone = (*copy.of)[at].block && (Unwrap(lines, block, at, 0, take) ||
                                           Unwrap(lines, block, at, 1, take));
      if (!gone) ++at;
    }
  }
}

void FixNames(const Lines& lines, const std::map<std::string, int64_t>& sizes,
              const Take& take) {
  for (const auto& [name, value] : sizes) {
    Lines copy = lines;
    Define(copy, name, value);
    if (!(copy == lines)) take(std::move(copy));
  }
  for (size_t block = 1; block < BlocksIn(lines); ++block) {
    for (size_t at = 0; at < Copy(lines, block).of->size(); ++at) {
      Copy copy(lines, block);
      std::string name;
      Tokens value;
      if (!IsFixed((*copy.of)[at].tokens, name, value)) continue;
      copy.of->erase(copy.of->begin() + static_cast<int64_t>(at));
      Substitute(copy.lines, name, value);
      if (take(std::move(copy.lines))) --at;
    }
  }
}

void ShortenLines(const Lines& lines, const Take& take) {
  for (size_t number = 0;; ++number) {
    Lines copy = lines;
    if (number >= AllLinesOf(copy).size()) return;
    Shortener(lines, number, take).Run();
  }
}

void Define(Lines& lines, const std::string& name, int64_t value) {
  for (Line* line : AllLinesOf(lines)) {
    Tokens& tokens = line->tokens;
    if (tokens.size() < 2) continue;
    if (tokens[0] == "param" && tokens[1] == name)
      tokens = {"const", name, "=", std::to_string(value)};
    if (tokens[0] != "const") continue;
    for (size_t i = 1; i + 2 < tokens.size(); i = Find(tokens, ",", i) + 1) {
      size_t end = Find(tokens, ",", i);
      if (tokens[i] != name || tokens[i + 1] != "=") continue;
      Tokens out = Slice(tokens, 0, i + 2);
      out.push_back(std::to_string(value));
      out.insert(out.end(), tokens.begin() + static_cast<int64_t>(end),
                 tokens.end());
      tokens = std::move(out);
    }
  }
}

}  // namespace tilesim::cli::reduce
