#include "checkers/pairwise/clobbered.h"

#include <string>

#include "checkers/report/names.h"
#include "ir/cat.h"

namespace tilesim::checkers::pairwise {
using footprint::Place;
using order::Access;
using order::Accesses;
using order::TensorOrder;
using report::DeclOf;
using report::Finding;
using report::NthOf;
using report::RoleOf;
using report::SpanOf;
using report::TileOf;
using report::WhoOf;
using run::Event;
using run::Log;

namespace {

constexpr ir::Code kCodes[] = {"dataflow/clobbered"};

ir::DType TypeOf(const Event& e, const Access& a) {
  return e.concrete().tile(a.operand).dtype;
}

}  // namespace

std::span<const ir::Code> Clobbered::codes() const { return kCodes; }

// What an event reads it reads before what it writes.
void Clobbered::OnAccesses(const Context& context, const Accesses& accesses) {
  for (const auto& [place, a] : accesses) {
    if (place.space == ir::Space::kTmem && !a.write &&
        context.log.events[a.event].concrete().info().AccumulatesInTmem())
      Read(context, place, a);
  }
  for (const auto& [place, a] : accesses) {
    if (place.space == ir::Space::kTmem && a.write) Write(context, place, a);
  }
}

void Clobbered::Write(const Context& context, const Place& place,
                      const Access& write) {
  for (auto& [at, sum] : sums_) {
    if (at == place) sum.bytes.Subtract(write.bytes);
  }
  std::erase_if(sums_, [](const auto& s) { return s.second.bytes.empty(); });
  if (context.log.events[write.event].concrete().info().AccumulatesInTmem())
    sums_.emplace_back(place, write);
}

// Sums that may come later still are a race, and told as one.
void Clobbered::Read(const Context& context, const Place& place,
                     const Access& read) {
  const Log& log = context.log;
  const Event& r = log.events[read.event];
  for (const auto& [at, sum] : sums_) {
    const Event& w = log.events[sum.event];
    ir::DType is = TypeOf(w, sum), as = TypeOf(r, read);
    if (!(at == place) || values::BitsOf(is) == values::BitsOf(as) ||
        !sum.bytes.Overlaps(read.bytes) ||
        OrderedInTensor(context.order, context.order, sum, read) ==
            TensorOrder::kUnordered)
      continue;
    Finding* found = context.findings.AddAt(
        "dataflow/clobbered",
        ir::Cat(DeclOf(log, w, sum.operand), " ", DeclOf(log, r, read.operand),
                " ", RoleOf(log, r)),
        {SpanOf(r), SpanOf(w)});
    if (found == nullptr) continue;
    ir::Diagnostic& d = found->diagnostic;
    d.message =
        ir::Cat(TileOf(log, r, read.operand), " is read as ",
                values::NameOf(as), ", but holds the ", values::NameOf(is),
                " sums of another product, written over it");
    d.span = SpanOf(r);
    d.span_text = ir::Cat(WhoOf(log, r), ": read here", NthOf(r));
    d.labels.push_back(
        {SpanOf(w), ir::Cat(WhoOf(log, w), ": writes ",
                            TileOf(log, w, sum.operand), NthOf(w))});
    d.help =
        "let the first product wait until this one has read, or give it "
        "columns of its own";
  }
}

}  // namespace tilesim::checkers::pairwise
