// swift-tools-version: 6.2
import PackageDescription

// A package of somebody else's, which depends on a tagged version of Apus: `.ci/consumer` makes the tag in a clone of
// the repository, puts its path here, and builds and runs this. It proves that the kernels' compiler flags are accepted
// in a dependency, and that the README's example compiles and works.
let apus: [Target.Dependency] = [
  .product(name: "Apus", package: "apus"),
  .product(name: "ApusMotion", package: "apus"),
  .product(name: "ApusMotionModels", package: "apus"),
]

let package = Package(
  name: "consumer",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: Context.environment["APUS_REPOSITORY"] ?? "https://example.com/apus.git", from: "0.1.0")
  ],
  targets: [
    .executableTarget(name: "consumer", dependencies: apus),
    .executableTarget(name: "readme", dependencies: apus),
  ]
)
