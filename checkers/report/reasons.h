// Why a verdict is no proof: each reason once, in the order in which they came.
#ifndef TILESIM_CHECKERS_REPORT_REASONS_H_
#define TILESIM_CHECKERS_REPORT_REASONS_H_

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tilesim::checkers::report {

class Reasons {
 public:
  void Add(std::string why) {
    if (std::find(all_.begin(), all_.end(), why) == all_.end())
      all_.push_back(std::move(why));
  }
  // Of a container of them.
  template <typename Container>
  void AddAll(const Container& whys) {
    for (const std::string& why : whys) Add(why);
  }
  void AddAll(const Reasons& whys) { AddAll(whys.all()); }

  bool empty() const { return all_.empty(); }
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_;
};

}  // namespace tilesim::checkers::report

#endif  // TILESIM_CHECKERS_REPORT_REASONS_H_
