#include "ptx/values/globals.h"

#include <algorithm>
#include <numeric>

#include "ir/cat.h"
#include "ir/values/seeded.h"

namespace tilesim::ptx {

using machine::GlobalTensor;
using values::DType;

absl::StatusOr<std::unique_ptr<GlobalBytes>> GlobalBytes::Create(
    const LaunchFile& file, const Memory& memory, uint64_t seed) {
  auto out = std::make_unique<GlobalBytes>();
  out->budget_.limit = machine::FreeBytes();
  int64_t all = 0;
  for (const Buffer& b : file.buffers)
    all = std::min(all + static_cast<int64_t>(b.bytes), machine::kTooManyBytes);
  if (absl::Status fits = out->budget_.Fits(all); !fits.ok()) return fits;
  out->ranges_.resize(file.buffers.size());
  for (size_t i = 0; i < file.buffers.size(); ++i) {
    const Buffer& b = file.buffers[i];
    Range& r = out->ranges_[i];
    r.address = memory.BufferAddress(i);
    r.bytes = b.bytes;
    GlobalTensor::Spec spec;
    spec.name = b.name;
    spec.type = values::FindDType(b.dtype).value_or(DType::kU8);
    const int64_t bits = values::BitsOf(spec.type);
    spec.shape = {static_cast<int64_t>(b.bytes) * 8 / bits};
    spec.seed = {seed, values::TensorId(b.name)};
    if (b.domain) {
      spec.seed.range = {b.domain->first, b.domain->second};
      spec.seed.distribution = values::Distribution::kUniform;
    }
    using Kind = Start::Kind;
    if (b.start.kind == Kind::kZero) spec.start = machine::Start::kZero;
    if (b.start.kind == Kind::kUndefined) spec.start = machine::Start::kPoison;
    if (b.start.kind == Kind::kNpy) {
      if (b.start.bytes.size() != b.bytes)
        return absl::InvalidArgumentError(
            ir::Cat("buffer `", b.name, "`: `", b.start.npy,
                    "` has no array of ", b.bytes, " bytes"));
      r.given = {spec.type, spec.shape, b.start.bytes};
      spec.given = &r.given;
      spec.start = machine::Start::kGiven;
    }
    r.tensor = std::make_unique<GlobalTensor>(std::move(spec), out->budget_);
    if (!r.tensor->mapped())
      return absl::ResourceExhaustedError(
          ir::Cat("no addresses are left for the ", b.bytes, " bytes of `",
                  b.name, "`"));
  }
  out->by_address_.resize(out->ranges_.size());
  std::iota(out->by_address_.begin(), out->by_address_.end(), 0);
  std::sort(out->by_address_.begin(), out->by_address_.end(),
            [&](size_t a, size_t b) {
              return out->ranges_[a].address < out->ranges_[b].address;
            });
  return out;
}

uint8_t* GlobalBytes::At(uint64_t address, int64_t bytes, For what) {
  auto next = std::upper_bound(
      by_address_.begin(), by_address_.end(), address,
      [&](uint64_t a, size_t i) { return a < ranges_[i].address; });
  if (next == by_address_.begin()) return nullptr;
  const size_t i = *(next - 1);
  return Of(i, static_cast<int64_t>(address - ranges_[i].address), bytes, what);
}

bool GlobalBytes::ReadAndWritten() const {
  return std::any_of(ranges_.begin(), ranges_.end(),
                     [](const Range& r) { return r.read && r.written; });
}

bool GlobalBytes::Written(size_t buffer, int64_t element) const {
  return ranges_[buffer].tensor->Written(element, 1);
}

uint8_t* GlobalBytes::Of(size_t buffer, int64_t offset, int64_t bytes,
                         For what) {
  Range& r = ranges_[buffer];
  if (offset < 0 || offset + bytes > static_cast<int64_t>(r.bytes))
    return nullptr;
  const int64_t bits = values::BitsOf(r.tensor->type());
  const int64_t first = offset * 8 / bits;
  const int64_t end =
      std::min(((offset + bytes) * 8 + bits - 1) / bits, r.tensor->elements());
  (what == For::kWriting ? r.written : r.read) = true;
  if (what == For::kWriting) r.tensor->MarkWritten(first, end - first);
  return r.tensor->Touch(first, end - first) + offset;
}

values::Tensor GlobalBytes::Copy(size_t buffer) {
  const GlobalTensor& t = *ranges_[buffer].tensor;
  values::Tensor out{t.type(), t.spec().shape, {}};
  out.data.resize(static_cast<size_t>(t.bytes()));
  t.Read(0, t.elements(), out.data.data());
  return out;
}

}  // namespace tilesim::ptx
