// What `tilesim hw --spans` measured, for people and programs.
#ifndef TILESIM_CLI_SPANS_TEXT_H_
#define TILESIM_CLI_SPANS_TEXT_H_

#include "hwtests/run/spans.h"
#include "nlohmann/json_fwd.hpp"

namespace tilesim::cli {

// One number a launch in each list, launch by launch: stamped_us, plain_us,
// host_us; span_ns, clock_mhz, cycles, cta_cycles, longest_cycles, ramp_ns,
// drain_ns (of hwtests::Span). Besides sms, same_outputs, unwritten, device.
nlohmann::ordered_json SpansJson(const hwtests::SpanResult& result);
void PrintSpans(const hwtests::SpanResult& result);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_SPANS_TEXT_H_
