// The payload of a run: what the bytes are. The machine has control; this has
// global tensors, and for the CTAs that are materialised shared memory, tensor
// memory and register tiles.
//
//   MemoryOptions options;
//   options.values = MemoryOptions::Values::kSample;
//   options.sample = {SampleCtas(codes[0]->bound, 8)};
//   auto memory = Memory::Create(codes, std::move(options));   // StatusOr
//   Machine machine(codes, memory->get());
//   MachineFaults faults(machine);
//   (*memory)->set_faults(&faults);
//   ... run ...
//   for (const ComputesResult& r : (*memory)->Check()) ...
//
// A CTA that is not materialised moves nothing, except by ops whose memory
// decides control (CompiledOp::control). Tensors are filled a page at a time
// when they are first touched, so what nobody reads costs nothing.
//
// Promises: the same program, inputs and order of moves give the same bytes.
// Errors: Create says InvalidArgument (an input that does not fit its
// declaration) or ResourceExhausted (with how much is needed) before it takes
// memory; a run that outgrows the limit later stops moving data, and status()
// says ResourceExhausted.
#ifndef TILESIM_SIM_MACHINE_DATA_MEMORY_H_
#define TILESIM_SIM_MACHINE_DATA_MEMORY_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/values/tensor.h"
#include "sim/machine/data/computes.h"
#include "sim/machine/data/coverage.h"
#include "sim/machine/data/faults.h"
#include "sim/machine/data/starts.h"
#include "sim/machine/machine.h"

namespace tilesim::machine {

class Aside;
class CtaMemory;
class Globals;
class GlobalTensor;
struct Budget;
struct Site;

struct MemoryOptions {
  enum class Values : uint8_t { kNone, kAll, kSample };
  Values values = Values::kAll;
  // kSample: linear CTA numbers, by kernel. Whole clusters are taken.
  std::vector<absl::flat_hash_set<int64_t>> sample;
  uint64_t seed = 0;
  // Globals that are given, by name; the others are seeded.
  std::map<std::string, values::Tensor, std::less<>> inputs;
  int64_t limit_bytes = 0;  // 0: what is free
};

// Up to `count` CTAs worth looking at: first, last, corners, tail wave.
absl::flat_hash_set<int64_t> SampleCtas(const ir::BoundKernel& bound,
                                        int64_t count);

// Whether a CTA may read what another one wrote (split-K, two kernels on one
// tensor), so that values of sampled CTAs alone would be wrong. Memory that
// decides control does not count: it is always there.
bool ValuesFlowBetweenCtas(const std::vector<const Code*>& codes);

// How many MMA statements were compared with the slow reference rule (one
// element each), and how many of them had the same bits.
struct MmaTally {
  int64_t checked = 0;
  int64_t equal = 0;
};

// How many elements another execution of the program left as this one did.
struct Replaced {
  int64_t elements = 0;
  int64_t equal = 0;
  std::optional<int64_t> first_difference;  // linear index
};

class Memory final : public DataPort {
 public:
  // `codes` in launch order; they must outlive the memory.
  static absl::StatusOr<std::unique_ptr<Memory>> Create(
      std::vector<const Code*> codes, MemoryOptions options);
  ~Memory() override;

  void set_faults(FaultSink* faults) { faults_ = faults; }

  void Move(const State& state, const Cta& cta, int32_t cta_index,
            const CompiledOp& op, const ir::ConcreteOp& concrete,
            int destination, int64_t* slots) override;
  void OnLaunch(const State& state, int32_t cta_index) override;
  void OnExit(const State& state, int32_t cta_index) override;
  uint64_t Element(int kernel, int32_t decl, int64_t element) override;
  void SetElement(int kernel, int32_t decl, int64_t element,
                  uint64_t bits) override;
  void ClcResponse(const State& state, int32_t cta_index,
                   const ir::ConcreteOp& concrete, bool canceled,
                   const std::array<int32_t, 3>& first_cta) override;

  // From now on values are computed on a thread of their own, beside whoever
  // calls Move: the same bytes. What decides control waits for it. Finish()
  // comes before anything here is looked at.
  void ComputeAside();
  void Finish();
  // Whether that thread came to a finding, which only a run without it can
  // tell: what was moved since is not there, and the run is of no use.
  bool gave_up() const { return gave_up_; }
  void GiveUp() { gave_up_ = true; }

  absl::Status status() const;
  // CTAs launched so far whose values are computed.
  int64_t materialised_ctas() const { return materialised_ctas_; }
  int64_t bytes_used() const;
  const MmaTally& mma_tally() const { return tally_; }
  // What all CTAs have stored, those without values included.
  const Coverage& coverage() const { return coverage_; }

  // Compares every `computes` of the kernels that have run with what
  // materialised CTAs wrote. One result a statement, in order. Once `stop` is
  // true the rest is left out.
  std::vector<ComputesResult> Check(const Comparing& how = {}) const;

  // Compares what materialised CTAs wrote of a tensor with numbers from
  // elsewhere (CompareWith). NotFound; InvalidArgument, another number of
  // elements; FailedPrecondition, nobody wrote it, or values were not computed.
  absl::StatusOr<ComputesResult> Compare(std::string_view name,
                                         const std::vector<double>& want,
                                         double within,
                                         const Comparing& how = {}) const;

  // Puts what another execution wrote (a GPU) where materialised CTAs wrote,
  // so that Check judges it; NotFound, InvalidArgument (another type or shape).
  absl::StatusOr<Replaced> Replace(std::string_view name,
                                   const values::Tensor& with);

  // Whether there is a tensor of that name (NotFound), all that is written to
  // it is computed (FailedPrecondition), and there is memory for a copy of it
  // and of its file (ResourceExhausted).
  absl::Status CanCopy(std::string_view name) const;
  // A tensor as it is now, by name; NotFound if there is none.
  absl::StatusOr<values::Tensor> Tensor(std::string_view name) const;

  // For ops (data/job.h) and tests.
  const Code& code(int kernel) const { return *codes_[kernel]; }
  Globals& globals() { return *globals_; }
  CtaMemory& cta(int32_t index) { return *ctas_[index]; }
  MmaTally& tally() { return tally_; }
  FaultSink* faults() const { return faults_; }

 private:
  Memory(std::vector<const Code*> codes, MemoryOptions options, Budget budget);
  bool Wanted(const State& state, const Cta& cta) const;
  Site SiteOf(const State& state, const Cta& cta, int32_t cta_index) const;
  std::optional<BoxFault> WrongBoxOf(int kernel, const CompiledOp& op,
                                     const ir::ConcreteOp& concrete,
                                     bool moves);
  void ComputeNow(const Site& site, const CompiledOp& op,
                  const ir::ConcreteOp& concrete, int destination,
                  int64_t* slots);
  // Whether every CTA of a kernel computes what it writes there.
  bool Computes(size_t kernel, const GlobalTensor& tensor) const;

  std::vector<const Code*> codes_;
  MemoryOptions options_;
  std::unique_ptr<Budget> budget_;
  std::unique_ptr<Globals> globals_;
  std::vector<std::unique_ptr<CtaMemory>> ctas_;  // by index into State::ctas
  FaultSink* faults_ = nullptr;
  MmaTally tally_;
  Coverage coverage_;
  Starts starts_;
  int64_t materialised_ctas_ = 0;
  std::vector<bool> valued_;  // whether a CTA computes values, by its index
  std::atomic<bool> gave_up_ = false;
  std::unique_ptr<machine::Aside> aside_;  // last: it uses the others
};

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_MEMORY_H_
