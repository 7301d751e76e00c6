#include "ir/values/npy.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "ir/values/check.h"
#include "ir/values/read_file.h"

namespace tilesim::values {
namespace {

constexpr absl::string_view kMagic("\x93NUMPY", 6);
constexpr size_t kAlign = 64;  // of the data, as numpy writes it
constexpr int64_t kMaxHeader = 1 << 20;
constexpr int64_t kMaxFileBytes = int64_t{1} << 40;

struct Header {
  std::string descr;
  bool fortran = false;
  std::vector<int64_t> shape;  // as in the file: e2m1 halved
  absl::string_view data;
};

// "(2, 3)" and, as Python has it, "(2,)" and "()".
std::string ShapeText(std::span<const int64_t> shape) {
  const absl::string_view comma = shape.size() == 1 ? "," : "";
  return absl::StrCat("(", absl::StrJoin(shape, ", "), comma, ")");
}

// Reads the Python dictionary in the header, which numpy writes with
// ast.literal_eval's subset: three keys in any order.
class HeaderReader {
 public:
  HeaderReader(absl::string_view text, absl::string_view name)
      : text_(text), name_(name) {}

  absl::StatusOr<Header> Read() {
    Header header;
    if (!Take("{")) return Junk("expected '{'");
    while (!Take("}")) {
      absl::Status status = ReadEntry(header);
      if (!status.ok()) return status;
      if (!Take(",") && !Peek("}")) return Junk("expected ',' or '}'");
    }
    if (seen_ != 7) return Junk("descr, fortran_order or shape is missing");
    SkipSpace();
    if (!text_.empty()) return Junk("text after '}'");
    return header;
  }

 private:
  absl::Status ReadEntry(Header& header) {
    std::string key;
    if (!TakeString(&key) || !Take(":")) return Junk("expected a key and ':'");
    if (key == "descr") {
      seen_ |= 1;
      return TakeString(&header.descr) ? absl::OkStatus()
                                       : Junk("descr is not a plain type");
    }
    if (key == "fortran_order") {
      seen_ |= 2;
      header.fortran = Take("True");
      return header.fortran || Take("False")
                 ? absl::OkStatus()
                 : Junk("fortran_order is neither True nor False");
    }
    if (key == "shape") {
      seen_ |= 4;
      return ReadShape(header.shape);
    }
    return Junk(absl::StrCat("unexpected key '", key, "'"));
  }

  absl::Status ReadShape(std::vector<int64_t>& shape) {
    shape.clear();
    if (!Take("(")) return Junk("shape is not a tuple");
    while (!Take(")")) {
      int64_t extent;
      if (!TakeNumber(&extent)) return Junk("shape has an odd extent");
      shape.push_back(extent);
      if (!Take(",") && !Peek(")")) return Junk("expected ',' or ')'");
    }
    return absl::OkStatus();
  }

  void SkipSpace() { text_ = absl::StripLeadingAsciiWhitespace(text_); }

  bool Peek(absl::string_view token) {
    SkipSpace();
    return absl::ConsumePrefix(&text_, token) && (Unread(token), true);
  }

  void Unread(absl::string_view token) {
    text_ = absl::string_view(text_.data() - token.size(),
                              text_.size() + token.size());
  }

  bool Take(absl::string_view token) {
    SkipSpace();
    return absl::ConsumePrefix(&text_, token);
  }

  bool TakeString(std::string* out) {
    SkipSpace();
    if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) return false;
    const size_t end = text_.find(text_[0], 1);
    if (end == absl::string_view::npos) return false;
    *out = std::string(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return true;
  }

  bool TakeNumber(int64_t* out) {
    SkipSpace();
    size_t digits = 0;
    while (digits < text_.size() && absl::ascii_isdigit(text_[digits])) {
      ++digits;
    }
    if (!absl::SimpleAtoi(text_.substr(0, digits), out)) return false;
    text_.remove_prefix(digits);
    return true;
  }

  absl::Status Junk(absl::string_view what) const {
    return absl::DataLossError(
        absl::StrCat(name_, ": unreadable NPY header: ", what));
  }

