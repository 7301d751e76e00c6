#include "checkers/pairwise/proxy_fence.h"

#include <string>

#include "checkers/pairwise/fences.h"
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

constexpr ir::Code kCodes[] = {"proxy-fence/raw", "proxy-fence/reader-side",
                               "proxy-fence/war", "proxy-fence/waw"};

ir::Code CodeOf(const Conflict& c) {
  if (c.proxy == order::ProxyOrder::kReaderSide)
    return "proxy-fence/reader-side";
  if (!c.later.write) return "proxy-fence/raw";
  return c.earlier.write ? ir::Code("proxy-fence/waw") : "proxy-fence/war";
}

// What is wrong with a fence of that form for these bytes.
std::string FaultOf(const Conflict& c, const Event& e, const ir::Effect& f) {
  bool own = c.place.space != ir::Space::kGlobal && c.place.owner == e.cta;
  if (!ir::Covers(f.fence, {c.place.space, own}))
    return c.place.space == ir::Space::kShared &&
                   ir::Covers(f.fence, {c.place.space, true})
               ? "it is about shared memory of its own CTA only"
               : "it is about another state space";
  if (!ir::IsHalf(f.fence)) return "";
  return f.fence == ir::FenceKind::kProxyRelease
             ? "who issues the asynchronous access does not execute the other "
               "half, fence.proxy.async::generic.acquire, after it"
             : "it is the half for who issues the asynchronous access";
}

FenceWanted WantedFor(const Conflict& c) {
  FenceWanted wanted;
  wanted.earlier = c.earlier.event;
  wanted.later = c.later.event;
  wanted.kind = [](const Event&, const ir::Effect& f) {
    return ir::IsProxyFence(f.fence);
  };
  wanted.fault = [&c](const Event& e, const ir::Effect& f) {
    return FaultOf(c, e, f);
  };
  return wanted;
}

}  // namespace

std::span<const ir::Code> ProxyFenceCheck::codes() const { return kCodes; }

void ProxyFenceCheck::OnConflict(const Context& context, const Conflict& c) {
  if (!c.ordered || c.proxy == order::ProxyOrder::kFenced) return;
  const Log& log = context.log;
  const Event &a = c.earlier_event(log), &b = c.later_event(log);
  std::string tile = TileOf(log, b, c.later.operand, c.place.owner);
  Finding* found = context.findings.AddAt(
      CodeOf(c),
      ir::Cat(DeclOf(log, a, c.earlier.operand), " ",
              DeclOf(log, b, c.later.operand), " ", MnemonicOf(a), " ",
              MnemonicOf(b), " ", RoleOf(log, a), " ", RoleOf(log, b)),
      {SpanOf(b), SpanOf(a)});
  if (found == nullptr) return;
  ir::Diagnostic& d = found->diagnostic;
  found->lack = {a.op, b.op, true};
  std::string_view does = c.earlier.write ? "writes" : "reads";
  d.span = SpanOf(b);
  d.span_text = ir::Cat(WhoOf(log, b), ": async proxy", NthOf(b));
  d.labels.push_back(
      {SpanOf(a),
       ir::Cat(WhoOf(log, a), ": generic proxy, ",
               TileOf(log, a, c.earlier.operand, c.place.owner), NthOf(a))});
  bool reader = c.proxy == order::ProxyOrder::kReaderSide;
  bool stands = !reader && NoteFence(context, WantedFor(c), d);
  d.message = ir::Cat(
      tile, " is ", c.later.write ? "overwritten" : "read",
      " through the async proxy ",
      reader ? "with a fence.proxy.async by who issues that, or on the way to "
               "it, and none by who executes the "
      : stands ? "and the fence.proxy.async that stands there does not order "
                 "that after the "
               : "without a fence.proxy.async after the ",
      MnemonicOf(a), " that ", does, " it");
  d.help = ir::Cat("fence.proxy.async by every thread that ", does,
                   " it, before the barrier that leads to the ", MnemonicOf(b));
}

}  // namespace tilesim::checkers::pairwise
