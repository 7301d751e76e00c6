// Test data, found by pattern: adding a file needs no build edit.
#ifndef TILESIM_TESTS_FRONTEND_FILES_H_
#define TILESIM_TESTS_FRONTEND_FILES_H_

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "ir/diagnostic.h"

namespace tilesim::frontend {

// Files with this ending below `root` (relative to the repository, where
// tests run), sorted; build trees and hidden folders left out.
inline std::vector<std::string> FilesBelow(const std::string& root,
                                           const std::string& ending) {
  namespace fs = std::filesystem;
  std::vector<std::string> out;
  auto it = fs::recursive_directory_iterator(root);
  for (; it != fs::recursive_directory_iterator(); ++it) {
    std::string name = it->path().filename().string();
    bool skip = name.starts_with("build") || name.starts_with(".");
    if (it->is_directory() && skip && name != ".") {
      it.disable_recursion_pending();
    } else if (it->is_regular_file() && name.ends_with(ending)) {
      out.push_back(it->path().string());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

inline ir::Source ReadSource(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {path, std::string(std::istreambuf_iterator<char>(in), {})};
}

// A test name from a path.
inline std::string TestName(const std::string& path) {
  std::string out;
  for (char c : path)
    out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return out;
}

}  // namespace tilesim::frontend

#endif  // TILESIM_TESTS_FRONTEND_FILES_H_
