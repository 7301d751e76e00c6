#include "checkers/order/pairs.h"

#include <algorithm>
#include <string>

#include "checkers/order/lifetimes.h"
#include "checkers/report/names.h"
#include "ir/cat.h"

namespace tilesim::checkers::order {
using report::Finding;
using report::MnemonicOf;
using report::NthOf;
using report::SpanOf;
using report::WhoOf;
using run::Event;

namespace {

using ir::EffectKind;

// The other CTA of the pair, whose rank differs in the last bit.
int32_t PeerOf(const Event& e) { return e.cluster + ((e.cta - e.cluster) ^ 1); }

bool IsOfThePair(const ir::Effect& f) {
  return f.ranks != 0 && (f.kind == EffectKind::kTmemAlloc ||
                          f.kind == EffectKind::kTmemDealloc ||
                          f.kind == EffectKind::kTmemRelinquish);
}

}  // namespace

void Pairs::After(int32_t event) {
  const Event& e = order_.log().events[event];
  if (e.kind != Event::Kind::kOp) return;
  for (const ir::Effect& f : e.effects()) {
    if (!IsOfThePair(f)) continue;
    int32_t decl = f.operand < 0 ? -1 : e.concrete().tile(f.operand).decl;
    Shares& shares = shares_[e.cta];
    auto nth = std::count_if(shares.begin(), shares.end(), [&](const Share& s) {
      return s.kind == f.kind && s.decl == decl;
    });
    int32_t agent = order_.agents().Of(e)[0];
    shares.push_back({event, f.kind, decl, static_cast<int32_t>(nth),
                      order_.mark(agent), order_.clock(agent)});
    if (f.kind == EffectKind::kTmemAlloc) Allocates(event, PeerOf(e));
  }
}

void Pairs::Allocates(int32_t event, int32_t peer) {
  const Event& e = order_.log().events[event];
  const Clock& clock = order_.clock(order_.agents().Of(e)[0]);
  if (HasStarted(order_, clock, peer)) return;
  Finding* found =
      findings_.Add("cluster/lifetime", ir::Cat(e.op, " allocates"));
  if (found == nullptr) return;
  found->every_schedule = false;
  ir::Diagnostic& d = found->diagnostic;
  d.severity = ir::Severity::kWarning;
  d.message = ir::Cat("CTA ", peer, " may not have started when ",
                      MnemonicOf(e), " of CTA ", e.cta, " allocates for both");
  d.span = SpanOf(e);
  d.span_text = ir::Cat(WhoOf(order_.log(), e), NthOf(e));
  d.help = "a cluster barrier (arrive and wait) before it";
}

const Pairs::Share* Pairs::Other(const Share& share, const Shares& peer) {
  for (const Share& s : peer) {
    if (s.kind == share.kind && s.decl == share.decl && s.nth == share.nth)
      return &s;
  }
  return nullptr;
}

void Pairs::OneSided(const Share& share, int32_t peer) {
  const run::Log& log = order_.log();
  const Event& e = log.events[share.event];
  Finding* found =
      findings_.Add("scope/collective", ir::Cat(e.op, " ", e.cta < peer));
  if (found == nullptr) return;
  found->every_schedule = false;
  ir::Diagnostic& d = found->diagnostic;
  d.message = ir::Cat("CTA ", peer, " does not take part in ", MnemonicOf(e),
                      " of CTA ", e.cta,
                      ": a warp of each CTA of the pair executes it");
  d.span = SpanOf(e);
  d.span_text = ir::Cat(WhoOf(log, e), NthOf(e));
  d.help = "let one warp of both CTAs execute it";
}

void Pairs::Crossed(const Share& first, const Share& second, int32_t peer) {
  const run::Log& log = order_.log();
  const Event& e = log.events[second.event];
  const Event& before = log.events[first.event];
  Finding* found = findings_.Add("scope/collective", ir::Cat(e.op, " crossed"));
  if (found == nullptr) return;
  found->every_schedule = false;
  ir::Diagnostic& d = found->diagnostic;
  d.message = ir::Cat("CTA ", e.cta, " and CTA ", peer, " need not execute ",
                      MnemonicOf(before), " and ", MnemonicOf(e),
                      " in the same order, and each waits for the other CTA's");
  d.span = SpanOf(e);
  d.span_text = ir::Cat(WhoOf(log, e), NthOf(e));
  d.labels.push_back({SpanOf(before), "the other one"});
  d.help =
      "execute the instructions of a pair in the same order in both CTAs, "
      "from one warp or with a barrier between them";
}

// Whether `a` and `b` may come in one order here and in the other at the peer.
// An alloc meets what allocates next there, whatever it names, so those of one
// kind are in order in both CTAs; others may be in none.
bool Pairs::MayCross(const Share& a, const Share& b, const Share& other_a,
                     const Share& other_b) {
  bool ab = b.clock.Knows(a.mark);
  bool ba = a.clock.Knows(b.mark);
  bool other_ab = other_b.clock.Knows(other_a.mark);
  bool other_ba = other_a.clock.Knows(other_b.mark);
  if ((ab && other_ba) || (ba && other_ab)) return true;
  return a.kind == b.kind && ((!ab && !ba) || (!other_ab && !other_ba));
}

void Pairs::CheckOrder(const Shares& shares, const Shares& peer) {
  for (size_t i = 0; i < shares.size(); ++i) {
    const Share* other = Other(shares[i], peer);
    if (other == nullptr) continue;
    for (size_t j = i + 1; j < shares.size(); ++j) {
      const Share* next = Other(shares[j], peer);
      if (next == nullptr || !MayCross(shares[i], shares[j], *other, *next))
        continue;
      int32_t cta = order_.log().events[other->event].cta;
      return Crossed(shares[i], shares[j], cta);
    }
  }
}

void Pairs::End() {
  for (const auto& [cta, shares] : shares_) {
    int32_t peer = PeerOf(order_.log().events[shares.front().event]);
    auto other = shares_.find(peer);
    const Shares none;
    const Shares& theirs = other == shares_.end() ? none : other->second;
    for (const Share& s : shares) {
      if (Other(s, theirs) == nullptr) OneSided(s, peer);
    }
    if (cta < peer) CheckOrder(shares, theirs);
  }
}

}  // namespace tilesim::checkers::order