  absl::string_view text_;
  absl::string_view name_;
  int seen_ = 0;  // descr 1, fortran_order 2, shape 4
};

absl::Status Truncated(absl::string_view name, absl::string_view what) {
  return absl::DataLossError(
      absl::StrCat(name, ": NPY file ends inside its ", what));
}

size_t LittleEndian(absl::string_view bytes) {
  size_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) {
    value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

absl::StatusOr<Header> ReadHeader(absl::string_view bytes,
                                  absl::string_view name) {
  if (bytes.substr(0, kMagic.size()) != kMagic) {
    return absl::DataLossError(
        absl::StrCat(name, ": not an NPY file (no \\x93NUMPY at its start)"));
  }
  if (bytes.size() < 8) return Truncated(name, "preamble");
  const int major = static_cast<unsigned char>(bytes[6]);
  if (major != 1 && major != 2) {
    return absl::UnimplementedError(absl::StrCat(name, ": NPY version ", major,
                                                 ", expected version 1 or 2"));
  }
  const size_t length_bytes = major == 1 ? 2 : 4;
  const size_t start = 8 + length_bytes;
  if (bytes.size() < start) return Truncated(name, "preamble");
  const size_t length = LittleEndian(bytes.substr(8, length_bytes));
  if (bytes.size() - start < length) return Truncated(name, "header");
  absl::StatusOr<Header> header =
      HeaderReader(bytes.substr(start, length), name).Read();
  if (header.ok()) header->data = bytes.substr(start + length);
  return header;
}

absl::Status CheckDescr(const Header& header, DType type,
                        absl::string_view name) {
  const absl::string_view want = NpyDescr(type);
  std::string found = header.descr;
  if (!found.empty() && found[0] == '=') found[0] = '<';
  // One-byte types carry any byte order.
  if (want[0] == '|' && found.size() == 3) found[0] = '|';
  if (found == want) return absl::OkStatus();
  const std::string what =
      absl::StrCat(name, ": dtype is '", header.descr, "', expected '", want,
                   "' for ", std::string(NameOf(type)));
  if (!found.empty() && found[0] == '>' && found.substr(1) == want.substr(1)) {
    return absl::UnimplementedError(absl::StrCat(what, " (big-endian)"));
  }
  return absl::InvalidArgumentError(what);
}

// Bytes of the array, or an error if that does not fit 63 bits. An extent of
// zero does not excuse the others.
absl::StatusOr<int64_t> DataBytes(const Header& header, DType type,
                                  absl::string_view name) {
  int64_t bytes = WordBytes(type);
  bool empty = false;
  for (const int64_t extent : header.shape) {
    empty = empty || extent == 0;
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(extent, 1), &bytes)) {
      return absl::DataLossError(absl::StrCat(name, ": shape ",
                                              ShapeText(header.shape),
                                              " overflows a 64-bit size"));
    }
  }
  return empty ? 0 : bytes;
}

absl::Status CheckLength(const Header& header, int64_t want,
                         absl::string_view name) {
  const auto found = static_cast<int64_t>(header.data.size());
  if (found == want) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat(name, ": shape ", ShapeText(header.shape), " needs ", want,
                   " bytes of data, the file has ", found,
                   found < want ? " (truncated)" : " (bytes left over)"));
}

// What a file of this shape can have, with the longest header.
int64_t MostBytes(DType type, std::span<const int64_t> shape) {
  int64_t bytes = WordBytes(type);
  for (const int64_t extent : shape) {
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(extent, 1), &bytes))
      return kMaxFileBytes;
  }
  return std::min(bytes, kMaxFileBytes - kMaxHeader) + kMaxHeader;
}

bool IsPacked(DType type) { return BitsOf(type) < 8; }

}  // namespace

