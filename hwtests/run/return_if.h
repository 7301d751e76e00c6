// Passes on what went wrong.
#ifndef TILESIM_HWTESTS_RUN_RETURN_IF_H_
#define TILESIM_HWTESTS_RUN_RETURN_IF_H_

#include "absl/status/status.h"

#define RETURN_IF(status_expr)            \
  do {                                    \
    absl::Status status_ = (status_expr); \
    if (!status_.ok()) return status_;    \
  } while (false)

#endif  // TILESIM_HWTESTS_RUN_RETURN_IF_H_
