import Apus
import ApusFormats
import ApusGraph

/// Values that other tools wrote: a folder of arrays with a list of them, and results as JSON.
struct ValueDumpTarget: FolderFuzzTarget {
  let name = "value-dump"
  let summary = "folders of .npy files with a metadata.json, and values that Polygraphy saved as JSON"
  let dictionary = [
    "\"name\":", "\"file\":", "\"shape\":", "\"dtype\":", "\"tensors\":", ".npy\"", "../", "\"lst\":", "\"outputs\":",
    "\"values\":", "\"array\":", "\"tensor\":", "\"polygraphy_class\":", "\"ndarray\"", "==\"",
  ]
  let files = ["metadata.json", "a.npy", "b.npy", "results.json"]

  func soundFiles() throws -> [[[UInt8]?]] {
    let (a, b) = (
      try NPYFile.bytes(of: AnyTensor(Tensor<Float>(range: 6))), try NPYFile.bytes(of: AnyTensor(Tensor<Bool>([true])))
    )
    let value = #"{"array":"\#(Base64.text(a))","polygraphy_class":"ndarray"}"#
    let results =
      #"{"lst":[["r",[{"outputs":{"y":{"values":\#(value),"polygraphy_class":"LazyArray"}},"runtime":0.1}]]]}"#
    return [
      [nil, a, b, Array(results.utf8)],
      [Array(#"{"x":"a.npy","y":{"file":"b.npy","shape":[1]}}"#.utf8), a, b, Array(#"[{"x":\#(value)},{}]"#.utf8)],
      [
        Array(
          #"{"model":"m","tensors":[{"name":"a","dtype":"f","shape":[6]},{"name":"c/d","file":"/b.npy"}]}"#.utf8),
        a, b, Array(#"{"x":\#(value)}"#.utf8),
      ],
    ]
  }

  func run(folder: String) throws(FuzzFinding) -> FuzzOutcome {
    return try outcome(
      memory: 4 << 20, allowing: ValueDumpError.self, FileError.self, NumPyError.self, TensorError.self
    ) {
      if fileExists("\(folder)/results.json") {
        let file = try PolygraphyFile(path: "\(folder)/results.json")
        for (index, names) in file.iterations.enumerated() {
          for name in names { _ = try file.value(named: name, in: index) }
        }
      }
      let arrays = try ArrayFolder(path: folder)
      guard !arrays.arrayNames.isEmpty else {
        throw FuzzFinding(message: "a folder without arrays is accepted")
      }
      for name in arrays.arrayNames { _ = try arrays.value(named: name) }
    }
  }
}
