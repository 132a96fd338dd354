import Apus

/// A self-contained page: one HTML file with its style, figures and pictures inside, readable without a network,
/// on a light or a dark screen, wide or narrow.
public struct HTMLReport: Sendable {
  /// A row of a table: what, and how much.
  public struct Fact: Sendable, Hashable {
    /// What was measured or chosen.
    public var name: String
    /// How much, with its unit.
    public var value: String

    /// A row of two texts; both are escaped when the page is written.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// A part of the page, from one margin to the other.
  public enum Block: Sendable {
    /// The title of a section.
    case heading(String)
    /// Running text.
    case paragraph(String)
    /// Something that the reader must not overlook.
    case notice(String)
    /// A table of two columns.
    case facts([Fact])
    /// Rows below a row of names; numbers are set to the right.
    case table(columns: [String], rows: [[String]])
    /// A chart.
    case figure(ReportFigure)
    /// Pictures side by side, each with its caption.
    case pictures([Picture])
    /// Columns of numbers, each as high as its share of the highest.
    case bars([Bar], caption: String)
    /// A file inside the page, which the reader can save.
    case download(Download)
    /// Things to look up: a line each, which opens, and a field that finds them where there are many.
    case entries([Entry])
  }

  /// A column of a small diagram.
  public struct Bar: Sendable, Hashable {
    /// What is counted; shown where the reader points at it.
    public var name: String
    /// How much; less than 0 counts as 0.
    public var value: Double

    /// A column; what is not finite is as high as the highest.
    public init(_ name: String, _ value: Double) {
      self.name = name
      self.value = value
    }
  }

  /// A file that a page holds.
  public struct Download: Sendable, Hashable {
    /// What the line that saves it says.
    public var title: String
    /// What the file is called.
    public var fileName: String
    /// The media type of the bytes.
    public var mediaType: String
    /// The file's bytes, put into the page as they are.
    public var bytes: [UInt8]

    /// A file; that the bytes are of this type is not checked.
    public init(_ title: String, fileName: String, mediaType: String, bytes: [UInt8]) {
      self.title = title
      self.fileName = fileName
      self.mediaType = mediaType
      self.bytes = bytes
    }
  }

  /// A line that opens.
  public struct Entry: Sendable {
    /// What it is found by first.
    public var title: String
    /// At the end of the line.
    public var remark: String
    /// Squares before the title, as hot as they say, 0…1; an empty square for nil. Each with its name.
    public var heat: [(name: String, value: Double?)]
    /// What it shows once open.
    public var blocks: [Block]

    /// A line with what it opens to.
    public init(_ title: String, remark: String = "", heat: [(name: String, value: Double?)] = [], blocks: [Block]) {
      self.title = title
      self.remark = remark
      self.heat = heat
      self.blocks = blocks
    }
  }

  /// A picture with the bytes of its file.
  public struct Picture: Sendable, Hashable {
    /// The format of the bytes, as its media type.
    public enum Kind: String, Sendable, Hashable {
      case png = "image/png"
      case jpeg = "image/jpeg"
    }

    /// What is written below the picture; also what is read to those who cannot see it.
    public var caption: String
    /// The format of the bytes.
    public var kind: Kind
    /// The file's bytes, put into the page as they are.
    public var bytes: [UInt8]
    /// Columns of pixels.
    public var width: Int
    /// Rows of pixels.
    public var height: Int

    /// A picture; that the bytes are of this kind and size is not checked.
    public init(_ caption: String, kind: Kind, bytes: [UInt8], width: Int, height: Int) {
      self.caption = caption
      self.kind = kind
      self.bytes = bytes
      self.width = width
      self.height = height
    }
  }

  /// The page's heading and the title of its window.
  public var title: String
  /// Under the title: what was looked at.
  public var subtitle: String
  /// What stands below the title, from top to bottom.
  public var blocks: [Block] = []

