import ApusPlatform

#if arch(arm64) && !canImport(Darwin)
  extension ProcessorFeatures {
    /// What the kernel told this process when it started, or what `/proc/cpuinfo` says where the C library does not pass
    /// that on. A program on arm64 cannot ask the processor itself.
    static func fromCapabilities() -> ProcessorFeatures {
      typealias Function = @convention(c) (UInt) -> UInt
      guard let symbol = dlsym(nil, "getauxval") else { return fromFlags(ProcessorInformation.flags) }
      let word = unsafeBitCast(symbol, to: Function.self)
      return armTable.reduce(into: []) { features, row in
        if word(row.word) & (1 << row.bit) != 0 { features.insert(row.feature) }
      }
    }
  }
#endif
