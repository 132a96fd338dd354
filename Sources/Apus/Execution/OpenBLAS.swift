import ApusBase

#if !canImport(Darwin)
  import ApusPlatform

  /// OpenBLAS, loaded when the program runs, with the kernels that suit the processor.
  ///
  /// A library older than the processor takes it for one of 2004 and runs SSE3 kernels, six times slower than it could;
  /// Debian 12's does so on any current Xeon. `OPENBLAS_CORETYPE` overrides that guess, but is read while the library
  /// loads, so it is too late for a library linked to the program.
  struct OpenBLAS: Sendable {
    /// `cblas_sgemm` and `cblas_dgemm`, with 32-bit integers.
    struct Functions: Sendable {
      typealias SGEMM =
        @convention(c) (
          Int32, Int32, Int32, Int32, Int32, Int32, Float, UnsafePointer<Float>, Int32, UnsafePointer<Float>, Int32,
          Float, UnsafeMutablePointer<Float>, Int32
        ) -> Void
      typealias DGEMM =
        @convention(c) (
          Int32, Int32, Int32, Int32, Int32, Int32, Double, UnsafePointer<Double>, Int32, UnsafePointer<Double>, Int32,
          Double, UnsafeMutablePointer<Double>, Int32
        ) -> Void
      let sgemm: SGEMM
      let dgemm: DGEMM
    }

    let name: String
    let core: String
    let config: String
    let functions: Functions
  }

  extension OpenBLAS {
    /// Looks for a library worth using.
    ///
    /// While a library loads, the environment says which core type and how many threads it shall use. Setting it is not
    /// safe while another thread reads it by other means than Swift or this C library's `getenv`; it happens once.
    ///
    /// - Parameter setting: a library's name or path, `none`, or nil for the system's.
    /// - Returns: the library; what to say of it, or of the lack of one; and why each that was found is not used.
    static func search(
      _ setting: String?, features: ProcessorFeatures
    ) -> (library: OpenBLAS?, warnings: [String], refusals: [String]) {
      if setting == "none" { return (nil, [], []) }
      var (warnings, refusals): ([String], [String]) = ([], [])
      if let asked = environment("OPENBLAS_CORETYPE"), !canRun(core: asked, features) {
        warnings.append("OPENBLAS_CORETYPE=\(asked) is ignored: this processor lacks its instructions")
      }
      var refused: [UnsafeMutableRawPointer] = []
      let names = setting.map { [$0] } ?? ["libopenblas.so.0", "libopenblas.so"]
      for name in names {
        let isForeign: Bool
        let handle: UnsafeMutableRawPointer
        if let loaded = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD) {
          (isForeign, handle) = (true, loaded)
        } else if let loaded = load(name, coreType: coreTypeSetting(environment("OPENBLAS_CORETYPE"), features)) {
          (isForeign, handle) = (false, loaded)
        } else {
          if setting != nil {
            refusals.append("cannot be loaded: \(loaderMessage)")
            warnings += refusals.map { "APUS_BLAS=\(name): \($0)" }
          }
          continue
        }
        // Two names may stand for one library.
        if refused.contains(handle) { continue }
        // What is refused stays loaded: taking a library away that may have registered handlers is worse.
        switch OpenBLAS.open(handle, name: name, isForeign: isForeign, features: features) {
        case .success(let library):
          if let warning = library.slowness(features) {
            warnings.append(setting == nil ? warning + "; wider Swift kernels multiply instead" : warning)
          }
          return (library, warnings, refusals)
        case .failure(let refusal):
          refusals.append("is not used: \(refusal.reason)")
          warnings.append("\(name) is not used: \(refusal.reason)")
          refused.append(handle)
        }
      }
      if warnings.isEmpty { warnings.append("no OpenBLAS found (\(names.joined(separator: ", ")))") }
      return (nil, warnings.map { $0 + "; matrices are multiplied by Swift kernels" }, refusals)
    }

    /// The name of the newest kernels that `features` can run and every OpenBLAS of the last years has; nil where its
    /// own choice is as good.
    static func coreType(for features: ProcessorFeatures) -> String? {
      if features.isSuperset(of: .skylakeServer) { return "SkylakeX" }
      if features.isSuperset(of: .haswell) { return "Haswell" }
      return nil
    }

    /// What `OPENBLAS_CORETYPE` should be while the library loads: what the user asked for, unless the processor would
    /// die of it; nil leaves the choice to the library.
    static func coreTypeSetting(_ asked: String?, _ features: ProcessorFeatures) -> String? {
      if let asked, canRun(core: asked, features) { return asked }
      return coreType(for: features)
    }

    /// Whether the processor has what the kernels of a core type take for granted.
    static func canRun(core: String, _ features: ProcessorFeatures) -> Bool {
      switch core.lowercased() {
      case "skylakex", "cooperlake", "sapphirerapids": features.isSuperset(of: .skylakeServer)
      case "haswell", "zen": features.isSuperset(of: .haswell)
      case "sandybridge", "bulldozer", "piledriver", "steamroller", "excavator": features.contains(.avx)
      default: true
      }
    }

    /// The vector width of a core type's kernels in bits: 512, 256, or 128 for everything without AVX2.
    static func vectorWidth(ofCore core: String) -> Int {
      switch core.lowercased() {
      case "skylakex", "cooperlake", "sapphirerapids": 512
      case "haswell", "zen": 256
      default: 128
      }
    }

    /// The vector width of the processor in bits.
    static func vectorWidth(of features: ProcessorFeatures) -> Int {
      if features.isSuperset(of: .skylakeServer) { return 512 }
      return features.isSuperset(of: .haswell) ? 256 : 128
    }

    /// Why a library is not used.
    struct Refusal: Error {
      let reason: String
    }
  }

  extension OpenBLAS {
    private static func load(_ name: String, coreType: String?) -> UnsafeMutableRawPointer? {
      withEnvironment(["OPENBLAS_NUM_THREADS": "1", "OPENBLAS_CORETYPE": coreType]) {
        dlopen(name, RTLD_NOW | RTLD_LOCAL)
      }
    }

    private static func open(
      _ handle: UnsafeMutableRawPointer, name: String, isForeign: Bool, features: ProcessorFeatures
    ) -> Result<OpenBLAS, Refusal> {
      func symbol<Function>(_ name: String, as type: Function.Type) -> Function? {
        dlsym(handle, name).map { unsafeBitCast($0, to: type) }
      }
      typealias Description = @convention(c) () -> UnsafePointer<CChar>?
      guard let getConfig = symbol("openblas_get_config", as: Description.self),
        let getCore = symbol("openblas_get_corename", as: Description.self),
        let getThreads = symbol("openblas_get_num_threads", as: (@convention(c) () -> Int32).self),
        let setThreads = symbol("openblas_set_num_threads", as: (@convention(c) (Int32) -> Void).self),
        let config = getConfig().map({ String(cString: $0) }), let core = getCore().map({ String(cString: $0) })
      else {
        let hasSuffix = dlsym(handle, "openblas_get_config64_") != nil || dlsym(handle, "cblas_sgemm64_") != nil
        return .failure(Refusal(reason: hasSuffix ? "its integers have 64 bits" : "it is not an OpenBLAS"))
      }
      if config.contains("USE64BITINT") { return .failure(Refusal(reason: "its integers have 64 bits")) }
      guard let sgemm = symbol("cblas_sgemm", as: Functions.SGEMM.self),
        let dgemm = symbol("cblas_dgemm", as: Functions.DGEMM.self)
      else { return .failure(Refusal(reason: "it has no cblas_sgemm and cblas_dgemm")) }
      if vectorWidth(of: features) > 128, vectorWidth(ofCore: core) == 128 {
        let user = isForeign ? "another part of this program loaded it with" : "it runs"
        return .failure(Refusal(reason: "\(user) kernels for \(core), far older than this processor"))
      }
      if isForeign {
        // The code that loaded it wants it as it is.
        let threads = getThreads()
        if threads != 1 {
          return .failure(Refusal(reason: "another part of this program has it run on \(threads) threads"))
        }
      } else {
        setThreads(1)
      }
      let functions = Functions(sgemm: sgemm, dgemm: dgemm)
      return .success(OpenBLAS(name: name, core: core, config: trimmed(config), functions: functions))
    }

    /// A warning where the library's kernels use half of the processor's width.
    private func slowness(_ features: ProcessorFeatures) -> String? {
      guard Self.vectorWidth(ofCore: core) < Self.vectorWidth(of: features) else { return nil }
      let better = Self.coreType(for: features) ?? "another one"
      let reason = environment("OPENBLAS_CORETYPE").map { " (OPENBLAS_CORETYPE is \($0))" } ?? ""
      return "\(name) runs kernels for \(core)\(reason), slower here than those for \(better)"
    }

    private static var loaderMessage: String { dlerror().map { String(cString: $0) } ?? "unknown reason" }
  }

  /// Runs `body` with environment variables changed, or taken away where they are nil, and changes them back.
  private func withEnvironment<Result>(_ changes: [String: String?], _ body: () -> Result) -> Result {
    func set(_ name: String, _ value: String?) {
      if let value { setenv(name, value, 1) } else { unsetenv(name) }
    }
    let previous = changes.keys.map { name in (name, getenv(name).map { String(cString: $0) }) }
    for (name, value) in changes { set(name, value) }
    defer {
      for (name, value) in previous { set(name, value) }
    }
    return body()
  }
#endif
