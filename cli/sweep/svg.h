// Text of an SVG picture, element by element.
#ifndef TILESIM_CLI_SWEEP_SVG_H_
#define TILESIM_CLI_SWEEP_SVG_H_

#include <string>
#include <string_view>

namespace tilesim::cli {

class Svg {
 public:
  struct Style {
    std::string_view fill = "none";
    std::string_view stroke = "none";
    double width = 1;            // of the stroke
    std::string_view dash = "";  // of the stroke; empty: none
  };

  // `title` is shown where the pointer rests; empty: nothing.
  void Rect(double x, double y, double w, double h, const Style& style,
            std::string_view title = "");
  void Circle(double x, double y, double r, const Style& style,
              std::string_view title = "");
  void Line(double x1, double y1, double x2, double y2, const Style& style);
  // `anchor`: start, middle or end.
  void Text(double x, double y, std::string_view text, std::string_view anchor,
            int size = 12, std::string_view fill = "#222");
  // As it is: definitions.
  void Raw(std::string_view text) { body_ += text; }

  // A picture of that many pixels on white.
  std::string Write(double width, double height) const;

 private:
  void Close(std::string_view name, std::string_view title);
  std::string body_;
};

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_SWEEP_SVG_H_
