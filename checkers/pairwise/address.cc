#include "checkers/pairwise/address.h"

#include <string>

#include "checkers/report/names.h"
#include "ir/cat.h"

namespace tilesim::checkers::pairwise {
using footprint::Place;
using order::Access;
using order::Accesses;
using order::Ordered;
using report::Finding;
using report::MnemonicOf;
using report::NthOf;
using report::RoleOf;
using report::SpanOf;
using report::WhoOf;
using run::Event;
using run::Log;

namespace {

constexpr ir::Code kCodes[] = {"dataflow/clobbered", "race/raw", "race/war"};

bool ReadsAddress(const Access& a) { return a.address_of >= 0 && !a.write; }

// `slot`, where the address of `pool` is
std::string WordOf(const Log& log, int32_t pool) {
  const auto& decls = log.code->kernel().decls;
  return ir::Cat("`", decls[log.code->bound.decls[pool].slot].name,
                 "`, which holds the address of `", decls[pool].name, "`");
}

void Report(const Context& context, ir::Code code, const Access& write,
            const Access& read, std::string_view is, std::string_view help) {
  const Log& log = context.log;
  const Event &w = log.events[write.event], &r = log.events[read.event];
  Finding* found = context.findings.AddAt(
      code, ir::Cat(read.address_of, " ", MnemonicOf(w), " ", RoleOf(log, w)),
      {SpanOf(w), SpanOf(r)});
  if (found == nullptr) return;
  ir::Diagnostic& d = found->diagnostic;
  d.message = ir::Cat(WordOf(log, read.address_of), ", ", is);
  d.span = SpanOf(w);
  d.span_text =
      ir::Cat(WhoOf(log, w), ": ", MnemonicOf(w), " writes over it", NthOf(w));
  d.labels.push_back({SpanOf(r), ir::Cat(WhoOf(log, r), ": ", MnemonicOf(r),
                                         " reads the address", NthOf(r))});
  d.help = help;
}

}  // namespace

std::span<const ir::Code> Address::codes() const { return kCodes; }

// What an event reads it reads before what it writes.
void Address::OnAccesses(const Context& context, const Accesses& accesses) {
  if (!context.footprints.any_slot_at_risk()) return;
  for (const auto& [place, a] : accesses) {
    if (ReadsAddress(a)) Read(context, place, a);
  }
  for (const auto& [place, a] : accesses) {
    if (place.space == ir::Space::kShared && a.write) Write(place, a);
  }
}

void Address::Write(const Place& place, const Access& write) {
  for (auto& [at, before] : writes_) {
    if (at == place) before.bytes.Subtract(write.bytes);
  }
  std::erase_if(writes_, [](const auto& w) { return w.second.bytes.empty(); });
  writes_.emplace_back(place, write);
}

// What may come later still is a race.
void Address::Read(const Context& context, const Place& place,
                   const Access& read) const {
  for (const auto& [at, write] : writes_) {
    bool other = at == place && write.address_of != read.address_of &&
                 write.bytes.Overlaps(read.bytes);
    if (other && Ordered(context.order, write, read))
      Report(
          context, "dataflow/clobbered", write, read,
          "is written over before the address is read for the last time",
          "give it memory that nobody writes to until after tcgen05.dealloc");
  }
}

void Address::OnConflict(const Context& context, const Conflict& c) {
  if (c.ordered || c.earlier.address_of == c.later.address_of) return;
  if (ReadsAddress(c.earlier)) {
    Report(context, "race/war", c.later, c.earlier,
           "is written over while somebody may still read the address",
           "a barrier between the last use of the columns and the write");
  } else if (ReadsAddress(c.later)) {
    Report(context, "race/raw", c.earlier, c.later,
           "may be written over before the address is read",
           "a barrier between the write and the tcgen05.alloc");
  }
}

}  // namespace tilesim::checkers::pairwise
