// Index arithmetic as text of a program, and as what C makes of it.
#ifndef TILESIM_TESTS_MAPS_EXPRESSION_H_
#define TILESIM_TESTS_MAPS_EXPRESSION_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>

#include "ir/cat.h"

namespace tilesim::checkers::maps {

// What an expression may name: parameters, the grid, a CTA's place in it, and
// the scalar `t` of the kernel's body.
struct Env {
  int64_t p = 1, q = 1, r = 1;
  int64_t gx = 1, gy = 1, gz = 1;
  int64_t x = 0, y = 0, z = 0;
  int64_t t = 0;
};

// Thrown by a CTA that divides by 0: it goes no further.
struct Fault {};

struct E {
  std::string text;
  std::function<int64_t(const Env&)> at;
};

template <typename F>
E Operation(const E& a, const char* sign, const E& b, F f) {
  return {ir::Cat("(", a.text, " ", sign, " ", b.text, ")"),
          [a, b, f](const Env& e) { return f(a.at(e), b.at(e)); }};
}

inline int64_t Divisor(int64_t b) {
  if (b == 0) throw Fault();
  return b;
}

inline E Number(int64_t n) {
  return {ir::Cat(n), [=](const Env&) { return n; }};
}
inline E operator+(const E& a, const E& b) {
  return Operation(a, "+", b, std::plus<int64_t>());
}
inline E operator-(const E& a, const E& b) {
  return Operation(a, "-", b, std::minus<int64_t>());
}
inline E operator*(const E& a, const E& b) {
  return Operation(a, "*", b, std::multiplies<int64_t>());
}
inline E operator/(const E& a, const E& b) {
  return Operation(a, "/", b,
                   [](int64_t x, int64_t y) { return x / Divisor(y); });
}
inline E operator%(const E& a, const E& b) {
  return Operation(a, "%", b,
                   [](int64_t x, int64_t y) { return x % Divisor(y); });
}
inline E operator==(const E& a, const E& b) {
  return Operation(a, "==", b, std::equal_to<int64_t>());
}
inline E operator<(const E& a, const E& b) {
  return Operation(a, "<", b, std::less<int64_t>());
}
inline E Min(const E& a, const E& b) {
  return {ir::Cat("min(", a.text, ", ", b.text, ")"),
          [a, b](const Env& e) { return std::min(a.at(e), b.at(e)); }};
}
inline E Cdiv(const E& a, const E& b) {
  return {ir::Cat("cdiv(", a.text, ", ", b.text, ")"), [a, b](const Env& e) {
            int64_t d = Divisor(b.at(e));
            return (a.at(e) + d - 1) / d;
          }};
}

inline const E kP{"P", [](const Env& e) { return e.p; }};
inline const E kQ{"Q", [](const Env& e) { return e.q; }};
inline const E kR{"R", [](const Env& e) { return e.r; }};
inline const E kX{"cta.x", [](const Env& e) { return e.x; }};
inline const E kY{"cta.y", [](const Env& e) { return e.y; }};
inline const E kZ{"cta.z", [](const Env& e) { return e.z; }};
inline const E kGx{"grid.x", [](const Env& e) { return e.gx; }};
inline const E kT{"t", [](const Env& e) { return e.t; }};

}  // namespace tilesim::checkers::maps

#endif  // TILESIM_TESTS_MAPS_EXPRESSION_H_
