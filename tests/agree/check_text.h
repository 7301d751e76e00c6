// `check` of a program that a test has, and its code.
#ifndef TILESIM_TESTS_AGREE_CHECK_TEXT_H_
#define TILESIM_TESTS_AGREE_CHECK_TEXT_H_

#include <memory>
#include <string>

#include "checkers/check.h"
#include "ir/program.h"
#include "sim/machine/code.h"

namespace tilesim::checkers {

// A text that is no program fails the test. The path is for what it includes.
CheckReport CheckText(const std::string& text, const CheckOptions& options,
                      const std::string& path = "program.tile");

// Of a file of the repository.
std::string TextOf(const std::string& path);
CheckReport CheckFile(const std::string& path, const CheckOptions& options);

struct CompiledKernel {
  std::unique_ptr<ir::Program> program;
  std::unique_ptr<machine::Code> code;
};

// The kernel of a text, for a GPU of one SM.
CompiledKernel Compiled(const std::string& text);

}  // namespace tilesim::checkers

#endif  // TILESIM_TESTS_AGREE_CHECK_TEXT_H_
