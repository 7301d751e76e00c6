// Listens to the driver calls of a program and writes down its launches.
#ifndef TILESIM_PTX_RECORD_RECORDER_H_
#define TILESIM_PTX_RECORD_RECORDER_H_

#include <map>
#include <mutex>
#include <string>

#include "ptx/record/cuda.h"
#include "ptx/record/describe.h"
#include "ptx/record/folder.h"
#include "ptx/record/image.h"
#include "ptx/record/values.h"

namespace tilesim::ptx::record {

struct RecorderOptions {
  std::string folder = "tilesim-recorded";
  Keep keep = Keep::kHash;
  uint64_t most_bytes = uint64_t{64} << 20;  // of a buffer that is read
};

class Recorder {
 public:
  Recorder(const Driver& driver, const RecorderOptions& options)
      : driver_(driver), options_(options) {}

  // False: its folder cannot be written to.
  bool Start() { return folder_.Open(options_.folder); }

  // One call of the driver, before and after it. Never fails the program.
  void Heard(Call call, const CallbackData& data);

 private:
  struct Function {
    Handle owner = nullptr;  // the module or library it is from
    std::string name;
    bool is_kernel = false;  // a CUkernel
  };
  struct Launching {
    int number = 0;
    RawLaunch raw;
    LaunchFile file;
    Handle stream = nullptr;
    std::string values;  // objects of the values file so far
    bool capturing = false;
  };

  // What a launch names, whichever call it is.
  struct Launched {
    Handle function, stream;
    void** values;  // parameters one by one, or
    void** extra;   // as one block
  };

  void HeardFromProgram(Call call, const CallbackData& data);
  void Entered(Call call, const CallbackData& data);
  void Left(Call call, const CallbackData& data);
  void Learn(Call call, const void* params);
  void Launch(const Launched& call, RawLaunch raw, uint32_t correlation);
  // Why the launch cannot be described; empty: it is.
  std::string DescribeCall(const Launched& call, Launching* launching);
  bool ReadParams(const Function& function, const Launched& call,
                  RawLaunch* raw) const;
  void ReadBuffers(const char* when, Launching* launching);
  void Finish(const std::string& refused, Launching* launching);
  std::optional<Allocation> AllocationOf(uint64_t address) const;
  uint32_t Architecture() const;
  int DeviceAttribute(int attribute) const;

  const Driver driver_;
  const RecorderOptions options_;
  Folder folder_;
  std::mutex mutex_;
  std::map<Handle, Image> images_;        // by module or library
  std::map<Handle, Function> functions_;  // by CUfunction or CUkernel
  std::map<MapBytes, EncodedMap> maps_;
  std::map<uint32_t, Launching> launching_;  // by correlation
  int count_ = 0;
};

}  // namespace tilesim::ptx::record

#endif  // TILESIM_PTX_RECORD_RECORDER_H_
