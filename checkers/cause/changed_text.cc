#include "checkers/cause/changed_text.h"

#include <utility>

#include "ir/bind.h"

namespace tilesim::checkers::cause {
namespace {

ir::Overrides SizesOf(const machine::Code& code) {
  ir::Overrides out;
  for (const ir::Param& p : code.kernel().params) {
    if (code.bound.slots[p.slot])
      out[p.name] = code.bound.slots[p.slot]->number;
  }
  return out;
}

std::unique_ptr<ChangedText> At(const ir::Overrides& sizes,
                                const machine::Code& code, ir::Kernel kernel) {
  auto out = std::make_unique<ChangedText>();
  out->kernel = std::move(kernel);
  ir::Diagnostics ignored;
  auto bound = ir::Bind(out->kernel, sizes, code.bound.sm_count, ignored);
  auto compiled =
      bound ? machine::Compile(*std::move(bound), ignored) : std::nullopt;
  if (!compiled) return nullptr;
  out->code = std::make_unique<machine::Code>(*std::move(compiled));
  out->code->given = code.given;
  return out;
}

}  // namespace

std::unique_ptr<ChangedText> Changed(const machine::Code& code,
                                     ir::Kernel kernel) {
  return At(SizesOf(code), code, std::move(kernel));
}

std::unique_ptr<ChangedText> ChangedAtDefaults(const machine::Code& code,
                                               ir::Kernel kernel) {
  auto out = At({}, code, std::move(kernel));
  return out != nullptr && SizesOf(*out->code) == SizesOf(code)
             ? nullptr
             : std::move(out);
}

}  // namespace tilesim::checkers::cause
