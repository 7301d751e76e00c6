#include "traces/output_file.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace tilesim::traces {

// zlib's stream for one gzip member.
class Gzip {
 public:
  Gzip() {
    constexpr int kGzipWindow = 15 + 16;  // 16: gzip, not zlib, wrapping
    constexpr int kMemoryLevel = 8;       // zlib's default
    ok_ = deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow,
                       kMemoryLevel, Z_DEFAULT_STRATEGY) == Z_OK;
    header_.time = 0;
    header_.os = 255;  // "unknown": the bytes must not tell where
    ok_ = ok_ && deflateSetHeader(&stream_, &header_) == Z_OK;
  }
  ~Gzip() { deflateEnd(&stream_); }

  bool ok() const { return ok_; }

  // Appends to `out` what `bytes` brings forth; `last` ends the member.
  void Compress(std::string_view bytes, bool last, std::string* out) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      char chunk[1 << 15];
      stream_.next_out = reinterpret_cast<Bytef*>(chunk);
      stream_.avail_out = sizeof(chunk);
      deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
      out->append(chunk, sizeof(chunk) - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

 private:
  z_stream stream_{};
  gz_header header_{};
  bool ok_ = false;
};

namespace {

// Renaming onto a device, a pipe or what /dev/stdout stands for would replace
// it; renaming onto a link would replace the link, so follow it first.
bool WrittenDirectly(const std::string& path) {
  std::error_code ignored;
  return absl::StartsWith(path, "/dev/") ||
         (std::filesystem::exists(path, ignored) &&
          !std::filesystem::is_regular_file(path, ignored));
}

// Who may read a file stays as it was when another takes its place.
void KeepPermissions(const std::string& path, std::FILE* file) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0) fchmod(fileno(file), info.st_mode);
}

std::string Target(const std::string& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  return error ? path : real.string();
}

}  // namespace

OutputFile::OutputFile(std::string path, std::string written_path)
    : path_(std::move(path)), written_path_(std::move(written_path)) {}

absl::StatusOr<std::unique_ptr<OutputFile>> OutputFile::Open(
    const std::string& path) {
  std::string written = WrittenDirectly(path)
                            ? path
                            : absl::StrCat(Target(path), ".", getpid(), ".tmp");
  std::unique_ptr<OutputFile> out(new OutputFile(path, std::move(written)));
  out->file_ = std::fopen(out->written_path_.c_str(), "wb");
  if (out->file_ == nullptr) return out->Failure(errno);
  if (out->written_path_ != path) KeepPermissions(path, out->file_);
  if (absl::EndsWith(path, ".gz")) {
    out->gzip_ = std::make_unique<Gzip>();
    if (!out->gzip_->ok()) return out->Failure(ENOMEM);
  }
  return out;
}

OutputFile::~OutputFile() {
  if (file_ == nullptr) return;  // never opened, or committed
  std::fclose(file_);
  if (written_path_ != path_) std::remove(written_path_.c_str());
}

absl::Status OutputFile::Failure(int error) const {
  return absl::ErrnoToStatus(error, absl::StrCat("cannot write ", path_));
}

void OutputFile::WriteRaw(std::string_view bytes) {
  if (error_ != 0) return;
  errno = 0;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) {
    error_ = errno != 0 ? errno : EIO;
  }
}

void OutputFile::Write(std::string_view bytes) {
  if (gzip_ == nullptr) return WriteRaw(bytes);
  compressed_.clear();
  gzip_->Compress(bytes, /*last=*/false, &compressed_);
  WriteRaw(compressed_);
}

absl::Status OutputFile::Commit() {
  if (gzip_ != nullptr) {
    compressed_.clear();
    gzip_->Compress("", /*last=*/true, &compressed_);
    WriteRaw(compressed_);
  }
  if (error_ == 0 && std::fflush(file_) != 0) error_ = errno;
  if (error_ != 0) return Failure(error_);
  if (written_path_ != path_ &&
      std::rename(written_path_.c_str(), Target(path_).c_str()) != 0) {
    return Failure(errno);
  }
  // Everything was flushed, so closing has nothing left to fail on.
  std::fclose(std::exchange(file_, nullptr));
  return absl::OkStatus();
}

}  // namespace tilesim::traces
