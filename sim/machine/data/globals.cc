#include "sim/machine/data/globals.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "ir/cat.h"
#include "ir/eval.h"
#include "ir/values/check.h"
#include "sim/machine/data/domain.h"

namespace tilesim::machine {
namespace {

constexpr int64_t kPageBytes = 4096;
constexpr int kPoison = 0xff;

std::vector<int64_t> ShapeOf(const ir::BoundDecl& d) {
  return {d.shape.begin(), d.shape.begin() + d.rank};
}

values::Layout LayoutOf(const ir::BoundDecl& d) {
  return {ShapeOf(d), {d.strides.begin(), d.strides.begin() + d.rank}};
}

// Elements of an expression of tensors: which names it mentions.
bool Mentions(const ir::TensorExpr& e, std::string_view name) {
  if (e.kind == ir::TensorExpr::Kind::kTensor && e.name == name) return true;
  return std::any_of(
      e.args.begin(), e.args.end(),
      [&](const ir::TensorExpr& arg) { return Mentions(arg, name); });
}

// The declaration of a global called `name`, or -1.
int FindGlobal(const Code& code, std::string_view name) {
  for (size_t i = 0; i < code.bound.decls.size(); ++i) {
    if (code.bound.decls[i].space == ir::Space::kGlobal &&
        code.kernel().decls[i].name == name)
      return static_cast<int>(i);
  }
  return -1;
}

// An output: the first kernel that touches it writes it, and neither reads it
// nor computes from it.
bool IsOutput(const std::vector<const Code*>& codes, std::string_view name) {
  for (const Code* code : codes) {
    int id = FindGlobal(*code, name);
    GlobalUse use = id < 0 ? GlobalUse() : UseOf(*code, id);
    for (const ir::Computes& c : code->kernel().computes)
      use.reads |= Mentions(c.value, name);
    if (use.reads || use.writes) return !use.reads;
  }
  return false;
}

GlobalTensor::Spec SpecOf(const Code& code, size_t id, uint64_t seed,
                          const Inputs& inputs) {
  const ir::Decl& decl = code.kernel().decls[id];
  const ir::BoundDecl& d = code.bound.decls[id];
  GlobalTensor::Spec spec;
  spec.name = decl.name;
  spec.type = d.dtype;
  spec.shape = ShapeOf(d);
  if (values::Layout layout = LayoutOf(d); values::SharesPlaces(layout))
    spec.shared_places = std::move(layout);
  spec.seed = {seed, values::TensorId(decl.name)};
  spec.seed.range = DomainOf(decl, code.bound);
  if (spec.seed.range) spec.seed.distribution = values::Distribution::kUniform;
  if (decl.zero) spec.start = Start::kZero;
  if (decl.undefined) spec.start = Start::kPoison;
  spec.undefined = decl.undefined;
  auto given = inputs.find(decl.name);
  if (given == inputs.end()) return spec;
  spec.undefined = false;
  spec.given = &given->second;
  spec.start = Start::kGiven;
  return spec;
}

}  // namespace

GlobalUse UseOf(const Code& code, int decl) {
  GlobalUse use;
  for (const CompiledOp& op : code.ops) {
    ir::ConcreteOp concrete;
    concrete.op = op.op;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      concrete.operands[i] = op.operands[i].fixed;
      concrete.operands[i].kind = op.operands[i].kind;
    }
    ir::EffectSink effects;
    ir::EffectsOf(concrete, effects);
    for (const ir::Effect& e : effects.effects()) {
      if (e.operand < 0 || !concrete.is_tile(e.operand)) continue;
      if (concrete.tile(e.operand).decl != decl) continue;
      use.reads |= e.kind == ir::EffectKind::kRead;
      use.writes |= e.kind == ir::EffectKind::kWrite;
    }
  }
  return use;
}

Writers WritersOf(const std::vector<const Code*>& codes, size_t k,
                  std::string_view name) {
  Writers out;
  for (size_t i = 0; i < codes.size(); ++i) {
    const std::vector<ir::Decl>& decls = codes[i]->kernel().decls;
    const auto named =
        std::find_if(decls.begin(), decls.end(), [&](const ir::Decl& d) {
          return d.space == ir::Space::kGlobal && d.name == name;
        });
    if (named == decls.end() ||
        !UseOf(*codes[i], static_cast<int>(named - decls.begin())).writes)
      continue;
    if (i == k) out.itself = true;
    if (i < k) out.before = i;
    if (i > k) out.after = i;
  }
  return out;
}

GlobalTensor::GlobalTensor(Spec spec, Budget& budget)
    : spec_(std::move(spec)),
      budget_(budget),
      bits_(values::BitsOf(spec_.type)) {
  for (int64_t extent : spec_.shape) elements_ *= extent;
  int64_t pages = (bytes() + kPageBytes - 1) / kPageBytes;
  mapped_ = std::max<int64_t>(pages, 1) * kPageBytes;
  // Addresses only; memory comes as pages are touched.
  void* p = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return;
  data_ = static_cast<uint8_t*>(p);
  ready_.Resize(pages);
}

GlobalTensor::~GlobalTensor() {
  if (mapped()) munmap(data_, mapped_);
}

void GlobalTensor::Fill(int64_t first_page, int64_t last_page) {
  int64_t per_page = kPageBits / bits_;
  for (int64_t page = first_page; page <= last_page; ++page) {
    if (ready_.Get(page)) continue;
    ready_.Set(page, 1);
    budget_.used += kPageBytes;
    if (spec_.start == Start::kZero) continue;
    int64_t first = page * per_page;
    ReadStart(first, std::min(per_page, elements_ - first),
              data_ + page * kPageBytes);
  }
}

