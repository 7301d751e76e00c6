// cp.async and its groups.
#include "ir/cat.h"
#include "ir/ops/cp_async.h"
#include "ptx/machine/filling.h"
#include "ptx/machine/lower_ops.h"

namespace tilesim::ptx {
namespace {

using ir::OpKind;
using Copy = ir::ops::CpAsync;

// Of none of those that execute it any byte.
bool ReadsNothing(const Filling& f, const Value& bytes) {
  for (size_t i = 0; i < f.who().threads(); ++i) {
    const bool here =
        (f.who().strand.threads.lanes >> (i % ir::kWarpThreads) & 1) != 0;
    if (here && f.guide().lanes().At(bytes, i) != 0) return false;
  }
  return true;
}

// Some thread neither nothing nor all.
bool CopiesPart(const Filling& f, const Step& s) {
  if (s.sources.size() < 3) return false;
  const Value there = f.Of(s.sources[2]);
  if (there.unknown()) return true;
  for (size_t i = 0; i < f.who().threads(); ++i) {
    const bool here =
        (f.who().strand.threads.lanes >> (i % ir::kWarpThreads) & 1) != 0;
    const auto n = static_cast<uint32_t>(f.guide().lanes().At(there, i));
    if (here && n != 0 && n != s.numbers[0]) return true;
  }
  return false;
}

// Sources: where to, where from, and how many bytes are there to be read.
bool FillCopy(Filling& f, const Step& s, ir::ConcreteOp& out) {
  const int64_t bytes = s.numbers[0];
  if (s.word_bytes > 0 && CopiesPart(f, s))
    return f.Open("it copies a part of a word that decides");
  if (!f.OfThreads(s.sources[0], bytes, 's', out.operands[Copy::kDst]))
    return false;
  out.operands[Copy::kSrc] = ir::OperandValue();
  out.operands[Copy::kSrc].tile.space = ir::Space::kGlobal;
  if (s.numbers.size() > 1)  // of a buffer whose words decide
    return (s.sources.size() > 2 && ReadsNothing(f, f.Of(s.sources[2]))) ||
           f.Words(s.sources[1], bytes, static_cast<int32_t>(s.numbers[1]),
                   out.operands[Copy::kSrc]);
  if (s.sources.size() < 3)
    return f.OfThreads(s.sources[1], bytes, 'g', out.operands[Copy::kSrc]);
  Value there = f.Of(s.sources[2]);
  if (!there.unknown() && ReadsNothing(f, there)) return true;
  if (there.unknown() || !there.uniform())
    return f.OfThreads(s.sources[1], bytes, 'g', out.operands[Copy::kSrc],
                       &s.sources[2]);
  if (static_cast<uint32_t>(there.base) > bytes)
    return f.Bad("shape/bytes",
                 ir::Cat("src-size is ", static_cast<uint32_t>(there.base),
                         ", and cp-size ", bytes),
                 "src-size may be at most cp-size (PTX, cp.async)");
  return f.OfThreads(s.sources[1], static_cast<int64_t>(there.base), 'g',
                     out.operands[Copy::kSrc]);
}

bool MakeCopy(Making& m) {
  m.op = OpKind::kCpAsync;
  m.mods = {ChoiceOf<ir::ops::Zfill>(m.operands() > 3)};
  m.Tile(Copy::kDst, ir::Space::kShared);
  m.Tile(Copy::kSrc, ir::Space::kGlobal);
  m.step.fill = FillCopy;
  m.step.buffers_by = 1;
  if (m.operand(2).kind != Operand::Kind::kNumber)
    return m.Refuse("how many bytes it copies must be a number");
  m.step.numbers = {m.operand(2).number.value()};
  if (m.Has(".L2::cache_hint") && m.operands() == 4)
    return m.Add(0) && m.Add(1);
  return m.Add(0) && m.Add(1) && (m.operands() < 4 || m.Add(3));
}

bool MakeCommit(Making& m) {
  m.op = OpKind::kCpAsyncCommitGroup;
  return true;
}

bool FillPending(Filling& f, const Step& s, ir::ConcreteOp& out) {
  return f.Int(s.sources[0], out.operands[0]);
}

bool MakeWait(Making& m) {
  m.op = OpKind::kCpAsyncWaitGroup;
  m.step.fill = FillPending;
  m.Int(0);
  m.step.collective = 1;
  return m.Add(0);
}

// All of them, those of the open group as well.
bool MakeWaitAll(Making& m) {
  m.before.push_back(OpKind::kCpAsyncCommitGroup);
  m.op = OpKind::kCpAsyncWaitGroup;
  m.step.fill = FillPending;
  m.Int(0);
  return m.AddConstant(0);
}

bool FillArrive(Filling& f, const Step& s, ir::ConcreteOp& out) {
  return f.Barrier(s, s.sources[0], out.operands[0]);
}

bool MakeArrive(Making& m) {
  m.op = OpKind::kCpAsyncMbarrierArrive;
  m.mods = {m.Written<ir::ops::Noinc>()};
  m.BarrierAt(0);
  m.step.fill = FillArrive;
  m.step.collective = 1;
  return m.Add(0);
}

}  // namespace

const std::vector<OpRow>& CopyRows() {
  static const std::vector<OpRow> kRows = {
      {"cp.async", MakeCopy},
      {"cp.async.commit_group", MakeCommit},
      {"cp.async.wait_group", MakeWait},
      {"cp.async.wait_all", MakeWaitAll},
      {"cp.async.mbarrier.arrive", MakeArrive},
  };
  return kRows;
}

}  // namespace tilesim::ptx
