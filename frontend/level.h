// Counting levels of recursion.
#ifndef TILESIM_FRONTEND_LEVEL_H_
#define TILESIM_FRONTEND_LEVEL_H_

namespace tilesim::frontend {

// One level of recursion, for as long as it lives.
class Level {
 public:
  explicit Level(int& depth) : depth_(depth) { ++depth_; }
  ~Level() { --depth_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  int& depth_;
};

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_LEVEL_H_
