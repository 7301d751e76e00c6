// Files that a command writes: whole, or not at all, and never over what it
// reads.
#ifndef TILESIM_CLI_OUTPUT_H_
#define TILESIM_CLI_OUTPUT_H_

#include <string>
#include <string_view>
#include <vector>

namespace tilesim::cli {

// False, said on stderr: it could not be written, and what was there stays.
bool WriteFile(const std::string& path, std::string_view bytes);

// By device and inode. A terminal or a pipe may be read and written.
bool SameFile(const std::string& a, const std::string& b);

// A file that an option names.
struct NamedFile {
  std::string option;  // "--trace"
  std::string path;    // empty: it was not given
};

// `--out NAME=file`: the options' text, as files. One without `=` has none.
std::vector<NamedFile> FilesOf(const std::string& option,
                               const std::vector<std::string>& texts);

// Asked before anything is done. False, said on stderr: one of the outputs is,
// under whichever name, an input.
bool SparesInputs(const std::vector<NamedFile>& outputs,
                  const std::vector<NamedFile>& inputs);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_OUTPUT_H_
