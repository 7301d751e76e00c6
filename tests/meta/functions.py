"""Finds C++ functions and their lengths, roughly: a counter of braces.

Comments, strings and preprocessor lines are blanked first. A brace that opens
in a namespace or class belongs to a function if a parameter list stands
before it. Lambdas and local classes count as part of the function around
them; TEST(...) { is a function.
"""

import re

SKIP = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"
    r"|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.S | re.M)
SCOPE = re.compile(r"(?:^|[\s>])(namespace|class|struct|union|enum|extern)\b")
# What may stand between a parameter list and the body.
TAIL = re.compile(
    r"\)\s*(?:const|noexcept|override|final|mutable|try|&&?|"
    r"requires\s+[\w:<>,\s&|]+|->[\w:<>,\s*&\[\]()]+|\s)*$")
LABEL = re.compile(r"(?:\s|(?:public|private|protected)\s*:(?!:))*")
CONSTRUCTOR = re.compile(r"\)\s*(?:noexcept\s*)?:(?!:)")


def blank(text):
    return SKIP.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def opens_body(prefix):
    """Does a brace after `prefix` open the body of a function?"""
    if CONSTRUCTOR.search(prefix):  # : a_{1}, b_(2) { -- only the last brace
        return prefix.rstrip()[-1:] in (")", "}")
    return TAIL.search(prefix) is not None


def name_in(prefix):
    gtest = re.search(r"\b(?:TYPED_)?TEST(?:_[FP])?\(([^)]*)\)", prefix)
    if gtest:
        return re.sub(r"\s*,\s*", ".", gtest.group(1).strip())
    found = re.search(r"([\w:~]+|operator\s*\S+?)\s*\(", prefix)
    return found.group(1) if found else "?"


def functions(text):
    """Yields (name, first line, lines) of each function, outermost only."""
    text = blank(text)
    depth_of_body = None  # depth outside the function that we are in
    depth, start, first = 0, 0, (0, "")
    initializer = None    # depth outside a braced initializer
    for at, char in enumerate(text):
        inside = depth_of_body is not None or initializer is not None
        if char == "{":
            prefix = text[start:at]
            if not inside and opens_body(prefix):
                depth_of_body = depth
                begin = LABEL.match(text, start).end()
                first = (begin, name_in(prefix))
            elif not inside and SCOPE.search(prefix):
                start = at + 1
            elif not inside:
                initializer = depth
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == depth_of_body:
                line = text.count("\n", 0, first[0]) + 1
                last = text.count("\n", 0, at) + 1
                yield first[1], line, last - line + 1
                depth_of_body, start = None, at + 1
            elif depth == initializer:
                initializer = None  # the statement goes on
            elif not inside:
                start = at + 1
        elif char == ";" and not inside:
            start = at + 1


def self_test():
    text = '''
namespace a {
class B : public C {
 public:
  B() : x_{1}, y_(2) {
  }
  int Get() const { return x_; }
  std::vector<int> v_{1, 2};
  int x_ = F();
};
template <typename T>
auto Long(T t) -> std::pair<int, T> {
  if (t) {
    auto f = [] { return "}"; };  // }
  }
  char c = '{';
}
const std::map<int, int> kMap = {
    {1, 2},
};
TEST(FooTest, Bar) {
  R"({{{)";
}
}  // namespace a
'''
    found = {name: lines for name, _, lines in functions(text)}
    expected = {"B": 2, "Get": 1, "Long": 7, "FooTest.Bar": 3}
    assert found == expected, found
