// Which elements of the tensors that `computes` names CTAs store.
#ifndef TILESIM_CHECKERS_LAUNCH_WRITTEN_H_
#define TILESIM_CHECKERS_LAUNCH_WRITTEN_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "checkers/launch/launch.h"
#include "checkers/launch/walk.h"
#include "sim/machine/code.h"
#include "sim/machine/data/bits.h"

namespace tilesim::checkers::launch {

class Stores {
 public:
  explicit Stores(const machine::Code& code);

  void Add(const Visit& visit);

  // `limit`: why not all stores were added.
  std::vector<Written> Targets(const std::string& limit) const;

 private:
  struct Stored {
    machine::Bits elements;
    std::string limit;
  };

  const machine::Code& code_;
  std::map<int32_t, Stored> stored_;  // by declaration
};

}  // namespace tilesim::checkers::launch

#endif  // TILESIM_CHECKERS_LAUNCH_WRITTEN_H_
