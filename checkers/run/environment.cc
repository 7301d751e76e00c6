#include "checkers/run/environment.h"

#include <algorithm>
#include <set>
#include <utility>

#include "checkers/run/control_memory.h"
#include "checkers/run/grid_rounds.h"
#include "checkers/run/locks.h"
#include "checkers/run/turns.h"
#include "ir/cat.h"
#include "ir/values/convert.h"
#include "ir/values/dtype.h"
#include "sim/machine/data/domain.h"

namespace tilesim::checkers::run {
namespace {

// Draws of all inputs; sets of clusters that one is handed.
constexpr int64_t kMaxDraws = 256;

// An input and the number of values that each of its elements can have.
struct Domain {
  std::string name;
  ir::DType type;
  std::vector<int64_t> shape;
  int64_t elements = 1;
  int64_t low = 0;
  int64_t values = 1;
};

std::optional<Domain> DomainOfInput(const machine::Code& code, int32_t decl) {
  const ir::BoundDecl& d = code.bound.decls[decl];
  const ir::Decl& text = code.kernel().decls[decl];
  auto range = machine::DomainOf(text, code.bound);
  // Of compiled code, words of two bytes are drawn as their bits.
  if (!range || (values::IsFloat(d.dtype) && code.guide == nullptr))
    return std::nullopt;
  Domain out{text.name, d.dtype, {}, 1, range->lo, range->hi - range->lo + 1};
  for (int i = 0; i < d.rank; ++i) {
    out.shape.push_back(d.shape[i]);
    out.elements *= d.shape[i];
  }
  return out;
}

// values ^ elements, or more than kMaxDraws.
int64_t DrawsOf(const Domain& d) {
  int64_t draws = 1;
  for (int64_t i = 0; i < d.elements && draws <= kMaxDraws; ++i)
    draws = d.values > kMaxDraws ? kMaxDraws + 1 : draws * d.values;
  return draws;
}

// The n-th draw: its digits are the elements.
values::Tensor Draw(const Domain& d, int64_t n) {
  values::Tensor t{d.type, d.shape, {}};
  t.data.resize(values::BytesOf(d.type, d.elements));
  int bits = values::BitsOf(d.type);
  for (int64_t i = 0; i < d.elements; ++i, n /= d.values) {
    auto code = static_cast<uint64_t>(d.low + n % d.values);
    if (bits < 64) code &= (uint64_t{1} << bits) - 1;
    values::StoreCode(d.type, t.data.data(), i, code);
  }
  return t;
}

// With one value for all elements.
values::Tensor All(const Domain& d, int64_t value) {
  return Draw({d.name, d.type, d.shape, d.elements, value, 1}, 0);
}

// From the lowest to the highest, evenly: a table of where pieces begin, in
// which no piece is empty.
values::Tensor Rising(const Domain& d) {
  values::Tensor t = All(d, d.low);
  const int bits = values::BitsOf(d.type);
  const int64_t last = std::max<int64_t>(1, d.elements - 1);
  for (int64_t i = 0; i < d.elements; ++i) {
    const auto above = static_cast<__int128>(d.values - 1) * i / last;
    auto code = static_cast<uint64_t>(d.low + static_cast<int64_t>(above));
    if (bits < 64) code &= (uint64_t{1} << bits) - 1;
    values::StoreCode(d.type, t.data.data(), i, code);
  }
  return t;
}

int64_t ValueAt(const values::Tensor& t, int64_t i) {
  const uint64_t code = values::LoadCode(t.type, t.data.data(), i);
  // Of a signed type the highest bit is the sign.
  const int unused =
      values::Info(t.type).is_signed() ? 64 - values::BitsOf(t.type) : 0;
  return static_cast<int64_t>(code << unused) >> unused;
}

// Worth a word: many, and one number.
bool AllAlike(const values::Tensor& t) {
  constexpr int64_t kMany = 9;
  for (int64_t i = 1; i < t.elements(); ++i) {
    if (ValueAt(t, i) != ValueAt(t, 0)) return false;
  }
  return t.elements() >= kMany;
}

}  // namespace

bool Requests(const machine::Code& code) {
  return std::any_of(
      code.ops.begin(), code.ops.end(), [](const machine::CompiledOp& op) {
        ir::EffectSink sink;
        ir::EffectsOf(machine::FixedOperands(op), sink);
        return std::any_of(sink.effects().begin(), sink.effects().end(),
                           [](const ir::Effect& e) {
                             return e.kind == ir::EffectKind::kClcCancel;
                           });
      });
}

Environment HandedOut(int64_t cluster, int64_t count, const Environment& draw) {
  Environment out = draw;
  out.handed_out.emplace();
  for (int64_t i = 0; i < count; ++i)
    out.handed_out->push_back(cluster + 1 + i);
  return out;
}

// Beside the draw that there is: what is too small or too large for the kernel
// is found at the ends, and what is between two elements where they rise.
void AddEnds(const std::vector<Domain>& large, std::vector<Environment>& all) {
  if (large.empty()) return;
  const size_t draws = all.size() * 4 > kMaxDraws ? 1 : all.size();
  for (size_t i = 0; i < draws; ++i) {
    Environment low = all[i], high = all[i], rising = all[i];
    for (const Domain& d : large) {
      low.inputs[d.name] = All(d, d.low);
      high.inputs[d.name] = All(d, d.low + d.values - 1);
      rising.inputs[d.name] = Rising(d);
    }
    for (const Domain& d : large) {
      if (values::IsFloat(d.type)) all[i].inputs[d.name] = Rising(d);
    }
    all.push_back(std::move(low));
    all.push_back(std::move(high));
    all.push_back(std::move(rising));
  }
}

Environments DrawsOf(const machine::Code& code, const std::set<int32_t>& once) {
  Environments out;
  out.each.emplace_back();
  std::vector<Domain> large;
  for (int32_t decl : DrawnOf(code)) {
    if (once.contains(decl)) continue;
    const std::string& name = code.kernel().decls[decl].name;
    std::optional<Domain> domain = DomainOfInput(code, decl);
    int64_t draws = domain ? DrawsOf(*domain) : kMaxDraws + 1;
    if (draws * static_cast<int64_t>(out.each.size()) > kMaxDraws) {
      out.open.push_back(
          domain
              ? ir::Cat("checked for some draws of the values of `", name,
                        "`, its lowest and highest among them")
              : ir::Cat("checked for one draw of the values of `", name, "`"));
      if (domain) large.push_back(*std::move(domain));
      continue;
    }
    std::vector<Environment> all;
    for (const Environment& e : out.each) {
      for (int64_t n = 0; n < draws; ++n) {
        all.push_back(e);
        all.back().inputs[name] = Draw(*domain, n);
      }
    }
    out.each = std::move(all);
  }
  out.drawn = out.each.size();
  AddEnds(large, out.each);
  return out;
}

Environments HandOutsOf(const machine::Code& code, int64_t cluster,
                        const Environment& draw) {
  Environments out;
  int64_t clusters = code.bound.ctas() / code.bound.cluster_size();
  int64_t later = Requests(code) ? clusters - cluster - 1 : 0;
  if (later > kMaxLaterClusters)
    out.open.push_back(
        ir::Cat("of the clusters that cluster launch control may hand out only "
                "the next ",
                kMaxLaterClusters, " were checked"));
  later = std::min(later, kMaxLaterClusters);
  if (!Requests(code)) {
    out.each.push_back(draw);
    return out;
  }
  // All of them first. Where there are more, the verdict is open whatever these
  // show: only so many as are handed out in turn.
  for (int64_t set = (int64_t{1} << later) - 1; set >= 0; --set) {
    if (!out.open.empty() && (set & (set + 1)) != 0) continue;
    Environment& e = out.each.emplace_back(draw);
    e.handed_out.emplace();
    for (int64_t i = 0; i < later; ++i) {
      if ((set >> i & 1) != 0) e.handed_out->push_back(cluster + 1 + i);
    }
  }
  return out;
}

Environment WithTicket(const Ticket& ticket, const machine::Code& code,
                       const Environment& environment) {
  Environment out = environment;
  out.ticket = ticket;
  int32_t decl = ticket.word.decl;
  if (ticket.number > 0)
    out.inputs[code.kernel().decls[decl].name] =
        Filled(code, decl, ticket.number);
  return out;
}

Environment WithFlags(const std::vector<Flags>& flags,
                      const machine::Code& code, const Environment& environment,
                      const WordValues* only) {
  Environment out = environment;
  out.flags = flags;
  for (const Flags& f : flags) {
    // To the word of a barrier the CTA adds its own 1.
    const int64_t by_others = AreInTurn(f)                   ? TurnsAtFirst(f)
                              : AreLocks(f) || AreGuarded(f) ? AtFirst(f)
                              : AreInRounds(f)               ? AllRoundsOver()
                              : f.by_all                     ? f.value - 1
                                                             : f.value;
    const int64_t by_none = AreInRounds(f) ? RoundsOver(0) : 0;
    values::Tensor all =
        Filled(code, f.decl, only == nullptr ? by_others : by_none);
    for (const auto& [word, value] : only == nullptr ? WordValues() : *only) {
      if (word.decl == f.decl)
        values::StoreCode(all.type, all.data.data(), word.element,
                          static_cast<uint64_t>(value));
    }
    out.inputs[code.kernel().decls[f.decl].name] = std::move(all);
  }
  return out;
}

bool HoldsTheSame(const machine::Code& code, const Environment& environment) {
  if (Requests(code)) return false;
  std::set<int32_t> set;
  for (const Flags& f : environment.flags) {
    auto at = environment.inputs.find(code.kernel().decls[f.decl].name);
    bool all = at != environment.inputs.end() &&
               at->second.data == Filled(code, f.decl, f.value).data;
    if (all) set.insert(f.decl);
  }
  std::vector<int32_t> written = WrittenOf(code);
  return std::all_of(written.begin(), written.end(),
                     [&](int32_t decl) { return set.count(decl) != 0; });
}

std::string TextOf(const Environment& environment, const ir::Kernel& kernel) {
  std::string out;
  std::set<std::string> words;  // by which CTAs talk: no inputs
  if (const auto& ticket = environment.ticket) {
    const std::string& name = kernel.decls[ticket->word.decl].name;
    words.insert(name);
    if (ticket->number > 0)
      out = ir::Cat("where the number drawn from `", name, "` is ",
                    ticket->number);
  }
  for (const Flags& f : environment.flags)
    words.insert(kernel.decls[f.decl].name);
  if (std::string guarded = TextOfGuarded(environment.flags, kernel);
      !guarded.empty())
    ir::Append(&out, out.empty() ? "where " : " and ", guarded);
  for (const auto& [name, tensor] : environment.inputs) {
    if (words.count(name) != 0) continue;
    ir::Append(&out, out.empty() ? "where `" : ", `", name, "` is ");
    const int64_t n = AllAlike(tensor) ? 1 : tensor.elements();
    for (int64_t i = 0; i < n; ++i)
      ir::Append(&out, i == 0 ? "" : " ", ValueAt(tensor, i));
    if (n < tensor.elements()) out += " everywhere";
  }
  if (environment.handed_out)
    ir::Append(&out, out.empty() ? "where " : " and ",
               "cluster launch control hands out ",
               environment.handed_out->size(), " clusters");
  return out;
}

}  // namespace tilesim::checkers::run
