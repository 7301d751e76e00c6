// Text from trees.
#include "ptx/text/printer.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/ptx/files.h"

namespace tilesim::ptx {
namespace {

TEST(Printer, TritonFilesAreReadBack) {
  for (const std::string& path : TritonFiles()) {
    Module m = MustParse(ReadText(path));
    std::string text = Print(m);
    Module again = MustParse(text);
    EXPECT_EQ(again, m) << path;
    EXPECT_EQ(Print(again), text) << path;
    EXPECT_EQ(text.find("//"), std::string::npos) << path;
  }
}

TEST(Printer, LinesAreKept) {
  for (const std::string& path : TritonFiles()) {
    Module m = MustParse(ReadText(path));
    Module again = MustParse(Print(m, {.keep_lines = true}));
    const auto &old_body = m.functions[0].body,
               &new_body = again.functions[0].body;
    ASSERT_EQ(old_body.size(), new_body.size());
    for (size_t i = 0; i < old_body.size(); ++i)
      ASSERT_EQ(old_body[i].span.line, new_body[i].span.line) << path;
  }
}

TEST(Printer, RegistersAreRenamedByScope) {
  Module m = MustParse(
      InKernel(".reg .b32 x, %r<3>;\n.reg .pred p;\nmov.b32 x, %r2;\n"
               "{\n.reg .b32 x;\n.reg .pred p;\n@p mov.b32 x, %r1;\n}\n"
               "@!p ld.shared.b32 x, [%r0+4];\nmov.u32 %r1, %tid.x;\n"));
  std::string text = Print(m, {.rename_registers = true});
  EXPECT_EQ(text.substr(text.find('{')),
            "{\n\t.reg .b32 %b32_<5>;\n\t.reg .pred %pred_<2>;\n"
            "\tmov.b32 %b32_0, %b32_3;\n\t{\n"
            "\t@%pred_1 mov.b32 %b32_4, %b32_2;\n\t}\n"
            "\t@!%pred_0 ld.shared.b32 %b32_0, [%b32_1+4];\n"
            "\tmov.u32 %b32_2, %tid.x;\n}\n");
}

TEST(Printer, RenamingForgetsTheOldNames) {
  for (const std::string& path : TritonFiles()) {
    Module m = MustParse(ReadText(path));
    Module renamed = MustParse(Print(m, {.rename_registers = true}));
    // What is left with a % is a register of a class, or a special one.
    std::set<std::string> odd;
    for (const Statement& s : renamed.functions[0].body) {
      for (const Operand& o : s.instruction.operands) {
        if (o.name.starts_with("%r") || o.name.starts_with("%p"))
          if (!o.name.starts_with("%pred_")) odd.insert(o.name);
      }
    }
    EXPECT_EQ(odd, std::set<std::string>()) << path;
  }
}

}  // namespace
}  // namespace tilesim::ptx
