// What `requires` says of products of sizes: `requires M * N <= 1048576`.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_REQUIRED_PRODUCTS_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_REQUIRED_PRODUCTS_H_

#include "ir/program.h"

namespace tilesim::checkers::sizes::partition {

// Takes out of the kernel what is said of products of several parameters; what
// else stands in the same `requires` stays. The kernel is then launched at all
// sizes that it was, and more. False: nothing is.
bool DropProducts(ir::Kernel& kernel);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_REQUIRED_PRODUCTS_H_
