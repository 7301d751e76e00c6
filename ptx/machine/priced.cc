#include "ptx/machine/priced.h"

#include <algorithm>
#include <map>
#include <span>

#include "ir/banks.h"
#include "ir/ops/all.h"
#include "ptx/machine/lower_ops.h"

namespace tilesim::ptx {
namespace {

namespace ops = ir::ops;
using machine::ByteSets;
using Run = ByteSets::Run;

constexpr int64_t kSector = 32, kLine = 128;
// Declarations of the priced kernel: memory, register tiles by how they are
// laid out, then buffers in their order.
enum Decl : int32_t { kSharedDecl, kInLines, kInPieces, kFirstBuffer };

int64_t Down(int64_t n, int64_t by) { return n / by * by; }
int64_t Up(int64_t n, int64_t by) { return (n + by - 1) / by * by; }

std::vector<Run> Merged(std::vector<Run> runs) {
  std::sort(runs.begin(), runs.end());
  std::vector<Run> out;
  for (const Run& r : runs) {
    if (!out.empty() && r.begin <= out.back().end) {
      out.back().end = std::max(out.back().end, r.end);
    } else {
      out.push_back(r);
    }
  }
  return out;
}

int64_t Bytes(const std::vector<Run>& runs) {
  int64_t n = 0;
  for (const Run& r : runs) n += r.end - r.begin;
  return n;
}

// Cycles of an access by some lanes at a time, of which each has a run.
int64_t Conflicts(std::span<const Run> runs, int64_t start) {
  std::vector<ir::BankedBytes> bytes;
  bytes.reserve(runs.size());
  for (const Run& r : runs) bytes.push_back({start + r.begin, start + r.end});
  return ir::WavefrontsOf(bytes);
}

}  // namespace

Priced::Priced(const PtxGuide& guide, const machine::Code& code)
    : guide_(guide), code_(code), bound_(code.bound) {
  fence_.info = &ir::InfoOf(ir::OpKind::kFence);
  fence_.mods = {0, ChoiceOf<ops::FenceScope>(ir::MemScope::kGpu)};
  atom_.info = &ir::InfoOf(ir::OpKind::kAtomAdd);
  atom_.mods = {ChoiceOf<ops::AtomSem>(ir::Sem::kAcqRel),
                ChoiceOf<ops::AtomScope>(ir::MemScope::kGpu)};
  atom_.operands.resize(atom_.info->operands.size());
  bound_.kernel = &declared_;
  bound_.decls.clear();
  auto add = [&](ir::Space space, std::string name) -> ir::BoundDecl& {
    ir::Decl& d = declared_.decls.emplace_back();
    d.space = space;
    d.name = std::move(name);
    ir::BoundDecl& b = bound_.decls.emplace_back();
    b.space = space;
    b.dtype = ir::DType::kU8;
    b.rank = 1;
    b.strides[0] = 1;
    return b;
  };
  add(ir::Space::kShared, "shared memory");
  for (ir::Fragment layout : {ir::Fragment::kBlocked, ir::Fragment::kWgmma}) {
    ir::BoundDecl& b = add(ir::Space::kReg, "registers");
    b.fragment.fragment = layout;
    b.fragment.threads = 0;
  }
  for (const Memory::Global& g : guide.program().memory.globals()) {
    ir::BoundDecl& b = add(ir::Space::kGlobal, g.name);
    b.shape[0] = b.object_bytes = static_cast<int64_t>(g.bytes);
  }
  if (guide.program().memory.globals().empty())
    add(ir::Space::kGlobal, "no buffer");
  step_of_.assign(code.ops.size(), -1);
  const std::vector<Step>& steps = guide.program().steps;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].kind == Step::Kind::kOp)
      step_of_[static_cast<size_t>(steps[i].op)] = static_cast<int32_t>(i);
  }
}

bool Priced::Has(int32_t op) const {
  switch (code_.ops[static_cast<size_t>(op)].op->info->async) {
    case ir::AsyncUnit::kTcgen05:
    case ir::AsyncUnit::kTmemLd:
    case ir::AsyncUnit::kTmemSt:
      return false;
    default:
      return true;
  }
}

std::vector<bool> Priced::Written() const {
  std::vector<bool> out(bound_.decls.size());
  for (const Step& s : guide_.program().steps) {
    if (s.kind != Step::Kind::kOp) continue;
    const ir::ConcreteOp& fixed = code_.ops[static_cast<size_t>(s.op)].fixed;
    const bool writes =
        fixed.is_tile(0) && fixed.tile(0).space == ir::Space::kGlobal;
    if (!writes) continue;
    for (size_t b : guide_.BuffersOf(s.node)) out[kFirstBuffer + b] = true;
  }
  return out;
}

