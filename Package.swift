// swift-tools-version: 6.2
import PackageDescription

// The kernels are one source compiled once per instruction set; which copy runs is decided when the program starts.
// `-Ounchecked` and `-wmo` hold in debug builds too: an unoptimised kernel is a thousand times slower and tests nothing.
// `APUS_CHECKED=1` compiles them with `-O` instead, so that arithmetic and buffers are checked (used under sanitizers).
let isChecked = Context.environment["APUS_CHECKED"] == "1"

// The processor that will run the program, which need not be the one that builds it: `APUS_ARCH=arm64` or `x86_64` says
// so where a Swift SDK for another processor is used.
#if arch(x86_64)
  let buildingArchitecture = "x86_64"
#elseif arch(arm64)
  let buildingArchitecture = "arm64"
#else
  let buildingArchitecture = "other"
#endif
let architecture = Context.environment["APUS_ARCH"] ?? buildingArchitecture

// Instructions that x86-64 has and Swift does not are compiler built-ins too, which Swift 6.2 cannot name: its kernels
// take the way around them that other processors take.
#if compiler(>=6.3)
  let hasProcessorBuiltins = true
#else
  let hasProcessorBuiltins = false
#endif

func kernelSettings(march: String? = nil, features: [String] = [], defines: [String] = []) -> [SwiftSetting] {
  var flags = [isChecked ? "-O" : "-Ounchecked", "-wmo", "-num-threads", "2", "-disable-batch-mode"]
  if let march { flags += ["-Xcc", "-march=\(march)"] }
  for feature in features { flags += ["-Xcc", "-m\(feature)"] }
  // Loops have few pointers here, with offsets from them; LLVM would make one pointer of all, and more offsets than there are
  // registers (ApusKernels/RegisterTile.swift).
  if architecture == "x86_64" { flags += ["-Xllvm", "-disable-lsr"] }
  if defines.contains("APUS_AVX512") { flags += ["-Xcc", "-mprefer-vector-width=512"] }
  // The vector multiply-add and square root are compiler built-ins (ApusKernels/Lanes.swift).
  var defines = defines
  if architecture == "x86_64" && hasProcessorBuiltins {
    defines.append("APUS_X86_INTRINSICS")
    // The only products of bytes that AVX2 has (ApusKernels/ExcessWords.swift).
    if defines.contains("APUS_AVX2") && !defines.contains("APUS_AVXVNNI") { defines.append("APUS_SATURATING") }
  }
  return [.unsafeFlags(flags), .enableExperimentalFeature("BuiltinModule")] + defines.map { .define($0) }
}

// Hundreds of layers, operators and commands, few of them hot: what loops over many elements is in the kernels. Whole modules
// come out smaller than files in batches, in less time, and operators get a function for each type of element. Checked, they
// are fuzzed, and nothing counts but how many inputs they take.
let smallCode: [SwiftSetting] =
  isChecked
  ? []
  : [.unsafeFlags(["-Osize", "-whole-module-optimization", "-num-threads", "2"], .when(configuration: .release))]

// Optimised in debug builds, too: random numbers and reference products took a fifth of the time of all tests, and every
// picture goes through loops over its bytes.
let optimizedForTests: [SwiftSetting] = [.unsafeFlags(["-O"], .when(configuration: .debug))]

// A static `apus` is to be small: equal functions are folded, nothing is exported from a program, and tables for
// unwinding are left out, which nothing here does (Swift's errors are returned, and stacks keep their frame pointers).
let smallProgram: [LinkerSetting] = [
  .unsafeFlags(
    ["-use-ld=lld"]
      + [
        "--icf=all", "--no-export-dynamic", "--no-eh-frame-hdr",
        "\(Context.packageDirectory)/Sources/ApusCLI/Link/without-unwinding.ld",
      ].flatMap { ["-Xlinker", $0] }, .when(platforms: [.linux], configuration: .release))
]

let kernelInterface: Target.Dependency = "ApusKernelInterface"
let platform: Target.Dependency = "ApusPlatform"
let base: Target.Dependency = "ApusBase"
let kernelDependencies: [Target.Dependency] = [kernelInterface, platform]

let baselineKernels: Target = .target(
  name: "ApusKernels", dependencies: kernelDependencies,
  swiftSettings: kernelSettings(defines: architecture == "x86_64" ? [] : ["APUS_FMA"]))

let wideKernels: [Target] = [
  .target(
    name: "ApusKernelsAVX2", dependencies: kernelDependencies,
    swiftSettings: kernelSettings(march: "haswell", defines: ["APUS_FMA", "APUS_AVX2"])),
  .target(
    name: "ApusKernelsAVX512", dependencies: kernelDependencies,
    swiftSettings: kernelSettings(march: "cascadelake", defines: ["APUS_FMA", "APUS_AVX512"])),
]

