#include "ptx/record/folder.h"

#include <filesystem>
#include <fstream>
#include <span>
#include <system_error>

#include "fmt/format.h"
#include "ptx/record/values.h"

namespace tilesim::ptx::record {
namespace {

// A name that every file system takes.
std::string Plain(const std::string& kernel) {
  constexpr size_t kMost = 60;
  std::string name = kernel.substr(0, kMost);
  for (char& c : name)
    if (!isalnum(static_cast<unsigned char>(c)) && c != '_') c = '_';
  return name;
}

}  // namespace

bool Folder::Open(const std::string& path) {
  path_ = path + "/";
  std::error_code error;
  std::filesystem::create_directories(path, error);
  return static_cast<bool>(std::ofstream(path_ + "launches.txt"));
}

std::string Folder::Stem(int number, const std::string& kernel) {
  return fmt::format("{:04}_{}", number, Plain(kernel));
}

std::string Folder::KeepPtx(const std::string& kernel, const std::string& ptx) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(ptx.data());
  const std::string hash = HashOf({bytes, ptx.size()});
  // Named after the first kernel of it that is launched.
  auto [at, is_new] = ptx_.emplace(
      hash, fmt::format("{}-{}.ptx", Plain(kernel), hash.substr(0, 8)));
  if (is_new) Keep(at->second, ptx);
  return at->second;
}

void Folder::Keep(const std::string& name, const std::string& bytes) {
  std::ofstream(path_ + name, std::ios::binary) << bytes;
}

void Folder::List(int number, const std::string& kernel,
                  const std::string& said) {
  std::ofstream(path_ + "launches.txt", std::ios::app)
      << fmt::format("{:04}\t{}\t{}\n", number, kernel, said);
}

std::string TargetOf(const std::string& ptx) {
  constexpr std::string_view kWord = ".target ";
  const size_t at = ptx.find(kWord);
  if (at == std::string::npos) return "";
  const size_t start = at + kWord.size();
  return ptx.substr(start, ptx.find_first_of(", \t\r\n", start) - start);
}

}  // namespace tilesim::ptx::record
