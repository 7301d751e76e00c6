#include <algorithm>
#include <charconv>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ptx/launch/kernel.h"
#include "ptx/launch/launch.h"

namespace tilesim::ptx {
namespace {

constexpr uint64_t kSharedLimit = 227 * 1024;  // of a CTA, sm_90 and sm_100
constexpr int64_t kThreadLimit = 1024;
constexpr int64_t kClusterLimit = 16;  // above 8: a kernel attribute

std::string Shown(const Dim3& d) {
  return fmt::format("[{}, {}, {}]", d[0], d[1], d[2]);
}

// Of positive factors; saturates.
int64_t Product(const Dim3& d) {
  int64_t out = 1;
  for (int64_t n : d) {
    if (__builtin_mul_overflow(out, n, &out)) return INT64_MAX;
  }
  return out;
}

class Fitting {
 public:
  Fitting(const Module& module, const LaunchFile& file, size_t index)
      : module_(module),
        file_(file),
        launch_(file.launches.at(index)),
        path_(fmt::format("launches[{}]", index)) {}

  std::vector<LaunchError> Run() {
    TargetFits();
    MapsFit();
    kernel_ = FindKernel(module_, launch_.kernel);
    if (!kernel_) {
      NoKernel();
      return std::move(errors_);
    }
    if (Positive(path_ + ".grid", launch_.grid)) GridFits();
    BlockFits();
    RegistersFit();
    ClusterFits();
    SharedFits();
    ParamsFit();
    return std::move(errors_);
  }

 private:
  void Error(std::string where, std::string message) {
    errors_.push_back({std::move(where), std::move(message)});
  }
  bool Positive(const std::string& where, const Dim3& dims) {
    if (std::all_of(dims.begin(), dims.end(), [](int64_t n) { return n > 0; }))
      return true;
    Error(where,
          fmt::format("expected sizes of 1 or more, found {}", Shown(dims)));
    return false;
  }
  void TargetFits();
  void MapsFit();
  void NoKernel();
  void MapEncodes(const TensorMap& map, const std::string& where);
  void BuffersAreApart();
  void GridFits();
  void BlockFits();
  void RegistersFit();
  void ClusterFits();
  void ClusterDirectives(const Dim3& cluster);
  void SharedFits();
  void ParamsFit();
  void ParamFits(const std::string& where, const Variable& v, const Param& p);
  void ReferenceFits(const std::string& where, const Reference& r);

