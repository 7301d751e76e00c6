#include "checkers/pairwise/proxy_fence.h"

#include <string>

#include "checkers/report/names.h"
#include "ir/cat.h"

namespace tilesim::checkers::pairwise {
using report::DeclOf;
using report::Finding;
using report::MnemonicOf;
using report::NthOf;
using report::RoleOf;
using report::SpanOf;
using report::TileOf;
using report::WhoOf;
using run::Event;
using run::Log;

namespace {

constexpr ir::Code kCodes[] = {"proxy-fence/raw", "proxy-fence/war",
                               "proxy-fence/waw"};

}  // namespace

std::span<const ir::Code> ProxyFenceCheck::codes() const { return kCodes; }

void ProxyFenceCheck::OnConflict(const Context& context, const Conflict& c) {
  if (!c.ordered || c.fenced) return;
  const Log& log = context.log;
  const Event &a = c.earlier_event(log), &b = c.later_event(log);
  ir::Code code = !c.later.write    ? ir::Code("proxy-fence/raw")
                  : c.earlier.write ? ir::Code("proxy-fence/waw")
                                    : "proxy-fence/war";
  std::string tile = TileOf(log, b, c.later.operand);
  Finding* found = context.findings.Add(
      code, ir::Cat(DeclOf(log, a, c.earlier.operand), " ",
                    DeclOf(log, b, c.later.operand), " ", MnemonicOf(a), " ",
                    MnemonicOf(b), " ", RoleOf(log, a), " ", RoleOf(log, b)));
  if (found == nullptr) return;
  ir::Diagnostic& d = found->diagnostic;
  d.message = ir::Cat(tile, " is ", c.later.write ? "overwritten" : "read",
                      " through the async proxy without a fence.proxy.async "
                      "after the ",
                      MnemonicOf(a), " that ",
                      c.earlier.write ? "writes" : "reads", " it");
  d.span = SpanOf(b);
  d.span_text = ir::Cat(WhoOf(log, b), ": async proxy", NthOf(b));
  d.labels.push_back(
      {SpanOf(a), ir::Cat(WhoOf(log, a), ": generic proxy, ",
                          TileOf(log, a, c.earlier.operand), NthOf(a))});
  d.help = ir::Cat("fence.proxy.async by every thread that ",
                   c.earlier.write ? "writes" : "reads",
                   " it, before the barrier that leads to the ", MnemonicOf(b));
}

}  // namespace tilesim::checkers::pairwise
