#include "frontend/suggest.h"

#include <algorithm>
#include <numeric>

#include "ir/cat.h"

namespace tilesim::frontend {
namespace {

constexpr size_t kLongestWord = 64;  // nothing longer is a slip of the finger

// Letters to insert, delete, replace or exchange with a neighbour.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replace = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replace, above[j] + 1, row[j - 1] + 1});
      bool exchanged =
          i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = above;
    above = row;
  }
  return above[b.size()];
}

}  // namespace

std::string_view Nearest(std::string_view word,
                         const std::vector<std::string_view>& candidates) {
  std::string_view best;
  if (word.size() > kLongestWord) return best;
  size_t limit = std::max<size_t>(word.size() / 3, 1);
  for (std::string_view candidate : candidates) {
    if (candidate.size() > word.size() + limit || candidate == word) continue;
    // Two names of one or two letters are never alike.
    if (candidate.size() < 3 && word.size() < 3) continue;
    size_t distance = Distance(word, candidate);
    if (distance > limit) continue;
    best = candidate;
    limit = distance - 1;
    if (distance <= 1) break;
  }
  return best;
}

std::string DidYouMean(std::string_view word,
                       const std::vector<std::string_view>& candidates) {
  std::string_view nearest = Nearest(word, candidates);
  return nearest.empty() ? "" : ir::Cat("did you mean `", nearest, "`?");
}

std::string Alternatives(const std::vector<std::string_view>& words) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i) {
    std::string_view link = i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
    ir::Append(&out, link, "`", words[i], "`");
  }
  return out;
}

}  // namespace tilesim::frontend