// Those of a batch that lie in one row of a swizzle differ by a constant.
int Priced::Addresses(int32_t op) const {
  auto is_wgmma = [&](int64_t i) {
    return i >= 0 && i < static_cast<int64_t>(code_.ops.size()) &&
           code_.ops[static_cast<size_t>(i)].op->info->async ==
               ir::AsyncUnit::kWgmma;
  };
  if (!is_wgmma(op) || is_wgmma(op - 1)) return 0;
  int64_t n = 0;
  while (is_wgmma(op + n)) ++n;
  constexpr int64_t kOfRow = kLine / ir::kMmaBytes;
  return static_cast<int>((n + kOfRow - 1) / kOfRow);
}

const Priced::Rows& Priced::RowsOf(const ir::TileValue& box, By by) {
  const int32_t set = machine::SetOf(box);
  const int64_t element = values::BitsOf(box.dtype) / 8;
  const int64_t start = box.start[0] * element;
  if (set < 0) {
    const int64_t bytes = box.bytes();
    box_ = {bytes, bytes, 0, 1, Up(bytes, kSector) / kSector, true, true};
    return box_;
  }
  auto [at, fresh] =
      rows_[static_cast<size_t>(by)].try_emplace(Key{set, start % kLine});
  if (!fresh) return at->second;
  const int64_t rest = start % kLine;
  std::vector<Run> runs;
  for (const ByteSets::Part& part : guide_.sets()[set]) {
    for (Run r : part.runs) {
      r = {r.begin + rest, r.end + rest};
      if (by == By::kSectors) r = {Down(r.begin, kSector), Up(r.end, kSector)};
      runs.push_back(r);
    }
  }
  // Rows of a box stay rows, though they may follow each other.
  const bool of_box = guide_.sets()[set].size() == 1;
  if (!of_box) {
    runs = Merged(std::move(runs));
  }
  Rows& rows = at->second;
  if (runs.empty()) return rows;
  rows.count = static_cast<int64_t>(runs.size());
  rows.bytes = Bytes(runs);
  rows.width = runs[0].end - runs[0].begin;
  if (runs.size() > 1) rows.pitch = runs[1].begin - runs[0].begin;
  int64_t lines = 0;
  for (Run& r : runs) {
    rows.sectors += (Up(r.end, kSector) - Down(r.begin, kSector)) / kSector;
    lines += (Up(r.end, kLine) - Down(r.begin, kLine)) / kLine;
  }
  rows.whole = rows.sectors * kSector == rows.bytes;
  rows.lines = rows.whole && lines * kLine == rows.bytes;
  return rows;
}

int64_t Priced::SharedCycles(const ir::TileValue& box,
                             const ir::ThreadSet& threads) {
  const int32_t set = machine::SetOf(box);
  const int64_t start = box.start[0] % kLine;
  if (set < 0) return std::max<int64_t>(1, threads.warps);
  auto [at, fresh] =
      cycles_.try_emplace(Key{int64_t{set} << 6 | threads.warps, start});
  if (!fresh) return at->second;
  std::map<int, std::vector<Run>> lanes;  // by warp
  int64_t cycles = 0;
  for (const ByteSets::Part& part : guide_.sets()[set]) {
    if (part.runs.size() > 1) {
      // Rows of matrices, of which it is not known which eight go together: at
      // least so long.
      cycles += Conflicts(part.runs, start);
      continue;
    }
    for (int w = 0; w < std::min(part.warps, ir::kMaxWarps); ++w)
      lanes[part.first_warp + w].insert(lanes[part.first_warp + w].end(),
                                        part.runs.begin(), part.runs.end());
  }
  for (const auto& [warp, runs] : lanes) {
    const int64_t each = std::max<int64_t>(1, runs[0].end - runs[0].begin);
    const auto together = static_cast<size_t>(
        std::clamp<int64_t>(kLine / each, 1, ir::kWarpThreads));
    for (size_t i = 0; i < runs.size(); i += together) {
      cycles += Conflicts(
          std::span(runs).subspan(i, std::min(together, runs.size() - i)),
          start);
    }
  }
  at->second = std::max<int64_t>(1, cycles);
  return at->second;
}

void Priced::Flat(int operand, ir::Space space, int64_t bytes) {
  ir::OperandValue& o = out_.operands[static_cast<size_t>(operand)];
  const int8_t cta = o.tile.cta;
  o = ir::OperandValue();
  o.kind = ir::OperandValue::Kind::kTile;
  o.tile.space = space;
  o.tile.dtype = ir::DType::kU8;
  o.tile.decl = kSharedDecl;
  o.tile.rank = 1;
  o.tile.extent[0] = static_cast<int32_t>(bytes);
  o.tile.cta = cta;
}