// Some processors have instructions for products of bytes and are otherwise as others. These folders hold the sources that
// such products take; everything else is as AVX2 or the baseline has it, and not built again.
let byteProducts: [Target] = [
  .target(
    name: "ApusKernelsAVXVNNI", dependencies: kernelDependencies,
    swiftSettings: kernelSettings(
      march: "haswell", features: ["avxvnni"], defines: ["APUS_FMA", "APUS_AVX2", "APUS_AVXVNNI"]))
]

let armByteProducts: [Target] = [
  .target(
    name: "ApusKernelsDotProd", dependencies: kernelDependencies,
    swiftSettings: kernelSettings(march: "armv8-a+dotprod", defines: ["APUS_FMA", "APUS_DOTPROD"])),
  .target(
    name: "ApusKernelsI8MM", dependencies: kernelDependencies,
    swiftSettings: kernelSettings(march: "armv8-a+dotprod+i8mm", defines: ["APUS_FMA", "APUS_I8MM"])),
]

let furtherKernels = ["x86_64": wideKernels + byteProducts, "arm64": armByteProducts]
let kernelTargets = [baselineKernels] + (furtherKernels[architecture] ?? [])
let kernels: [Target.Dependency] = kernelTargets.map { .target(name: $0.name) }

let kernelUsers: [Target.Dependency] = [base] + kernelDependencies + kernels

// Debian's Swift 6.2 checks itself, and ends at what it would note for mirrors about closures that hold a type of kernels.
// Nobody looks at a tensor's insides through a mirror; cases are printed as their raw values.
#if compiler(>=6.3)
  let reflection: [SwiftSetting] = []
#else
  let reflection: [SwiftSetting] = [.unsafeFlags(["-Xfrontend", "-disable-reflection-metadata"])]
#endif
let tensorSettings: [SwiftSetting] = reflection + (isChecked ? [.define("APUS_CHECKED")] : [])

// Lists with types of their own: as one expression, and with sums in it, Swift 6.2 takes minutes to find the types.
let libraries: [Target] = [
  .target(name: "ApusPlatform"),
  .target(name: "ApusBase", dependencies: [platform]),
  .target(name: "ApusKernelInterface"),
  .target(name: "Apus", dependencies: kernelUsers, swiftSettings: tensorSettings),
  .target(name: "ApusGraph", dependencies: ["Apus", kernelInterface, platform], swiftSettings: smallCode),
  .target(name: "ApusONNX", dependencies: ["Apus", "ApusGraph"], swiftSettings: smallCode),
  .target(name: "ApusCoreML", dependencies: ["Apus", "ApusGraph"], swiftSettings: smallCode),
  .target(name: "ApusTorch", dependencies: ["Apus", "ApusGraph", platform], swiftSettings: smallCode),
  .target(
    name: "ApusFormats", dependencies: ["Apus", "ApusGraph", "ApusONNX", "ApusCoreML", "ApusTorch"],
    swiftSettings: smallCode),
  .target(name: "ApusMedia", dependencies: ["Apus", kernelInterface, platform], swiftSettings: optimizedForTests),
  .target(name: "ApusNetworks", dependencies: ["Apus"], swiftSettings: smallCode),
  .target(name: "ApusText", dependencies: ["Apus", "ApusNetworks", platform], swiftSettings: smallCode),
  .target(
    name: "ApusVision", dependencies: ["Apus", "ApusGraph", "ApusFormats", "ApusMedia", "ApusNetworks", platform],
    swiftSettings: smallCode),
  .target(name: "ApusMotion", dependencies: [base, "ApusMedia", platform], swiftSettings: smallCode),
  // Networks that answer what ApusMotion asks: neither knows the other.
  .target(
    name: "ApusMotionModels", dependencies: ["Apus", "ApusMedia", "ApusNetworks", "ApusVision", "ApusMotion"],
    swiftSettings: smallCode),
]

let benchmarked: [Target.Dependency] =
  ["Apus", "ApusGraph", "ApusONNX", "ApusMedia", "ApusNetworks", "ApusText", "ApusVision", platform] + kernels

// Scripts that the command writes: those of Weights/reference, which it has inside, wherever it is.
let scripts: [Resource] = ["reference_file", "torch_reference", "onnx_reference", "coreml_reference"].map {
  .embedInCode("Scripts/\($0).py")
}

