#include "sim/arch/accuracy.h"

#include <algorithm>
#include <iterator>

namespace tilesim::arch {
namespace {

constexpr Accuracy kPrograms[] = {
#define ACCURACY(name, gpu, points, mean_time, worst_time, mean_cycles, \
                 worst_cycles)                                          \
  {name,      gpu,        points,                                       \
   mean_time, worst_time, Accuracy::Cycles{mean_cycles, worst_cycles}},
#include "sim/arch/accuracy.def"
};

constexpr Accuracy kUnseen[] = {
#include "sim/arch/accuracy_unseen.def"
#undef ACCURACY
};

constexpr Accuracy kPtx[] = {
#define ACCURACY_PTX(name, gpu, launches, mean_time, worst_time) \
  {name, gpu, launches, mean_time, worst_time, {}},
#include "sim/arch/accuracy_ptx.def"
#undef ACCURACY_PTX
};

template <size_t kSize>
const Accuracy* Find(const Accuracy (&measured)[kSize], std::string_view arch) {
  const auto* at =
      std::find_if(std::begin(measured), std::end(measured),
                   [&](const Accuracy& a) { return a.arch == arch; });
  return at == std::end(measured) ? nullptr : at;
}

}  // namespace

const Accuracy* AccuracyOf(std::string_view arch) {
  return Find(kPrograms, arch);
}

const Accuracy* AccuracyOfUnseen(std::string_view arch) {
  return Find(kUnseen, arch);
}

const Accuracy* AccuracyOfPtx(std::string_view arch) {
  return Find(kPtx, arch);
}

}  // namespace tilesim::arch
