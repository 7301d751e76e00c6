// c += a * b on row-major f64, by the widest vectors the CPU has. Every element
// adds its products in ascending k, each rounded: the same bits everywhere.
#ifndef TILESIM_SIM_MACHINE_DATA_PRODUCT_H_
#define TILESIM_SIM_MACHINE_DATA_PRODUCT_H_

#include <cstdint>

namespace tilesim::machine {

// Strides are elements between rows.
struct ProductTask {
  int64_t m, n, k;
  const double* a;  // m x k
  int64_t a_stride;
  const double* b;  // k x n
  int64_t b_stride;
  double* c;  // m x n
  int64_t c_stride;
};

void AddProduct(const ProductTask& task);

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_PRODUCT_H_
