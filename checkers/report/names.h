// The user's own names for what an event did, and the advice that goes with a
// mechanism.
#ifndef TILESIM_CHECKERS_REPORT_NAMES_H_
#define TILESIM_CHECKERS_REPORT_NAMES_H_

#include <string>
#include <string_view>

#include "checkers/run/log.h"

namespace tilesim::checkers::report {

// "consumer"; outside roles "thread 0", "warp 3", "warps 0 to 7".
std::string WhoOf(const run::Log& log, const run::Event& event);
// "`a[2]`"; where several CTAs run and each has a copy, "`a[2]` of CTA 1".
// `owner`: whose copy it is, if the operand does not say (multicast).
std::string TileOf(const run::Log& log, const run::Event& event, int operand);
std::string TileOf(const run::Log& log, const run::Event& event, int operand,
                   int32_t owner);
std::string DeclOf(const run::Log& log, const run::Event& event, int operand);
// "`Ready[2, 0]`".
std::string ElementOf(const machine::Code& code, const run::GlobalWord& word);
// "`full[1]`", "`full[1]` of CTA 0"
std::string BarrierOf(const run::Log& log, const run::BarrierLife& barrier);
// "full", for all of an array.
std::string BarriersOf(const run::Log& log, const run::BarrierLife& barrier);
// The role as a number, to tell things once; -1: none.
int32_t RoleOf(const run::Log& log, const run::Event& event);
std::string_view MnemonicOf(const run::Event& event);
ir::Span SpanOf(const run::Event& event);
// The event's place among those of the same op: " (iteration 6)".
std::string NthOf(const run::Event& event);
// How to wait for what the event started (or did): until its sources are read
// or, `written`, until its result is there.
std::string_view HowToWait(const run::Event& event, bool written);
// How a CTA tells those of other clusters what it has done.
inline constexpr std::string_view kHowToHandOver =
    "what comes before a count or a flag must be released by it, and what "
    "comes after it acquired: atom.add.acq_rel.gpu, st.release.gpu, "
    "ld.acquire.gpu, and barriers between the thread that does it and the "
    "others";

}  // namespace tilesim::checkers::report

#endif  // TILESIM_CHECKERS_REPORT_NAMES_H_