  /// A page with a heading; add to ``blocks`` what it shows.
  public init(title: String, subtitle: String = "") {
    self.title = title
    self.subtitle = subtitle
  }
}

extension HTMLReport {
  /// The page.
  public var html: String {
    var text = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <link rel="icon" href="data:,">
      <title>\(MarkupText.escaped(title))</title>
      <style>
      \(Theme.styleSheet(selector: ":root"))
      \(Self.style)
      </style>
      </head>
      <body>
      <main>
      <header><h1>\(MarkupText.escaped(title))</h1>

      """
    if !subtitle.isEmpty { text += "<p class=\"subtitle\">\(MarkupText.escaped(subtitle))</p>\n" }
    text += "</header>\n"
    for block in blocks { text += Self.markup(block) }
    let hasEntries = blocks.contains { if case .entries = $0 { true } else { false } }
    return text + "</main>\n" + (hasEntries ? "<script>\(Self.search)</script>\n" : "") + "</body>\n</html>\n"
  }

  private static let style = """
    body{margin:0;background:var(--background);color:var(--foreground);\
    font:16px/1.5 system-ui,'Segoe UI','DejaVu Sans',sans-serif}
    main{max-width:46rem;margin:0 auto;padding:1.5rem 1rem 3rem}
    h1{font-size:1.6rem;line-height:1.2;margin:0}
    h2{font-size:1.15rem;margin:2.2rem 0 .6rem}
    .subtitle{color:var(--secondary);margin:.3rem 0 1.2rem;overflow-wrap:anywhere}
    .notice{border-left:4px solid var(--series-1);background:var(--band);padding:.6rem .9rem;margin:1rem 0}
    dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(9.5rem,1fr));gap:.6rem 1rem;margin:1rem 0}
    dt{color:var(--secondary);font-size:.85rem}
    dd{margin:0;font-size:1.15rem;font-weight:600;overflow-wrap:anywhere}
    .scroll{overflow-x:auto}
    table{border-collapse:collapse;font-variant-numeric:tabular-nums;min-width:100%}
    th,td{padding:.35rem .7rem .35rem 0;text-align:right;border-bottom:1px solid var(--grid);white-space:nowrap}
    th{color:var(--secondary);font-weight:500;font-size:.85rem}
    th:first-child,td:first-child{text-align:left}
    figure{margin:1.2rem 0}
    figure svg{display:block;width:100%;height:auto}
    .narrow{display:none}
    @media(max-width:34rem){.narrow{display:block}.wide{display:none}}
    a{color:var(--series-0)}
    .pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(19rem,100%),1fr));gap:1rem}
    .pictures figure{margin:0}
    img{display:block;width:100%;height:auto;border-radius:4px}
    figcaption{color:var(--secondary);font-size:.85rem;margin-top:.3rem}
    .bars{display:flex;align-items:flex-end;height:4rem;gap:1px;border-bottom:1px solid var(--grid)}
    .bars i{flex:1;min-width:1px;background:var(--series-1);height:var(--h)}
    .find{box-sizing:border-box;width:100%;font:inherit;padding:.4rem .6rem;margin:.4rem 0;color:inherit;\
    background:var(--background);border:1px solid var(--secondary);border-radius:4px}
    details.entry{border-bottom:1px solid var(--grid);content-visibility:auto;contain-intrinsic-size:auto 2rem}
    details.entry>summary{display:flex;gap:.4rem;align-items:center;padding:.25rem 0;cursor:pointer;list-style:none}
    summary>.title{flex:1;min-width:0;overflow-wrap:anywhere}
    summary>.remark{color:var(--secondary);font-size:.85rem;text-align:right}
    .heat{flex:none;width:.9rem;height:.9rem;border:1px solid var(--secondary);border-radius:2px;\
    background:color-mix(in srgb,#d0301c var(--h,0%),#2f9e63)}
    .heat.none{background:none;border-style:dotted}
    details.entry>div{padding:.2rem 0 1rem 1rem}
    """

  /// Finds entries by what stands in their line. Without it all of them are there.
  private static let search = """
    for(const f of document.querySelectorAll('.find')){f.hidden=false;f.addEventListener('input',()=>{\
    const w=f.value.toLowerCase();for(const d of f.parentNode.querySelectorAll('details.entry'))\
    d.hidden=!d.firstElementChild.textContent.toLowerCase().includes(w)})}
    """

  private static func markup(_ block: Block) -> String {
    func escaped(_ text: String) -> String { MarkupText.escaped(text) }
    switch block {
    case .heading(let text): return "<h2>\(escaped(text))</h2>\n"
    case .paragraph(let text): return "<p>\(escaped(text))</p>\n"
    case .notice(let text): return "<p class=\"notice\" role=\"note\">\(escaped(text))</p>\n"
    case .facts(let facts):
      let rows = facts.map { "<div><dt>\(escaped($0.name))</dt><dd>\(escaped($0.value))</dd></div>\n" }
      return "<dl>\n\(rows.joined())</dl>\n"
    case .table(let columns, let rows):
      func row(_ cells: [String], _ tag: String) -> String {
        "<tr>" + cells.map { "<\(tag)>\(escaped($0))</\(tag)>" }.joined() + "</tr>\n"
      }
      return "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead>\(row(columns, "th"))</thead>\n<tbody>\n"
        + rows.map { row($0, "td") }.joined() + "</tbody>\n</table></div>\n"
    case .figure(let figure):
      return [("wide", figure.wide), ("narrow", figure.narrow)].map { name, figure in
        "<figure class=\"\(name)\">\n\(figure.svg(colors: .inherited))</figure>\n"
      }.joined()
    case .bars(let bars, let caption):
      let highest = bars.reduce(0) { $1.value.isFinite ? max($0, $1.value) : $0 }
      let columns = bars.map { bar in
        let share = !bar.value.isFinite ? 100 : highest > 0 ? Int((max(0, bar.value) / highest * 100).rounded(.up)) : 0
        return "<i style=\"--h:\(share)%\" title=\"\(escaped(bar.name))\"></i>"
      }
      return "<figure><div class=\"bars\" role=\"img\" aria-label=\"\(escaped(caption))\">\(columns.joined())</div>"
        + "<figcaption>\(escaped(caption))</figcaption></figure>\n"
    case .download(let file):
      return "<p><a download=\"\(escaped(file.fileName))\" href=\"data:\(escaped(file.mediaType));base64,"
        + "\(Base64.text(file.bytes))\">\(escaped(file.title))</a></p>\n"
    case .entries(let entries):
      let find = "<input class=\"find\" type=\"search\" placeholder=\"Find\" aria-label=\"Find\" hidden>\n"
      // A few are found by the eye.
      return "<section>\(entries.count > 8 ? find : "")" + entries.map(markup).joined() + "</section>\n"
    case .pictures(let pictures):
      return "<div class=\"pictures\">\n" + pictures.map(markup).joined() + "</div>\n"
    }
  }

  private static func markup(_ entry: Entry) -> String {
    func escaped(_ text: String) -> String { MarkupText.escaped(text) }
    let squares = entry.heat.map { name, value in
      let share = value.map { Int((min(1, max(0, $0.isNaN ? 1 : $0)) * 100).rounded()) }
      let style = share.map { " style=\"--h:\($0)%\"" } ?? ""
      return "<i class=\"heat\(share == nil ? " none" : "")\"\(style) title=\"\(escaped(name))\"></i>"
    }
    return "<details class=\"entry\"><summary>\(squares.joined())<span class=\"title\">\(escaped(entry.title))</span>"
      + "<span class=\"remark\">\(escaped(entry.remark))</span></summary>\n<div>"
      + entry.blocks.map(markup).joined() + "</div></details>\n"
  }

  private static func markup(_ picture: Picture) -> String {
    let caption = MarkupText.escaped(picture.caption)
    return "<figure><img alt=\"\(caption)\" width=\"\(picture.width)\" height=\"\(picture.height)\" "
      + "src=\"data:\(picture.kind.rawValue);base64,\(Base64.text(picture.bytes))\"><figcaption>\(caption)</figcaption>"
      + "</figure>\n"
  }
}
