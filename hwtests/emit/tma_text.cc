#include "hwtests/emit/tma_text.h"

#include <string_view>

#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;
using Kind = TmaForm::Kind;

std::string Comment(const TmaForm& f) {
  switch (f.kind) {
    case Kind::kLoad: {
      std::string text =
          "// One box of `map` into shared memory at `dst`; complete_tx on "
          "`bar`.\n";
      if (f.multicast)
        text += "// At the same offsets of every rank of `mask`, both.\n";
      if (f.pair) text += "// `bar` may be the other CTA's of a pair.\n";
      return text;
    }
    case Kind::kStore:
      return "// Shared memory to one box of `map`; bulk group.\n";
    case Kind::kReduce:
      return Cat("// Shared memory into one box of `map` by ", f.reduction,
                 "; bulk group.\n");
    case Kind::kPrefetch:
      return "// A hint: this box of `map` will be loaded soon.\n";
  }
  return "";
}

std::string Instruction(const TmaForm& f) {
  switch (f.kind) {
    case Kind::kLoad:
      return Cat("cp.async.bulk.tensor.", f.rank,
                 "d.shared::cluster.global.tile\"\n      \""
                 ".mbarrier::complete_tx::bytes",
                 f.multicast ? ".multicast::cluster" : "",
                 f.pair ? ".cta_group::2" : "");
    case Kind::kStore:
      return Cat("cp.async.bulk.tensor.", f.rank,
                 "d.global.shared::cta.tile.bulk_group");
    case Kind::kReduce:
      return Cat("cp.reduce.async.bulk.tensor.", f.rank,
                 "d.global.shared::cta.", f.reduction, ".tile.bulk_group");
    case Kind::kPrefetch:
      return Cat("cp.async.bulk.prefetch.tensor.", f.rank, "d.L2.global.tile");
  }
  return "";
}

// TmaOperands before the coordinates, in the order of the asm statement.
struct TmaOperands {
  std::string_view parameters, inputs, format;  // format: @ are coordinates
  int count;
};

TmaOperands OperandsOf(const TmaForm& f) {
  if (f.kind == Kind::kPrefetch)
    return {"const CUtensorMap* map", "\"l\"(map)", "[%0, {@}]", 1};
  if (f.kind != Kind::kLoad)
    return {"const CUtensorMap* map, uint32_t src", "\"l\"(map), \"r\"(src)",
            "[%0, {@}], [%1]", 2};
  if (f.multicast)
    return {
        "uint32_t dst, const CUtensorMap* map, uint32_t bar,\n    "
        "uint16_t mask",
        "\"r\"(dst), \"l\"(map), \"r\"(bar), \"h\"(mask)",
        "[%0], [%1, {@}], [%2], %3", 4};
  return {"uint32_t dst, const CUtensorMap* map, uint32_t bar",
          "\"r\"(dst), \"l\"(map), \"r\"(bar)", "[%0], [%1, {@}], [%2]", 3};
}

}  // namespace

std::string TmaName(const TmaForm& f) {
  std::string_view kind = f.kind == Kind::kLoad     ? "load"
                          : f.kind == Kind::kStore  ? "store"
                          : f.kind == Kind::kReduce ? "reduce_"
                                                    : "prefetch";
  return Cat("tma_", kind, f.reduction, f.pair ? "_pair" : "",
             f.multicast ? "_multicast" : "", "_", f.rank, "d");
}

std::string TmaText(const TmaForm& f) {
  TmaOperands o = OperandsOf(f);
  std::string parameters, places, inputs;
  for (int i = 0; i < f.rank; ++i) {
    ir::Append(&parameters, i == 0 ? "int c" : ", int c", i);
    ir::Append(&places, i == 0 ? "%" : ", %", o.count + i);
    ir::Append(&inputs, i == 0 ? "\"r\"(c" : ", \"r\"(c", i, ")");
  }
  std::string format(o.format);
  format.replace(format.find('@'), 1, places);
  return Cat(Comment(f), "TILE_DEVICE void ", TmaName(f), "(\n    ",
             o.parameters, ",\n    ", parameters,
             ") {\n  asm volatile(\n      \"", Instruction(f), "\"\n      \" ",
             format, ";\"\n      :: ", o.inputs, ",\n         ", inputs,
             "\n      : \"memory\");\n}\n");
}

}  // namespace tilesim::hwtests