void Priced::Registers(int operand, int32_t decl) {
  Flat(operand, ir::Space::kReg, 0);
  out_.operands[static_cast<size_t>(operand)].tile.decl =
      static_cast<int16_t>(decl);
}

// As many bytes as shared memory moves in the cycles that it needs.
void Priced::Shared(int operand) {
  const ir::TileValue box = out_.tile(operand);
  Flat(operand, ir::Space::kShared, kLine * SharedCycles(box, out_.threads));
}

void Priced::Matrix(const ir::TileValue& box, const Rows& rows,
                    ir::OperandValue& out) {
  const int32_t first = guide_.decls().first_global;
  const auto buffer = static_cast<size_t>(
      box.decl >= first ? kFirstBuffer + box.decl - first : kFirstBuffer);
  ir::BoundDecl& d = bound_.decls[buffer];
  if (d.rank == 1 && rows.count > 1 && rows.pitch > rows.width &&
      rows.pitch <= d.object_bytes) {
    d.rank = 2;
    d.shape = {(d.object_bytes + rows.pitch - 1) / rows.pitch, rows.pitch};
    d.strides = {rows.pitch, 1};
  }
  const int64_t start = box.start[0] * values::BitsOf(box.dtype) / 8;
  ir::TileValue t;
  t.space = ir::Space::kGlobal;
  t.dtype = ir::DType::kU8;
  t.decl = static_cast<int16_t>(buffer);
  t.rank = static_cast<int8_t>(d.rank);
  if (d.rank == 1) {
    t.start[0] = start;
    t.extent[0] = static_cast<int32_t>(std::max<int64_t>(1, rows.bytes));
  } else {
    const int64_t pitch = d.shape[1];
    t.start[0] = start / pitch;
    t.start[1] = start % pitch;
    const int64_t width =
        std::clamp<int64_t>(rows.width, 1, pitch - t.start[1]);
    t.extent[0] = static_cast<int32_t>(
        std::max<int64_t>(1, (rows.bytes + width / 2) / width));
    t.extent[1] = static_cast<int32_t>(width);
  }
  out = ir::OperandValue();
  out.kind = ir::OperandValue::Kind::kTile;
  out.tile = t;
}

void Priced::Global(int operand, By by) {
  const ir::TileValue box = out_.tile(operand);
  Matrix(box, RowsOf(box, by), out_.operands[static_cast<size_t>(operand)]);
}

void Priced::LoadGlobal() {
  Global(ops::LdGlobal::kSrc, By::kSectors);
  Registers(ops::LdGlobal::kDst, kInLines);
}

// A piece of a sector that a store writes is told by its type: eight elements.
void Priced::StoreGlobal(int operand) {
  const ir::TileValue box = out_.tile(operand);
  const Rows& rows = RowsOf(box, By::kBytes);
  ir::OperandValue& o = out_.operands[static_cast<size_t>(operand)];
  Matrix(box, rows, o);
  Registers(ops::StGlobal::kSrc, rows.lines ? kInLines : kInPieces);
  if (rows.lines || rows.sectors == 0) return;
  const int64_t each = rows.bytes / rows.sectors;
  const ir::DType as = each >= kSector       ? ir::DType::kF32
                       : each >= kSector / 2 ? ir::DType::kF16
                                             : ir::DType::kU8;
  const int64_t element = values::BitsOf(as) / 8;
  const auto last = static_cast<size_t>(o.tile.rank - 1);
  o.tile.dtype = as;
  o.tile.start[last] /= element;
  o.tile.extent[last] =
      static_cast<int32_t>(std::max<int64_t>(1, o.tile.extent[last] / element));
}

// One instruction: so many rows of K, which is 32 bytes, or twice as many of
// half.
void Priced::Product(const Step& step) {
  const int64_t n = step.numbers[0];
  auto tile = [&](int operand, int64_t rows) {
    const ir::Space space = out_.tile(operand).space;
    Flat(operand, space, 0);
    ir::TileValue& t = out_.operands[static_cast<size_t>(operand)].tile;
    t.rank = 2;
    t.extent = {static_cast<int32_t>(rows), ir::kMmaBytes};
  };
  tile(ops::WgmmaMmaAsync::kA, 64);
  tile(ops::WgmmaMmaAsync::kB, n);
}

void Priced::AsOp(const ir::Op& op) {
  out_.op = &op;
  out_.operands = {};
}

