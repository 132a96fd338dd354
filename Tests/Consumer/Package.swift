// swift-tools-version: 6.2
import PackageDescription

// A package outside of Apus, which depends on it: `.ci/consumer` adds the programs of `Examples`, and builds and runs all
// of it. It proves that the kernels' compiler flags are accepted in a dependency, that the README's example and the others
// compile and work, and that nothing else is fetched.
//
// Apus is a tagged version of `APUS_REPOSITORY`, as for everybody else. Where `APUS_FOLDER` names its sources, these are
// built as for its own tests, and what is built of them serves both.
let folder = Context.environment["APUS_FOLDER"]
let version: Package.Dependency = .package(
  url: Context.environment["APUS_REPOSITORY"] ?? "https://example.com/apus.git", from: "0.1.0", traits: [])

// What lies in a folder goes by the folder's name.
let name = folder.map { ($0.split(separator: "/").last ?? "").lowercased() } ?? "apus"
let apus: [Target.Dependency] = [
  "Apus", "ApusGraph", "ApusONNX", "ApusText", "ApusMotion", "ApusMotionModels",
].map { .product(name: $0, package: name) }

let package = Package(
  name: "consumer",
  platforms: [.macOS(.v15)],
  dependencies: [folder.map { .package(path: $0) } ?? version],
  targets: ["consumer", "readme", "run-model", "check-export", "suggest-words"].map {
    .executableTarget(name: $0, dependencies: apus)
  }
)
