#if APUS_LIBFUZZER
  import ApusPlatform

  // The same targets for LLVM's libFuzzer, which looks at what code an input reaches and so gets deeper:
  //
  //   swift run apus-fuzz --target npz --export corpus
  //   swift build -c release --product apus-fuzz --sanitize fuzzer -Xswiftc -DAPUS_LIBFUZZER \
  //     --scratch-path .build/libfuzzer
  //   APUS_FUZZ_TARGET=npz .build/libfuzzer/release/apus-fuzz -max_total_time=60 corpus

  private let libFuzzerTarget: any FuzzTarget = {
    let name = getenv("APUS_FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = fuzzTargets.first(where: { $0.name == name }) else {
      complain("set APUS_FUZZ_TARGET to one of \(fuzzTargets.map(\.name).joined(separator: ", "))")
      exit(64)
    }
    return target
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
#endif
