#include "cli/spans_text.h"

#include <algorithm>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

namespace tilesim::cli {
namespace {

using Json = nlohmann::ordered_json;

// The share `part` of the values lies below it.
double Quantile(std::vector<double> v, double part) {
  if (v.empty()) return 0;
  std::sort(v.begin(), v.end());
  return v[static_cast<size_t>(part * static_cast<double>(v.size() - 1) + 0.5)];
}

void PrintLine(const char* name, const std::vector<double>& v) {
  fmt::print("  {:<44}{:>12.1f}{:>12.1f}{:>12.1f}\n", name, Quantile(v, 0.1),
             Quantile(v, 0.5), Quantile(v, 0.9));
}

std::vector<double> Each(const hwtests::SpanResult& result,
                         double hwtests::Span::*member) {
  std::vector<double> all;
  for (const hwtests::Span& span : result.spans) all.push_back(span.*member);
  return all;
}

std::vector<double> Cycles(const hwtests::SpanResult& result) {
  std::vector<double> all;
  for (const hwtests::Span& span : result.spans) all.push_back(span.cycles());
  return all;
}

}  // namespace

Json SpansJson(const hwtests::SpanResult& r) {
  using hwtests::Span;
  Json unwritten = Json::object();
  for (const auto& [name, share] : r.unwritten) unwritten[name] = share;
  return {{"stamped_us", r.stamped_us},
          {"plain_us", r.plain_us},
          {"host_us", r.host_us},
          {"span_ns", Each(r, &Span::ns)},
          {"clock_mhz", Each(r, &Span::clock_mhz)},
          {"cycles", Cycles(r)},
          {"cta_cycles", Each(r, &Span::cta_cycles)},
          {"longest_cycles", Each(r, &Span::longest_cycles)},
          {"ramp_ns", Each(r, &Span::ramp_ns)},
          {"drain_ns", Each(r, &Span::drain_ns)},
          {"sms", r.spans.empty() ? 0 : r.spans.front().sms},
          {"same_outputs", r.same_outputs},
          {"unwritten", unwritten},
          {"device", r.device},
          {"cuda", r.driver}};
}

void PrintSpans(const hwtests::SpanResult& r) {
  using hwtests::Span;
  fmt::print("{}, {} launches of each kind\n  {:<44}{:>12}{:>12}{:>12}\n",
             r.device, r.spans.size(), "", "10 %", "median", "90 %");
  PrintLine("time, us", r.plain_us);
  PrintLine("time with stamps, us", r.stamped_us);
  PrintLine("time when the host launches, us", r.host_us);
  PrintLine("first CTA's start to last one's end, ns", Each(r, &Span::ns));
  PrintLine("the same, SM cycles", Cycles(r));
  PrintLine("SM clock in that time, MHz", Each(r, &Span::clock_mhz));
  PrintLine("a CTA, SM cycles", Each(r, &Span::cta_cycles));
  PrintLine("the longest CTA, SM cycles", Each(r, &Span::longest_cycles));
  PrintLine("first SM's start to last one's, ns", Each(r, &Span::ramp_ns));
  PrintLine("first SM's end to last one's, ns", Each(r, &Span::drain_ns));
  if (!r.same_outputs)
    fmt::print("  the code with stamps writes other outputs\n");
  for (const auto& [name, share] : r.unwritten) {
    if (share > 0)
      fmt::print("  {:.2f} % of {} are not written\n", 100 * share, name);
  }
}

}  // namespace tilesim::cli
