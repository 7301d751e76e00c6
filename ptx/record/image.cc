#include "ptx/record/image.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace tilesim::ptx::record {
namespace {

constexpr uint32_t kFatBinary = 0xba55ed50;  // magic of the header
constexpr uint32_t kWrapper = 0x466243b1;    // of what points to one
constexpr uint64_t kMostPtx = uint64_t{256} << 20;

template <typename T>
T Read(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// An entry of a fat binary: at these places of its header.
struct Entry {
  explicit Entry(const char* at)
      : kind(Read<uint16_t>(at)),
        header(Read<uint32_t>(at + 4)),
        size(Read<uint64_t>(at + 8)),
        compressed(Read<uint32_t>(at + 16)),
        architecture(Read<uint32_t>(at + 28)),
        flags(Read<uint64_t>(at + 40)),
        whole(header >= 64 ? Read<uint64_t>(at + 56) : 0),
        payload(at + header) {}
  bool is_ptx() const { return kind == 1; }

  uint16_t kind;
  uint32_t header;
  uint64_t size;
  uint32_t compressed;  // bytes of it, if it is
  uint32_t architecture;
  uint64_t flags;
  uint64_t whole;  // bytes once decompressed
  const char* payload;
};
constexpr uint64_t kLz4 = 0x2000, kZstd = 0x8000;

// Both libraries are opened when a file needs them, so that the recorder needs
// none.
bool Zstd(const char* from, size_t size, std::string* to) {
  void* library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
  using Decompress = size_t (*)(void*, size_t, const void*, size_t);
  auto decompress =
      reinterpret_cast<Decompress>(dlsym(library, "ZSTD_decompress"));
  return decompress != nullptr &&
         decompress(to->data(), to->size(), from, size) == to->size();
}

bool Lz4(const char* from, size_t size, std::string* to) {
  void* library = dlopen("liblz4.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
  using Decompress = int (*)(const char*, char*, int, int);
  auto decompress =
      reinterpret_cast<Decompress>(dlsym(library, "LZ4_decompress_safe"));
  return decompress != nullptr &&
         decompress(from, to->data(), static_cast<int>(size),
                    static_cast<int>(to->size())) ==
             static_cast<int>(to->size());
}

// PTX ends at the first zero byte, if it has one.
std::string UntilZero(std::string text) {
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

Image PtxOf(const Entry& entry) {
  if ((entry.flags & (kLz4 | kZstd)) == 0)
    return {UntilZero(std::string(entry.payload, entry.size)), ""};
  if (entry.whole > kMostPtx) return {"", "its PTX is larger than 256 MiB"};
  const bool zstd = (entry.flags & kZstd) != 0;
  std::string text(entry.whole, '\0');
  const bool done = zstd ? Zstd(entry.payload, entry.compressed, &text)
                         : Lz4(entry.payload, entry.compressed, &text);
  if (done) return {UntilZero(std::move(text)), ""};
  return {"", zstd ? "its PTX is compressed, and libzstd.so.1 does not read it"
                   : "its PTX is compressed, and liblz4.so.1 does not read it"};
}

// With machine code beside it, PTX of another architecture is not what ran.
Image PtxOfFatBinary(const char* at, uint32_t architecture) {
  const char* entry_at = at + Read<uint16_t>(at + 6);
  const char* end = entry_at + Read<uint64_t>(at + 8);
  bool code = false;
  const char* best = nullptr;
  uint32_t best_architecture = 0;
  while (entry_at + 64 <= end) {
    const Entry entry(entry_at);
    if (entry.header < 64) break;
    code |= !entry.is_ptx() && entry.architecture / 10 == architecture / 10;
    if (entry.is_ptx() && entry.architecture <= architecture &&
        entry.architecture >= best_architecture) {
      best = entry_at;
      best_architecture = entry.architecture;
    }
    entry_at += entry.header + entry.size;
  }
  if (best == nullptr)
    return {"",
            "its fat binary has no PTX: build it with PTX, too "
            "(nvcc -gencode arch=compute_90a,code=compute_90a)"};
  if (code && best_architecture != architecture)
    return {"", "its fat binary has PTX for compute_" +
                    std::to_string(best_architecture) +
                    " only, which is not what ran"};
  return PtxOf(Entry(best));
}

// Sections and segments of an ELF file end where it ends.
size_t SizeOfElf(const char* at) {
  const auto programs = Read<uint64_t>(at + 32),
             sections = Read<uint64_t>(at + 40);
  const size_t program_bytes =
      size_t{Read<uint16_t>(at + 54)} * Read<uint16_t>(at + 56);
  const size_t section_size = Read<uint16_t>(at + 58);
  const size_t section_count = Read<uint16_t>(at + 60);
  size_t end = std::max(programs + program_bytes,
                        sections + section_size * section_count);
  constexpr uint32_t kNoBits = 8;
  for (size_t i = 0; i < section_count && section_size >= 64; ++i) {
    const char* section = at + sections + i * section_size;
    if (Read<uint32_t>(section + 4) == kNoBits) continue;
    end = std::max<size_t>(
        end, Read<uint64_t>(section + 24) + Read<uint64_t>(section + 32));
  }
  return end;
}

std::string TritonCache() {
  if (const char* folder = std::getenv("TRITON_CACHE_DIR")) return folder;
  const char* home = std::getenv("TRITON_HOME");
  if (home == nullptr) home = std::getenv("HOME");
  return home == nullptr ? "" : std::string(home) + "/.triton/cache";
}

std::string ReadWhole(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace

std::string CachedPtx(const std::string& folder, std::string_view cubin) {
  namespace fs = std::filesystem;
  std::error_code error;
  for (fs::recursive_directory_iterator
           i(folder, fs::directory_options::skip_permission_denied, error),
       end;
       !error && i != end; i.increment(error)) {
    if (i->path().extension() != ".cubin") continue;
    std::error_code unknown;
    // A cubin in memory may end before padding of the file.
    const auto size = i->file_size(unknown);
    if (unknown || size < cubin.size() || size > cubin.size() + 4096) continue;
    if (ReadWhole(i->path()).compare(0, cubin.size(), cubin) != 0) continue;
    fs::path ptx = i->path();
    std::string text = ReadWhole(ptx.replace_extension(".ptx"));
    if (!text.empty()) return text;
  }
  return "";
}

Image ImageAt(const void* image, uint32_t architecture) {
  const char* at = static_cast<const char*>(image);
  if (at == nullptr) return {"", "it was loaded from nothing"};
  auto magic = Read<uint32_t>(at);
  if (magic == kWrapper) {
    at = Read<const char*>(at + 8);
    magic = Read<uint32_t>(at);
  }
  if (magic == kFatBinary) return PtxOfFatBinary(at, architecture);
  if (std::memcmp(at, "\177ELF", 4) == 0) {
    std::string ptx = CachedPtx(TritonCache(), {at, SizeOfElf(at)});
    const char* why =
        "it was loaded as machine code (a cubin), and Triton's "
        "cache has no PTX of it";
    return {ptx, ptx.empty() ? why : ""};
  }
  const size_t length = strnlen(at, kMostPtx);
  const std::string_view text(at, length);
  if (text.find(".version") != std::string_view::npos)
    return {std::string(text), ""};
  return {"", "what it was loaded from is no PTX, cubin or fat binary"};
}

}  // namespace tilesim::ptx::record
