#include "cli/op_json.h"

#include <utility>

#include "ir/op.h"
#include "ir/target.h"

namespace tilesim::cli {
namespace {

Json OpJson(const ir::OpInfo& info) {
  Json operands = Json::array(), modifiers = Json::array();
  for (const ir::OperandSpec& o : info.operands)
    operands.push_back({{"name", o.name},
                        {"keyword", o.keyword},
                        {"optional", o.optional},
                        {"doc", o.doc}});
  for (const ir::ModSpec& m : info.mods) {
    Json choices = Json::array();
    for (std::string_view choice : m.choices) choices.push_back(choice);
    modifiers.push_back(
        {{"name", m.name}, {"choices", std::move(choices)}, {"doc", m.doc}});
  }
  return {{"op", info.mnemonic},
          {"doc", info.doc},
          {"operands", std::move(operands)},
          {"modifiers", std::move(modifiers)},
          {"targets", ir::NamesOf(info.targets, ", ")},
          {"source", info.source}};
}

}  // namespace

Json OpsJson() {
  Json out = Json::array();
  for (const ir::OpInfo* info : ir::AllOps()) out.push_back(OpJson(*info));
  return out;
}

}  // namespace tilesim::cli
