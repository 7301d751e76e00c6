#include "hwtests/emit/tcgen05_text.h"

#include "hwtests/emit/wgmma_text.h"
#include "ir/cat.h"

namespace tilesim::hwtests {

using ir::Cat;

std::string TmemMoveName(const TmemMove& m) {
  return Cat("tcgen05_", m.load ? "ld" : "st", "_x", m.registers,
             m.real ? "" : "_b32", m.halves ? "_16b" : "");
}

std::string TmemMoveText(const TmemMove& m) {
  std::string type = m.real ? "float" : "uint32_t";
  std::string constraint = Cat(m.load ? "=" : "", m.real ? "f" : "r");
  std::string head = Cat("// ", m.registers,
                         " words a thread of tensor memory: one lane each.\n"
                         "TILE_DEVICE void ",
                         TmemMoveName(m), "(");
  std::string list = OperandList(constraint, "w", m.registers);
  std::string_view verb = m.load ? "ld" : "st";
  std::string op = Cat("  asm volatile(\n      \"tcgen05.", verb,
                       ".sync.aligned.32x32b.x", m.registers,
                       !m.halves ? ""
                       : m.load  ? ".pack::16b"
                                 : ".unpack::16b",
                       ".b32");
  std::string tail = "\n      : \"memory\");\n}\n";
  if (m.load)
    return Cat(head, type, "* w, uint32_t address) {\n", op, " {\"\n      \"",
               PlaceholderList(0, m.registers), "}, [%", m.registers,
               "];\"\n      : ", list, "\n      : \"r\"(address)", tail);
  return Cat(head, "uint32_t address, const ", type, "* w) {\n", op,
             " [%0], {\"\n      \"", PlaceholderList(1, m.registers),
             "};\"\n      :: \"r\"(address),\n        ", list, tail);
}

}  // namespace tilesim::hwtests
