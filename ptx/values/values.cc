#include "ptx/values/values.h"

#include <cstring>

#include "ir/cat.h"
#include "ir/ops/grid.h"
#include "ir/tmem.h"
#include "ptx/flow/waits.h"
#include "ptx/machine/answers.h"
#include "ptx/values/kernel_values.h"

namespace tilesim::ptx {
namespace {

// Shared memory holds anything at first: what shows that nobody has written it.
constexpr uint8_t kPoison = 0xff;

}  // namespace

CtaValues::CtaValues(int32_t words, int warps, size_t shared_bytes)
    : registers(words, warps),
      shared(shared_bytes, kPoison),
      local(static_cast<size_t>(warps) * ir::kWarpThreads) {}

uint32_t* CtaValues::Lane(int32_t pool, int64_t lane) {
  const auto at = static_cast<size_t>(pool);
  if (tensor.size() <= at) tensor.resize(at + 1);
  if (tensor[at].empty())
    tensor[at].assign(ir::kTmemLanes * ir::kTmemColumns, ~uint32_t{0});
  return tensor[at].data() + lane * ir::kTmemColumns;
}

Values::Values(GlobalBytes& globals, const Lowered& kernel)
    : globals_(globals),
      kernel_(std::make_unique<KernelValues>(*this, kernel)) {
  kernel.guide->Carry(kernel_.get());
}

Values::~Values() { kernel_->kernel().guide->Carry(nullptr); }

void Values::OnLaunch(const machine::State&, int32_t cta_index) {
  const auto at = static_cast<size_t>(cta_index);
  if (ctas_.size() <= at) ctas_.resize(at + 1);
  ctas_[at] = kernel_->NewCta();
}

void Values::OnExit(const machine::State&, int32_t cta_index) {
  ctas_[static_cast<size_t>(cta_index)].reset();
}

// --- one kernel
// ---------------------------------------------------------------

KernelValues::KernelValues(Values& values, const Lowered& kernel)
    : values_(values), kernel_(kernel), words_(kernel.guide->program().graph) {
  const Graph& g = kernel.guide->program().graph;
  made_.resize(g.nodes.size());
  waits_.resize(g.nodes.size());
  for (const Wait& w : FindWaits(g))
    waits_[static_cast<size_t>(w.node)] = w.loops;
}

std::unique_ptr<CtaValues> KernelValues::NewCta() const {
  const ir::BoundKernel& b = kernel_.code->bound;
  return std::make_unique<CtaValues>(words_.count(),
                                     static_cast<int>(ir::WarpsOf(b.block)),
                                     static_cast<size_t>(b.shared_bytes));
}

void KernelValues::Make(int32_t node, Made& made) {
  const Graph& g = kernel_.guide->program().graph;
  const Node& n = g.nodes[static_cast<size_t>(node)];
  made.made = true;
  ActionMaking making{
      kernel_,        words_, n, waits_[static_cast<size_t>(node)],
      LeavesOf(g, n), ""};
  made.action = MakeActionOf(making);
  made.why = std::move(making.why);
  if (n.guard >= 0) {
    made.guard = In{words_.Of(n.guard)};
    made.guard->negated = n.instruction().guard.negated;
  }
}

KernelValues::Made& KernelValues::At(int32_t node) {
  Made& made = made_[static_cast<size_t>(node)];
  if (!made.made) Make(node, made);
  return made;
}

void KernelValues::Execute(const machine::State& state,
                           const machine::Strand& strand, int32_t node) {
  const Made& made = At(node);
  const Node& n =
      kernel_.guide->program().graph.nodes[static_cast<size_t>(node)];
  Threads threads(values_, kernel_, state, strand, n);
  if (made.guard) threads.Mask(*made.guard);
  if (threads.none() || !ok()) return;
  if (!made.action) return threads.Fail(made.why);
  values_.Count(threads.count());
  made.action(threads);
}

uint64_t KernelValues::Register(const machine::Strand& strand, size_t thread,
                                int32_t reg) {
  const size_t first =
      static_cast<size_t>(strand.threads.first_warp) * ir::kWarpThreads;
  return values_.CtaAt(strand.cta)
      ->registers.Of(first + thread, words_.Of(reg));
}

void KernelValues::SetRegister(const machine::Strand& strand, int32_t reg,
                               uint64_t value) {
  CtaValues& cta = *values_.CtaAt(strand.cta);
  for (int w = 0; w < strand.threads.warps; ++w) {
    uint64_t* lanes =
        cta.registers.Of(strand.threads.first_warp + w, words_.Of(reg));
    for (int l = 0; l < ir::kWarpThreads; ++l) {
      if ((strand.threads.lanes >> l & 1) != 0) lanes[l] = value;
    }
  }
}

void KernelValues::Answered(const machine::State& state, int32_t cta,
                            const ir::ConcreteOp& concrete, bool canceled,
                            const std::array<int32_t, 3>& first_cta) {
  const auto at = static_cast<size_t>(concrete.tile(0).start[0]);
  const uint64_t words[2] = {Answer{canceled, first_cta}.Bits(), 0};
  const bool all = concrete.choice<ir::ops::ClcTryCancel, ir::ops::Multicast>();
  const machine::Cta& asks = state.ctas[static_cast<size_t>(cta)];
  for (int32_t slot : state.clusters[asks.cluster].ctas) {
    if (!all && slot != cta) continue;
    std::memcpy(values_.CtaAt(slot)->shared.data() + at, words, sizeof words);
  }
}

}  // namespace tilesim::ptx
