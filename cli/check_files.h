// `tilesim check` of files, several at a time, and what is shown of each.
#ifndef TILESIM_CLI_CHECK_FILES_H_
#define TILESIM_CLI_CHECK_FILES_H_

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
  std::string format;             // of the sink
  VerdictCache* cache = nullptr;  // null: every file is checked
};

// What is found of one file, whoever has been told it before.
CheckedFile CheckOne(const CheckRequest& request, const std::string& path);

// Each file on one of `jobs` threads. `done` is called on this thread, in the
// order of the paths, as soon as all before are there.
void CheckFiles(const CheckRequest& request, const CheckSink& sink,
                const std::function<void(const FileAnswer&)>& done);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_CHECK_FILES_H_
