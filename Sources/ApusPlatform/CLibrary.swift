// The C library of the system, by one name: files that need it import this module.

#if canImport(Glibc)
  @_exported import Glibc
#elseif canImport(Musl)
  @_exported import Musl
#elseif canImport(Darwin)
  @_exported import Darwin
#else
  #error("Apus needs a POSIX system: Linux with glibc or musl, or an Apple system.")
#endif

#if _endian(big)
  #error("Apus reads little-endian files in place, and has not been written for big-endian processors.")
#endif
#if _pointerBitWidth(_32)
  #error("Apus needs 64-bit addresses: it maps whole models, and counts elements in Int.")
#endif
