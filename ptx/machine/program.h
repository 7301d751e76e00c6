// A kernel as its guide executes it: the instructions that decide where threads
// go and what operations do, in the order of the text; payload is left out.
#ifndef TILESIM_PTX_MACHINE_PROGRAM_H_
#define TILESIM_PTX_MACHINE_PROGRAM_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/concrete.h"
#include "ir/op.h"
#include "ptx/flow/graph.h"
#include "ptx/flow/inline_calls.h"
#include "ptx/machine/followed.h"
#include "ptx/machine/memory.h"
#include "ptx/scalar/scalar.h"
#include "sim/machine/machine.h"

namespace tilesim::ptx {

enum class Special : uint8_t {
  kNone,
  kTidX,
  kTidY,
  kTidZ,
  kLane,
  kWarp,
  kCtaX,
  kCtaY,
  kCtaZ,
  kRank,    // %cluster_ctarank
  kCtaInX,  // %cluster_ctaid
  kCtaInY,
  kCtaInZ,
  kClusterX,  // %clusterid
  kClusterY,
  kClusterZ,
  kShared,  // `bits` past the first byte of shared memory of its CTA
  kLaneLt,  // %lanemask_lt, and so on
  kLaneLe,
  kLaneEq,
  kLaneGe,
  kLaneGt,
  kMissing,    // 1: the block has no such thread, in its last warp
  kAnyNumber,  // clocks, timers: nothing may depend on what they say
};

// Where an instruction takes a number from.
struct Source {
  int32_t reg = -1;  // else a constant, or a special register
  Special special = Special::kNone;
  bool negated = false;  // of a predicate
  uint64_t bits = 0;     // the constant; added to what else it is
  int width = 64;        // of the register: a sum wraps around at it
};

struct Target {
  int32_t reg = -1;  // -1: nobody wants it
  int bits = 64;     // of the register
};

struct Step;
class Filling;

// One of these a kind of operation: writes what varies of its operands. False:
// it cannot, and the filling says why.
using Fill = bool (*)(Filling& filling, const Step& step, ir::ConcreteOp& out);

inline constexpr std::string_view kHowToDefine =
    "give the variable of the source a value before its first use";
inline constexpr std::string_view kHowToDivide =
    "PTX does not say what a quotient or a remainder by 0 is: ask first";

// Which shared memory the spelling of an instruction addresses (PTX 5.1.7,
// 5.4): .shared, which is .shared::cta; .shared::cluster; or none, so that
// addresses are generic. Of those that work on an mbarrier of their own CTA
// alone, kGenericOwn. Of tcgen05.commit Triton gives addresses of shared memory
// where by the letter they are generic, and the hardware takes them: kEither.
enum class SharedWindow : uint8_t {
  kOwn,
  kCluster,
  kGeneric,
  kGenericOwn,
  kEither
};
SharedWindow SharedWindowOf(std::string_view opcode);

struct Step {
  enum class Kind : uint8_t {
    kScalar,    // results := op(sources)
    kConstant,  // results[0] := sources[0]
    kMapa,      // results[0] := sources[0] in the CTA of rank sources[1]
    kUnknown,   // results := not known, as memory returned them
    kLoad,      // of parameters
    kOwn,       // an access of memory of the thread alone, or of constants
    kAnswer,    // results := what numbers[0] says of the answer sources[0]
    kShuffle,
    kElect,
    kVote,
    kMatch,
    // Of a node: who is in its membermask, numbers[0], executes it; numbers[1]:
    // it has none, all lanes have to (.aligned).
    kMembers,
    kPayload,  // nothing that decides; of a program that is whole
    kBranch,   // to `target` where the guard holds; sources[0]: brx.idx
    kOp,       // code.ops[op]
    kEnd,
  };
  Kind kind = Kind::kScalar;
  // kOp: the source that has an address of each thread, which may be in a
  // buffer of its own; -1: none has.
  int8_t buffers_by = -1;
  int32_t node = -1;
  int32_t guard = -1;
  bool negated = false;  // the guard
  ScalarOp scalar;
  bool adds = false;     // it is a sum of integers, whose carry nobody wants
  bool divides = false;  // a quotient or remainder of integers
  bool selects = false;  // selp
  std::vector<Source> sources;
  std::vector<Target> results;
  std::vector<int32_t> targets;  // steps
  int32_t join = -1;             // kBranch: where all ways meet again
  // kBranch: `trap`, or the call that a failed assertion makes. Of one on whose
  // way nothing else is done: which way that is.
  bool traps = false;
  enum class Fails : uint8_t { kNeither, kTaken, kNotTaken };
  Fails fails = Fails::kNeither;
  // kBranch: the steps that any way to `join` may take, if all they do is to
  // compute: which way it is shows in their results only. Empty: they do more.
  std::vector<int32_t> computes;
  bool loops = false;  // of these ways, one goes back
  // kBranch: on these ways there are accesses as well, each of which may be
  // skipped. kOp: it is such an access. Nobody but who accesses the same bytes
  // can notice whether it is executed: it waits for nothing, orders nothing,
  // and what it returns decides nothing.
  bool touches = false, may_skip = false;
  // It sets registers of its thread, whatever other threads do, and is over.
  bool only_computes = false;
  int32_t op = -1;  // kOp
  // All lanes of a warp have to execute it together.
  bool aligned = false;
  // kOp, where control goes through shared memory: operands that it writes, a
  // bit each.
  uint32_t writes = 0;
  Fill fill = nullptr;
  bool touch = false;    // of registers in flight, before its instruction
  bool in_vain = false;  // a load of which nothing takes what it returns
  SharedWindow window = SharedWindow::kGeneric;
  // Sources on which the operation depends as a whole; those behind are
  // addresses and numbers of single threads.
  size_t collective = 0;
  std::vector<int64_t> numbers;  // of the spelling, as its Fill wants them
  // Of a store whose values decide something: one a word of `word_bytes`. Of a
  // load, how long each of its results is.
  std::vector<Source> data;
  int64_t word_bytes = 0;
  // Of an access to a buffer whose words decide: that buffer's declaration, and
  // who it is executed by, one after the other (atomics).
  // kPart: bytes of a map of the launch are stored (map_chunks.h).
  enum class MapPart : uint8_t { kNone, kPart, kReplace, kCopy, kAcquire };
  struct PartOfMap {
    uint64_t map = 0;  // its address
    int64_t first = 0, bytes = 0;
  };
  PartOfMap map_part;
  MapPart map =
      MapPart::kNone;        // of a tensor map that is built (device_maps.h)
  bool loads_const = false;  // kOwn: ld.const
  bool generic = false;      // an access whose address may be of any space
  bool one_lane = false;     // executed by one lane of each warp
  // Of several warps, each does it for itself: an allocation.
  bool each_warp = false;
  // A strong load or an atomic: whether it synchronises depends on the value,
  // so that its words decide, whoever wants them.
  bool strong = false;
  // sources[0] is the address of a tensor map, of which the map alone is taken.
  bool map_operand = false;
  int32_t words_of = -1;
  int word_operand = -1;  // of the op
  bool lane_by_lane = false;
  bool atomic = false;  // atom, red
  // Payload that is executed comes to its node here; `of_op`: a result of the
  // operation before, which the machine has said, or memory.
  bool executes = false, of_op = false;
  // Of a program that is timed: what lies between the step before and this one,
  // and the loads (ops) that it needs.
  machine::Passed passed;
  std::vector<int32_t> awaits;
};

// The kernel and its launch, as far as a guide must know.
struct Program {
  std::shared_ptr<const Inlined> inlined;  // null: the kernel calls nothing
  Graph graph;
  std::vector<Step> steps;
  std::vector<bool> only_exits;        // by step: no operation comes from it on
  std::vector<std::string> registers;  // those that decide; by slot
  std::vector<int32_t> graph_registers;    // likewise: their numbers there
  std::vector<std::vector<int16_t>> live;  // by step
  // By register: the step that alone sets it, without a guard; -1: none.
  std::vector<int32_t> only_set_by;
  Memory memory;
  // Local memory, where values in it are followed: registers, one a word.
  struct Local {
    int32_t first = 0;  // the register of the first word
    int32_t words = 0;  // 0: it is not followed
    int64_t word_bytes = 0;
  };
  Local local;
  // Some load of shared memory decides something, or a tensor map is built.
  bool control_in_shared = false;
  // Tests whose answers only let waits be passed over, with those waits; and
  // the steps of the tests.
  machine::Guide::PassedOver passed_over;
  std::map<int32_t, int32_t> tests;  // op -> step
  // Has a step for each instruction, so that payload can be executed.
  bool whole = false;
  // Steps have what payload costs.
  bool timed = false;
  // Purpose::kLetter.
  bool letter = false;
  // ptxas cannot tell how many registers threads begin with (dealt.h).
  bool ignores_setmaxnreg = false;
  // Accesses that data decide and that are left out (walk_either.cc); the
  // others are executed.
  Skips skips = Skips::kNone;
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_PROGRAM_H_
