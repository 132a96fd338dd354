import ApusPlatform

#if arch(arm64) && canImport(Darwin)
  // Written from Apple's documentation, and not tried.
  extension ProcessorFeatures {
    /// What the system says of the processor.
    static func fromCapabilities() -> ProcessorFeatures {
      var features: ProcessorFeatures = .neon
      if has("FEAT_DotProd") { features.insert(.dotprod) }
      if has("FEAT_I8MM") { features.insert(.i8mm) }
      return features
    }

    private static func has(_ name: String) -> Bool {
      var value: Int32 = 0
      var size = MemoryLayout<Int32>.size
      return sysctlbyname("hw.optional.arm.\(name)", &value, &size, nil, 0) == 0 && value != 0
    }
  }
#endif
