// swift-tools-version: 6.2
import PackageDescription

// A package outside of Apus, which depends on a tagged version of Apus: `.ci/consumer` makes the tag in a clone of
// the repository, puts its path here, adds the programs of `Examples`, and builds and runs all of it. It proves that
// the kernels' compiler flags are accepted in a dependency, that the README's example and the others compile and work,
// and that nothing else is fetched.
let apus: [Target.Dependency] = [
  "Apus", "ApusGraph", "ApusONNX", "ApusText", "ApusMotion", "ApusMotionModels",
].map { .product(name: $0, package: "apus") }

let package = Package(
  name: "consumer",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: Context.environment["APUS_REPOSITORY"] ?? "https://example.com/apus.git", from: "0.1.0", traits: [])
  ],
  targets: ["consumer", "readme", "run-model", "check-export", "suggest-words"].map {
    .executableTarget(name: $0, dependencies: apus)
  }
)
