#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "fmt/format.h"
#include "ptx/launch/launch.h"
#include "ptx/launch/reader.h"

namespace tilesim::ptx {
namespace {

using nlohmann::json;

constexpr std::string_view kDtypes[] = {
    "u8",   "s8",   "u16",  "s16",  "u32",   "s32",  "u64",
    "s64",  "f16",  "bf16", "f32",  "f64",   "tf32", "e4m3",
    "e5m2", "e2m3", "e3m2", "e2m1", "ue8m0", "ue4m3"};
constexpr std::string_view kMapDtypes[] = {
    "u8",       "u16",   "u32",       "s32",      "u64",  "s64",
    "f16",      "f32",   "f64",       "f32.ftz",  "bf16", "tf32",
    "tf32.ftz", "b4x16", "b4x16_p64", "b6x16_p32"};
constexpr std::string_view kSwizzles[] = {
    "none",         "32B",           "64B",
    "128B",         "128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B",
    "128B_ATOM_64B"};
constexpr std::string_view kInterleaves[] = {"none", "16B", "32B"};
constexpr std::string_view kOobs[] = {"zero", "nan"};

constexpr Field kFile[] = {
    {"schema", "1", true},
    {"target", "the architecture, such as \"sm_90a\"", true},
    {"sms", "the SMs of the GPU"},
    {"buffers", "a list of buffers"},
    {"tensormaps", "a list of tensor maps"},
    {"launches", "a list of launches", true},
    {"computes", "what the launches compute, as text"}};
constexpr Field kBuffer[] = {
    {"name", "a name, by which parameters have it", true},
    {"address", "its address, such as \"0x7f0a00000000\""},
    {"bytes", "its size in bytes", true},
    {"dtype", "the type of its elements"},
    {"shape", "its dimensions in elements, outermost first"},
    {"start", "\"zero\", \"seeded\", \"undefined\" or {\"npy\": FILE}"},
    {"domain", "[least, greatest] of its values"},
    {"distinct", "true: no two of its values are the same"},
    {"at", "an object from offsets to tensor maps that the host has put there"},
    {"expect", "{\"npy\": FILE}"}};
constexpr Field kMap[] = {
    {"buffer", "the name of a buffer", true},
    {"offset", "bytes from the start of the buffer"},
    {"dtype", "the type of its elements", true},
    {"dims", "1 to 5 sizes in elements, innermost first", true},
    {"strides", "bytes between elements of each dimension but the first", true},
    {"box", "as many sizes as dims", true},
    {"element_strides", "as many steps as dims"},
    {"swizzle",
     "none, 32B, 64B, 128B or 128B with longer atoms (128B_ATOM_32B)"},
    {"interleave", "none, 16B or 32B"},
    {"oob", "zero or nan"},
    {"bytes", "the 128 encoded bytes in hexadecimal"}};
constexpr Field kLaunch[] = {
    {"kernel", "the name of an .entry", true},
    {"ptx", "the file that has the kernel"},
    {"grid", "the CTAs of the grid, [x, y, z]", true},
    {"block", "the threads of a CTA, [x, y, z]"},
    {"cluster", "the CTAs of a cluster, [x, y, z]"},
    {"dynamic_shared", "bytes of dynamic shared memory"},
    {"registers", "registers a thread"},
    {"programmatic", "true or false"},
    {"params", "a list of parameters", true}};

class LaunchReader : FieldReader {
 public:
  using FieldReader::FieldReader;
  LaunchFile Read(const json& j);

 private:
  Buffer BufferOf(const json& j, const std::string& path);
  void StartOf(const json& j, const std::string& path, Start* out);
  bool Npy(const json& j, const std::string& path, std::string* out);
  void DomainOf(const json& j, const std::string& path, Buffer* out);
  TensorMap MapOf(const json& j, const std::string& path);
  Launch LaunchOf(const json& j, const std::string& path);
  void Dim3Of(const json& j, const std::string& path, const char* name,
              std::optional<Dim3>* out);
  Param ParamOf(const json& j, const std::string& path);
  void ScalarOf(const json& value, const std::string& path, Param* out);
  void IntegerOf(const json& value, const std::string& path, Param* out);
  void PlacesOf(const json& j, const std::string& path, Param* out);
  void MapsOf(const json& j, const std::string& path, Buffer* out);
  Reference ReferenceOf(const json& j, const std::string& path);
  size_t BufferIndex(const json& j, const std::string& path);

