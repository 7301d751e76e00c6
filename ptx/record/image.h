// The PTX that belongs to an image of code which a program loads.
#ifndef TILESIM_PTX_RECORD_IMAGE_H_
#define TILESIM_PTX_RECORD_IMAGE_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace tilesim::ptx::record {

struct Image {
  std::string ptx;  // empty: none, and
  std::string why;  // why not
};

// What is at `image`: PTX text, a fat binary that has PTX for this architecture
// (90 for sm_90 and sm_90a) or PTX only, or a cubin that Triton's cache has PTX
// beside.
Image ImageAt(const void* image, uint32_t architecture);

// The .ptx beside a .cubin of these bytes in a folder of Triton's cache; empty:
// there is none.
std::string CachedPtx(const std::string& folder, std::string_view cubin);

}  // namespace tilesim::ptx::record

#endif  // TILESIM_PTX_RECORD_IMAGE_H_
