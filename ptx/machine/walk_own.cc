// Accesses of memory that no other thread sees (.local), or that nobody writes
// (.const, parameters by a generic address). Nothing is ordered by them: they
// are no operations. That they are inside, and aligned, is judged here; what
// local memory holds is followed as registers are, a register a word
// (Program::Local), once something depends on it.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "fmt/format.h"
#include "ir/cat.h"
#include "ptx/machine/walk.h"

namespace tilesim::ptx {
namespace {

// Bits `from` on of a value, `bytes` of them.
uint64_t Cut(uint64_t bits, int64_t from, int64_t bytes) {
  return ZeroExtend(bits >> (8 * from), static_cast<int>(8 * bytes));
}

}  // namespace

// False: it is outside, or not aligned.
bool Walk::Own(const Step& step) {
  const Value at = guide_.Of(step.sources[0], who());
  if (at.unknown()) {
    if (Lanes::UndefinedIn(at) >= 0) {
      Stop(at, "what it accesses");
      return false;
    }
    guide_.Note(NotJudged::kOwnMemory, LineHere());
    for (const Target& t : step.results) guide_.Set(strand(), t, at);
    if (step.results.empty()) ForgetLocal(at);
    return true;
  }
  const int64_t words = step.numbers[0];
  if (!IsInside(step, at, words * step.word_bytes)) return false;
  if (step.results.empty()) {
    StoreOwn(step, at, static_cast<size_t>(words));
  } else {
    LoadOwn(step, at, step.results);
  }
  return true;
}

// Where data decide whether it is executed, they may see to it that it is right
// (`if (i < n)`).
void Walk::OwnFault(ir::Code code, std::string message, std::string help) {
  if (EitherOf(program_, strand()) < 0) {
    Fault(code, std::move(message), std::move(help));
    return;
  }
  machine_.AddNotFollowed(ir::Cat(
      "line ", LineHere(), ": whether it is executed, data decide: ", message));
  result_.kind = machine::StepResult::Kind::kFault;
}

// Of each thread that executes it.
bool Walk::IsInside(const Step& step, const Value& address, int64_t bytes) {
  const uint32_t lanes = strand().threads.lanes;
  const Memory& memory = program_.memory;
  for (size_t t = 0; t < who().threads(); ++t) {
    if ((lanes >> (t % kWarp) & 1) == 0) continue;
    const uint64_t at = guide_.lanes().At(address, t);
    const bool constant =
        step.generic ? IsIn(at, kConstWindow) : step.loads_const;
    const bool param = step.generic && IsIn(at, kParamWindow);
    const uint64_t window = constant ? kConstWindow : kLocalWindow;
    const uint64_t has = constant ? memory.const_bytes() : memory.local_bytes();
    const uint64_t begin = at - window;
    if (!param && (begin > has || begin + static_cast<uint64_t>(bytes) > has)) {
      OwnFault(
          "bounds/index",
          fmt::format("{} bytes at {:#x} of {} memory are accessed, of which "
                      "the {} declares {:#x}",
                      bytes, begin, constant ? "constant" : "local",
                      constant ? "module" : "kernel", has),
          constant ? "look at how the index into the __constant__ array is "
                     "computed"
                   : "look at how the index into the array of the thread is "
                     "computed");
      return false;
    }
    if (at % static_cast<uint64_t>(bytes) != 0) {
      OwnFault("layout/alignment",
               fmt::format("the address {:#x} is no multiple of {}", at, bytes),
               "");
      return false;
    }
    if (address.uniform()) break;
  }
  return true;
}

void Walk::LoadOwn(const Step& step, const Value& address,
                   const std::vector<Target>& results) {
  const Instruction& i = program_.graph.nodes[step.node].instruction();
  const bool is_signed =
      i.opcode.find(".s", i.opcode.rfind('.')) != std::string::npos;
  const auto bits = static_cast<int>(8 * step.word_bytes);
  std::vector<Value> out;
  for (size_t k = 0; k < results.size(); ++k)
    out.push_back(results[k].reg < 0 ? Value() : OwnWord(step, address, k));
  for (size_t k = 0; k < results.size(); ++k) {
    Value v = out[k];
    if (results[k].reg < 0) continue;
    if (is_signed && !v.unknown()) {
      std::vector<uint64_t> threads(who().threads());
      for (size_t t = 0; t < threads.size(); ++t)
        threads[t] = ZeroExtend(
            static_cast<uint64_t>(SignExtend(guide_.lanes().At(v, t), bits)),
            results[k].bits);
      v = guide_.lanes().Of(threads, guide_.lanes().Elected(v));
    }
    guide_.Set(strand(), results[k], v);
  }
}

// The `word`th of what is loaded.
Value Walk::OwnWord(const Step& step, const Value& address, size_t word) {
  const int64_t bytes = step.word_bytes;
  const Value unknown = Lanes::Unknown(strand().pc);
  if (bytes > 8) return unknown;
  const auto first = static_cast<size_t>(strand().threads.first_lane());
  const uint64_t from = guide_.lanes().At(address, first);
  const int64_t offset = static_cast<int64_t>(word) * bytes;
  const bool local =
      step.generic ? IsIn(from, kLocalWindow) : !step.loads_const;
  if (local) return LocalWord(address, offset, bytes);
  std::vector<uint64_t> out(who().threads());
  for (size_t t = 0; t < out.size(); ++t) {
    const bool here = (strand().threads.lanes >> (t % kWarp) & 1) != 0;
    const uint64_t at = guide_.lanes().At(address, here ? t : first) +
                        static_cast<uint64_t>(offset);
    const auto size = static_cast<int>(bytes);
    const std::optional<uint64_t> bits =
        IsIn(at, kParamWindow) ? program_.memory.ParamBits(at, size)
                               : program_.memory.ConstBits(at, size);
    if (!bits) return unknown;
    out[t] = *bits;
  }
  return guide_.lanes().Of(out, guide_.lanes().Elected(address));
}

// Each thread's own. What a thread needs and is not known, all have not.
Value Walk::LocalWord(const Value& address, int64_t offset, int64_t bytes) {
  const Program::Local& local = program_.local;
  if (local.words == 0) return Lanes::Unknown(strand().pc);
  const auto first = static_cast<size_t>(strand().threads.first_lane());
  const int64_t each = std::min(bytes, local.word_bytes);
  bool elected = guide_.lanes().Elected(address);
  std::vector<uint64_t> out(who().threads());
  for (size_t t = 0; t < out.size(); ++t) {
    const bool here = (strand().threads.lanes >> (t % kWarp) & 1) != 0;
    const size_t thread = here ? t : first;
    const int64_t at = static_cast<int64_t>(guide_.lanes().At(address, thread) -
                                            kLocalWindow) +
                       offset;
    for (int64_t done = 0; done < bytes; done += each) {
      const int64_t word = (at + done) / local.word_bytes;
      const Value v =
          guide_.Get(strand(), local.first + static_cast<int32_t>(word));
      if (v.unknown()) return v;
      elected |= guide_.lanes().Elected(v);
      const uint64_t part = Cut(guide_.lanes().At(v, thread),
                                (at + done) % local.word_bytes, each);
      out[t] |= part << (8 * done);
    }
  }
  return guide_.lanes().Of(out, elected);
}

void Walk::StoreOwn(const Step& step, const Value& address, size_t words) {
  if (program_.local.words == 0) return;
  for (size_t k = 0; k < words; ++k) {
    // What is payload to the slice, or of 16 bytes, is not known.
    const bool known = k < step.data.size() && step.word_bytes <= 8;
    const Value v =
        known ? guide_.Of(step.data[k], who()) : Lanes::Unknown(strand().pc);
    StoreLocal(address, static_cast<int64_t>(k) * step.word_bytes,
               step.word_bytes, v);
  }
}

void Walk::StoreLocal(const Value& address, int64_t offset, int64_t bytes,
                      const Value& value) {
  const Program::Local& local = program_.local;
  const uint32_t lanes = strand().threads.lanes;
  const size_t threads = who().threads();
  // Words that some thread writes: the first thread tells which, where all
  // write the same ones.
  std::vector<std::vector<uint64_t>> now(static_cast<size_t>(local.words));
  std::vector<std::vector<bool>> writes(static_cast<size_t>(local.words));
  for (size_t t = 0; t < threads; ++t) {
    if ((lanes >> (t % kWarp) & 1) == 0) continue;
    const int64_t at =
        static_cast<int64_t>(guide_.lanes().At(address, t) - kLocalWindow) +
        offset;
    for (int64_t done = 0; done < bytes; done += local.word_bytes) {
      const auto word = static_cast<size_t>((at + done) / local.word_bytes);
      if (now[word].empty()) {
        now[word].resize(threads);
        writes[word].resize(threads);
      }
      writes[word][t] = true;
      if (!value.unknown())
        now[word][t] = Cut(guide_.lanes().At(value, t), done, local.word_bytes);
    }
  }
  for (size_t word = 0; word < now.size(); ++word) {
    if (now[word].empty()) continue;
    const Target target{local.first + static_cast<int32_t>(word),
                        static_cast<int>(8 * local.word_bytes)};
    const Value old = guide_.Get(strand(), target.reg);
    Value out = value;
    for (size_t t = 0; t < threads && !out.unknown(); ++t) {
      const bool here = (lanes >> (t % kWarp) & 1) != 0;
      if (writes[word][t]) continue;
      // Others have written it, so it is no place that nothing has written.
      if (here && old.unknown()) out = Lanes::Unknown(strand().pc);
      if (!old.unknown()) now[word][t] = guide_.lanes().At(old, t);
    }
    if (!out.unknown())
      out = guide_.lanes().Of(now[word], guide_.lanes().Elected(value));
    guide_.Set(strand(), target, out);
  }
}

// Some of it was written, and it is not known where or what.
void Walk::ForgetLocal(const Value& unknown) {
  const Program::Local& local = program_.local;
  for (int32_t i = 0; i < local.words; ++i)
    guide_.Set(strand(),
               {local.first + i, static_cast<int>(8 * local.word_bytes)},
               unknown);
}

// An access by a generic address that leads to such memory. nullopt: it does
// not, or that is not known.
std::optional<Walk::Next> Walk::GenericOwn(const Step& step) {
  const Value at = guide_.Of(step.sources[0], who());
  if (at.unknown()) return std::nullopt;
  size_t own = 0, others = 0;
  for (size_t t = 0; t < who().threads(); ++t) {
    if ((strand().threads.lanes >> (t % kWarp) & 1) == 0) continue;
    const uint64_t address = guide_.lanes().At(at, t);
    const bool is_own = IsIn(address, kLocalWindow) ||
                        IsIn(address, kConstWindow) ||
                        IsIn(address, kParamWindow);
    ++(is_own ? own : others);
    if (at.uniform()) break;
  }
  if (own == 0) return std::nullopt;
  const Step& behind = program_.steps[static_cast<size_t>(strand().pc) + 1];
  const bool loads =
      behind.kind == Step::Kind::kUnknown && behind.node == step.node;
  const Instruction& i = program_.graph.nodes[step.node].instruction();
  if (others != 0 || step.word_bytes == 0 ||
      (!i.opcode.starts_with("ld") && !i.opcode.starts_with("st"))) {
    machine_.AddNotFollowed(
        ir::Cat("line ", LineHere(),
                ": some of its threads access local memory or constants"));
    result_.kind = machine::StepResult::Kind::kFault;
    return Next::kStop;
  }
  guide_.NoteLocal(step);
  const int64_t bytes = step.numbers[0];
  if (!IsInside(step, at, bytes)) return Next::kStop;
  if (step.executes && !ExecutePayload(step)) return Next::kStop;
  if (i.opcode.starts_with("st")) {
    StoreOwn(step, at, static_cast<size_t>(bytes / step.word_bytes));
  } else if (loads && guide_.payload() == nullptr &&
             !TakesBoth(step, GuardOf(step))) {
    LoadOwn(step, at, behind.results);
    // Lanes whose guard does not hold come back behind what it returns.
    auto& frames = strand().frames;
    if (!frames.empty() && frames.back().join == strand().pc + 1)
      ++frames.back().join;
    ++strand().pc;
  }
  ++strand().pc;
  return Next::kGoOn;
}

}  // namespace tilesim::ptx
