// Fills in the operands of one operation that a strand is about to execute.
//
// `operation`s are the functions named in a Step (Fill); they live in files by
// unit (fill_*.cc), and the table of what has which is in lower_ops.cc.
#ifndef TILESIM_PTX_MACHINE_FILLING_H_
#define TILESIM_PTX_MACHINE_FILLING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/code.h"
#include "ir/concrete.h"
#include "ptx/machine/guide.h"
#include "ptx/machine/matrix.h"
#include "ptx/machine/tensor_memory.h"

namespace tilesim::ptx {

struct TensorTile;

// Why an operand has no value. Without a code: it cannot be followed, which
// leaves the verdict open.
struct Trouble {
  std::optional<ir::Code> code;
  std::string what, help;
};

class Filling {
 public:
  Filling(const PtxGuide& guide, const Who& who, const Step& step)
      : guide_(guide), who_(who), step_(step), window_(step.window) {}

  const PtxGuide& guide() const { return guide_; }
  const Who& who() const { return who_; }
  const Memory& memory() const { return guide_.program().memory; }
  const Trouble& trouble() const { return trouble_; }
  bool Bad(ir::Code code, std::string what, std::string help = "");
  bool Open(std::string what);

  Value Of(const Source& source) const { return guide_.Of(source, who_); }
  // Of the first thread that executes it: the others have the same.
  bool Number(const Source& source, int64_t* out);
  bool Int(const Source& source, ir::OperandValue& out);
  static void SetInt(int64_t n, ir::OperandValue& out);

  bool Barrier(const Step& step, const Source& source, ir::OperandValue& out);
  bool Aligned(uint64_t address, int64_t by);
  // `bytes` of shared memory from there on, which is a multiple of `align`.
  bool SharedBox(const Source& address, int64_t bytes, int64_t align,
                 ir::OperandValue& out);
  // Likewise of a buffer.
  bool GlobalBox(const Source& address, int64_t bytes, int64_t align,
                 ir::OperandValue& out);
  // Likewise of one buffer, whose words decide: as elements of it.
  bool Words(const Source& address, int64_t bytes, int32_t decl,
             ir::OperandValue& out);
  // As many bytes for each thread that executes it, wherever they are;
  // `space`: 's' shared, 'g' global, 'a' what the address says.
  // Each address is a multiple of `bytes`.
  // `at_most`: and of these, of each thread so many.
  bool OfThreads(const Source& address, int64_t bytes, char space,
                 ir::OperandValue& out, const Source* at_most = nullptr);
  // Whether what threads store at one place, so many bytes each, is the same.
  void NoteMeeting(const Step& step, int64_t bytes);
  // Likewise of rows of matrices that lie at one place.
  void NoteRows(const Step& step, int64_t rows);
  // Rows of 16 bytes of shared memory, at the addresses of the first `rows`
  // lanes of each warp, by all lanes of it together.
  bool OfRows(const Source& address, int64_t rows, ir::OperandValue& out);
  // Sets of bytes as parts, which begin at `start` in the declaration.
  void Listed(ir::Space space, int32_t decl, machine::ByteSets::Parts parts,
              ir::OperandValue& out);
  // A matrix in shared memory, as the reader of its descriptors has it. What
  // was found once is kept.
  using ReadsMatrix = bool (*)(uint64_t descriptor, const MatrixShape& shape,
                               machine::ByteSets::Parts* out, std::string* why);
  bool SharedMatrix(uint64_t descriptor, const MatrixShape& shape,
                    ReadsMatrix read, ir::OperandValue& out);
  // Numbers of the step that is executed.
  void Registers(const std::vector<int64_t>& numbers, size_t first,
                 size_t count, ir::OperandValue& out);

  // Tensor memory (filling_tensor.cc): what an alloc gets, what a dealloc
  // frees, what an address and a tile mean.
  bool NewPool(const Pool& pool, bool of_pair, ir::OperandValue& out);
  bool WholePool(const Source& address, int64_t columns, ir::OperandValue& out);
  bool Tensor(const Source& address, const TensorTile& tile,
              ir::OperandValue& out);
  // Each warp so many lanes and columns from its address on. `second`: as many
  // lanes again, so many columns further; -1: none.
  bool TensorByWarps(const Source& address, int64_t lanes, int64_t columns,
                     int64_t second, ir::OperandValue& out);

  // From here on, numbers are taken that a word of a buffer is to hold.
  void TakesData() { decides_ = false; }
  // Whether a buffer has those bytes; else it is an error.
  bool Inside(int32_t decl, int64_t begin, int64_t bytes);
  // A whole buffer's tensor map, or part of it, is accessed.
  bool OfBuffer(size_t buffer);

  // Where a shared address leads.
  struct SharedPlace {
    int64_t offset = 0;
    int8_t cta = ir::kOwnCta;
  };
  bool Shared(uint64_t address, SharedPlace* out);
  // SharedBox of an operand that is of .shared::cta where others are not.
  bool OwnSharedBox(const Source& address, int64_t bytes, int64_t align,
                    ir::OperandValue& out);
  // An asynchronous copy completes at an mbarrier of the CTA whose memory it
  // writes; of .cta_group::2 the pair has them together.
  bool AreOfOneCta(const ir::OperandValue& written,
                   const ir::OperandValue& barrier);

 private:
  std::string_view opcode() const;
  bool NotKnown(const Value& v);
  // Whether the threads that execute it all access the space that one does.
  bool OfOneSpace(const Value& address, bool shared) const;
  bool TouchedBy(const Value& v, const Value& most, int64_t bytes, bool shared,
                 PtxGuide::Touched* out);
  bool InGlobal(uint64_t first, ir::OperandValue& out);
  bool Payload(const Memory::Global& buffer);
  // Notes that those bytes from its beginning on are touched. False: some lie
  // in another piece of the buffer.
  bool InOnePiece(const Memory::Global& buffer, int64_t begin, int64_t bytes);
  bool PoolAt(const TensorAddress& at, uint64_t address);
  bool Reaches(int warp, TensorAddress& at, int64_t lanes);
  bool TensorRuns(const TensorAddress& at, int64_t lane, int64_t lanes,
                  int64_t first, int64_t end,
                  std::vector<machine::ByteSets::Run>& out);

  // What a store has, a value each; empty: not `count` that are all known.
  std::vector<Value> DataOf(const Step& step, size_t count) const;
  // Whether a store of these patterns was not looked at before.
  bool IsNewMeeting(const Step& step, int64_t bytes) const;

  const PtxGuide& guide_;
  Who who_;
  const Step& step_;
  SharedWindow window_;
  bool decides_ = true;  // the numbers that it needs
  Trouble trouble_;
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_FILLING_H_
