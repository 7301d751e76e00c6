// The device header (device/*.cuh), of which a lowered file carries what it
// uses.
#ifndef TILESIM_HWTESTS_EMIT_DEVICE_HEADER_H_
#define TILESIM_HWTESTS_EMIT_DEVICE_HEADER_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tilesim::hwtests {

// The whole header, as embedded at build time.
std::string_view DeviceHeader();

// Its parts whose names `text` or `wrappers` mention, and what these mention in
// turn, in the header's order, then `wrappers`: namespace tile, and what the
// host must find outside of it. A part is what stands between blank lines.
std::string DeviceCode(std::string_view text, std::string_view wrappers = "");

// Every identifier and number of a text, comments aside.
using Words = std::set<std::string, std::less<>>;
Words WordsOf(std::string_view text);

// The names that a part defines, for tests.
std::vector<std::string> NamesDefinedIn(std::string_view part);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_DEVICE_HEADER_H_
