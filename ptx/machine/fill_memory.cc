// Loads, stores and atomics, as bytes: each thread its own.
#include <algorithm>

#include "ir/ops/memory.h"
#include "ir/ops/mma.h"
#include "ptx/machine/filling.h"
#include "ptx/machine/lower_ops.h"

namespace tilesim::ptx {
namespace {

using ir::OpKind;

// Numbers of an access: bytes of each thread, its space, which operand of the
// op it is.
enum Field : size_t { kBytes, kSpace, kOperand, kWord, kStores };

// Of one size: a word whose accesses are compared by it (PTX 8.7.2).
void AsWord(int64_t bytes, ir::OperandValue& out) {
  out.tile.dtype = bytes == 8   ? ir::DType::kU64
                   : bytes == 4 ? ir::DType::kU32
                   : bytes == 2 ? ir::DType::kF16
                                : ir::DType::kU8;
}

// Of a buffer whose words decide: what the first lane accesses, as all that
// execute it do. What is stored must be known, or words would not be.
bool FillWords(Filling& f, const Step& s, ir::ConcreteOp& out) {
  if (!f.Words(s.sources[0], s.numbers[kBytes], s.words_of,
               out.operands[static_cast<size_t>(s.word_operand)]))
    return false;
  const Graph& g = f.guide().program().graph;
  std::string_view type = g.nodes[s.node].instruction().opcode;
  type.remove_prefix(type.rfind('.') + 1);
  if (s.lane_by_lane && type.find('f') != std::string_view::npos)
    return f.Open("what an atomic of floats leaves is not followed");
  f.TakesData();
  const auto& operands = out.info().operands;
  for (size_t i = 0, datum = 0; i < operands.size(); ++i) {
    bool takes = (operands[i].types & ir::kTakesInt) != 0;
    if (takes && datum < s.data.size() &&
        !f.Int(s.data[datum++], out.operands[i]))
      return false;
  }
  int64_t n = 0;
  return std::all_of(s.data.begin(), s.data.end(), [&](const Source& source) {
    return f.Number(source, &n);
  });
}

bool FillAccess(Filling& f, const Step& s, ir::ConcreteOp& out) {
  if (s.words_of >= 0) return FillWords(f, s, out);
  ir::OperandValue& o = out.operands[static_cast<size_t>(s.numbers[kOperand])];
  if (!f.OfThreads(s.sources[0], s.numbers[kBytes],
                   static_cast<char>(s.numbers[kSpace]), o))
    return false;
  if (s.numbers[kWord] != 0) AsWord(s.numbers[kBytes], o);
  if (s.numbers[kStores] != 0) f.NoteMeeting(s, s.numbers[kBytes]);
  return true;
}

// .v4 .b32 of a spelling.
int64_t BytesOf(const Making& m) {
  std::string_view s = m.spelling();
  const std::string_view type = s.substr(s.rfind('.') + 1);
  auto element = static_cast<int64_t>(type == "b128" ? 16 : ScalarBytes(type));
  int64_t n = m.Has(".v8") ? 8 : m.Has(".v4") ? 4 : m.Has(".v2") ? 2 : 1;
  return element * n;
}

char SpaceOf(const Making& m) {
  if (m.Has(".shared") || m.Has(".shared::cta") || m.Has(".shared::cluster"))
    return 's';
  return m.Has(".global") ? 'g' : 'a';
}

bool Access(Making& m, OpKind op, int operand, size_t address, int64_t bytes,
            bool word = false) {
  char space = SpaceOf(m);
  if (bytes == 0) return m.Refuse("the size of its type is not known");
  m.op = op;
  m.Tile(operand, space == 's' ? ir::Space::kShared : ir::Space::kGlobal);
  const bool stores = op == OpKind::kStGlobal || op == OpKind::kStShared;
  m.step.numbers = {bytes, space, operand, word, stores};
  m.step.fill = FillAccess;
  return m.Add(address) || m.Refuse("its address is not followed");
}

// Volatile accesses are relaxed, of the whole system (PTX 8.2.2).
template <class SemOf>
std::vector<uint8_t> StrongOrder(const Making& m) {
  using Scope = ir::ops::AccessScope;
  const uint8_t sem = m.Written<SemOf>();
  return {sem != 0 ? sem : ChoiceOf<SemOf>(ir::Sem::kRelaxed),
          m.Has(".volatile") ? ChoiceOf<Scope>(ir::MemScope::kSys)
                             : m.Written<Scope>()};
}

// Where values are followed: the words of each thread, which `count` operands
// from `data` on are.
void Words(Making& m, size_t data, size_t count = 1) {
  std::string_view s = m.spelling();
  std::string_view type = s.substr(s.rfind('.') + 1);
  const bool loads = data >= m.operands();
  // Of 128 bits a load has the first 64, as Pack does (lower_values.cc).
  m.step.word_bytes =
      loads && type == "b128" ? 16 : static_cast<int64_t>(ScalarBytes(type));
  if (loads) return;
  std::vector<Source> sources;
  for (const Leaf& leaf : m.leaves) {
    if (leaf.of < data || leaf.of >= data + count ||
        leaf.operand->kind == Operand::Kind::kVector)
      continue;
    std::optional<Source> source = SourceOf(leaf, m.graph, m.memory);
    std::optional<uint64_t> constant;
    if (leaf.reg >= 0) constant = ConstantIn(m.graph, leaf.reg);
    if (constant) {
      sources.emplace_back().bits = *constant;
      continue;
    }
    if (source && source->reg >= 0) source->reg = m.slots[source->reg];
    bool followed = source && (source->reg >= 0 || leaf.reg < 0);
    if (!followed) return;  // it is payload
    sources.push_back(*source);
  }
  m.step.data = std::move(sources);
}

// A strong access is a word.
bool IsStrong(const Making& m) {
  return m.Has(".relaxed") || m.Has(".acquire") || m.Has(".release") ||
         m.Has(".volatile") || m.Has(".mmio");
}

// Whether somebody may rely on what it reads: it acquires, or a fence behind it
// does. A relaxed access without one orders nothing, whatever it reads
// (PTX 8.8).
bool MaySynchronise(const Making& m) {
  return m.Has(".acquire") || m.Has(".acq_rel") ||
         std::any_of(m.graph.nodes.begin(), m.graph.nodes.end(),
                     [](const Node& n) {
                       const std::string_view s = n.instruction().opcode;
                       return s.starts_with("fence") || s.starts_with("membar");
                     });
}

bool MakeLoad(Making& m) {
  m.Results(0);
  char space = SpaceOf(m);
  if (!IsStrong(m)) {
    Words(m, m.operands());
    if (space != 's')
      return Access(m, OpKind::kLdGlobal, ir::ops::LdGlobal::kSrc, 1,
                    BytesOf(m));
    return Access(m, OpKind::kLdShared, ir::ops::LdShared::kSrc, 1, BytesOf(m));
  }
  m.mods = StrongOrder<ir::ops::LdSem>(m);
  m.step.strong = MaySynchronise(m);
  Words(m, m.operands());
  return Access(m, OpKind::kLd, ir::ops::Ld::kSrc, 1, BytesOf(m), true);
}

bool MakeStore(Making& m) {
  char space = SpaceOf(m);
  if (!IsStrong(m)) {
    Words(m, 1);
    if (space != 's')
      return Access(m, OpKind::kStGlobal, ir::ops::StGlobal::kDst, 0,
                    BytesOf(m));
    return Access(m, OpKind::kStShared, ir::ops::StShared::kDst, 0, BytesOf(m));
  }
  m.mods = StrongOrder<ir::ops::StSem>(m);
  Words(m, 1);
  return Access(m, OpKind::kSt, ir::ops::St::kDst, 0, BytesOf(m), true);
}

// One of each 8 lanes' addresses is a row of 16 bytes; the rows of x1 are those
// of lanes 0 to 7, and so on. Which lane gets a row's elements does not matter
// to who comes before whom: the op is of the whole warp.
bool FillMatrix(Filling& f, const Step& s, ir::ConcreteOp& out) {
  if (!f.OfRows(s.sources[0], s.numbers[kBytes],
                out.operands[static_cast<size_t>(s.numbers[kOperand])]))
    return false;
  if (s.numbers[kStores] != 0) f.NoteRows(s, s.numbers[kBytes]);
  return true;
}

bool Matrix(Making& m, OpKind op, int operand, size_t address) {
  m.op = op;
  m.Tile(operand, ir::Space::kShared);
  int64_t matrices = m.Has(".x4") ? 4 : m.Has(".x2") ? 2 : 1;
  const bool stores = op == OpKind::kStmatrix;
  if (stores) {
    Words(m, 1, m.operands());
    m.step.word_bytes = 4;  // a register has two elements
  }
  m.step.numbers = {8 * matrices, 's', operand, 0, stores};
  m.step.fill = FillMatrix;
  if (!m.Has(".b16") || m.Has(".m16n16") || m.Has(".m8n16"))
    return m.Refuse("of matrices, .m8n8 of .b16 is executed");
  return m.Add(address) || m.Refuse("its address is not followed");
}

bool MakeLdmatrix(Making& m) {
  m.Results(0);
  return Matrix(m, OpKind::kLdmatrix, ir::ops::Ldmatrix::kSrc, 1);
}

bool MakeStmatrix(Making& m) {
  return Matrix(m, OpKind::kStmatrix, ir::ops::Stmatrix::kDst, 0);
}

bool MakeRed(Making& m);

bool MakeAtom(Making& m) {
  m.Results(0);
  // Whose result nobody wants is a reduction: that it acquires orders nothing
  // that could be relied on, as nobody looks at what it got.
  const bool wanted = std::any_of(m.step.results.begin(), m.step.results.end(),
                                  [](const Target& t) { return t.reg >= 0; });
  if (!wanted) return MakeRed(m);
  m.mods = {m.Written<ir::ops::AtomSem>(), m.Written<ir::ops::AtomScope>()};
  OpKind op = m.Has(".cas")   ? OpKind::kAtomCas
              : m.Has(".add") ? OpKind::kAtomAdd
                              : OpKind::kAtomExch;
  Words(m, 2, op == OpKind::kAtomCas ? 2 : 1);
  m.step.lane_by_lane = m.step.atomic = true;
  m.step.strong = MaySynchronise(m);
  return Access(m, op, ir::ops::AtomAdd::kMem, 1, BytesOf(m), true);
}

// red [a], b; atom d, [a], b
bool MakeRed(Making& m) {
  const size_t address = m.spelling().starts_with("atom") ? 1 : 0;
  const bool releases = m.Has(".release") || m.Has(".acq_rel");
  m.mods = {ChoiceOf<ir::ops::RedSem>(releases ? ir::Sem::kRelease
                                               : ir::Sem::kRelaxed),
            m.Written<ir::ops::AtomScope>()};
  Words(m, address + 1, m.Has(".cas") ? 2 : 1);
  m.step.lane_by_lane = m.step.atomic = true;
  return Access(m, OpKind::kRedAdd, ir::ops::RedAdd::kMem, address, BytesOf(m),
                true);
}

using StAsync = ir::ops::StAsync;

// Sources: its barrier, where to.
bool FillStAsync(Filling& f, const Step& s, ir::ConcreteOp& out) {
  return f.Barrier(s, s.sources[0], out.operands[StAsync::kBar]) &&
         f.OfThreads(s.sources[1], s.numbers[kBytes], 's',
                     out.operands[StAsync::kDst]) &&
         f.AreOfOneCta(out.operands[StAsync::kDst],
                       out.operands[StAsync::kBar]);
}

bool MakeStAsync(Making& m) {
  if (m.Has(".release") || m.Has(".mmio"))
    return m.Refuse("of st.async, .weak with an mbarrier is executed");
  m.op = OpKind::kStAsync;
  m.Tile(StAsync::kDst, ir::Space::kShared);
  m.BarrierAt(StAsync::kBar);
  m.step.numbers = {BytesOf(m)};
  m.step.fill = FillStAsync;
  m.step.collective = 1;
  return (m.operands() == 3 && m.Add(2) && m.Add(0)) ||
         m.Refuse("it names no address and no mbarrier");
}

// It is over when its mbarrier says so, as st.async; no `red` is.
bool RefuseAsync(Making& m) { return m.Refuse("cannot be executed yet"); }

}  // namespace

const std::vector<OpRow>& MemoryRows() {
  static const std::vector<OpRow> kRows = {
      {"ld", MakeLoad},           {"ld.acquire", MakeLoad},
      {"ld.relaxed", MakeLoad},   {"ld.volatile", MakeLoad},
      {"ldu", MakeLoad},          {"st", MakeStore},
      {"st.release", MakeStore},  {"st.relaxed", MakeStore},
      {"st.volatile", MakeStore}, {"ldmatrix", MakeLdmatrix},
      {"stmatrix", MakeStmatrix}, {"atom", MakeAtom},
      {"red", MakeRed},           {"st.async", MakeStAsync},
      {"red.async", RefuseAsync},
  };
  return kRows;
}

}  // namespace tilesim::ptx
