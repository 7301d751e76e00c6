// `tilesim check` of files, several at a time, and what is shown of each.
#ifndef TILESIM_CLI_CHECK_FILES_H_
#define TILESIM_CLI_CHECK_FILES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "checkers/check.h"
#include "cli/check_sink.h"
#include "cli/verdict_cache.h"

namespace tilesim::cli {

struct CheckRequest {
  std::vector<std::string> paths;
  checkers::CheckOptions options;
  std::string launch;  // the description that files of PTX are launched by
  int jobs = 1;
  bool watched = false;           // somebody is told what is being done
  std::string format;             // of the sink, and all that decides what
                                  // it shows
  VerdictCache* cache = nullptr;  // null: every file is checked
  // Looks at what was found before it is shown, and may change it: which
  // findings are known. From any thread. Not for what the cache has.
  std::function<void(CheckedFile&)> found;
};

// What is found of one file, whoever has been told it before.
CheckedFile CheckOne(const CheckRequest& request, const std::string& path);

// A text that has been read.
CheckedFile CheckSource(const CheckRequest& request, ir::Source source);

// Each file on one of `jobs` threads. `done` is called on this thread, in the
// order of the paths, as soon as all before are there; `waiting` every now and
// then, with the number of files that are done, and what was being done last in
// one of the others, if the request is watched.
using Waiting = std::function<void(int64_t files, const std::string& doing)>;
void CheckFiles(const CheckRequest& request, const CheckSink& sink,
                const std::function<void(const FileAnswer&)>& done,
                const Waiting& waiting);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_CHECK_FILES_H_
