// tcgen05.
#include "ptx/values/threads.h"

namespace tilesim::ptx {
namespace {

Deed NotYet(DeedMaking& m) { return m.Refuse("tensor memory is not followed"); }

}  // namespace

const std::vector<DeedRow>& Tcgen05Deeds() {
  static const std::vector<DeedRow> kRows = {
      {"tcgen05.alloc", NotYet}, {"tcgen05.ld", NotYet},
      {"tcgen05.st", NotYet},    {"tcgen05.mma", NotYet},
      {"tcgen05.cp", NotYet},    {"tcgen05.shift", NotYet},
  };
  return kRows;
}

}  // namespace tilesim::ptx
