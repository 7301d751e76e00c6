#include "checkers/program/unwritten.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "checkers/footprint/footprint.h"
#include "checkers/program/global_uses.h"
#include "checkers/report/names.h"
#include "checkers/run/locks.h"
#include "ir/cat.h"

namespace tilesim::checkers::program {
using footprint::Footprints;
using footprint::IntervalPile;
using footprint::IntervalSet;
using report::Finding;
using report::MnemonicOf;
using report::SpanOf;
using report::WhoOf;
using run::Event;
using run::Log;

namespace {

// The declaration of that name, or null.
const ir::Decl* DeclNamed(const ir::Kernel& kernel, const std::string& name) {
  for (const ir::Decl& d : kernel.decls) {
    if (d.space == ir::Space::kGlobal && d.name == name) return &d;
  }
  return nullptr;
}

bool Undefined(const ir::Program& program, const std::string& name) {
  return std::any_of(program.kernels.begin(), program.kernels.end(),
                     [&](const auto& k) {
                       const ir::Decl* d = DeclNamed(k, name);
                       return d != nullptr && d->undefined;
                     });
}

bool AnyUndefined(const ir::Program& program) {
  return std::any_of(
      program.kernels.begin(), program.kernels.end(), [](const auto& k) {
        return std::any_of(k.decls.begin(), k.decls.end(),
                           [](const ir::Decl& d) { return d.undefined; });
      });
}

IntervalSet Common(const IntervalSet& a, const IntervalSet& b) {
  IntervalSet only = a;
  only.Subtract(b);
  IntervalSet out = a;
  out.Subtract(only);
  return out;
}

// Of what was kept so far, or of all.
void KeepCommon(std::optional<IntervalSet>& kept, const IntervalSet& bytes) {
  kept = kept ? Common(*kept, bytes) : bytes;
}

void KeepCommon(bool first, std::map<std::string, IntervalSet> now,
                std::map<std::string, IntervalSet>& kept) {
  if (first) {
    kept = std::move(now);
    return;
  }
  for (auto& [name, bytes] : kept) bytes = Common(bytes, now[name]);
}

std::optional<std::pair<run::GlobalWord, int64_t>> DrawnIn(const Log& log) {
  if (!log.ticket) return std::nullopt;
  return std::pair(log.ticket->word, log.ticket->number);
}

// Sizes that both have are the same.
bool Agree(const ir::Overrides& a, const ir::Overrides& b) {
  return std::all_of(a.begin(), a.end(), [&](const auto& size) {
    auto other = b.find(size.first);
    return other == b.end() || other->second == size.second;
  });
}

}  // namespace

std::span<const ir::Code> Unwritten::codes() const {
  static constexpr ir::Code kCodes[] = {"uninit/global"};
  return kCodes;
}

void Unwritten::OnCluster(const ClusterRun& run, Conclusions) {
  if (!AnyUndefined(program_)) return;
  Grid& grid =
      grids_[{run.of.kernel, run.of.sizes, run.of.sm_count, run.grid_inputs}];
  const ir::BoundKernel& bound = run.code.bound;
  grid.inputs = run.inputs;
  tried_.Add(run.of.kernel, run.inputs);
  grid.clusters = bound.ctas() / bound.cluster_size();
  std::set<int64_t> clusters(run.work.begin(), run.work.end());
  if (run.whole_grid) {
    for (int64_t c = 0; c < grid.clusters; ++c) clusters.insert(c);
  }
  grid.run.insert(clusters.begin(), clusters.end());
  grid.known &= !run.runs.empty();
  // One of these schedules it has: what it writes in all of them is written.
  RunWrites all;
  Drew drew;
  if (!run.runs.empty()) drew = DrawnIn(*run.runs.front().log);
  // Once: a flag that is set once is a flag whose set is known.
  const bool ordered =
      run.whole_grid ||
      !grid.ordered.insert({run.work, drew ? drew->second : -1}).second;
  for (const JudgedRun& judged : run.runs) {
    const ReleaseAcquire words = ReleaseAcquireIn(
        *judged.log, judged.order.value_or(order::Order::Kind::kNoFlags),
        fragments_);
    if (!ordered) grid.order.Add(*judged.log, run.work[0], words);
    RunWrites here = Add(*judged.log, clusters, words, grid);
    const bool fresh = &judged == &run.runs.front();
    KeepCommon(fresh, std::move(here.own), all.own);
    KeepCommon(fresh, std::move(here.begun), all.begun);
    for (auto& [name, writes] : here.accesses)
      std::move(writes.begin(), writes.end(),
                std::back_inserter(all.accesses[name]));
  }
  const bool first =
      !run.runs.empty() && !FindsWordsLeft(run.runs.front().log->flags);
  // Of a run that writes nothing that is known, too.
  for (const ir::Decl& d : run.code.kernel().decls) {
    if (!Undefined(program_, d.name)) continue;
    grid.writes[d.name].push_back(
        {clusters, run.whole_grid, drew, std::move(all.own[d.name]), {}});
    grid.begun[d.name].push_back({clusters, run.whole_grid, drew,
                                  std::move(all.begun[d.name]),
                                  std::move(all.accesses[d.name]), first});
  }
}

// What an event reads it reads before what it writes.
Unwritten::RunWrites Unwritten::Add(const Log& log,
                                    const std::set<int64_t>& clusters,
                                    const ReleaseAcquire& words, Grid& grid) {
  Footprints footprints(*log.code, fragments_);
  RunWrites out;
  Bytes read_first;
  // Accesses that are alike: tensor, op, what orders them.
  using Alike = std::tuple<std::string, int32_t, SyncWords, SyncWords>;
  std::map<Alike, Read> reads;
  std::map<Alike, Write> writes;
  auto each = [&](size_t event, ir::EffectKind kind, auto f) {
    const Event& e = log.events[event];
    for (const ir::Effect& effect : e.effects()) {
      if (effect.kind != kind || !TouchesGlobal(e, effect)) continue;
      std::string name = report::DeclOf(log, e, effect.operand);
      if (!Undefined(program_, name)) continue;
      const Access access{PlaceOf(log, words, event),
                          ir::AtomicInGrid(e.effects(), effect.operand)};
      f({name, e.op, access.place.released, access.place.acquired}, access,
        footprints.Memory(e, effect.operand, e.threads()).bytes);
    }
  };
  for (size_t i = 0; i < log.events.size(); ++i) {
    const Event& e = log.events[i];
    if (e.kind != Event::Kind::kOp) continue;
    each(i, ir::EffectKind::kRead,
         [&](const Alike& key, const Access& access, IntervalSet bytes) {
           const std::string& name = std::get<0>(key);
           bytes.Subtract(out.own[name]);
           if (bytes.empty()) return;
           auto [at, fresh] = reads.try_emplace(key);
           if (fresh)
             at->second = {clusters,
                           DrawnIn(log),
                           WhoOf(log, e),
                           MnemonicOf(e),
                           SpanOf(e),
                           access,
                           {},
                           FindsWordsLeft(log.flags)};
           at->second.bytes.Add(bytes);
           read_first[name].Add(bytes);
         });
    each(i, ir::EffectKind::kWrite,
         [&](const Alike& key, const Access& access, const IntervalSet& bytes) {
           const std::string& name = std::get<0>(key);
           out.own[name].Add(bytes);
           IntervalSet first = bytes;
           first.Subtract(read_first[name]);
           out.begun[name].Add(first);
           writes.try_emplace(key, Write{access, {}})
               .first->second.bytes.Add(bytes);
         });
  }
  for (auto& [key, read] : reads)
    grid.reads[std::get<0>(key)].push_back(std::move(read));
  for (auto& [key, write] : writes)
    out.accesses[std::get<0>(key)].push_back(std::move(write));
  return out;
}

// Of two accesses that are no atomics for each other one comes before the
// other, or they race. Of atomics nothing but words tells which is first.
Unwritten::NotBefore Unwritten::NotBeforeRead(const Grid& grid,
                                              const Read& read,
                                              const Written& written) {
  NotBefore out;
  const bool alone = read.access.place.released.empty() &&
                     read.access.atomic == ir::Atomic::kNot;
  if (alone) return out;
  IntervalSet before, perhaps_before;
  for (const Write& w : written.in_some) {
    const ClusterOrder& order = grid.order;
    // Either may hold the lock first.
    if (order.HoldsApart(read.access.place, w.access.place)) {
      out.surely.Add(w.bytes);
      continue;
    }
    const bool atomic = AreAtomic(read.access.atomic, w.access.atomic);
    const PlaceInOrder& place = w.access.place;
    if (order.Before(read.access.place, place))
      out.surely.Add(w.bytes);
    else if (!atomic || order.Before(place, read.access.place))
      before.Add(w.bytes);
    else if (order.MayBeBefore(place, read.access.place) ||
             !order.Followed(read.access.place) || !order.Followed(place))
      perhaps_before.Add(w.bytes);
    else
      out.surely.Add(w.bytes);
  }
  out.perhaps = perhaps_before;
  out.perhaps.Subtract(before);
  out.surely.Subtract(before);
  out.surely.Subtract(perhaps_before);
  return out;
}

bool Unwritten::Complete(const Grid& grid) {
  return grid.known && static_cast<int64_t>(grid.run.size()) == grid.clusters;
}

bool Unwritten::WasRun(size_t k, const Key& key) const {
  return std::any_of(grids_.begin(), grids_.end(), [&](const auto& run) {
    return std::get<0>(run.first) == k &&
           std::get<2>(run.first) == std::get<2>(key) &&
           Agree(std::get<1>(key), std::get<1>(run.first)) &&
           Complete(run.second);
  });
}

void Unwritten::Want(size_t k, const Key& key,
                     std::vector<KernelRun>& out) const {
  if (WasRun(k, key)) return;
  const bool known =
      std::any_of(out.begin(), out.end(), [&](const KernelRun& run) {
        return run.kernel == k && run.sizes == std::get<1>(key);
      });
  if (!known) out.push_back({k, std::get<1>(key), "", std::get<2>(key)});
}

void Unwritten::WantWriters(const Key& key, const Grid& grid,
                            std::vector<KernelRun>& out) const {
  for (const auto& [tensor, reads] : grid.reads) {
    for (size_t k = 0; k < std::get<0>(key); ++k) {
      if (DeclNamed(program_.kernels[k], tensor) != nullptr) Want(k, key, out);
    }
  }
}

bool Unwritten::Reads(size_t k, const std::string& tensor) const {
  return std::any_of(grids_.begin(), grids_.end(), [&](const auto& run) {
    return std::get<0>(run.first) == k && run.second.reads.contains(tensor);
  });
}

// At these sizes it may write less than at those of the readers.
void Unwritten::WantReaders(const Key& key, std::vector<KernelRun>& out) const {
  const ir::Kernel& writer = program_.kernels[std::get<0>(key)];
  for (size_t k = std::get<0>(key) + 1; k < program_.kernels.size(); ++k) {
    for (const ir::Decl& d : writer.decls) {
      if (Undefined(program_, d.name) && Reads(k, d.name)) Want(k, key, out);
    }
  }
}

std::vector<KernelRun> Unwritten::Wanted() const {
  std::vector<KernelRun> out;
  for (const auto& [key, grid] : grids_) {
    if (!Complete(grid)) continue;
    WantWriters(key, grid, out);
    WantReaders(key, out);
  }
  return out;
}

namespace {

// Of one cluster, or of all that draw in a word: by number.
using Drawn = std::map<int64_t, std::map<int64_t, IntervalSet>>;

// What is written whoever draws which number: by a cluster with each of them,
// or with one number by whoever draws it.
// `taken`: the number that those have.
IntervalSet WithAnyNumber(const Drawn& by_number,
                          const std::set<int64_t>& but_for,
                          std::optional<int64_t> taken) {
  IntervalSet out;
  std::map<int64_t, IntervalSet> always;  // by cluster
  std::map<int64_t, size_t> numbers;
  for (const auto& [number, by_cluster] : by_number) {
    if (number == taken) continue;
    std::optional<IntervalSet> by_each;
    for (const auto& [cluster, bytes] : by_cluster) {
      if (but_for.contains(cluster)) continue;
      KeepCommon(by_each, bytes);
      auto [at, fresh] = always.try_emplace(cluster, bytes);
      if (!fresh) at->second = Common(at->second, bytes);
      ++numbers[cluster];
    }
    if (by_each) out.Add(*by_each);
  }
  for (const auto& [cluster, bytes] : always) {
    const size_t others = by_number.size() - (taken ? 1 : 0);
    if (numbers[cluster] == others) out.Add(bytes);
  }
  return out;
}

}  // namespace

// By cluster: what it writes if it is handed no others. Of one that was run
// only with others that is what these do not write by themselves.
void Unwritten::AddOwn(const std::vector<Written>& all, OwnWrites& alone) {
  std::map<int64_t, IntervalSet> own;
  for (const Written& w : all) {
    const int64_t first = *w.clusters.begin();
    if (w.whole_grid || w.clusters.size() == 1 || alone.contains(first))
      continue;
    IntervalSet bytes = w.bytes;
    for (int64_t c : w.clusters) {
      if (const auto at = alone.find(c); at != alone.end())
        bytes.Subtract(*at->second);
    }
    auto [at, fresh] = own.try_emplace(first, bytes);
    if (!fresh) at->second = Common(at->second, bytes);
  }
  for (auto& [cluster, bytes] : own) alone[cluster] = std::move(bytes);
}

// A cluster that is handed out is not launched: whoever it was handed to writes
// for it. So what a cluster writes by itself is written in the end if all
// that are handed it write that too, beside their own.
IntervalSet Unwritten::WrittenBy(const std::vector<Written>& all,
                                 const std::set<int64_t>& but_for,
                                 const Drew& drawn_by_these) {
  IntervalSet out, passed_over;
  OwnWrites alone;
  std::map<run::GlobalWord, Drawn> drawn;
  for (const Written& w : all) {
    const int64_t cluster = *w.clusters.begin();
    if (w.whole_grid || w.clusters.size() > 1) continue;
    if (w.drew)
      drawn[w.drew->first][w.drew->second].try_emplace(cluster, w.bytes);
    else
      KeepCommon(alone[cluster], w.bytes);
  }
  AddOwn(all, alone);
  for (const auto& [cluster, bytes] : alone) {
    if (!but_for.contains(cluster)) out.Add(*bytes);
  }
  for (const auto& [word, by_number] : drawn) {
    const bool same = drawn_by_these && drawn_by_these->first == word;
    out.Add(WithAnyNumber(
        by_number, but_for,
        same ? std::optional(drawn_by_these->second) : std::nullopt));
  }
  for (const Written& w : all) {
    const bool apart =
        std::none_of(w.clusters.begin(), w.clusters.end(),
                     [&](int64_t c) { return but_for.contains(c); });
    if (w.whole_grid && apart) out.Add(w.bytes);
    if (w.whole_grid || w.clusters.size() == 1) continue;
    for (int64_t c : w.clusters) {
      IntervalSet left = alone[c].value_or(IntervalSet());
      left.Subtract(w.bytes);
      passed_over.Add(left);
    }
  }
  out.Subtract(passed_over);
  return out;
}

std::optional<std::vector<const Unwritten::Grid*>> Unwritten::Earlier(
    size_t k, const Key& key, const Grid& grid) const {
  std::vector<const Grid*> any, alike;
  std::set<std::string> inputs;
  for (const auto& [other, earlier] : grids_) {
    const bool before = std::get<0>(other) == k &&
                        std::get<2>(other) == std::get<2>(key) &&
                        Agree(std::get<1>(key), std::get<1>(other));
    if (!before || !Complete(earlier)) continue;
    any.push_back(&earlier);
    inputs.insert(std::get<3>(other));
    if (tried_.Agree(std::get<0>(key), grid.inputs, k, earlier.inputs))
      alike.push_back(&earlier);
  }
  if (!alike.empty()) return alike;
  // One draw stands for all of them.
  if (inputs.size() < 2) return any;
  return std::nullopt;
}

// Takes away what kernels before have written, at whichever sizes and with
// whichever inputs of their own. False: that is not known.
bool Unwritten::TakeEarlier(const Key& key, const Grid& grid,
                            const std::string& tensor, IntervalSet& bytes,
                            Conclusions out) const {
  for (size_t k = 0; k < std::get<0>(key); ++k) {
    if (DeclNamed(program_.kernels[k], tensor) == nullptr) continue;
    const auto grids = Earlier(k, key, grid);
    if (!grids)
      out.open.Add(ir::Cat("`", tensor, "` is read by ",
                           program_.kernels[std::get<0>(key)].name,
                           " with values of inputs with which ",
                           program_.kernels[k].name, " was not run"));
    if (!grids || grids->empty()) return false;
    IntervalSet left;
    for (const Grid* earlier : *grids) {
      auto writes = earlier->writes.find(tensor);
      IntervalSet here = bytes;
      if (writes != earlier->writes.end())
        here.Subtract(WrittenBy(writes->second, {}, {}));
      left.Add(here);
    }
    bytes = std::move(left);
  }
  return true;
}

IntervalSet Unwritten::BegunBefore(const Grid& grid, const Read& read,
                                   const std::vector<Written>& begun,
                                   bool surely) {
  std::vector<Written> before;
  for (const Written& w : begun) {
    const NotBefore not_before = NotBeforeRead(grid, read, w);
    IntervalSet bytes = w.bytes;
    bytes.Subtract(not_before.surely);
    if (surely) bytes.Subtract(not_before.perhaps);
    before.push_back({w.clusters, w.whole_grid, w.drew, std::move(bytes), {}});
  }
  // What a cluster writes itself it has to write before.
  return WrittenBy(before, read.clusters, read.drew);
}

// Who finds a word to be what another has left there comes after one that has
// found it as it was at first: of those that take its lock, the first.
IntervalSet Unwritten::WrittenByFirst(const Grid& grid, const Read& read,
                                      const std::vector<Written>& all) {
  const SyncWords holds = grid.order.Holds(read.access.place);
  std::optional<IntervalSet> common;
  for (int64_t cluster : grid.order.locks().TakersOf(holds)) {
    if (read.clusters.contains(cluster)) continue;
    IntervalSet bytes;
    for (const Written& w : all) {
      if (!w.first || w.clusters != std::set{cluster}) continue;
      for (const Write& write : w.in_some) {
        if (grid.order.HoldsApart(read.access.place, write.access.place))
          bytes.Add(write.bytes);
      }
    }
    KeepCommon(common, bytes);
  }
  return common.value_or(IntervalSet());
}

// Whoever touches a byte first in the grid has written it or reads what nothing
// has written. So only those count who write it without having read it before
// (as an atomic reads): if all do, the first one does.
void Unwritten::Judge(const Key& key, const Grid& grid,
                      const std::string& tensor, const Read& read,
                      Conclusions out) const {
  IntervalSet bytes = read.bytes;
  if (!TakeEarlier(key, grid, tensor, bytes, out) || bytes.empty()) return;
  auto begun = grid.begun.find(tensor);
  if (begun != grid.begun.end()) {
    IntervalSet perhaps = bytes;
    bytes.Subtract(BegunBefore(grid, read, begun->second, false));
    perhaps.Subtract(BegunBefore(grid, read, begun->second, true));
    if (bytes.empty() && !perhaps.empty())
      out.open.Add(ir::Cat("`", tensor,
                           "` is read after a flag that is set several times, "
                           "and may be written later"));
  }
  if (read.after_others && begun != grid.begun.end()) {
    bytes.Subtract(WrittenByFirst(grid, read, begun->second));
    if (!bytes.empty())
      out.open.Add(ir::Cat("`", tensor, "` is read (line ", read.span.line,
                           ") where words that a lock guards say that others "
                           "have held it: that these have written it was not "
                           "shown"));
    return;
  }
  if (bytes.empty()) return;
  const std::string& kernel = program_.kernels[std::get<0>(key)].name;
  Finding* found = out.findings.Add(
      "uninit/global",
      ir::Cat(kernel, " ", tensor, " ", read.span.line, ":", read.span.column));
  if (found == nullptr) return;
  ir::Diagnostic& d = found->diagnostic;
  d.message = ir::Cat("`", tensor, "` is read where nothing has written it");
  d.span = read.span;
  d.span_text = ir::Cat(read.who, ": ", read.mnemonic);
  d.help = "write all of it first, or let it start as `zero`";
  found->seen = {kernel, std::get<1>(key), std::get<2>(key),
                 report::Provenance::kBetweenClusters};
}

void Unwritten::OnProgramEnd(Conclusions out) {
  for (const auto& [key, grid] : grids_) {
    if (!Complete(grid)) continue;
    for (const auto& [tensor, reads] : grid.reads) {
      for (const Read& read : reads) Judge(key, grid, tensor, read, out);
    }
  }
  TellWhatIsOpen(out);
}

void Unwritten::TellWhatIsOpen(Conclusions out) const {
  std::map<std::pair<size_t, std::string>, bool> judged;
  for (const auto& [key, grid] : grids_) {
    for (const auto& [tensor, reads] : grid.reads)
      judged[{std::get<0>(key), tensor}] |= Complete(grid);
  }
  for (const auto& [of, whole] : judged) {
    if (!whole)
      out.open.Add(ir::Cat("no grid was run whole: `", of.second,
                           "` may be read where nothing has written it"));
  }
}

}  // namespace tilesim::checkers::program