// Copies by TMA, to shared memory or from it.
void Priced::Copy(const ir::ConcreteOp& executed, bool out) {
  const int shared = out ? static_cast<int>(ops::TmaStore::kSrc)
                         : static_cast<int>(ops::TmaLoad::kDst);
  const int other = out ? static_cast<int>(ops::TmaStore::kDst)
                        : static_cast<int>(ops::TmaLoad::kSrc);
  const int64_t bytes = executed.tile(shared).bytes();
  Flat(shared, ir::Space::kShared, bytes);
  if (executed.tile(other).space == ir::Space::kGlobal) {
    Global(other);
  } else {
    Flat(other, ir::Space::kShared, bytes);
  }
}

void Priced::CopyByThreads(int64_t each) {
  Flat(ops::CpAsync::kDst, ir::Space::kShared, each * out_.threads.threads());
  ir::OperandValue& vec = out_.operands[ops::CpAsync::kVec];
  vec.kind = ir::OperandValue::Kind::kInt;
  vec.number = each;
  Global(ops::CpAsync::kSrc, By::kSectors);
}

// An atomic whose result nobody wants is still waited for, if it acquires.
void Priced::Reduction(const Step& step) {
  const std::string_view spelling =
      guide_.program().graph.nodes[step.node].instruction().opcode;
  const bool acquires = spelling.find(".acq") != std::string_view::npos;
  const ir::OperandValue mem = out_.operands[ops::RedAdd::kMem];
  int at = ops::RedAdd::kMem;
  if (acquires) {
    AsOp(atom_);
    at = ops::AtomAdd::kMem;
    out_.operands[static_cast<size_t>(at)] = mem;
  }
  if (mem.tile.space == ir::Space::kGlobal) {
    Global(at, By::kSectors);
  } else {
    Flat(at, mem.tile.space, mem.tile.bytes());
  }
}

// 117 cycles for eight replacements of a field, of one thread (H100).
void Priced::Replacement() {
  constexpr int64_t kReplace = 1024;
  Flat(ops::StShared::kDst, ir::Space::kShared, kReplace);
}

// Words, and what has no tile.
void Priced::Plain() {
  for (size_t i = 0; i < out_.info().operands.size(); ++i) {
    const auto operand = static_cast<int>(i);
    if (!out_.is_tile(operand)) continue;
    if (out_.tile(operand).space == ir::Space::kGlobal) {
      Global(operand);
    } else {
      Flat(operand, out_.tile(operand).space, out_.tile(operand).bytes());
    }
  }
}

const ir::ConcreteOp& Priced::Of(int32_t op, const ir::ConcreteOp& executed) {
  out_ = executed;
  const int32_t at = step_of_[static_cast<size_t>(op)];
  const Step& step = guide_.program().steps[static_cast<size_t>(at)];
  switch (executed.info().kind) {
    case ir::OpKind::kTmaLoad:
    case ir::OpKind::kBulkLoad:
    case ir::OpKind::kBulkPush:
      Copy(executed, false);
      break;
    case ir::OpKind::kTmaStore:
    case ir::OpKind::kTmaReduce:
    case ir::OpKind::kBulkStore:
      Copy(executed, true);
      break;
    case ir::OpKind::kWgmmaMmaAsync:
      Product(step);
      break;
    case ir::OpKind::kLdGlobal:
      LoadGlobal();
      break;
    case ir::OpKind::kStGlobal:
      StoreGlobal(ops::StGlobal::kDst);
      break;
    case ir::OpKind::kLdShared:
    case ir::OpKind::kLdmatrix:
      static_assert(static_cast<int>(ops::LdShared::kSrc) ==
                    static_cast<int>(ops::Ldmatrix::kSrc));
      Shared(ops::LdShared::kSrc);
      break;
    case ir::OpKind::kStShared:
    case ir::OpKind::kStmatrix:
      static_assert(static_cast<int>(ops::StShared::kDst) ==
                    static_cast<int>(ops::Stmatrix::kDst));
      if (step.map == Step::MapPart::kReplace) {
        Replacement();
      } else {
        Shared(ops::StShared::kDst);
      }
      break;
    case ir::OpKind::kStAsync:
      Shared(ops::StAsync::kDst);
      break;
    case ir::OpKind::kMov:  // fence.proxy.tensormap
      AsOp(fence_);
      break;
    case ir::OpKind::kRedAdd:
      Reduction(step);
      break;
    case ir::OpKind::kCpAsync:
      CopyByThreads(step.numbers[0]);
      break;
    default:
      Plain();
  }
  return out_;
}

}  // namespace tilesim::ptx
