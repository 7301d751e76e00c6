#include "cli/sweep/svg.h"

#include "fmt/format.h"

namespace tilesim::cli {
namespace {

std::string Escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      default:
        // XML has no other control characters.
        if (static_cast<unsigned char>(c) >= ' ' || c == '\n') out += c;
    }
  }
  return out;
}

std::string TextOf(const Svg::Style& s) {
  std::string out = fmt::format(" fill=\"{}\"", s.fill);
  if (s.stroke != "none")
    out +=
        fmt::format(" stroke=\"{}\" stroke-width=\"{:g}\"", s.stroke, s.width);
  if (!s.dash.empty()) out += fmt::format(" stroke-dasharray=\"{}\"", s.dash);
  return out;
}

}  // namespace

void Svg::Close(std::string_view name, std::string_view title) {
  body_ += title.empty()
               ? std::string("/>\n")
               : fmt::format("><title>{}</title></{}>\n", Escaped(title), name);
}

void Svg::Rect(double x, double y, double w, double h, const Style& style,
               std::string_view title) {
  body_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"{}", x,
      y, w, h, TextOf(style));
  Close("rect", title);
}

void Svg::Circle(double x, double y, double r, const Style& style,
                 std::string_view title) {
  body_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"{}", x,
                       y, r, TextOf(style));
  Close("circle", title);
}

void Svg::Line(double x1, double y1, double x2, double y2, const Style& style) {
  body_ += fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"{}/>\n", x1,
      y1, x2, y2, TextOf(style));
}

void Svg::Text(double x, double y, std::string_view text,
               std::string_view anchor, int size, std::string_view fill) {
  body_ += fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\" "
      "fill=\"{}\">{}</text>\n",
      x, y, anchor, size, fill, Escaped(text));
}

std::string Svg::Write(double width, double height) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"white\"/>\n{2}</svg>\n",
      width, height, body_);
}

}  // namespace tilesim::cli
