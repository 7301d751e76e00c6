// What a check does within the bytes that clocks may take (order/room.h).
#ifndef TILESIM_CHECKERS_PIPELINE_WITHIN_ROOM_H_
#define TILESIM_CHECKERS_PIPELINE_WITHIN_ROOM_H_

#include <vector>

#include "checkers/order/room.h"
#include "checkers/pipeline/part.h"
#include "ir/cat.h"

namespace tilesim::checkers::pipeline {

// stage(): adds to `parts`, which it leaves as they are when it runs out of
// room; what it had not come to is open then.
template <typename Stage>
void WithinRoom(std::vector<Part>& parts, const Stage& stage) {
  try {
    stage();
  } catch (const order::OutOfRoom&) {
    parts.emplace_back().open.Add(
        ir::Cat("what comes before what takes more than ", order::Room::Most(),
                " bytes to know of clusters together"));
  }
}

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_WITHIN_ROOM_H_
