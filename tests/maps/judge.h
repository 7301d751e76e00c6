// What `check` says of random index maps, against what their CTAs do at all
// small sizes, one after another.
#ifndef TILESIM_TESTS_MAPS_JUDGE_H_
#define TILESIM_TESTS_MAPS_JUDGE_H_

#include <cstdint>
#include <map>
#include <string>

namespace tilesim::checkers::maps {

struct MapCount {
  int64_t maps = 0;
  int64_t injective = 0;  // no two stores of a launch meet, as far as is known
  int64_t clean = 0;      // at all sizes
  int64_t findings = 0;
  int64_t wrong = 0;

  int64_t decided() const { return clean + findings; }
  void Add(const MapCount& other);
};

class MapJudge {
 public:
  // What is wrong with the verdict on the map of a seed; empty: nothing.
  std::string Judge(uint64_t seed);
  // Why the last one was not decided; empty: it was.
  const std::string& open() const { return open_; }

  MapCount All() const;
  // By form and by store, as a table of Markdown.
  std::string Table() const;
  // results.md: the table, of the maps of all seeds from `first` on.
  std::string Page(int64_t first) const;

 private:
  std::map<std::string, MapCount> forms_, stores_;
  std::string open_;
};

}  // namespace tilesim::checkers::maps

#endif  // TILESIM_TESTS_MAPS_JUDGE_H_
