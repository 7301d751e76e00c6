#include "cli/layout_text.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "fmt/format.h"
#include "ir/layout.h"
#include "ir/tmem.h"
#include "ir/types.h"

namespace tilesim::cli {
namespace {

using ir::FragmentLayout;
using ir::FragmentPlace;

// --- fragments ---------------------------------------------------------------

// The tile that is drawn, and how much of it: what follows repeats it.
struct FragmentDrawing {
  ir::Fragment fragment;
  int32_t rows, cols, threads, vector;
  int32_t shown_rows, shown_cols;
  std::string_view rest;
};
constexpr FragmentDrawing kFragmentDrawings[] = {
    {ir::Fragment::kWgmma, 64, 16, 128, 1, 16, 16,
     "rows 16 to 31 are those of warp 1, threads 32 to 63, and so on; of 8 "
     "columns more each thread holds 4 elements more"},
    {ir::Fragment::kRow, 128, 8, 128, 1, 8, 8,
     "row r is all in thread r, up to 127; of a tile of 32 rows up to 31"},
    {ir::Fragment::kMma, 16, 16, 32, 1, 16, 16,
     "16 rows more follow in the same threads"},
    {ir::Fragment::kMmaA, 16, 16, 32, 1, 16, 16,
     "k 16 to 31 follow in the same threads"},
    {ir::Fragment::kMmaB, 8, 16, 32, 1, 8, 16,
     "the tile is N x K; 8 rows (n) more follow in the same threads"},
    {ir::Fragment::kBlocked, 4, 32, 32, 2, 4, 16,
     "this is blocked(2) of 32 threads; in all of them one after another, "
     "then again from the first"},
};

std::string FragmentText(const FragmentDrawing& d) {
  FragmentLayout layout{d.fragment, d.rows, d.cols, d.threads, d.vector};
  std::string out = fmt::format(
      "A tile of {} x {} over {} threads, {} elements each. A cell is the "
      "thread that holds\nthe element, and its number in that thread: 5.2 is "
      "element 2 of thread 5.\n\n  column",
      d.rows, d.cols, d.threads, layout.per_thread());
  for (int32_t c = 0; c < d.shown_cols; ++c) out += fmt::format("{:>6}", c);
  out += '\n';
  for (int32_t r = 0; r < d.shown_rows; ++r) {
    out += fmt::format("  row {:2}", r);
    for (int32_t c = 0; c < d.shown_cols; ++c) {
      FragmentPlace p = layout.Place(r, c);
      out += fmt::format("{:>6}", fmt::format("{}.{}", p.thread, p.element));
    }
    out += '\n';
  }
  std::map<int32_t, std::string> of_first;
  for (int32_t r = 0; r < d.rows; ++r) {
    for (int32_t c = 0; c < d.cols; ++c) {
      FragmentPlace p = layout.Place(r, c);
      if (p.thread == 0) of_first[p.element] = fmt::format("({}, {})", r, c);
    }
  }
  out += "\n  thread 0 holds (row, column):";
  for (const auto& [element, place] : of_first) out += " " + place;
  return out + fmt::format("\n  {}\n", d.rest);
}

// --- swizzles ----------------------------------------------------------------

std::string SwizzleText(ir::Swizzle swizzle) {
  constexpr int kLine = 128;  // bytes, of all banks
  int64_t chunks = kLine / ir::kSwizzleChunk;
  std::string out = fmt::format(
      "Shared memory in lines of 128 bytes, of chunks of {} bytes. A cell is "
      "the row of the tile\n(one is {} bytes wide) and the chunk of that row "
      "that lies there: 3.2 is chunk 2 of row 3.\n\n  byte ",
      ir::kSwizzleChunk,
      swizzle == ir::Swizzle::kNone ? kLine : ir::SpanOf(swizzle));
  for (int64_t c = 0; c < chunks; ++c)
    out += fmt::format("{:>7}", c * ir::kSwizzleChunk);
  out += '\n';
  int64_t pitch = swizzle == ir::Swizzle::kNone ? kLine : ir::SpanOf(swizzle);
  std::map<int64_t, std::string> at;
  for (int64_t offset = 0; offset < kLine * ir::kSwizzleRows;
       offset += ir::kSwizzleChunk)
    at[ir::SwizzledOffset(swizzle, offset)] = fmt::format(
        "{}.{}", offset / pitch, offset % pitch / ir::kSwizzleChunk);
  for (const auto& [offset, cell] : at) {
    if (offset % kLine == 0) out += fmt::format("  {:5}", offset);
    out += fmt::format("{:>7}", cell);
    if (offset % kLine == kLine - ir::kSwizzleChunk) out += '\n';
  }
  return out +
         "\n  the same 1024 bytes on; a tile wider than a row of the pattern "
         "is cut into panels\n";
}

// --- tensor memory -----------------------------------------------------------

struct PathDrawing {
  std::string_view name;
  ir::DataPath path;
  int64_t rows;  // of one CTA
  std::string_view doc;
};
constexpr PathDrawing kPathDrawings[] = {
    {"A", ir::DataPath::kA, 128, "D of an mma of M = 256 of two CTAs, in each"},
    {"B", ir::DataPath::kB, 64, "D of an mma of M = 128 of two CTAs, in each"},
    {"D", ir::DataPath::kD, 128, "D of an mma of M = 128 of one CTA"},
    {"F", ir::DataPath::kF, 64, "D of an mma of M = 64 of one CTA"},
};

// Runs of lanes with the row that the first of them has of column `n`.
std::string LanesOfPath(const PathDrawing& d, int64_t columns) {
  std::map<int64_t, std::pair<int64_t, int64_t>> at;  // lane: row, column
  for (int64_t n : {int64_t{0}, columns / 2}) {
    for (int64_t m = 0; m < d.rows; ++m)
      at.try_emplace(ir::LaneOf(d.path, m, n, columns), m, n);
  }
  std::string out;
  for (auto it = at.begin(); it != at.end();) {
    auto next = std::next(it), last = it;
    while (next != at.end() && next->first == last->first + 1 &&
           next->second.first == last->second.first + 1 &&
           next->second.second == it->second.second &&
           next->first % ir::kQuarterLanes != 0)
      last = next++;
    bool half = ir::LaneColumns(d.path, columns) != columns;
    out += fmt::format(
        "  lanes {:3} to {:3}, warp {} of a warpgroup: rows {:3} to {:3}, {}\n",
        it->first, last->first, it->first / ir::kQuarterLanes, it->second.first,
        last->second.first,
        !half                    ? "all columns of N"
        : it->second.second == 0 ? "the left half of N"
                                 : "the right half of N");
    it = next;
  }
  return out;
}

std::string PathText(const PathDrawing& d) {
  return fmt::format(
      "{}: {} lanes of {} columns of 32 bits.\n\n{}\n  of f32 a column an "
      "element; a warp reaches the 32 lanes of its number in its warpgroup\n",
      d.doc, ir::kTmemLanes, ir::kTmemColumns, LanesOfPath(d, 256));
}

std::string ScaleText() {
  std::string out =
      "Scale factors of 128 rows, four along K: lane and byte of the lane "
      "(each quarter of 32 lanes has a copy).\n\n  row       lane   bytes of "
      "factors 0 to 3\n";
  for (int64_t row : {0, 1, 31, 32, 33, 64, 96, 127}) {
    ir::ScalePlace first = ir::ScaleAt(row, 0, ir::kChunkRows);
    out += fmt::format("  {:3}       {:4}   {} to {}\n", row, first.lane,
                       first.byte, first.byte + 3);
  }
  return out + "\n  four factors more along K follow behind, 16 bytes on\n";
}

std::vector<LayoutTopic> MakeTopics() {
  std::vector<LayoutTopic> out;
  for (const ir::FragmentInfo& f : ir::kFragments)
    out.push_back({fmt::format("fragment/{}", f.name), std::string(f.doc)});
  for (const char* name : {"none", "32B", "64B", "128B"})
    out.push_back({fmt::format("swizzle/{}", name),
                   "where the 16-byte chunks of a shared tile lie"});
  for (const PathDrawing& d : kPathDrawings)
    out.push_back({fmt::format("tmem/{}", d.name), std::string(d.doc)});
  out.push_back({"tmem/scale", "scale factors of block-scaled mma"});
  return out;
}

}  // namespace

const std::vector<LayoutTopic>& LayoutTopics() {
  static const auto* const kTopics = new std::vector<LayoutTopic>(MakeTopics());
  return *kTopics;
}

std::optional<std::string> LayoutText(std::string_view topic) {
  auto known =
      std::find_if(LayoutTopics().begin(), LayoutTopics().end(),
                   [&](const LayoutTopic& t) { return t.topic == topic; });
  if (known == LayoutTopics().end()) return std::nullopt;
  std::string_view name = topic.substr(topic.find('/') + 1);
  std::string head = fmt::format("{}: {}\n\n", topic, known->doc);
  if (topic.starts_with("fragment/")) {
    for (const FragmentDrawing& d : kFragmentDrawings) {
      if (ir::Name(d.fragment) == name) return head + FragmentText(d);
    }
  }
  if (topic.starts_with("swizzle/")) {
    for (ir::Swizzle s :
         {ir::Swizzle::k32B, ir::Swizzle::k64B, ir::Swizzle::k128B}) {
      if (ir::Name(s) == name) return head + SwizzleText(s);
    }
    return head + SwizzleText(ir::Swizzle::kNone);
  }
  for (const PathDrawing& d : kPathDrawings) {
    if (d.name == name) return head + PathText(d);
  }
  return head + ScaleText();
}

}  // namespace tilesim::cli