  LaunchFile file_;
};

LaunchFile LaunchReader::Read(const json& j) {
  if (!Object(j, "", "a launch description", kFile)) return file_;
  uint64_t schema = 1;
  Unsigned(j, "", "schema", &schema);
  if (schema != 1) Error("schema", fmt::format("expected 1, found {}", schema));
  Text(j, "", "target", &file_.target);
  Unsigned(j, "", "sms", &file_.sms);
  const json& buffers = List(j, "", "buffers");
  for (size_t i = 0; i < buffers.size(); ++i) {
    std::string path = fmt::format("buffers[{}]", i);
    Buffer buffer = BufferOf(buffers[i], path);
    for (const Buffer& other : file_.buffers) {
      if (other.name == buffer.name && !buffer.name.empty())
        Error(path + ".name",
              fmt::format("`{}` is the name of another buffer", buffer.name));
    }
    file_.buffers.push_back(std::move(buffer));
  }
  const json& maps = List(j, "", "tensormaps");
  for (size_t i = 0; i < maps.size(); ++i)
    file_.tensormaps.push_back(
        MapOf(maps[i], fmt::format("tensormaps[{}]", i)));
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (const json* at = At(buffers[i], "at"))
      MapsOf(*at, fmt::format("buffers[{}].at", i), &file_.buffers[i]);
  }
  const json& launches = List(j, "", "launches");
  for (size_t i = 0; i < launches.size(); ++i)
    file_.launches.push_back(
        LaunchOf(launches[i], fmt::format("launches[{}]", i)));
  if (const json* given = At(j, "launches"); given && *given == json::array())
    Error("launches", "expected one launch or more");
  Text(j, "", "computes", &file_.computes);
  return file_;
}

Buffer LaunchReader::BufferOf(const json& j, const std::string& path) {
  Buffer out;
  if (!Object(j, path, "a buffer", kBuffer)) return out;
  Text(j, path, "name", &out.name);
  Unsigned(j, path, "address", &out.address);
  Unsigned(j, path, "bytes", &out.bytes);
  Word(j, path, "dtype", kDtypes, &out.dtype);
  Integers(j, path, "shape", "a size in elements", &out.shape);
  if (const json* start = At(j, "start"))
    StartOf(*start, path + ".start", &out.start);
  DomainOf(j, path, &out);
  if (const json* expect = At(j, "expect")) {
    if (!Npy(*expect, path + ".expect", &out.expect))
      Expected(path + ".expect", "{\"npy\": FILE}", *expect);
  }
  return out;
}

void LaunchReader::StartOf(const json& j, const std::string& path, Start* out) {
  if (j == "zero") {
    out->kind = Start::Kind::kZero;
  } else if (j == "seeded") {
    out->kind = Start::Kind::kSeeded;
  } else if (j == "undefined") {
    out->kind = Start::Kind::kUndefined;
  } else if (j == "external") {
    out->kind = Start::Kind::kExternal;
  } else if (Npy(j, path, &out->npy)) {
    out->kind = Start::Kind::kNpy;
  } else {
    Expected(path,
             "\"zero\", \"seeded\", \"undefined\", \"external\" or "
             "{\"npy\": FILE}",
             j);
  }
}

bool LaunchReader::Npy(const json& j, const std::string& path,
                       std::string* out) {
  static constexpr Field kNpy[] = {{"npy", "a .npy file", true}};
  if (!j.is_object()) return false;
  Object(j, path, "a file", kNpy);
  Text(j, path, "npy", out);
  return true;
}

void LaunchReader::DomainOf(const json& j, const std::string& path,
                            Buffer* out) {
  if (!At(j, "domain")) {
    if (At(j, "distinct"))
      Error(path + ".distinct", "expected a domain of the elements as well");
    return;
  }
  std::vector<int64_t> ends;
  Integers(j, path, "domain", "an integer", &ends);
  if (ends.size() != 2 || ends[0] > ends[1])
    return Error(path + ".domain", "expected [least, greatest]");
  out->domain = {ends[0], ends[1]};
  Bool(j, path, "distinct", &out->distinct);
  if (!out->distinct) return;
  const uint64_t each = ScalarBytes(out->dtype);
  if (each == 0)
    return Error(path + ".distinct",
                 "expected a dtype of the elements as well");
  const auto last = static_cast<uint64_t>(ends[1] - ends[0]);
  if (out->bytes / each > 0 && out->bytes / each - 1 > last)
    Error(path + ".distinct",
          fmt::format("{} elements of a domain of {} numbers cannot all differ",
                      out->bytes / each, last + 1));
}

TensorMap LaunchReader::MapOf(const json& j, const std::string& path) {
  TensorMap out;
  if (!Object(j, path, "a tensor map", kMap)) return out;
  if (const json* buffer = At(j, "buffer"))
    out.buffer = BufferIndex(*buffer, path + ".buffer");
  Unsigned(j, path, "offset", &out.offset);
  Word(j, path, "dtype", kMapDtypes, &out.dtype);
  Integers(j, path, "dims", "a size in elements", &out.dims);
  Integers(j, path, "strides", "a stride in bytes", &out.strides);
  Integers(j, path, "box", "a size in elements", &out.box);
  Integers(j, path, "element_strides", "a step in elements",
           &out.element_strides);
  Word(j, path, "swizzle", kSwizzles, &out.swizzle);
  Word(j, path, "interleave", kInterleaves, &out.interleave);
  Word(j, path, "oob", kOobs, &out.oob);
  Hex(j, path, "bytes", &out.bytes);
  size_t rank = out.dims.size();
  auto count = [&](const char* name, size_t has, size_t wants) {
    if (At(j, name) && has != wants)
      Error(fmt::format("{}.{}", path, name),
            fmt::format("expected {} numbers for {} dims, found {}", wants,
                        rank, has));
  };
  if (At(j, "dims") && (rank < 1 || rank > 5)) {
    Error(path + ".dims", fmt::format("expected 1 to 5 sizes, found {}", rank));
    return out;
  }
  if (!At(j, "dims")) return out;
  count("strides", out.strides.size(), rank - 1);
  count("box", out.box.size(), rank);
  count("element_strides", out.element_strides.size(), rank);
  if (!out.bytes.empty() && out.bytes.size() != kTensorMapBytes)
    Error(path + ".bytes", fmt::format("expected {} bytes, found {}",
                                       kTensorMapBytes, out.bytes.size()));
  return out;
}

Launch LaunchReader::LaunchOf(const json& j, const std::string& path) {
  Launch out;
  if (!Object(j, path, "a launch", kLaunch)) return out;
  Text(j, path, "kernel", &out.kernel);
  Text(j, path, "ptx", &out.ptx);
  std::optional<Dim3> grid;
  Dim3Of(j, path, "grid", &grid);
  if (grid) out.grid = *grid;
  Dim3Of(j, path, "block", &out.block);
  Dim3Of(j, path, "cluster", &out.cluster);
  Unsigned(j, path, "dynamic_shared", &out.dynamic_shared);
  Unsigned(j, path, "registers", &out.registers);
  Bool(j, path, "programmatic", &out.programmatic);
  const json& params = List(j, path, "params");
  for (size_t i = 0; i < params.size(); ++i)
    out.params.push_back(
        ParamOf(params[i], fmt::format("{}.params[{}]", path, i)));
  return out;
}

void LaunchReader::Dim3Of(const json& j, const std::string& path,
                          const char* name, std::optional<Dim3>* out) {
  if (!At(j, name)) return;
  std::vector<int64_t> list;
  Integers(j, path, name, "an integer", &list);
  if (list.size() != 3)
    return Error(
        fmt::format("{}.{}", path, name),
        fmt::format("expected [x, y, z], found {} numbers", list.size()));
  *out = Dim3{list[0], list[1], list[2]};
}

Param LaunchReader::ParamOf(const json& j, const std::string& path) {
  Param out;
  static constexpr std::string_view kWhat =
      "a parameter: {\"buffer\": NAME}, {\"tensormap\": INDEX}, {\"u32\": 1} "
      "or another scalar, or {\"struct\": HEX, \"at\": {OFFSET: ...}}";
  if (!j.is_object()) return Expected(path, kWhat, j), out;
  int kinds = 0;
  bool gap = false;
  for (const auto& [key, value] : j.items()) {
    bool scalar = ScalarBytes(key) != 0;
    if (scalar || key == "buffer" || key == "tensormap" || key == "struct") {
      ++kinds;
    } else if (key != "name" && key != "offset" && key != "at") {
      Error(path + "." + key, fmt::format("no field of {}", kWhat));
      continue;
    }
    if (value.is_null()) {
      Error(path + "." + key, "a gap: give the value");
      gap = true;
    } else if (scalar) {
      out.type = key;
      ScalarOf(value, path + "." + key, &out);
    }
  }
  Text(j, path, "name", &out.name);
  if (kinds != 1) return Error(path, fmt::format("expected {}", kWhat)), out;
  if (gap) return out;
  if (j.contains("struct")) {
    out.kind = Param::Kind::kStruct;
    Hex(j, path, "struct", &out.bytes);
    if (const json* at = At(j, "at")) PlacesOf(*at, path + ".at", &out);
  } else if (j.contains("at")) {
    Error(path + ".at", "only a struct has places");
  }
  if (out.type.empty() && out.kind != Param::Kind::kStruct) {
    out.kind = Param::Kind::kReference;
    out.reference = ReferenceOf(j, path);
  } else if (j.contains("offset")) {
    Error(path + ".offset", "only a buffer has an offset");
  }
  return out;
}

void LaunchReader::ScalarOf(const json& value, const std::string& path,
                            Param* out) {
  if (out->type[0] != 'f') return IntegerOf(value, path, out);
  if (!value.is_number())
    return Expected(path,
                    fmt::format("a number (its bits go as {{\"b{}\": ...}})",
                                8 * ScalarBytes(out->type)),
                    value);
  double number = value.get<double>();
  if (out->type == "f64") {
    out->bits = std::bit_cast<uint64_t>(number);
  } else if (std::abs(number) > std::numeric_limits<float>::max()) {
    Expected(path, "a number that f32 holds", value);
  } else {
    out->bits = std::bit_cast<uint32_t>(static_cast<float>(number));
  }
}

void LaunchReader::IntegerOf(const json& value, const std::string& path,
                             Param* out) {
  int bits = 8 * ScalarBytes(out->type);
  bool is_signed = out->type[0] == 's';
  uint64_t greatest = ~uint64_t{0} >> (64 - bits + (is_signed ? 1 : 0));
  std::optional<uint64_t> magnitude = AsUnsigned(value);
  std::optional<int64_t> number = AsSigned(value);
  int64_t least = is_signed ? -static_cast<int64_t>(greatest) - 1 : 0;
  if (magnitude ? *magnitude <= greatest : number && *number >= least) {
    uint64_t all = magnitude ? *magnitude : static_cast<uint64_t>(*number);
    out->bits = all & (~uint64_t{0} >> (64 - bits));
  } else {
    Expected(path, fmt::format("an integer of {} to {}", least, greatest),
             value);
  }
}

void LaunchReader::PlacesOf(const json& j, const std::string& path,
                            Param* out) {
  if (!j.is_object())
    return Expected(path, "an object from offsets to what lies there", j);
  static constexpr Field kPlace[] = {
      {"buffer", "the name of a buffer"},
      {"offset", "bytes from the start of the buffer"},
      {"tensormap", "the index of a tensor map"}};
  for (const auto& [key, value] : j.items()) {
    std::string at = fmt::format("{}[\"{}\"]", path, key);
    std::optional<uint64_t> offset = AsUnsigned(json(key));
    if (!offset) {
      Error(at, "expected an offset in bytes as the key");
    } else if (Object(value, at, "a place", kPlace)) {
      Reference reference = ReferenceOf(value, at);
      out->places.emplace_back(*offset, reference);
      uint64_t size = reference.is_tensormap ? kTensorMapBytes : kPointerBytes;
      if (*offset > out->bytes.size() || out->bytes.size() - *offset < size)
        Error(at, fmt::format("{} bytes do not fit the struct's {}", size,
                              out->bytes.size()));
    }
  }
  std::sort(out->places.begin(), out->places.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
}

void LaunchReader::MapsOf(const json& j, const std::string& path, Buffer* out) {
  constexpr uint64_t kAlignment = 64;
  static constexpr Field kPlace[] = {
      {"tensormap", "the index of a tensor map", true}};
  if (!j.is_object())
    return Expected(path, "an object from offsets to tensor maps", j);
  for (const auto& [key, value] : j.items()) {
    const std::string at = fmt::format("{}[\"{}\"]", path, key);
    const std::optional<uint64_t> offset = AsUnsigned(json(key));
    if (!offset || *offset % kAlignment != 0) {
      Error(at, "expected an offset in bytes as the key, a multiple of 64");
    } else if (Object(value, at, "a tensor map at a place", kPlace)) {
      out->maps.emplace_back(*offset, ReferenceOf(value, at).index);
      if (*offset > out->bytes || out->bytes - *offset < kTensorMapBytes)
        Error(at, fmt::format("{} bytes do not fit the buffer's {}",
                              kTensorMapBytes, out->bytes));
    }
  }
  std::sort(out->maps.begin(), out->maps.end());
}

Reference LaunchReader::ReferenceOf(const json& j, const std::string& path) {
  Reference out;
  const json* buffer = At(j, "buffer");
  const json* map = At(j, "tensormap");
  out.is_tensormap = map != nullptr;
  if (!buffer == !map) {
    if (!j.contains("buffer") && !j.contains("tensormap"))
      Error(path, "expected `buffer` or `tensormap`");
    else if (buffer)
      Error(path, "expected `buffer` or `tensormap`, found both");
    return out;
  }
  if (buffer) {
    out.index = BufferIndex(*buffer, path + ".buffer");
    Unsigned(j, path, "offset", &out.offset);
    return out;
  }
  if (j.contains("offset"))
    Error(path + ".offset", "only a buffer has an offset");
  uint64_t index = 0;
  Unsigned(j, path, "tensormap", &index);
  if (index >= file_.tensormaps.size())
    Error(path + ".tensormap",
          fmt::format("there is no tensor map {}; the description has {}",
                      index, file_.tensormaps.size()));
  out.index = index;
  return out;
}

size_t LaunchReader::BufferIndex(const json& j, const std::string& path) {
  if (!j.is_string()) return Expected(path, "the name of a buffer", j), 0;
  const std::string& name = j.get_ref<const std::string&>();
  for (size_t i = 0; i < file_.buffers.size(); ++i) {
    if (file_.buffers[i].name == name) return i;
  }
  std::string names;
  for (const Buffer& b : file_.buffers)
    names += (names.empty() ? "" : ", ") + b.name;
  Error(path, fmt::format("there is no buffer `{}`; the description has {}",
                          name, names.empty() ? "none" : names));
  return 0;
}

}  // namespace

uint64_t ScalarBytes(std::string_view type) {
  if (type == "f32") return 4;
  if (type == "f64") return 8;
  if (type.size() < 2 ||
      std::string_view("usb").find(type[0]) == std::string_view::npos)
    return 0;
  std::string_view bits = type.substr(1);
  return bits == "8"    ? 1
         : bits == "16" ? 2
         : bits == "32" ? 4
         : bits == "64" ? 8
                        : 0;
}

uint64_t Param::size() const {
  if (kind == Kind::kScalar) return ScalarBytes(type);
  if (kind == Kind::kStruct) return bytes.size();
  return reference.is_tensormap ? kTensorMapBytes : kPointerBytes;
}

bool IsBufferType(std::string_view word) {
  return std::find(std::begin(kDtypes), std::end(kDtypes), word) !=
         std::end(kDtypes);
}

std::optional<LaunchFile> ReadLaunch(std::string_view text,
                                     std::vector<LaunchError>& errors) {
  size_t before = errors.size();
  json j;
  try {
    j = json::parse(text);
  } catch (const json::exception& e) {  // of syntax, or a number too large
    std::string_view what = e.what();
    size_t end = what.find("] ");
    errors.push_back({"", fmt::format("not JSON: {}", what.substr(end + 2))});
    return std::nullopt;
  }
  LaunchFile file = LaunchReader(errors).Read(j);
  if (errors.size() != before) return std::nullopt;
  return file;
}

}  // namespace tilesim::ptx
