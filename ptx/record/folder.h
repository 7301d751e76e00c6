// Where recordings are written: a file for each launch, each PTX once, and a
// list of all launches.
//
//   launches.txt          number, kernel, file or why there is none; by tabs
//   0007_mm.json          the launch description
//   mm-1f2e3d4c.ptx       the PTX
//   0007_values.json      hashes or samples of its buffers
//   0007_b0.before.npy    or all bytes
#ifndef TILESIM_PTX_RECORD_FOLDER_H_
#define TILESIM_PTX_RECORD_FOLDER_H_

#include <map>
#include <string>

#include "ptx/launch/launch.h"

namespace tilesim::ptx::record {

class Folder {
 public:
  // Makes it. False: it cannot be written to.
  bool Open(const std::string& path);

  // "0007_mm" of launch 7.
  static std::string Stem(int number, const std::string& kernel);

  // The name of the file that has this PTX; written once.
  std::string KeepPtx(const std::string& kernel, const std::string& ptx);

  void Keep(const std::string& name, const std::string& bytes);
  void List(int number, const std::string& kernel, const std::string& said);

 private:
  std::string path_;
  std::map<std::string, std::string> ptx_;  // by hash, its file
};

// "sm_90a" of `.target sm_90a`; empty: there is none.
std::string TargetOf(const std::string& ptx);

}  // namespace tilesim::ptx::record

#endif  // TILESIM_PTX_RECORD_FOLDER_H_
