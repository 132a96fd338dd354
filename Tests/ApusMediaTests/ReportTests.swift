import Foundation
import Testing

@testable import ApusMedia

@Suite struct ReportTests {
  @Test func aPageHoldsEverythingAndAsksForNothing() {
    var report = HTMLReport(title: "Lift <1>", subtitle: "a & b")
    report.blocks = [
      .heading("Summary"), .notice("No medical device"), .facts([.init("reps", "3")]),
      .table(columns: ["rep", "cm"], rows: [["1", "40.0"]]),
      .figure(ReportFigure("t", Chart(title: "t", x: .init("x"), y: .init("y")))),
      .download(.init("Save <it>", fileName: "a.svg", mediaType: "image/svg+xml", bytes: [4, 5, 6])),
      .pictures([.init("frame 1", kind: .png, bytes: [1, 2, 3], width: 2, height: 1)]),
    ]
    let html = report.html
    for text in [
      "Lift &lt;1&gt;", "a &amp; b", "<dt>reps</dt><dd>3</dd>", "<td>40.0</td>", "<svg", "base64,AQID",
      "<a download=\"a.svg\" href=\"data:image/svg+xml;base64,BAUG\">Save &lt;it&gt;</a>",
    ] {
      #expect(html.contains(text))
    }
    #expect(html.components(separatedBy: "<svg").count == 3, "for wide screens and for narrow ones")
    #expect(!html.contains("<script") && !html.contains("http:") && !html.contains("https:"))
  }

  @Test func entriesOpenAndAreFound() {
    var report = HTMLReport(title: "t")
    report.blocks = [
      .entries(
        (0..<9).map {
          .init("<\($0)>", remark: "r", heat: [("own", 0.5), ("all", nil)], blocks: [.paragraph("inside")])
        }),
      .bars([.init("a", 1), .init("b", 4), .init("c", .infinity), .init("d", -1e19)], caption: "counts"),
    ]
    let html = report.html
    #expect(html.components(separatedBy: "<details class=\"entry\">").count == 10)
    #expect(html.contains("&lt;3&gt;") && html.contains("--h:50%") && html.contains("heat none"))
    #expect(html.contains("type=\"search\"") && html.contains("<script>"))
    #expect(html.contains("--h:25%") && html.contains("--h:100%") && html.contains("--h:0%\" title=\"d\""))
    #expect(!html.contains("src=") && !html.contains("http:"))
  }
}
