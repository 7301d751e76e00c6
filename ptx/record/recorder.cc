#include "ptx/record/recorder.h"

#include <cstring>

#include "fmt/format.h"

namespace tilesim::ptx::record {
namespace {

// cuda.h: CU_DEVICE_ATTRIBUTE_..., CU_FUNC_ATTRIBUTE_NUM_REGS, and the word
// after which `extra` has the parameters.
constexpr int kMultiprocessors = 16, kMajor = 75, kMinor = 76;
constexpr int kRegisters = 4;
const Handle kBufferPointer = reinterpret_cast<Handle>(1);

Dim3 Dims(const unsigned (&d)[3]) { return {d[0], d[1], d[2]}; }

RawLaunch RawOf(const LaunchParams& p) {
  RawLaunch raw;
  raw.grid = Dims(p.grid);
  raw.block = Dims(p.block);
  raw.shared = p.shared;
  return raw;
}

RawLaunch RawOf(const LaunchConfig& c) {
  RawLaunch raw;
  raw.grid = Dims(c.grid);
  raw.block = Dims(c.block);
  raw.shared = c.shared;
  for (unsigned i = 0; i < c.attribute_count; ++i) {
    const LaunchAttribute& a = c.attributes[i];
    if (a.id == kClusterAttribute) raw.cluster = Dims(a.cluster);
    if (a.id == kProgrammaticAttribute) raw.programmatic = a.programmatic != 0;
  }
  return raw;
}

// The parameters as one block of bytes, or null: they are given one by one.
const uint8_t* Packed(void** extra) {
  for (; extra != nullptr && *extra != nullptr; extra += 2)
    if (*extra == kBufferPointer) return static_cast<uint8_t*>(extra[1]);
  return nullptr;
}

}  // namespace

// Driver calls of the recorder itself are not heard.
void Recorder::Heard(Call call, const CallbackData& data) {
  thread_local bool listening = true;
  if (!listening) return;
  listening = false;
  HeardFromProgram(call, data);
  listening = true;
}

void Recorder::HeardFromProgram(Call call, const CallbackData& data) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (data.site == 0)
    Entered(call, data);
  else
    Left(call, data);
}

void Recorder::Entered(Call call, const CallbackData& data) {
  switch (call) {
    case Call::kLaunchKernel:
    case Call::kLaunchKernelPtsz:
    case Call::kLaunchCooperativeKernel:
    case Call::kLaunchCooperativeKernelPtsz: {
      const auto& p = *static_cast<const LaunchParams*>(data.params);
      const bool cooperative = call == Call::kLaunchCooperativeKernel ||
                               call == Call::kLaunchCooperativeKernelPtsz;
      Launch({p.function, p.stream, p.values, cooperative ? nullptr : p.extra},
             RawOf(p), data.correlation_id);
      return;
    }
    case Call::kLaunchKernelEx:
    case Call::kLaunchKernelExPtsz: {
      const auto& p = *static_cast<const LaunchExParams*>(data.params);
      Launch({p.function, p.config->stream, p.values, p.extra},
             RawOf(*p.config), data.correlation_id);
      return;
    }
    default:
      return;
  }
}

void Recorder::Left(Call call, const CallbackData& data) {
  const bool failed = data.result != nullptr && *data.result != 0;
  if (auto found = launching_.find(data.correlation_id);
      found != launching_.end()) {
    Finish(failed ? "the driver refused it" : "", &found->second);
    launching_.erase(found);
    return;
  }
  if (!failed) Learn(call, data.params);
}

// What later launches refer to.
void Recorder::Learn(Call call, const void* params) {
  switch (call) {
    case Call::kModuleLoadData:
    case Call::kModuleLoadDataEx:
    case Call::kModuleLoadFatBinary: {
      const auto& p = *static_cast<const LoadModuleParams*>(params);
      images_[*p.module] = ImageAt(p.image, Architecture());
      return;
    }
    case Call::kLibraryLoadData: {
      const auto& p = *static_cast<const LoadLibraryParams*>(params);
      images_[*p.library] = ImageAt(p.image, Architecture());
      return;
    }
    case Call::kLibraryGetModule: {
      const auto& p = *static_cast<const GetPartParams*>(params);
      images_[*p.part] = images_[p.whole];
      return;
    }
    case Call::kModuleGetFunction:
    case Call::kLibraryGetKernel: {
      const auto& p = *static_cast<const GetFunctionParams*>(params);
      functions_[*p.function] = {p.owner, p.name,
                                 call == Call::kLibraryGetKernel};
      return;
    }
    case Call::kKernelGetFunction: {
      const auto& p = *static_cast<const GetPartParams*>(params);
      Function function = functions_[p.whole];
      function.is_kernel = false;
      functions_[*p.part] = function;
      return;
    }
    case Call::kTensorMapEncodeTiled: {
      const auto& p = *static_cast<const EncodeTiledParams*>(params);
      MapBytes bytes;
      std::memcpy(bytes.data(), p.map, bytes.size());
      maps_[bytes] = DescribeMap(p);
      return;
    }
    default:
      return;
  }
}

void Recorder::Launch(const Launched& call, RawLaunch raw,
                      uint32_t correlation) {
  Launching launching;
  launching.number = count_++;
  launching.stream = call.stream;
  launching.raw = std::move(raw);
  const std::string why = DescribeCall(call, &launching);
  if (!why.empty()) {
    folder_.List(launching.number, launching.raw.kernel,
                 "not recorded: " + why);
    return;
  }
  int capturing = 0;
  driver_.is_capturing(call.stream, &capturing);
  launching.capturing = capturing != 0;
  ReadBuffers("before", &launching);
  launching_[correlation] = std::move(launching);
}

