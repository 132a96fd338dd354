// swift-tools-version: 6.2
import PackageDescription

// The kernels are one source compiled once per instruction set; which copy runs is decided when the program starts.
// `-Ounchecked` and `-wmo` hold in debug builds too: an unoptimised kernel is a thousand times slower and tests nothing.
// `APUS_CHECKED=1` compiles them with `-O` instead, so that arithmetic and buffers are checked (used under sanitizers).
let isChecked = Context.environment["APUS_CHECKED"] == "1"

func kernelSettings(march: String? = nil, defines: [String] = []) -> [SwiftSetting] {
  var flags = [isChecked ? "-O" : "-Ounchecked", "-wmo", "-num-threads", "2", "-disable-batch-mode"]
  if let march { flags += ["-Xcc", "-march=\(march)"] }
  if defines.contains("APUS_AVX512") { flags += ["-Xcc", "-mprefer-vector-width=512"] }
  // The vector multiply-add and square root are compiler built-ins (ApusKernels/Lanes.swift).
  return [.unsafeFlags(flags), .enableExperimentalFeature("BuiltinModule")] + defines.map { .define($0) }
}

// Hundreds of operators, layers and commands, few of them hot: loops over elements are in the kernels.
let smallCode: [SwiftSetting] = [.unsafeFlags(["-Osize"], .when(configuration: .release))]

let kernelInterface: Target.Dependency = "ApusKernelInterface"

#if arch(x86_64)
  let kernelTargets: [Target] = [
    .target(name: "ApusKernels", dependencies: [kernelInterface], swiftSettings: kernelSettings()),
    .target(
      name: "ApusKernelsAVX2", dependencies: [kernelInterface],
      swiftSettings: kernelSettings(march: "haswell", defines: ["APUS_FMA", "APUS_AVX2"])),
    .target(
      name: "ApusKernelsAVX512", dependencies: [kernelInterface],
      swiftSettings: kernelSettings(march: "cascadelake", defines: ["APUS_FMA", "APUS_AVX512"])),
  ]
#else
  let kernelTargets: [Target] = [
    .target(
      name: "ApusKernels", dependencies: [kernelInterface],
      swiftSettings: kernelSettings(defines: ["APUS_FMA"]))
  ]
#endif

let package = Package(
  name: "apus",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "Apus", targets: ["Apus"]),
    .library(name: "ApusMedia", targets: ["ApusMedia"]),
    .library(name: "ApusMotion", targets: ["ApusMotion"]),
    .library(name: "ApusGraph", targets: ["ApusGraph"]),
    .library(name: "ApusONNX", targets: ["ApusONNX"]),
    .library(name: "ApusNetworks", targets: ["ApusNetworks"]),
    .library(name: "ApusText", targets: ["ApusText"]),
    .library(name: "ApusVision", targets: ["ApusVision"]),
    .library(name: "ApusMotionModels", targets: ["ApusMotionModels"]),
    .executable(name: "apus", targets: ["ApusCLI"]),
    .executable(name: "bench", targets: ["bench"]),
    .executable(name: "apus-fuzz", targets: ["ApusFuzz"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: kernelTargets + [
    .target(name: "ApusKernelInterface"),
    .target(
      name: "Apus",
      dependencies: [kernelInterface] + kernelTargets.map { .target(name: $0.name) },
      swiftSettings: isChecked ? [.define("APUS_CHECKED")] : []),
    .target(name: "ApusMedia", dependencies: ["Apus", kernelInterface]),
    .target(name: "ApusGraph", dependencies: ["Apus", kernelInterface], swiftSettings: smallCode),
    .target(name: "ApusONNX", dependencies: ["Apus", "ApusGraph"], swiftSettings: smallCode),
    .target(name: "ApusNetworks", dependencies: ["Apus"], swiftSettings: smallCode),
    .target(name: "ApusText", dependencies: ["Apus", "ApusNetworks"], swiftSettings: smallCode),
    .target(
      name: "ApusVision", dependencies: ["Apus", "ApusGraph", "ApusONNX", "ApusMedia", "ApusNetworks"],
      swiftSettings: smallCode),
    .target(name: "ApusMotion", dependencies: ["Apus", "ApusMedia"]),
    // Networks that answer what ApusMotion asks: neither knows the other.
    .target(
      name: "ApusMotionModels", dependencies: ["Apus", "ApusNetworks", "ApusVision", "ApusMotion"],
      swiftSettings: smallCode),
    .executableTarget(
      name: "ApusCLI",
      dependencies: [
        "Apus", "ApusGraph", "ApusONNX", "ApusMedia", "ApusNetworks", "ApusText", "ApusVision", "ApusMotion",
        "ApusMotionModels",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: smallCode),
    .executableTarget(
      name: "ApusFuzz",
      dependencies: [
        "Apus", "ApusGraph", "ApusONNX", "ApusMedia", "ApusNetworks", "ApusText", "ApusVision", "ApusMotion",
      ]),
    .executableTarget(
      name: "bench",
      dependencies: ["Apus", "ApusGraph", "ApusONNX", "ApusMedia", "ApusNetworks", "ApusText", "ApusVision"]
        + kernelTargets.map { .target(name: $0.name) },
      path: "Benchmarks/bench"),
    .testTarget(name: "ApusTests", dependencies: ["Apus"]),
    .testTarget(name: "ApusMediaTests", dependencies: ["ApusMedia", "Apus"]),
    .testTarget(name: "ApusONNXTests", dependencies: ["ApusGraph", "ApusONNX"]),
    .target(name: "ApusTestSupport", dependencies: ["Apus"], path: "Tests/ApusTestSupport"),
    .testTarget(
      name: "ApusNetworksTests", dependencies: ["Apus", "ApusNetworks", "ApusGraph", "ApusONNX", "ApusTestSupport"]),
    .testTarget(name: "ApusTextTests", dependencies: ["Apus", "ApusNetworks", "ApusText", "ApusTestSupport"]),
    .testTarget(
      name: "ApusVisionTests", dependencies: ["Apus", "ApusMedia", "ApusNetworks", "ApusVision", "ApusTestSupport"]),
    .testTarget(name: "ApusMotionTests", dependencies: ["Apus", "ApusMedia", "ApusMotion"]),
    .testTarget(
      name: "ApusMotionModelsTests",
      dependencies: ["Apus", "ApusNetworks", "ApusMotion", "ApusMotionModels", "ApusTestSupport"]),
    .testTarget(name: "ApusCLITests", dependencies: ["ApusCLI", "Apus", "ApusMedia", "ApusGraph", "ApusONNX"]),
  ],
  swiftLanguageModes: [.v6]
)
