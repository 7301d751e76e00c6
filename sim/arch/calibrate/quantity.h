// A number with the range that its readings leave it, and sums of such.
#ifndef TILESIM_SIM_ARCH_CALIBRATE_QUANTITY_H_
#define TILESIM_SIM_ARCH_CALIBRATE_QUANTITY_H_

#include <algorithm>

namespace tilesim::arch {

struct Quantity {
  double value = 0, low = 0, high = 0;

  Quantity() = default;
  Quantity(double exact) : value(exact), low(exact), high(exact) {}
  Quantity(double middle, double least, double most)
      : value(middle), low(least), high(most) {}

  friend Quantity operator+(const Quantity& a, const Quantity& b) {
    return {a.value + b.value, a.low + b.low, a.high + b.high};
  }
  friend Quantity operator-(const Quantity& a, const Quantity& b) {
    return {a.value - b.value, a.low - b.high, a.high - b.low};
  }
  // Of quantities above 0.
  friend Quantity operator*(const Quantity& a, const Quantity& b) {
    return {a.value * b.value, a.low * b.low, a.high * b.high};
  }
  friend Quantity operator/(const Quantity& a, const Quantity& b) {
    return {a.value / b.value, a.low / b.high, a.high / b.low};
  }
};

inline Quantity Mean(const Quantity& a, const Quantity& b) {
  return (a + b) / 2;
}

}  // namespace tilesim::arch

#endif  // TILESIM_SIM_ARCH_CALIBRATE_QUANTITY_H_