absl::string_view NpyDescr(DType type) {
  const DTypeInfo& info = Info(type);
  const bool raw = info.is_float() && (info.bits <= 8 || type == DType::kBF16);
  if (info.bits <= 8) return raw || !info.is_signed() ? "|u1" : "|i1";
  if (info.bits == 16) return raw ? "<u2" : "<f2";
  if (info.is_float()) return "<f4";
  if (info.bits == 32) return info.is_signed() ? "<i4" : "<u4";
  return info.is_signed() ? "<i8" : "<u8";
}

absl::StatusOr<Tensor> ParseNpy(absl::string_view bytes, DType type,
                                absl::string_view name) {
  absl::StatusOr<Header> header = ReadHeader(bytes, name);
  if (!header.ok()) return header.status();
  absl::Status status = CheckDescr(*header, type, name);
  if (!status.ok()) return status;
  if (header->fortran && header->shape.size() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": Fortran order, expected C order"));
  }
  absl::StatusOr<int64_t> size = DataBytes(*header, type, name);
  if (!size.ok()) return size.status();
  status = CheckLength(*header, *size, name);
  if (!status.ok()) return status;
  Tensor tensor{type, std::move(header->shape), {}};
  if (IsPacked(type)) {
    if (tensor.shape.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": shape (), packed e2m1 needs an extent"));
    }
    if (__builtin_mul_overflow(tensor.shape.back(), int64_t{2},
                               &tensor.shape.back())) {
      return absl::DataLossError(
          absl::StrCat(name, ": last extent overflows when unpacked"));
    }
  }
  tensor.data.assign(header->data.begin(), header->data.end());
  return tensor;
}

absl::StatusOr<Tensor> ReadNpy(const std::string& path, DType type) {
  absl::StatusOr<std::string> bytes = ReadFile(path, kMaxFileBytes);
  return bytes.ok() ? ParseNpy(*bytes, type, path) : bytes.status();
}

absl::StatusOr<Tensor> ReadNpy(const std::string& path, DType type,
                               std::span<const int64_t> shape) {
  // A file that is far too long is not read to its end.
  absl::StatusOr<std::string> bytes =
      ReadFile(path, std::min(kMaxFileBytes, MostBytes(type, shape)));
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<Tensor> tensor = ParseNpy(*bytes, type, path);
  if (!tensor.ok()) return tensor;
  if (std::equal(shape.begin(), shape.end(), tensor->shape.begin(),
                 tensor->shape.end())) {
    return tensor;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": shape is ", ShapeText(tensor->shape), ", expected ",
      ShapeText(shape), IsPacked(type) ? " (two elements a byte)" : ""));
}

std::string FormatNpy(const Tensor& tensor) {
  std::vector<int64_t> shape = tensor.shape;
  if (IsPacked(tensor.type)) {
    Check(!shape.empty() && shape.back() % 2 == 0,
          "npy: packed e2m1 needs an even last extent");
    shape.back() /= 2;
  }
  Check(static_cast<int64_t>(tensor.data.size()) ==
            BytesOf(tensor.type, tensor.elements()),
        "npy: data does not match the shape");
  std::string dict = absl::StrCat(
      "{'descr': '", NpyDescr(tensor.type),
      "', 'fortran_order': False, 'shape': ", ShapeText(shape), ", }");
  const size_t preamble = kMagic.size() + 4;
  const size_t padding = kAlign - (preamble + dict.size() + 1) % kAlign;
  dict.append(padding % kAlign, ' ').push_back('\n');
  Check(dict.size() <= 0xffff, "npy: too many extents");
  std::string out(kMagic);
  out += {'\x01', '\x00', static_cast<char>(dict.size() & 0xff),
          static_cast<char>(dict.size() >> 8)};
  out += dict;
  out.append(reinterpret_cast<const char*>(tensor.data.data()),
             tensor.data.size());
  return out;
}

absl::Status WriteNpy(const std::string& path, const Tensor& tensor) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (!file) {
    return absl::NotFoundError(absl::StrCat(path, ": cannot open for writing"));
  }
  file << FormatNpy(tensor);
  file.close();
  if (!file) return absl::DataLossError(absl::StrCat(path, ": cannot write"));
  return absl::OkStatus();
}

}  // namespace tilesim::values
