// Did you mean ...?
#ifndef TILESIM_FRONTEND_SUGGEST_H_
#define TILESIM_FRONTEND_SUGGEST_H_

#include <string>
#include <string_view>
#include <vector>

namespace tilesim::frontend {

// The candidate nearest to `word`, or "" when none is near. Near: at most a
// third of the letters differ, one at least.
std::string_view Nearest(std::string_view word,
                         const std::vector<std::string_view>& candidates);

// "did you mean `x`?", or "" when nothing is near.
std::string DidYouMean(std::string_view word,
                       const std::vector<std::string_view>& candidates);

// "`a`, `b` or `c`"
std::string Alternatives(const std::vector<std::string_view>& words);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_SUGGEST_H_
