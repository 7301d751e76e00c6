#include "ir/types.h"

namespace tilesim::ir {
namespace {

constexpr std::string_view kSpaceNames[] = {"global", "shared", "tmem", "reg",
                                            "mbarrier"};
struct SwizzleRow {
  Swizzle swizzle;
  std::string_view name;
};
constexpr SwizzleRow kSwizzles[] = {{Swizzle::kNone, "none"},
                                    {Swizzle::k32B, "32B"},
                                    {Swizzle::k64B, "64B"},
                                    {Swizzle::k128B, "128B"}};

}  // namespace

std::string_view Name(Space space) {
  return kSpaceNames[static_cast<int>(space)];
}

std::string_view Name(Swizzle swizzle) {
  for (const SwizzleRow& row : kSwizzles) {
    if (row.swizzle == swizzle) return row.name;
  }
  return "";
}

std::optional<Swizzle> SwizzleNamed(std::string_view name) {
  for (const SwizzleRow& row : kSwizzles) {
    if (row.name == name) return row.swizzle;
  }
  return std::nullopt;
}

std::string_view Name(Fragment fragment) {
  for (const FragmentInfo& info : kFragments) {
    if (info.fragment == fragment) return info.name;
  }
  return "";
}

std::optional<Fragment> FragmentNamed(std::string_view name) {
  for (const FragmentInfo& info : kFragments) {
    if (info.name == name) return info.fragment;
  }
  return std::nullopt;
}

}  // namespace tilesim::ir
