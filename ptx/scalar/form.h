// The rows of forms.def, and the functions that they name.
#ifndef TILESIM_PTX_SCALAR_FORM_H_
#define TILESIM_PTX_SCALAR_FORM_H_

#include <span>
#include <string_view>
#include <vector>

#include "ptx/scalar/scalar.h"

namespace tilesim::ptx {

// Pure. Inputs are extended as their types say; bits of a result above its type
// are ignored.
using Meaning = Words (*)(const ScalarOp& op, const Words& in);

struct ScalarForm {
  std::string_view spelling;  // "add .sat? .s32"
  std::string_view operands;  // "t=tt"
  Meaning meaning;
  ErrorBound error;

  std::string_view opcode() const {
    return spelling.substr(0, spelling.find(' '));
  }
  std::string_view results() const {
    return operands.substr(0, operands.find('='));
  }
  std::string_view sources() const {
    return operands.substr(operands.find('=') + 1);
  }
  // Executed for each lane of a packed type by itself.
  bool is_lanewise() const { return operands[0] == 'e'; }
};

std::span<const ScalarForm> AllScalarForms();

// Every spelling that the form has, modifiers in order: "add.sat.s32".
std::vector<std::string> SpellingsOf(const ScalarForm& form);

// Reads the modifiers of a spelling by the form's grammar into *op.
bool ReadModifiers(const ScalarForm& form, std::string_view spelling,
                   ScalarOp* op);

namespace scalar {
#define PTX_SCALAR(spelling, operands, meaning, error) \
  Words meaning(const ScalarOp& op, const Words& in);
#include "ptx/scalar/forms.def"
#undef PTX_SCALAR
}  // namespace scalar

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_SCALAR_FORM_H_