  const Module& module_;
  const LaunchFile& file_;
  const Launch& launch_;
  std::string path_;
  const Function* kernel_ = nullptr;
  std::vector<LaunchError> errors_;
};

// PTX for a target with a letter runs on that one only.
void Fitting::TargetFits() {
  if (module_.targets.empty() || module_.targets[0] == file_.target) return;
  const std::string& target = module_.targets[0];
  if (target.back() == 'a')
    Error("target", fmt::format("the PTX is for {} and runs on nothing else; "
                                "found {}",
                                target, file_.target));
}

void Fitting::MapsFit() {
  for (size_t i = 0; i < file_.tensormaps.size(); ++i) {
    const TensorMap& map = file_.tensormaps[i];
    std::string where = fmt::format("tensormaps[{}]", i);
    if (map.buffer >= file_.buffers.size())
      Error(where + ".buffer",
            fmt::format("there is no buffer {}; the description has {}",
                        map.buffer, file_.buffers.size()));
    auto positive = [&](const char* name, const std::vector<int64_t>& sizes) {
      for (int64_t n : sizes) {
        if (n <= 0)
          Error(fmt::format("{}.{}", where, name),
                fmt::format("expected sizes of 1 or more, found {}", n));
      }
    };
    positive("dims", map.dims);
    positive("box", map.box);
    positive("element_strides", map.element_strides);
    MapEncodes(map, where);
  }
  BuffersAreApart();
  for (size_t i = 0; i < file_.buffers.size(); ++i) {
    for (int64_t n : file_.buffers[i].shape) {
      if (n <= 0)
        Error(fmt::format("buffers[{}].shape", i),
              fmt::format("expected sizes of 1 or more, found {}", n));
    }
  }
}

// What cuTensorMapEncodeTiled refuses.
void Fitting::MapEncodes(const TensorMap& map, const std::string& where) {
  constexpr uint64_t kAlign = 16, kMostBox = 256;
  constexpr int64_t kMostStride = int64_t{1} << 40;
  if (map.buffer < file_.buffers.size()) {
    const uint64_t at =
        file_.buffers[map.buffer].address.value_or(0) + map.offset;
    if (at % kAlign != 0)
      Error(where + ".offset",
            fmt::format("a tensor map begins at a multiple of {} bytes; this "
                        "one at {:#x}",
                        kAlign, at));
  }
  for (int64_t stride : map.strides) {
    if (stride % static_cast<int64_t>(kAlign) != 0 || stride >= kMostStride)
      Error(where + ".strides",
            fmt::format("strides are multiples of {} bytes below 2^40; found "
                        "{}",
                        kAlign, stride));
  }
  for (int64_t n : map.box) {
    if (n > static_cast<int64_t>(kMostBox))
      Error(where + ".box",
            fmt::format("a box has at most {} elements in a dimension; found "
                        "{}",
                        kMostBox, n));
  }
}

// Of two that overlap in part nobody could say which bytes are meant.
void Fitting::BuffersAreApart() {
  for (size_t i = 0; i < file_.buffers.size(); ++i) {
    const Buffer& a = file_.buffers[i];
    for (size_t k = 0; k < i; ++k) {
      const Buffer& b = file_.buffers[k];
      if (!a.address || !b.address) continue;
      const bool apart = *a.address + a.bytes <= *b.address ||
                         *b.address + b.bytes <= *a.address;
      const bool one = *a.address == *b.address && a.bytes == b.bytes;
      if (!apart && !one)
        Error(fmt::format("buffers[{}].address", i),
              fmt::format("`{}` overlaps `{}` in part: give them as one buffer",
                          a.name, b.name));
    }
  }
}

void Fitting::NoKernel() {
  std::string names;
  for (const Function& f : module_.functions) {
    if (f.is_entry) names += (names.empty() ? "" : ", ") + f.name;
  }
  Error(path_ + ".kernel",
        fmt::format("the PTX has no .entry `{}`; it has {}", launch_.kernel,
                    names.empty() ? "none" : names));
}

void Fitting::BlockFits() {
  std::string where = path_ + ".block";
  std::optional<Dim3> required = DirectiveDims(*kernel_, ".reqntid");
  std::optional<Dim3> most = DirectiveDims(*kernel_, ".maxntid");
  if (!launch_.block) {
    Error(where,
          "missing: give the threads of a CTA, [x, y, z]" +
              (required ? "; the PTX says .reqntid " + Shown(*required) : ""));
    return;
  }
  const Dim3& block = *launch_.block;
  if (!Positive(where, block)) return;
  if (required && block != *required)
    Error(where, fmt::format("the PTX says .reqntid {}, found {}",
                             Shown(*required), Shown(block)));
  if (most && Product(block) > Product(*most))
    Error(where,
          fmt::format("the PTX says .maxntid {}, at most {} threads; found {}, "
                      "{} threads",
                      Shown(*most), Product(*most), Shown(block),
                      Product(block)));
  if (Product(block) > kThreadLimit)
    Error(where, fmt::format("a CTA has at most {} threads; found {}, {} "
                             "threads",
                             kThreadLimit, Shown(block), Product(block)));
}

// CUDA programming guide, compute capabilities: y and z are numbers of 16 bits.
void Fitting::GridFits() {
  constexpr Dim3 kMost = {INT32_MAX, 65535, 65535};
  for (size_t i = 0; i < kMost.size(); ++i) {
    if (launch_.grid[i] > kMost[i])
      Error(path_ + ".grid", fmt::format("a grid is at most {}; found {}",
                                         Shown(kMost), Shown(launch_.grid)));
  }
  if (file_.sms == 0) Error("sms", "a GPU has at least 1 SM");
}

// A warp gets registers 256 at a time, of the 65536 that an SM has.
void Fitting::RegistersFit() {
  constexpr uint64_t kOfThread = 255, kOfSm = 65536, kAtOnce = 8;
  if (!launch_.registers || !launch_.block) return;
  const uint64_t registers = *launch_.registers;
  const auto threads = static_cast<uint64_t>(Product(*launch_.block));
  const uint64_t warps = (threads + 31) / 32;
  const uint64_t given = (registers + kAtOnce - 1) / kAtOnce * kAtOnce;
  const std::string where = path_ + ".registers";
  if (registers > kOfThread) {
    Error(where, fmt::format("a thread has at most {}; found {}", kOfThread,
                             registers));
  } else if (warps * 32 * given > kOfSm) {
    Error(where, fmt::format("{} warps of {} registers a thread need {}; an SM "
                             "has {}",
                             warps, given, warps * 32 * given, kOfSm));
  }
}

void Fitting::ClusterFits() {
  std::string where = path_ + ".cluster";
  std::optional<Dim3> required = DirectiveDims(*kernel_, ".reqnctapercluster");
  if (!launch_.cluster && !required && kernel_->Find(".explicitcluster")) {
    Error(where,
          "missing: give the CTAs of a cluster, [x, y, z]; the PTX says "
          ".explicitcluster");
    return;
  }
  Dim3 cluster = launch_.cluster.value_or(required.value_or(Dim3{1, 1, 1}));
  if (!Positive(where, cluster)) return;
  ClusterDirectives(cluster);
  if (kernel_->Find(".blocksareclusters")) return;
  for (size_t i = 0; i < 3; ++i) {
    if (launch_.grid[i] > 0 && launch_.grid[i] % cluster[i] != 0) {
      Error(path_ + ".grid",
            fmt::format("{} CTAs are no multiple of the cluster {}",
                        Shown(launch_.grid), Shown(cluster)));
      return;
    }
  }
}

void Fitting::ClusterDirectives(const Dim3& cluster) {
  std::string where = path_ + ".cluster";
  std::optional<Dim3> required = DirectiveDims(*kernel_, ".reqnctapercluster");
  if (required && cluster != *required)
    Error(where, fmt::format("the PTX says .reqnctapercluster {}, found {}",
                             Shown(*required), Shown(cluster)));
  int64_t ctas = Product(cluster);
  std::optional<Dim3> rank = DirectiveDims(*kernel_, ".maxclusterrank");
  if (rank && ctas > (*rank)[0])
    Error(where, fmt::format("the PTX says .maxclusterrank {}, found {}, {} "
                             "CTAs",
                             (*rank)[0], Shown(cluster), ctas));
  if (ctas > kClusterLimit)
    Error(where, fmt::format("a cluster has at most {} CTAs; found {}, {} CTAs",
                             kClusterLimit, Shown(cluster), ctas));
}

void Fitting::SharedFits() {
  std::string where = path_ + ".dynamic_shared";
  SharedUse use = SharedOf(module_, *kernel_);
  if (use.dynamic && !launch_.dynamic_shared)
    Error(where,
          fmt::format("missing: give the bytes of dynamic shared memory; "
                      "the PTX has .extern .shared {}",
                      Declared(*use.dynamic, use.dynamic->names[0])));
  uint64_t dynamic = launch_.dynamic_shared.value_or(0);
  if (use.fixed <= kSharedLimit && dynamic <= kSharedLimit - use.fixed) return;
  Error(where,
        fmt::format("a CTA has at most {} bytes of shared memory; the PTX "
                    "declares {}, and dynamic are {}",
                    kSharedLimit, use.fixed, dynamic));
}

void Fitting::ParamsFit() {
  std::vector<std::pair<const Variable*, const Declarator*>> declared;
  for (const Variable& v : kernel_->signature.params) {
    for (const Declarator& d : v.names) declared.emplace_back(&v, &d);
  }
  for (size_t i = 0; i < declared.size(); ++i) {
    std::string where = fmt::format("{}.params[{}]", path_, i);
    const auto& [v, d] = declared[i];
    if (i >= launch_.params.size()) {
      Error(where, fmt::format("missing: the PTX has param {} `{}`", i,
                               Declared(*v, *d)));
      continue;
    }
    const Param& p = launch_.params[i];
    if (!p.name.empty() && p.name != d->name)
      Error(where + ".name",
            fmt::format("the PTX has `{}` here, found `{}`", d->name, p.name));
    ParamFits(where, *v, p);
    std::optional<uint64_t> bytes = VariableBytes(*v, *d);
    if (bytes && *bytes != p.size())
      Error(where, fmt::format("the PTX has `{}`, {} bytes; found {} bytes",
                               Declared(*v, *d), *bytes, p.size()));
  }
  if (launch_.params.size() > declared.size())
    Error(fmt::format("{}.params[{}]", path_, declared.size()),
          fmt::format("the PTX has {} parameters, found {}", declared.size(),
                      launch_.params.size()));
}

void Fitting::ParamFits(const std::string& where, const Variable& v,
                        const Param& p) {
  if (p.kind == Param::Kind::kReference) ReferenceFits(where, p.reference);
  for (const auto& [offset, reference] : p.places)
    ReferenceFits(fmt::format("{}.at[\"{}\"]", where, offset), reference);
  if (p.kind != Param::Kind::kScalar || v.type.size() < 2 || p.type.empty())
    return;
  // The bits of a float are not those of the same number as an integer.
  bool is_float = v.type[1] == 'f', gives_float = p.type[0] == 'f';
  if (is_float != gives_float && v.type[1] != 'b' && p.type[0] != 'b')
    Error(where,
          fmt::format("the PTX has {}, found {}; give {}, or bits as b{}",
                      v.type, p.type, v.type.substr(1), 8 * p.size()));
}

void Fitting::ReferenceFits(const std::string& where, const Reference& r) {
  size_t count =
      r.is_tensormap ? file_.tensormaps.size() : file_.buffers.size();
  if (r.index >= count) {
    Error(where, fmt::format("there is no {} {}; the description has {}",
                             r.is_tensormap ? "tensor map" : "buffer", r.index,
                             count));
  } else if (!r.is_tensormap && r.offset > file_.buffers[r.index].bytes) {
    Error(where, fmt::format("offset {} is past the {} bytes of the buffer",
                             r.offset, file_.buffers[r.index].bytes));
  }
}

}  // namespace

std::vector<LaunchError> Fits(const Module& module, const LaunchFile& file,
                              size_t index) {
  return Fitting(module, file, index).Run();
}

}  // namespace tilesim::ptx
