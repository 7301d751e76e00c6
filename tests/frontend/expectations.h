// What a test file says its findings are.
//
//   //! error[type/float] @11 "where an integer"   a finding on the line below
//                                                  (or on this line, after
//                                                  code): column and part of
//                                                  its text are optional
//   //! warning[registers/spill]
//   //! clean                                      none at all
#ifndef TILESIM_TESTS_FRONTEND_EXPECTATIONS_H_
#define TILESIM_TESTS_FRONTEND_EXPECTATIONS_H_

#include <string>
#include <vector>

#include "ir/diagnostic.h"

namespace tilesim::frontend {

struct Expectation {
  ir::Severity severity = ir::Severity::kError;
  ir::Code code;
  int32_t line = 0;
  int32_t column = 0;  // 0: any
  std::string text;    // of message, help, notes or span text
};

struct Expectations {
  std::vector<Expectation> findings;
  bool clean = false;
  std::vector<std::string> problems;  // directives that say nothing
};

Expectations ReadExpectations(const ir::Source& source);

// What is wrong: expectations without a finding, findings without an
// expectation, unknown directives. Empty: the test passes.
std::vector<std::string> Compare(const Expectations& expectations,
                                 const ir::Diagnostics& found);

}  // namespace tilesim::frontend

#endif  // TILESIM_TESTS_FRONTEND_EXPECTATIONS_H_