let programs: [Target] = [
  // The last that is ready is built first: ApusGraph, which takes longest, stands last, ArgumentParser first.
  .executableTarget(
    name: "ApusCLI",
    dependencies: [
      .product(
        name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["CommandLine"])),
      platform, "ApusMotionModels", "ApusMotion", "ApusVision", "ApusText", "ApusNetworks", "ApusMedia",
      "ApusFormats", "ApusONNX", "ApusCoreML", "ApusTorch", "Apus", "ApusGraph",
    ], exclude: ["Link"], resources: scripts, swiftSettings: smallCode, linkerSettings: smallProgram),
  .executableTarget(
    name: "ApusFuzz",
    dependencies: [
      "Apus", "ApusGraph", "ApusONNX", "ApusCoreML", "ApusTorch", "ApusFormats", "ApusMedia", "ApusNetworks",
      "ApusText", "ApusVision", "ApusMotion", platform,
    ]),
  .executableTarget(
    name: "bench",
    dependencies: benchmarked,
    path: "Benchmarks/bench"),
]

let tests: [Target] = [
  .target(
    name: "ApusTestSupport", dependencies: ["Apus", base, platform], path: "Tests/ApusTestSupport",
    swiftSettings: optimizedForTests),
  .testTarget(name: "ApusBaseTests", dependencies: [base, "ApusTestSupport", platform]),
  .testTarget(name: "ApusTests", dependencies: ["Apus", base, kernelInterface, "ApusTestSupport", platform]),
  .testTarget(
    name: "ApusONNXTests", dependencies: ["Apus", "ApusGraph", "ApusONNX", base, "ApusTestSupport", platform]),
  .testTarget(name: "ApusCoreMLTests", dependencies: ["Apus", "ApusGraph", "ApusCoreML", platform]),
  .testTarget(
    name: "ApusTorchTests",
    dependencies: ["Apus", "ApusGraph", "ApusTorch", "ApusFormats", "ApusTestSupport", platform]),
  .testTarget(name: "ApusMediaTests", dependencies: ["ApusMedia", "Apus", base, "ApusTestSupport", platform]),
  .testTarget(
    name: "ApusNetworksTests",
    dependencies: ["Apus", "ApusNetworks", "ApusGraph", "ApusFormats", "ApusONNX", "ApusTestSupport"]),
  .testTarget(name: "ApusTextTests", dependencies: ["Apus", "ApusNetworks", "ApusText", "ApusTestSupport"]),
  .testTarget(
    name: "ApusVisionTests",
    dependencies: [
      "Apus", "ApusGraph", "ApusMedia", "ApusNetworks", "ApusONNX", "ApusVision", "ApusTestSupport", platform,
    ]),
  .testTarget(name: "ApusMotionTests", dependencies: ["Apus", base, "ApusMedia", "ApusMotion"]),
  .testTarget(
    name: "ApusMotionModelsTests",
    dependencies: ["Apus", "ApusNetworks", "ApusMotion", "ApusMotionModels", "ApusTestSupport"]),
  .testTarget(name: "ApusFuzzTests", dependencies: ["ApusFuzz", "Apus"]),
  .testTarget(
    name: "ApusCLITests",
    dependencies: [
      "ApusCLI", "Apus", "ApusGraph", "ApusFormats", "ApusONNX", "ApusMedia", "ApusNetworks", "ApusMotion",
      "ApusTestSupport",
      platform,
    ]),
]

// Under an emulator unoptimised tests take a day: with `APUS_OPTIMIZED=1` a debug build is optimised, and tests still see
// what is internal.
if Context.environment["APUS_OPTIMIZED"] == "1" {
  for target in libraries + programs + tests {
    target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-Osize"])]
  }
}

let package = Package(
  name: "apus",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "Apus", targets: ["Apus"]),
    .library(name: "ApusGraph", targets: ["ApusGraph"]),
    .library(name: "ApusONNX", targets: ["ApusONNX"]),
    .library(name: "ApusFormats", targets: ["ApusFormats"]),
    .library(name: "ApusCoreML", targets: ["ApusCoreML"]),
    .library(name: "ApusTorch", targets: ["ApusTorch"]),
    .library(name: "ApusMedia", targets: ["ApusMedia"]),
    .library(name: "ApusNetworks", targets: ["ApusNetworks"]),
    .library(name: "ApusText", targets: ["ApusText"]),
    .library(name: "ApusVision", targets: ["ApusVision"]),
    .library(name: "ApusMotion", targets: ["ApusMotion"]),
    .library(name: "ApusMotionModels", targets: ["ApusMotionModels"]),
    .executable(name: "apus", targets: ["ApusCLI"]),
    .executable(name: "bench", targets: ["bench"]),
    .executable(name: "apus-fuzz", targets: ["ApusFuzz"]),
  ],
  traits: [
    .trait(name: "CommandLine", description: "The command apus, which needs swift-argument-parser."),
    .default(enabledTraits: ["CommandLine"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: kernelTargets + libraries + programs + tests,
  swiftLanguageModes: [.v6]
)
