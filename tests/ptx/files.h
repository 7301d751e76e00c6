// The PTX files that tests read, and what the parser says of a text.
#ifndef TILESIM_TESTS_PTX_FILES_H_
#define TILESIM_TESTS_PTX_FILES_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "ir/diagnostic.h"
#include "ptx/text/parser.h"

namespace tilesim::ptx {

inline std::string ReadText(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// The seven kernels of Triton, by name.
inline std::vector<std::string> TritonFiles() {
  std::vector<std::string> paths;
  for (const auto& file :
       std::filesystem::directory_iterator("tests/ptx/testdata/triton")) {
    if (file.path().extension() == ".ptx") paths.push_back(file.path());
  }
  std::sort(paths.begin(), paths.end());
  EXPECT_EQ(paths.size(), 7u);
  return paths;
}

// A kernel of these statements, the first on line 7.
inline std::string InKernel(const std::string& body) {
  return ".version 8.7\n.target sm_90a\n.address_size 64\n"
         ".visible .entry k(.param .u64 a, .param .u32 n)\n.reqntid 128\n{\n" +
         body + "}\n";
}

inline Module MustParse(const std::string& text) {
  ir::Source source{"test.ptx", text};
  ir::Diagnostics diagnostics;
  std::optional<Module> module = Parse(source, diagnostics);
  for (const ir::Diagnostic& d : diagnostics.all())
    ADD_FAILURE() << ir::Render(d, source);
  return module.value_or(Module());
}

}  // namespace tilesim::ptx

#endif  // TILESIM_TESTS_PTX_FILES_H_
