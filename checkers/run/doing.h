// What a check is doing, in a few words, for who watches it take long.
#ifndef TILESIM_CHECKERS_RUN_DOING_H_
#define TILESIM_CHECKERS_RUN_DOING_H_

#include <functional>
#include <string>

namespace tilesim::checkers::run {

// Called as often as there is something new, from the thread that checks;
// absent: nobody watches.
using Doing = std::function<void(const std::string& what)>;

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_DOING_H_
