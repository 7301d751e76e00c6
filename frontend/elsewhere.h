// What is called otherwise here: names of CUDA, PTX, NumPy and Triton that a
// program for another compiler would use in the same place.
//
//   CalledHere("blockIdx.x") == "`cta.x` here"
//   CalledHere("relu") == "`max DST, SRC, 0` here"
//   CalledHere("foo") == ""
#ifndef TILESIM_FRONTEND_ELSEWHERE_H_
#define TILESIM_FRONTEND_ELSEWHERE_H_

#include <string>
#include <string_view>

namespace tilesim::frontend {

std::string CalledHere(std::string_view name);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_ELSEWHERE_H_
