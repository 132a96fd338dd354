#if APUS_LIBFUZZER
  import Apus
  import ApusPlatform

  // The same targets for LLVM's libFuzzer, which looks at what code an input reaches and so gets deeper:
  //
  //   .ci/coverage-fuzz npz 60
  //
  // builds it so, runs a target for that many seconds on its kept inputs, and keeps what reaches new code.

  private let libFuzzerTarget: any FuzzTarget = {
    let name = getenv("APUS_FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = fuzzTargets.first(where: { $0.name == name }) else {
      complain("set APUS_FUZZ_TARGET to one of \(fuzzTargets.map(\.name).joined(separator: ", "))")
      exit(64)
    }
    return target
  }()

  private let libFuzzerMutator: Mutator = {
    guard let seeds = try? libFuzzerTarget.seeds(), !seeds.isEmpty else {
      complain("\(libFuzzerTarget.name) has no sound inputs")
      exit(70)
    }
    return Mutator(libFuzzerTarget, corpus: seeds)
  }()

  /// What libFuzzer calls with every input; 0 unless the process ends.
  @_cdecl("LLVMFuzzerTestOneInput")
  public func testOneInput(_ bytes: UnsafeRawPointer?, _ count: Int) -> Int32 {
    do throws(FuzzFinding) {
      _ = try libFuzzerTarget.run(UnsafeRawBufferPointer(start: bytes, count: count))
    } catch {
      complain(error.message)
      abort()
    }
    return 0
  }

  /// libFuzzer's own mutations, which take turns with those that know the format.
  @_silgen_name("LLVMFuzzerMutate")
  private func mutateBytes(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int) -> Int

  /// What libFuzzer calls to change an input in its place.
  /// - Returns: the new length.
  @_cdecl("LLVMFuzzerCustomMutator")
  public func customMutator(
    _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: UInt32
  ) -> Int {
    var random = SplitMix64(seed: UInt64(seed))
    guard !random.once(in: 2) else { return mutateBytes(bytes, count, limit) }
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    let varied = libFuzzerMutator.mutated(input, using: &random).prefix(limit)
    for (index, byte) in varied.enumerated() { bytes[index] = byte }
    return varied.count
  }
#endif
