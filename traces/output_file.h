// A file that is either there complete or not there at all.
//
//   auto file = OutputFile::Open("run.json.gz");   // ".gz": compressed
//   if (!file.ok()) return file.status();
//   (*file)->Write("{...}");
//   return (*file)->Commit();                      // now it has its name
//
// Bytes go to PATH.<pid>.tmp beside it, which Commit renames and the
// destructor removes, so a failed run neither leaves half a file nor destroys
// the one that was there. What is not a plain file (/dev/null, a pipe) is
// written directly.
//
// Compressed output depends on the bytes alone: no time, name or host in the
// gzip header.

#ifndef TILESIM_TRACES_OUTPUT_FILE_H_
#define TILESIM_TRACES_OUTPUT_FILE_H_

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tilesim::traces {

class Gzip;

class OutputFile {
 public:
  // The error names `path`.
  static absl::StatusOr<std::unique_ptr<OutputFile>> Open(
      const std::string& path);

  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // A failed write shows in Commit; what follows it is ignored.
  void Write(std::string_view bytes);

  // Ends the file and gives it its name. Call once, last.
  absl::Status Commit();

 private:
  OutputFile(std::string path, std::string written_path);

  void WriteRaw(std::string_view bytes);
  absl::Status Failure(int error) const;

  std::string path_;          // as the user named it
  std::string written_path_;  // the temporary; path_ if written directly
  std::FILE* file_ = nullptr;
  std::unique_ptr<Gzip> gzip_;  // null: written as it is
  std::string compressed_;      // scratch
  int error_ = 0;               // errno of the first failed write
};

}  // namespace tilesim::traces

#endif  // TILESIM_TRACES_OUTPUT_FILE_H_
