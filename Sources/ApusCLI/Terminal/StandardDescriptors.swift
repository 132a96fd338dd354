import ApusPlatform

/// Standard input, output and error.
enum StandardDescriptors {
  /// Opens those on `/dev/null` that are closed. Otherwise the first file that is opened takes the number of one of
  /// them, and what is printed is written into it.
  static func open() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
      // The lowest number that is free: the one that was found closed.
      _ = opened("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY)
    }
  }
}

/// The system's `open`, which a method hides.
private func opened(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }
