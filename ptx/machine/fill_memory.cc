// Loads, stores and atomics, as bytes: each thread its own.
#include <algorithm>
#include <set>

#include "ir/cat.h"
#include "ir/ops/memory.h"
#include "ir/ops/mma.h"
#include "ptx/machine/filling.h"
#include "ptx/machine/launch_numbers.h"
#include "ptx/machine/lower_ops.h"
#include "ptx/machine/map_chunks.h"
#include "sim/machine/matrix_rows.h"

namespace tilesim::ptx {
namespace {

using ir::OpKind;

// Numbers of an access: bytes of each thread, its space, which operand of the
// op it is.
enum Field : size_t { kBytes, kSpace, kOperand, kWord, kStores, kFragment };

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
  // Two numbers of 16 bits are added as one, each is atomic by itself.
  const int64_t element = type == "b128"           ? 16
                          : type.ends_with("16x2") ? 4
                          : type.ends_with("f16")
                              ? 2
                              : static_cast<int64_t>(ScalarBytes(type));
  int64_t n = m.Has(".v8") ? 8 : m.Has(".v4") ? 4 : m.Has(".v2") ? 2 : 1;
  return element * n;
}

// Whether a generic address is one of shared memory wherever it comes from:
// cvta.shared, and what is added to it. (An address that leaves the window that
// way is an error when it is used.)
bool PointsToShared(const Graph& graph, int32_t reg, std::set<int32_t>& seen) {
  if (!seen.insert(reg).second) return true;
  bool any = false;
  for (const Node& n : graph.nodes) {
    if (std::find(n.defines.begin(), n.defines.end(), reg) == n.defines.end())
      continue;
    if (n.op == nullptr) return false;
    any = true;
    const std::string_view spelling = n.instruction().opcode;
    if (spelling.starts_with("cvta.shared")) continue;
    const bool moves = n.op->opcode == "mov" && n.reads.size() == 1;
    const bool adds = n.op->opcode == "add";
    const bool from =
        (moves || adds) &&
        std::any_of(n.reads.begin(), n.reads.end(), [&](int32_t source) {
          return PointsToShared(graph, source, seen);
        });
    if (!from) return false;
  }
  return any;
}

bool PointsToShared(const Making& m, size_t address) {
  for (const Leaf& leaf : m.leaves) {
    std::set<int32_t> seen;
    if (leaf.of == address && leaf.reg >= 0)
      return PointsToShared(m.graph, leaf.reg, seen);
  }
  return false;
}

char SpaceOf(const Making& m) {
  if (m.Has(".shared") || m.Has(".shared::cta") || m.Has(".shared::cluster"))
    return 's';
  return m.Has(".global") ? 'g' : 'a';
}

char SpaceOf(const Making& m, size_t address) {
  const char space = SpaceOf(m);
  return space == 'a' && PointsToShared(m, address) ? 's' : space;
}

bool Access(Making& m, OpKind op, int operand, size_t address, int64_t bytes,
            bool word = false) {
  char space = SpaceOf(m, address);
  if (bytes == 0) return m.Refuse("the size of its type is not known");
  m.op = op;
  m.Tile(operand, space == 's' ? ir::Space::kShared : ir::Space::kGlobal);
  const bool stores = op == OpKind::kStGlobal || op == OpKind::kStShared;
  m.step.numbers = {bytes, space, operand, word, stores};
  m.step.fill = FillAccess;
  m.step.generic = space == 'a';
  if (space != 's' || m.Has(".shared::cluster")) m.step.buffers_by = 0;
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
    if (leaf.reg >= 0) constant = NumberAtLaunch(m.graph, m.memory, leaf.reg);
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
// (PTX 8.8), but that a CTA may end, if peers reach into it.
bool MaySynchronise(const Making& m) {
  return m.Has(".acquire") || m.Has(".acq_rel") ||
         std::any_of(m.graph.nodes.begin(), m.graph.nodes.end(),
                     [](const Node& n) {
                       const std::string_view s = n.instruction().opcode;
                       return s.starts_with("fence") ||
                              s.starts_with("membar") || s.starts_with("mapa");
                     });
}

bool MakeLoad(Making& m) {
  m.Results(0);
  char space = SpaceOf(m, 1);
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
  char space = SpaceOf(m, 0);
  if (m.only_reads)
    return Access(m, OpKind::kLdGlobal, ir::ops::LdGlobal::kSrc, 0, BytesOf(m));
  if (!IsStrong(m)) {
    Words(m, 1);
    if (space != 's')
      return Access(m, OpKind::kStGlobal, ir::ops::StGlobal::kDst, 0,
                    BytesOf(m));
    NoteMapChunk(m);
    return Access(m, OpKind::kStShared, ir::ops::StShared::kDst, 0, BytesOf(m));
  }
  m.mods = StrongOrder<ir::ops::StSem>(m);
  Words(m, 1);
  return Access(m, OpKind::kSt, ir::ops::St::kDst, 0, BytesOf(m), true);
}

// One of each 8 lanes' addresses is a row of 16 bytes; the rows of x1 are those
// of lanes 0 to 7, and so on. A lane reads what its registers get, and writes
// what they have (PTX 9.7.14.5.15: each thread loads fragments of a row),
// whoever names the row.
bool FillMatrix(Filling& f, const Step& s, ir::ConcreteOp& out) {
  ir::OperandValue& o = out.operands[static_cast<size_t>(s.numbers[kOperand])];
  if (!f.OfRows(s.sources[0], s.numbers[kBytes], o)) return false;
  machine::PutFragment(static_cast<machine::Fragment>(s.numbers[kFragment]),
                       o.tile);
  if (s.numbers[kStores] != 0) f.NoteRows(s, s.numbers[kBytes]);
  return true;
}

bool Matrix(Making& m, OpKind op, int operand, size_t address) {
  m.op = op;
  m.Tile(operand, ir::Space::kShared);
  int64_t matrices = m.Has(".x4") ? 4 : m.Has(".x2") ? 2 : 1;
  // Of 8 rows of 16 bytes, padding of shorter elements included; or of 16.
  const int64_t rows = m.Has(".m16n16") ? 16 : 8;
  const bool stores = op == OpKind::kStmatrix;
  if (stores) {
    Words(m, 1, m.operands());
    m.step.word_bytes = 4;  // a register has two elements
  }
  // Which lane has what of a row is known of .m8n8 (Filling::NoteRows).
  using machine::Fragment;
  const bool known = m.Has(".m8n8");
  const Fragment fragment = !known            ? Fragment::kNone
                            : m.Has(".trans") ? Fragment::kColumns
                                              : Fragment::kRows;
  m.step.numbers = {rows * matrices, 's',
                    operand,         0,
                    stores && known, static_cast<int64_t>(fragment)};
  m.step.fill = FillMatrix;
  if (rows * matrices > ir::kWarpThreads)
    return m.Refuse("it has more rows than lanes to name them");
  return m.Add(address) || m.Refuse("its address is not followed");
}

bool MakeLdmatrix(Making& m) {
  m.Results(0);
  return Matrix(m, OpKind::kLdmatrix, ir::ops::Ldmatrix::kSrc, 1);
}

bool MakeStmatrix(Making& m) {
  return Matrix(m, OpKind::kStmatrix, ir::ops::Stmatrix::kDst, 0);
}

// wmma.load, wmma.store (PTX 9.7.14.4): lines of a matrix, rows or columns as
// it lies there, a stride apart. Which lane has which element is not said: the
// warp accesses them as one.
enum LineField : size_t {
  kLines,
  kLineBytes,
  kElement,
  kLineOperand,
  kLineSpace
};

bool FillLines(Filling& f, const Step& s, ir::ConcreteOp& out) {
  constexpr int64_t kRowAlign = 16;
  ir::OperandValue& o =
      out.operands[static_cast<size_t>(s.numbers[kLineOperand])];
  int64_t address = 0, stride = 0;
  if (!f.Number(s.sources[0], &address) || !f.Number(s.sources[1], &stride))
    return false;
  const int64_t line = s.numbers[kLineBytes];
  const int64_t apart = static_cast<uint32_t>(stride) * s.numbers[kElement];
  const int64_t align = std::min(kRowAlign, line);
  const int64_t all = (s.numbers[kLines] - 1) * apart + line;
  const bool shared = s.numbers[kLineSpace] == 's' ||
                      (s.numbers[kLineSpace] == 'a' &&
                       IsIn(static_cast<uint64_t>(address), kSharedWindow));
  if (!(shared ? f.SharedBox(s.sources[0], all, align, o)
               : f.GlobalBox(s.sources[0], all, align, o)) ||
      !f.Aligned(static_cast<uint64_t>(apart), align))
    return false;
  const ir::TileValue box = o.tile;
  machine::ByteSets::Parts parts;
  for (int w = 0; w < f.who().strand.threads.warps; ++w) {
    machine::ByteSets::Part& part = parts.emplace_back();
    part = {f.who().strand.threads.first_warp + w, 1, ir::kAllLanes, {}};
    for (int64_t i = 0; i < s.numbers[kLines]; ++i) {
      const int64_t at = box.start[0] + i * apart;
      part.runs.push_back({at, at + line});
    }
  }
  f.Listed(box.space, box.decl, std::move(parts), o);
  o.tile.cta = o.barrier.cta = box.cta;
  return true;
}

// Rows and columns of the matrix: of a m x k, of b k x n, of others m x n.
bool MakeLines(Making& m, OpKind op, int operand, size_t address) {
  const std::string_view s = m.spelling();
  auto after = [&](std::string_view word) {
    int64_t n = 0;
    for (size_t i = s.find(word) + word.size();
         i < s.size() && s[i] >= '0' && s[i] <= '9'; ++i)
      n = 10 * n + (s[i] - '0');
    return n;
  };
  const size_t shape = s.find(".m");
  if (shape == s.npos) return m.Refuse("its shape is not known");
  const int64_t rows_m = after(".m");
  const std::string n = ir::Cat(".m", rows_m, "n");
  const int64_t cols_n = after(n);
  const int64_t deep_k = after(ir::Cat(n, cols_n, "k"));
  const char matrix = s[s.find('.', s.find('.') + 1) + 1];
  const int64_t rows = matrix == 'b' ? deep_k : rows_m;
  const int64_t cols = matrix == 'a' ? deep_k : cols_n;
  const std::string_view type = s.substr(s.rfind('.') + 1);
  const auto element =
      static_cast<int64_t>(type == "tf32"          ? 4
                           : type.ends_with("f16") ? 2
                                                   : ScalarBytes(type));
  const bool by_row = m.Has(".row");
  const int64_t lines = by_row ? rows : cols, each = by_row ? cols : rows;
  if (element == 0 || lines <= 0 || each <= 0)
    return m.Refuse("of its elements, those of whole bytes are executed");
  const char space = SpaceOf(m);
  m.op = op;
  m.Tile(operand, space == 's' ? ir::Space::kShared : ir::Space::kGlobal);
  m.step.numbers = {lines, each * element, element, operand, space};
  m.step.fill = FillLines;
  m.step.collective = 2;
  if (!m.Add(address)) return m.Refuse("its address is not followed");
  return m.operands() > 2 ? m.Add(2) || m.Refuse("its stride is not followed")
                          : m.AddConstant(each);
}

bool MakeWmmaLoad(Making& m) {
  m.Results(0);
  return MakeLines(m, OpKind::kLdmatrix, ir::ops::Ldmatrix::kSrc, 1);
}

bool MakeWmmaStore(Making& m) {
  return MakeLines(m, OpKind::kStmatrix, ir::ops::Stmatrix::kDst, 0);
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
  OpKind op = m.Has(".cas")                    ? OpKind::kAtomCas
              : m.Has(".add") || m.Has(".inc") ? OpKind::kAtomAdd
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
      {"ld", MakeLoad},
      {"ld.acquire", MakeLoad},
      {"ld.relaxed", MakeLoad},
      {"ld.volatile", MakeLoad},
      {"ldu", MakeLoad},
      {"st", MakeStore},
      {"st.release", MakeStore},
      {"st.relaxed", MakeStore},
      {"st.volatile", MakeStore},
      {"ldmatrix", MakeLdmatrix},
      {"stmatrix", MakeStmatrix},
      {"atom", MakeAtom},
      {"red", MakeRed},
      {"st.async", MakeStAsync},
      {"red.async", RefuseAsync},
      {"wmma.load", MakeWmmaLoad},
      {"wmma.store", MakeWmmaStore},
  };
  return kRows;
}

}  // namespace tilesim::ptx
