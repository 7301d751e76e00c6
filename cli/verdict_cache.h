// Answers of `tilesim check`, kept in a folder: for the same program (with
// what it includes), options, format and build of tilesim the same answer,
// without checking again.
//
//   absl::StatusOr<VerdictCache> cache = VerdictCache::Open("cache");
//   std::string key = cache->KeyOf(source, options, "json");
//   if (std::optional<FileAnswer> known = cache->Find(key)) return *known;
//   ... cache->Keep(key, answer);
//
// An entry is a file of its own, written beside and renamed, so that several
// processes may share a folder. It holds its whole key and a checksum: one that
// is cut, changed, or has the name of another key is as if it were not there.
#ifndef TILESIM_CLI_VERDICT_CACHE_H_
#define TILESIM_CLI_VERDICT_CACHE_H_

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "checkers/check.h"
#include "cli/check_sink.h"
#include "ir/diagnostic.h"

namespace tilesim::cli {

class VerdictCache {
 public:
  // Makes the folder if there is none. Why not: it cannot be made, or what
  // build of tilesim this is cannot be told.
  static absl::StatusOr<std::unique_ptr<VerdictCache>> Open(
      const std::string& folder);

  // All that an answer depends on. `source` was parsed: it has what it
  // includes.
  std::string KeyOf(const ir::Source& source,
                    const checkers::CheckOptions& options,
                    std::string_view format) const;

  // From any thread.
  std::optional<FileAnswer> Find(const std::string& key) const;
  // An answer that cannot be kept is told once, on stderr.
  void Keep(const std::string& key, const FileAnswer& answer);

 private:
  VerdictCache(std::string folder, std::string build)
      : folder_(std::move(folder)), build_(std::move(build)) {}
  std::string PathOf(const std::string& key) const;

  std::string folder_;
  std::string build_;  // of tilesim, its table of rules included
  std::mutex writing_;
  bool told_ = false;
};

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_VERDICT_CACHE_H_
