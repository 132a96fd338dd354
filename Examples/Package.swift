// swift-tools-version: 6.2
import PackageDescription

// Three small programs that use Apus as another package would: without the command line, and so without any
// dependency. `swift run --package-path Examples run-model Weights/behavior/shipped/behavior-classifier.onnx`
let package = Package(
  name: "examples",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "apus", path: "..", traits: [])],
  targets: [
    .executableTarget(
      name: "run-model",
      dependencies: [
        .product(name: "Apus", package: "apus"), .product(name: "ApusGraph", package: "apus"),
        .product(name: "ApusONNX", package: "apus"),
      ]),
    .executableTarget(
      name: "check-export",
      dependencies: [
        .product(name: "Apus", package: "apus"), .product(name: "ApusGraph", package: "apus"),
        .product(name: "ApusONNX", package: "apus"),
      ]),
    .executableTarget(name: "suggest-words", dependencies: [.product(name: "ApusText", package: "apus")]),
  ]
)
