#include "sim/machine/data/memory.h"

#include <algorithm>
#include <utility>

#include "ir/cat.h"
#include "ir/values/convert.h"
#include "sim/machine/data/aside.h"
#include "sim/machine/data/clc.h"
#include "sim/machine/data/compute.h"
#include "sim/machine/data/cta_memory.h"
#include "sim/machine/data/globals.h"
#include "sim/machine/data/threads.h"

namespace tilesim::machine {
namespace {

// Shared and tensor memory and registers of as many CTAs as SMs.
int64_t ResidentBytes(const Code& code) {
  const ir::BoundKernel& b = code.bound;
  int64_t cta = b.shared_bytes + (b.tmem_columns > 0 ? TmemBytes(b) : 0);
  return cta * std::min(b.ctas(), std::max<int64_t>(b.sm_count, 1));
}

// What a run surely takes. Of sampled values that is little: tensors are filled
// where they are touched.
int64_t LeastBytes(const std::vector<const Code*>& codes,
                   MemoryOptions::Values values) {
  using Values = MemoryOptions::Values;
  std::map<std::string_view, int64_t> tensors;  // kernels share them by name
  int64_t resident = 0;
  for (const Code* code : codes) {
    if (values == Values::kAll)
      resident = std::max(resident, ResidentBytes(*code));
    for (size_t i = 0; i < code->bound.decls.size(); ++i) {
      const ir::BoundDecl& d = code->bound.decls[i];
      if (d.space != ir::Space::kGlobal) continue;
      bool moved = values != Values::kNone || code->control_decl[i];
      bool written = moved && UseOf(*code, static_cast<int>(i)).writes;
      int64_t bytes = TrackingBytes(d, written);
      if (values == Values::kAll) bytes += TensorBytes(d);
      int64_t& most = tensors[code->kernel().decls[i].name];
      most = std::max(most, bytes);
    }
  }
  int64_t sum = resident;
  for (const auto& [name, bytes] : tensors)
    sum = std::min(sum + bytes, kTooManyBytes);
  return sum;
}

// Whether the strand is there to get a scalar of it.
bool SetsVar(const ir::ConcreteOp& op, const int64_t* slots) {
  return slots != nullptr &&
         std::any_of(op.operands.begin(), op.operands.end(),
                     [](const ir::OperandValue& o) { return o.slot >= 0; });
}

}  // namespace

Memory::Memory(std::vector<const Code*> codes, MemoryOptions options,
               Budget budget)
    : codes_(std::move(codes)),
      options_(std::move(options)),
      budget_(std::make_unique<Budget>(budget)),
      globals_(std::make_unique<Globals>(codes_, options_.seed, options_.inputs,
                                         *budget_)),
      coverage_(codes_),
      starts_(codes_) {}

Memory::~Memory() = default;

absl::StatusOr<std::unique_ptr<Memory>> Memory::Create(
    std::vector<const Code*> codes, MemoryOptions options) {
  absl::Status fits = CheckInputs(codes, options.inputs);
  if (fits.ok() && options.values != MemoryOptions::Values::kNone)
    fits = CheckPlaces(codes);
  if (!fits.ok()) return fits;
  Budget budget;
  budget.limit = options.limit_bytes > 0 ? options.limit_bytes : FreeBytes();
  fits = budget.Fits(LeastBytes(codes, options.values));
  if (!fits.ok()) return fits;
  std::unique_ptr<Memory> memory(
      new Memory(std::move(codes), std::move(options), budget));
  if (memory->globals_->mapped()) return memory;
  return absl::ResourceExhaustedError(
      "the tensors are larger than what a process can address; try smaller "
      "sizes (-D)");
}

absl::Status Memory::status() const { return budget_->Fits(0); }

int64_t Memory::bytes_used() const { return budget_->used; }

bool Memory::Wanted(const State& state, const Cta& cta) const {
  if (options_.values != MemoryOptions::Values::kSample)
    return options_.values == MemoryOptions::Values::kAll;
  if (static_cast<size_t>(cta.kernel) >= options_.sample.size()) return false;
  const auto& sample = options_.sample[cta.kernel];
  const auto& ctas = state.clusters[cta.cluster].ctas;
  return std::any_of(ctas.begin(), ctas.end(), [&](int32_t peer) {
    return sample.contains(state.ctas[peer].linear);
  });
}

void Memory::OnLaunch(const State& state, int32_t cta_index) {
  const Cta& cta = state.ctas[cta_index];
  const Code& code = *codes_[cta.kernel];
  bool values = Wanted(state, cta);
  materialised_ctas_ += values ? 1 : 0;
  if (valued_.size() <= static_cast<size_t>(cta_index))
    valued_.resize(cta_index + 1);
  valued_[cta_index] = values;
  auto launch = [this, &code, values, cta_index] {
    while (static_cast<size_t>(cta_index) >= ctas_.size())
      ctas_.push_back(std::make_unique<CtaMemory>());
    ctas_[cta_index]->Launch(code, values, *budget_);
  };
  if (aside_ == nullptr) return launch();
  aside_->Give(std::move(launch));
}

// Peers may still reach an ended CTA's memory: the next one in its slot
// starts it over.
void Memory::OnExit(const State&, int32_t) {}

uint64_t Memory::Element(int kernel, int32_t decl, int64_t element) {
  Finish();
  GlobalTensor& t = *globals_->Get(kernel, decl);
  return values::LoadCode(t.type(), t.Touch(element, 1), element);
}

void Memory::SetElement(int kernel, int32_t decl, int64_t element,
                        uint64_t bits) {
  Finish();
  GlobalTensor& t = *globals_->Get(kernel, decl);
  values::StoreCode(t.type(), t.Touch(element, 1), element, bits);
  t.MarkWritten(element, 1);
}

std::optional<BoxFault> Memory::WrongBoxOf(int kernel, const CompiledOp& op,
                                           const ir::ConcreteOp& concrete,
                                           bool moves) {
  const Code& code = *codes_[kernel];
  for (int8_t operand : starts_.ToLookAt(kernel, op)) {
    if (auto wrong = WrongBox(code.bound, concrete, operand)) return wrong;
  }
  if (moves) return std::nullopt;  // what moves data looks at lanes itself
  auto out = LanesOutOfReach(code, op, concrete);
  if (!out) return std::nullopt;
  return BoxFault{out->code, std::move(out->message), ""};
}

void Memory::Move(const State& state, const Cta& cta, int32_t cta_index,
                  const CompiledOp& op, const ir::ConcreteOp& concrete,
                  int destination, int64_t* slots) {
  // Compiled code: its guide moves what decides, and no payload is computed.
  if (codes_[cta.kernel]->guide != nullptr) return;
  const bool covers = coverage_.Follows(cta.kernel, op);
  const bool moves = valued_[cta_index] || op.control;
  if (auto wrong = WrongBoxOf(cta.kernel, op, concrete, moves)) {
    const Site site = SiteOf(state, cta, cta_index);
    Job job(*this, site, op, concrete, destination, slots);
    job.Fault(wrong->code, wrong->message, wrong->help);
  }
  if (!covers && !moves) return;
  Site site = SiteOf(state, cta, cta_index);
  if (covers) {
    Job job(*this, site, op, concrete, destination, slots);
    coverage_.Note(job, op);
  }
  if (!moves) return;
  if (aside_ == nullptr)
    return ComputeNow(site, op, concrete, destination, slots);
  if (op.control || SetsVar(concrete, slots)) {
    Finish();
    return ComputeNow(site, op, concrete, destination, slots);
  }
  site.state = nullptr;
  aside_->Give([this, site = std::move(site), &op, concrete, destination] {
    if (!gave_up_) ComputeNow(site, op, concrete, destination, nullptr);
  });
}

void Memory::ComputeNow(const Site& site, const CompiledOp& op,
                        const ir::ConcreteOp& concrete, int destination,
                        int64_t* slots) {
  if (budget_->used > budget_->limit) return;
  Job job(*this, site, op, concrete, destination, slots);
  ComputeAny(job);
}

Site Memory::SiteOf(const State& state, const Cta& cta,
                    int32_t cta_index) const {
  int64_t launched = 0;
  for (size_t k = 0; k < state.grids.size(); ++k)
    launched += state.grids[k].next_cluster * codes_[k]->bound.cluster_size();
  return {&state,
          cta_index,
          cta.kernel,
          cta.linear,
          state.clusters[cta.cluster].ctas,
          materialised_ctas_ == launched};
}

void Memory::ComputeAside() {
  if (aside_ == nullptr) aside_ = std::make_unique<machine::Aside>();
}

void Memory::Finish() {
  if (aside_ != nullptr) aside_->Finish();
}

void Memory::ClcResponse(const State& state, int32_t cta_index,
                         const ir::ConcreteOp& concrete, bool canceled,
                         const std::array<int32_t, 3>& first_cta) {
  Finish();
  const Cta& cta = state.ctas[cta_index];
  for (const CompiledOp& op : codes_[cta.kernel]->ops) {
    if (op.op != concrete.op) continue;
    const Site site = SiteOf(state, cta, cta_index);
    Job job(*this, site, op, concrete, Job::kOwn, nullptr);
    WriteClcResponse(job, canceled, first_cta);
    return;
  }
}

std::vector<ComputesResult> Memory::Check(const Comparing& how) const {
  std::vector<ComputesResult> results;
  bool all = options_.values == MemoryOptions::Values::kAll;
  bool flow = !all && ValuesFlowBetweenCtas(codes_);
  for (size_t k = 0; k < codes_.size(); ++k) {
    const std::vector<ir::Computes>& lines = codes_[k]->kernel().computes;
    for (size_t i = 0; i < lines.size(); ++i) {
      if (!codes_[k]->bound.computes[i]) continue;
      const ir::Computes& c = lines[i];
      ComputesResult& r = results.emplace_back();
      const std::string lost = LostSince(codes_, k, c);
      if (!flow && lost.empty() &&
          options_.values != MemoryOptions::Values::kNone) {
        r = CheckComputes(codes_, k, c, *globals_, all, how);
        continue;
      }
      r.target = c.target;
      r.kernel = static_cast<int32_t>(k);
      r.span = c.span;
      r.skipped = flow ? "CTAs exchange values, and only some were computed"
                  : lost.empty() ? "no values were computed"
                                 : lost;
    }
  }
  return results;
}

absl::StatusOr<ComputesResult> Memory::Compare(std::string_view name,
                                               const std::vector<double>& want,
                                               double within,
                                               const Comparing& how) const {
  if (options_.values == MemoryOptions::Values::kNone)
    return absl::FailedPreconditionError("no values were computed");
  for (size_t k = 0; k < codes_.size(); ++k) {
    const ir::Kernel& kernel = codes_[k]->kernel();
    for (size_t i = 0; i < kernel.decls.size(); ++i) {
      const ir::Decl& decl = kernel.decls[i];
      if (decl.space != ir::Space::kGlobal || decl.name != name) continue;
      const GlobalTensor& target =
          *globals_->Get(static_cast<int>(k), static_cast<int>(i));
      if (static_cast<int64_t>(want.size()) != target.elements())
        return absl::InvalidArgumentError("another number of elements");
      if (target.written().size() == 0)
        return absl::FailedPreconditionError(
            ir::Cat("no CTA whose values were computed writes `", name, "`"));
      ComputesResult result =
          CompareWith(codes_[k]->bound.decls[i], target, want, within, how);
      result.target = std::string(name);
      result.kernel = static_cast<int32_t>(k);
      result.span = decl.span;
      return result;
    }
  }
  return absl::NotFoundError(ir::Cat("`", name, "` is no global"));
}

absl::StatusOr<Replaced> Memory::Replace(std::string_view name,
                                         const values::Tensor& with) {
  GlobalTensor* t = globals_->Named(name);
  if (t == nullptr)
    return absl::NotFoundError(ir::Cat("`", name, "` is no global"));
  if (with.type != t->type() || with.shape != t->spec().shape)
    return absl::InvalidArgumentError(
        ir::Cat("`", name, "` has another type or shape"));
  Replaced out;
  const Bits& written = t->written();
  for (int64_t i = written.Next(0, true); i < written.size();
       i = written.Next(i + 1, true)) {
    uint8_t* data = t->Touch(i, 1);
    const uint64_t code = values::LoadCode(with.type, with.data.data(), i);
    bool equal = values::LoadCode(with.type, data, i) == code;
    values::StoreCode(with.type, data, i, code);
    ++out.elements;
    out.equal += equal ? 1 : 0;
    if (!equal && !out.first_difference) out.first_difference = i;
  }
  return out;
}

absl::Status Memory::CanCopy(std::string_view name) const {
  const GlobalTensor* t = globals_->Named(name);
  if (t == nullptr)
    return absl::NotFoundError(ir::Cat("`", name, "` is no global"));
  for (size_t k = 0; k < codes_.size(); ++k) {
    if (Computes(k, *t)) continue;
    return absl::FailedPreconditionError(
        ir::Cat("not every CTA that writes `", name,
                "` would compute its values; take --values all, without "
                "--timing-only"));
  }
  return budget_->Fits(2 * t->bytes());
}

bool Memory::Computes(size_t kernel, const GlobalTensor& tensor) const {
  const Code& code = *codes_[kernel];
  using Values = MemoryOptions::Values;
  bool every =
      options_.values == Values::kAll ||
      (options_.values == Values::kSample && kernel < options_.sample.size() &&
       static_cast<int64_t>(options_.sample[kernel].size()) ==
           code.bound.ctas());
  if (every) return true;
  for (size_t i = 0; i < code.bound.decls.size(); ++i) {
    auto decl = static_cast<int>(i);
    bool it = globals_->Get(static_cast<int>(kernel), decl) == &tensor;
    // What decides control is always there.
    if (it && !code.control_decl[i] && UseOf(code, decl).writes) return false;
  }
  return true;
}

absl::StatusOr<values::Tensor> Memory::Tensor(std::string_view name) const {
  const GlobalTensor* t = globals_->Named(name);
  if (t == nullptr)
    return absl::NotFoundError(ir::Cat("`", name, "` is no global"));
  values::Tensor out{t->type(), t->spec().shape, {}};
  out.data.resize(t->bytes());
  t->Read(0, t->elements(), out.data.data());
  return out;
}

bool ValuesFlowBetweenCtas(const std::vector<const Code*>& codes) {
  std::map<std::string, GlobalUse, std::less<>> uses;
  for (const Code* code : codes) {
    for (size_t i = 0; i < code->bound.decls.size(); ++i) {
      bool global = code->bound.decls[i].space == ir::Space::kGlobal;
      if (!global || code->control_decl[i]) continue;
      GlobalUse use = UseOf(*code, static_cast<int>(i));
      GlobalUse& total = uses[code->kernel().decls[i].name];
      total.reads |= use.reads;
      total.writes |= use.writes;
    }
  }
  return std::any_of(uses.begin(), uses.end(), [](const auto& u) {
    return u.second.reads && u.second.writes;
  });
}

absl::flat_hash_set<int64_t> SampleCtas(const ir::BoundKernel& bound,
                                        int64_t count) {
  int64_t ctas = bound.ctas();
  int64_t x = bound.grid[0], xy = x * bound.grid[1];
  int64_t waves = ctas / std::max<int64_t>(bound.sm_count, 1);
  int64_t tail = waves * bound.sm_count;
  absl::flat_hash_set<int64_t> out;
  for (int64_t cta : {int64_t{0}, ctas - 1, tail, x - 1, xy - x, xy - 1,
                      ctas / 2, ctas / 3, ctas / 5, 2 * ctas / 3}) {
    if (static_cast<int64_t>(out.size()) >= count) break;
    if (cta >= 0 && cta < ctas) out.insert(cta);
  }
  return out;
}

}  // namespace tilesim::machine
