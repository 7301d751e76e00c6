// What checkers found, each thing told once: the first occurrence is
// described, the others are counted.
#ifndef TILESIM_CHECKERS_CHECKS_FINDINGS_H_
#define TILESIM_CHECKERS_CHECKS_FINDINGS_H_

#include <deque>
#include <map>
#include <string>
#include <string_view>

#include "ir/diagnostic.h"

namespace tilesim::checkers {

struct Found {
  ir::Diagnostic diagnostic;
  int64_t times = 1;
  // It is in every schedule if the run stands for all of them; else only some
  // schedule is known to have it.
  bool in_run = true;
};

class Findings {
 public:
  // A new finding to be described, or nullptr: `same` was told before.
  Found* Add(std::string_view code, const std::string& same) {
    auto [at, fresh] = known_.try_emplace(std::string(code) + "\n" + same);
    if (!fresh) {
      ++at->second->times;
      return nullptr;
    }
    Found& f = all_.emplace_back();
    f.diagnostic.code = std::string(code);
    at->second = &f;
    return &f;
  }
  const std::deque<Found>& all() const { return all_; }

 private:
  std::deque<Found> all_;  // addresses stay
  std::map<std::string, Found*> known_;
};

}  // namespace tilesim::checkers

#endif  // TILESIM_CHECKERS_CHECKS_FINDINGS_H_
