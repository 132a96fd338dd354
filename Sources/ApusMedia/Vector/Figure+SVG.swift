import Apus

extension Figure {
  /// How an SVG text gets its colours.
  public enum SVGColors: Sendable, Hashable {
    /// From the style sheet of the page that it is part of, see ``Theme/styleSheet``.
    case inherited
    /// Its own, light or dark as the reader prefers.
    case automatic
    /// Those of one theme.
    case fixed(Theme)
  }

  /// The figure as an SVG document, or as an element of a page.
  public func svg(colors: SVGColors = .automatic) -> String {
    var text = "<svg viewBox=\"0 0 \(Self.number(width)) \(Self.number(height))\""
    // As a part of a page it needs no namespace, and is as large as the page has it.
    if colors != .inherited {
      text += " xmlns=\"http://www.w3.org/2000/svg\""
      text += " width=\"\(Self.number(width))\" height=\"\(Self.number(height))\""
    }
    text += " role=\"img\" font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif\">\n"
    text += "<title>\(MarkupText.escaped(summary))</title>\n"
    if colors == .automatic { text += "<style>\(Theme.styleSheet(selector: "svg"))</style>\n" }
    if colors != .inherited {
      text += "<rect width=\"100%\" height=\"100%\" fill=\"\(color(.background, colors))\"/>\n"
    }
    for item in items { text += element(item, colors) + "\n" }
    return text + "</svg>\n"
  }

  private func color(_ ink: Ink, _ colors: SVGColors) -> String {
    if case .fixed(let theme) = colors { theme.color(ink).hexText } else { "var(\(ink.variable))" }
  }

  private func element(_ item: Item, _ colors: SVGColors) -> String {
    switch item {
    case .line(let points, let stroke):
      let dashes =
        stroke.dashes.isEmpty
        ? "" : " stroke-dasharray=\"\(stroke.dashes.map(Self.number).joined(separator: " "))\""
      return "<polyline points=\"\(Self.list(points))\" fill=\"none\" stroke=\"\(color(stroke.ink, colors))\" "
        + "stroke-width=\"\(Self.number(stroke.width))\" stroke-linejoin=\"round\" stroke-linecap=\"round\"\(dashes)/>"
    case .area(let points, let ink, let opacity):
      let transparency = opacity < 1 ? " fill-opacity=\"\(Self.number(opacity))\"" : ""
      return "<polygon points=\"\(Self.list(points))\" fill=\"\(color(ink, colors))\"\(transparency)/>"
    case .disc(let center, let radius, let ink):
      return "<circle cx=\"\(Self.number(center.x))\" cy=\"\(Self.number(center.y))\" r=\"\(Self.number(radius))\" "
        + "fill=\"\(color(ink, colors))\"/>"
    case .text(let text):
      let (x, y) = (Self.number(text.position.x), Self.number(text.position.y))
      let anchor = text.anchor == .start ? "" : " text-anchor=\"\(text.anchor.rawValue)\""
      let weight = text.isBold ? " font-weight=\"600\"" : ""
      let turn = text.isVertical ? " transform=\"rotate(-90 \(x) \(y))\"" : ""
      return "<text x=\"\(x)\" y=\"\(y)\" font-size=\"\(Self.number(text.size))\" "
        + "fill=\"\(color(text.ink, colors))\"\(anchor)\(weight)\(turn)>\(MarkupText.escaped(text.text))</text>"
    }
  }

  private static func list(_ points: [Point]) -> String {
    points.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
  }

  /// A coordinate, to a hundredth of a pixel.
  private static func number(_ value: Double) -> String {
    var text = NumberText.fixed(min(max(value, -1e6), 1e6), decimals: 2)
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text
  }
}

extension Theme {
  /// The colours of both themes as variables of a style sheet: light, and dark for readers who prefer it.
  public static func styleSheet(selector: String) -> String {
    func rules(_ theme: Theme) -> String {
      Ink.all.map { "\($0.variable):\(theme.color($0).hexText)" }.joined(separator: ";")
    }
    return "\(selector){\(rules(.light))}@media (prefers-color-scheme:dark){\(selector){\(rules(.dark))}}"
  }
}

/// Text for SVG and HTML.
package enum MarkupText {
  /// What stands for itself between tags and in quotes. Control characters, which neither language has, become blanks.
  package static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case _ where scalar.value < 0x20 && scalar != "\n" && scalar != "\t": result += " "
      case _ where (0x7F...0x9F).contains(scalar.value) || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
        result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