void GlobalTensor::StartWritten() {
  written_.Resize(elements_);
  budget_.used += elements_ / 8;
}

void GlobalTensor::Read(int64_t first, int64_t count, void* out) const {
  int64_t per_page = kPageBits / bits_;
  auto* to = static_cast<uint8_t*>(out);
  for (int64_t i = first; i < first + count;) {
    int64_t page = i / per_page;
    int64_t n = std::min(first + count, (page + 1) * per_page) - i;
    if (ready_.Get(page)) {
      std::memcpy(to, data_ + i * bits_ / 8, values::BytesOf(type(), n));
    } else {
      ReadStart(i, n, to);
    }
    to += n * bits_ / 8;
    i += n;
  }
}

void GlobalTensor::ReadStart(int64_t first, int64_t count, void* out) const {
  int64_t bytes = values::BytesOf(type(), count);
  switch (spec_.start) {
    case Start::kSeeded:
      if (spec_.shared_places)
        return values::FillSeededByPlace(
            type(), spec_.seed, *spec_.shared_places, first, count, out);
      return values::FillSeeded(type(), spec_.seed, first, count, out);
    case Start::kZero:
      std::memset(out, 0, bytes);
      return;
    case Start::kPoison:
      std::memset(out, kPoison, bytes);
      return;
    case Start::kGiven:
      std::memcpy(out, spec_.given->data.data() + first * bits_ / 8, bytes);
  }
}

Globals::Globals(const std::vector<const Code*>& codes, uint64_t seed,
                 const Inputs& inputs, Budget& budget) {
  for (const Code* code : codes) {
    auto& row = by_decl_.emplace_back();
    for (size_t i = 0; i < code->bound.decls.size(); ++i) {
      row.push_back(nullptr);
      const ir::Decl& decl = code->kernel().decls[i];
      if (decl.space != ir::Space::kGlobal) continue;
      auto& tensor = tensors_[decl.name];
      if (tensor == nullptr) {
        GlobalTensor::Spec spec = SpecOf(*code, i, seed, inputs);
        if (spec.start == Start::kSeeded && IsOutput(codes, decl.name))
          spec.start = Start::kPoison;
        tensor = std::make_unique<GlobalTensor>(std::move(spec), budget);
      }
      row.back() = tensor.get();
    }
  }
}

GlobalTensor* Globals::Named(std::string_view name) const {
  auto it = tensors_.find(name);
  return it == tensors_.end() ? nullptr : it->second.get();
}

bool Globals::mapped() const {
  return std::all_of(tensors_.begin(), tensors_.end(),
                     [](const auto& t) { return t.second->mapped(); });
}

int64_t TensorBytes(const ir::BoundDecl& decl) {
  return std::min(decl.object_bytes, kTooManyBytes);
}

int64_t TrackingBytes(const ir::BoundDecl& decl, bool written) {
  int64_t bytes = TensorBytes(decl);
  int64_t elements = bytes * 8 / values::BitsOf(decl.dtype);
  return bytes / kPageBytes / 8 + (written ? elements / 8 : 0);
}

namespace {

// Of values that are given for a declaration.
absl::Status CheckInput(const std::string& name, const values::Tensor& tensor,
                        const ir::BoundDecl& d) {
  if (tensor.type != d.dtype || tensor.shape != ShapeOf(d)) {
    return absl::InvalidArgumentError(
        ir::Cat("the values given for `", name,
                "` have another type or shape than its declaration"));
  }
  values::Layout layout = LayoutOf(d);
  if (!values::SharesPlaces(layout)) return absl::OkStatus();
  auto two = values::Disagreement(tensor, layout);
  if (!two) return absl::OkStatus();
  return absl::InvalidArgumentError(ir::Cat(
      "the values given for `", name, "` differ in elements ", two->first,
      " and ", two->second,
      " (counted in C order), which its strides put at one place in memory"));
}

}  // namespace

absl::Status CheckInputs(const std::vector<const Code*>& codes,
                         const Inputs& inputs) {
  for (const auto& [name, tensor] : inputs) {
    bool known = false;
    for (const Code* code : codes) {
      int id = FindGlobal(*code, name);
      if (id < 0) continue;
      known = true;
      absl::Status fits = CheckInput(name, tensor, code->bound.decls[id]);
      if (!fits.ok()) return fits;
    }
    if (!known)
      return absl::InvalidArgumentError(
          ir::Cat("values are given for `", name, "`, which is no global"));
  }
  return absl::OkStatus();
}

std::vector<int> WrittenAtSharedPlaces(const Code& code) {
  std::vector<int> out;
  for (size_t i = 0; i < code.bound.decls.size(); ++i) {
    const ir::BoundDecl& d = code.bound.decls[i];
    if (d.space == ir::Space::kGlobal && values::SharesPlaces(LayoutOf(d)) &&
        UseOf(code, static_cast<int>(i)).writes)
      out.push_back(static_cast<int>(i));
  }
  return out;
}

absl::Status CheckPlaces(const std::vector<const Code*>& codes) {
  for (const Code* code : codes) {
    for (int decl : WrittenAtSharedPlaces(*code)) {
      return absl::InvalidArgumentError(ir::Cat(
          "`", code->kernel().decls[decl].name,
          "` is written, and its strides put several of its elements at one "
          "place in memory: values of such a tensor are not computed; "
          "--timing-only runs the program without values"));
    }
  }
  return absl::OkStatus();
}

}  // namespace tilesim::machine