std::string Recorder::DescribeCall(const Launched& call, Launching* launching) {
  RawLaunch& raw = launching->raw;
  auto function = functions_.find(call.function);
  raw.kernel = "?";
  if (function == functions_.end())
    return "how the program got its handle was not seen";
  raw.kernel = function->second.name;
  auto image = images_.find(function->second.owner);
  if (image == images_.end()) return "what it was loaded from was not seen";
  if (image->second.ptx.empty()) return "no PTX: " + image->second.why;
  if (!ReadParams(function->second, call, &raw))
    return "the driver does not tell its parameters";
  std::string why;
  auto file = Describe(
      raw, maps_, [this](uint64_t address) { return AllocationOf(address); },
      &why);
  if (!file) return why;
  file->target = TargetOf(image->second.ptx);
  if (const int sms = DeviceAttribute(kMultiprocessors)) file->sms = sms;
  file->launches[0].ptx = folder_.KeepPtx(raw.kernel, image->second.ptx);
  launching->file = std::move(*file);
  return "";
}

bool Recorder::ReadParams(const Function& function, const Launched& call,
                          RawLaunch* raw) const {
  Handle handle = call.function;
  auto param =
      function.is_kernel ? driver_.kernel_param : driver_.function_param;
  if (param == nullptr) return false;
  const uint8_t* packed = Packed(call.extra);
  size_t offset = 0, size = 0;
  for (size_t i = 0; param(handle, i, &offset, &size) == 0; ++i) {
    if (packed == nullptr && call.values == nullptr) return false;
    const uint8_t* at = packed != nullptr
                            ? packed + offset
                            : static_cast<const uint8_t*>(call.values[i]);
    raw->params.emplace_back(at, at + size);
  }
  if (function.is_kernel && (driver_.kernel_function == nullptr ||
                             driver_.kernel_function(&handle, handle) != 0))
    return true;  // but for its registers
  int registers = 0;
  if (driver_.function_attribute(&registers, kRegisters, handle) == 0)
    raw->registers = registers;
  return true;
}

// A launch that is captured into a graph has not run: nothing to read.
void Recorder::ReadBuffers(const char* when, Launching* launching) {
  if (options_.keep == Keep::kNothing || launching->capturing) return;
  if (driver_.synchronize(launching->stream) != 0) return;
  const bool first = std::string_view(when) == "before";
  // Tensor maps that lie in one may lead to more.
  for (size_t i = 0; i < launching->file.buffers.size(); ++i) {
    const Buffer& known = launching->file.buffers[i];
    if (known.bytes > options_.most_bytes) continue;
    std::vector<uint8_t> bytes(known.bytes);
    if (driver_.copy_to_host(bytes.data(), *known.address, bytes.size()) != 0)
      continue;
    if (first)
      AddMapsIn(
          i, bytes, maps_,
          [this](uint64_t address) { return AllocationOf(address); },
          &launching->file);
    Buffer& b = launching->file.buffers[i];
    if (options_.keep == Keep::kWhole) {
      const std::string name =
          fmt::format("{:04}_{}.{}.npy", launching->number, b.name, when);
      folder_.Keep(name, Npy(bytes));
      if (first)
        b.start = {Start::Kind::kNpy, name, {}};
      else
        b.expect = name;
    }
    std::string sample;
    if (options_.keep == Keep::kSample)
      for (const std::string& word : SampleOf(bytes))
        sample += fmt::format("{}\"{}\"", sample.empty() ? "" : ", ", word);
    launching->values += fmt::format(
        "{}\n  {{\"buffer\": \"{}\", \"when\": \"{}\", \"bytes\": {}, "
        "\"fnv1a\": \"{}\"{}}}",
        launching->values.empty() ? "" : ",", b.name, when, b.bytes,
        HashOf(bytes),
        sample.empty() ? "" : fmt::format(", \"sample\": [{}]", sample));
  }
}

void Recorder::Finish(const std::string& refused, Launching* launching) {
  const std::string& kernel = launching->raw.kernel;
  if (!refused.empty()) {
    folder_.List(launching->number, kernel, "not recorded: " + refused);
    return;
  }
  ReadBuffers("after", launching);
  const std::string stem = Folder::Stem(launching->number, kernel);
  folder_.Keep(stem + ".json", WriteLaunch(launching->file));
  if (!launching->values.empty())
    folder_.Keep(fmt::format("{:04}_values.json", launching->number),
                 "[" + launching->values + "\n]\n");
  folder_.List(
      launching->number, kernel,
      stem + ".json" + (launching->capturing ? "\tcaptured into a graph" : ""));
}

std::optional<Allocation> Recorder::AllocationOf(uint64_t address) const {
  uint64_t base = 0;
  size_t size = 0;
  if (driver_.address_range(&base, &size, address) != 0 || size == 0)
    return std::nullopt;
  return Allocation{base, size};
}

int Recorder::DeviceAttribute(int attribute) const {
  int device = 0, value = 0;
  if (driver_.context_device(&device) != 0) device = 0;
  return driver_.device_attribute(&value, attribute, device) == 0 ? value : 0;
}

uint32_t Recorder::Architecture() const {
  return static_cast<uint32_t>(10 * DeviceAttribute(kMajor) +
                               DeviceAttribute(kMinor));
}

}  // namespace tilesim::ptx::record
