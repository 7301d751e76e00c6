// Element arithmetic on register tiles. float is f32 itself; 16-bit and
// narrower formats compute in double and round once; integers wrap.
#ifndef TILESIM_SIM_MACHINE_DATA_TILE_MATH_H_
#define TILESIM_SIM_MACHINE_DATA_TILE_MATH_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tilesim::machine {

template <typename T>
inline constexpr bool kIsInteger = std::is_integral_v<T>;

// Integers: in unsigned, where overflow wraps.
template <typename T, typename F>
T Wrapped(T a, T b, F f) {
  return static_cast<T>(f(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
}

struct AddOp {
  template <typename T>
  T operator()(T a, T b, T) const {
    if constexpr (kIsInteger<T>)
      return Wrapped(a, b, [](uint64_t x, uint64_t y) { return x + y; });
    return a + b;
  }
};

struct SubOp {
  template <typename T>
  T operator()(T a, T b, T) const {
    if constexpr (kIsInteger<T>)
      return Wrapped(a, b, [](uint64_t x, uint64_t y) { return x - y; });
    return a - b;
  }
};

struct MulOp {
  template <typename T>
  T operator()(T a, T b, T) const {
    if constexpr (kIsInteger<T>)
      return Wrapped(a, b, [](uint64_t x, uint64_t y) { return x * y; });
    return a * b;
  }
};

// a * b + c for operands whose product is exact in double, rounded to odd: a
// second rounding to a narrower format then rounds as if it were the first.
inline double FmaToOdd(double a, double b, double c) {
  double p = a * b, s = p + c;
  double back = s - p;
  double error = (p - (s - back)) + (c - back);
  if (!std::isfinite(s) || error == 0) return s;
  if ((std::bit_cast<uint64_t>(s) & 1) != 0) return s;
  double inf = std::numeric_limits<double>::infinity();
  return std::nextafter(s, error > 0 ? inf : -inf);
}

struct FmaOp {
  int64_t operator()(int64_t a, int64_t b, int64_t c) const {
    return AddOp()(MulOp()(a, b, c), c, c);
  }
  float operator()(float a, float b, float c) const {
    return std::fma(a, b, c);
  }
  double operator()(double a, double b, double c) const {
    return FmaToOdd(a, b, c);
  }
};

// A number wins over NaN; -0 is less than +0.
struct MaxOp {
  template <typename T>
  T operator()(T a, T b, T) const {
    if constexpr (!kIsInteger<T>) {
      if (a != a) return b;
      if (b != b) return a;
      if (a == b) return std::signbit(a) ? b : a;
    }
    return a > b ? a : b;
  }
};

struct MinOp {
  template <typename T>
  T operator()(T a, T b, T) const {
    if constexpr (!kIsInteger<T>) {
      if (a != a) return b;
      if (b != b) return a;
      if (a == b) return std::signbit(a) ? a : b;
    }
    return a < b ? a : b;
  }
};

struct NegOp {
  template <typename T>
  T operator()(T a, T, T) const {
    if constexpr (kIsInteger<T>) return SubOp()(T{0}, a, a);
    return -a;
  }
};

struct RcpOp {
  int64_t operator()(int64_t a, int64_t, int64_t) const {
    return a == 0 ? 0 : 1 / a;
  }
  template <typename T>
  T operator()(T a, T, T) const {
    return T{1} / a;
  }
};

inline float Flush(float v) {
  return std::fabs(v) < std::numeric_limits<float>::min()
             ? std::copysign(0.0f, v)
             : v;
}

// Correctly rounded but for one argument in 2^29, subnormals flushed.
struct Ex2Op {
  float operator()(float a, float, float) const {
    return Flush(static_cast<float>(std::exp2(static_cast<double>(Flush(a)))));
  }
  double operator()(double a, double, double) const { return std::exp2(a); }
  int64_t operator()(int64_t a, int64_t, int64_t) const { return a; }
};

struct Lg2Op {
  float operator()(float a, float, float) const {
    return static_cast<float>(std::log2(static_cast<double>(Flush(a))));
  }
  double operator()(double a, double, double) const { return std::log2(a); }
  int64_t operator()(int64_t a, int64_t, int64_t) const { return a; }
};

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_TILE_MATH_H_
