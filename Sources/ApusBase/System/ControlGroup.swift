/// The limits that a Linux control group, and so a container, sets for this process.
package struct ControlGroup: Sendable, Hashable {
  /// Processors' worth of time, 1.5 for instance; nil when unlimited.
  package var processorQuota: Double?
  /// Bytes; nil when unlimited.
  package var memoryLimit: Int?

  package static let current = ControlGroup(membership: contentsOfSystemFile("/proc/self/cgroup") ?? "") {
    contentsOfSystemFile("/sys/fs/cgroup" + $0)
  }

  /// - Parameters:
  ///   - membership: the text of `/proc/self/cgroup`.
  ///   - read: the text of a file below `/sys/fs/cgroup`, nil when there is none.
  init(membership: String, read: (String) -> String?) {
    for line in membership.split(separator: "\n") {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { continue }
      let controllers = fields[1].split(separator: ",")
      // The group and all above it count. In a container the path may be one that only the host can see.
      for group in Self.ancestors(of: fields[2]) {
        if controllers.isEmpty {
          lowerQuota(Self.quota(read(group + "/cpu.max")))
          lowerLimit(Self.limit(read(group + "/memory.max")))
        }
        if controllers.contains("cpu") {
          let quota = read("/cpu\(group)/cpu.cfs_quota_us") ?? ""
          let period = read("/cpu\(group)/cpu.cfs_period_us") ?? ""
          lowerQuota(Self.quota(quota + " " + period))
        }
        if controllers.contains("memory") {
          lowerLimit(Self.limit(read("/memory\(group)/memory.limit_in_bytes")))
        }
      }
    }
  }

  private mutating func lowerQuota(_ quota: Double?) {
    guard let quota else { return }
    processorQuota = min(quota, processorQuota ?? quota)
  }

  private mutating func lowerLimit(_ limit: Int?) {
    guard let limit else { return }
    memoryLimit = min(limit, memoryLimit ?? limit)
  }

  /// `/a/b`, `/a` and the root, which is the empty string.
  private static func ancestors(of path: Substring) -> [String] {
    var groups = [""]
    for component in path.split(separator: "/") where component != ".." {
      groups.append((groups.last ?? "") + "/" + component)
    }
    return groups.reversed()
  }

  /// "quota period", both in microseconds; "max", or a negative quota, means unlimited.
  private static func quota(_ text: String?) -> Double? {
    let numbers = text?.split(whereSeparator: \.isWhitespace).map { Double($0) } ?? []
    guard numbers.count == 2, let quota = numbers[0], let period = numbers[1], quota > 0, period > 0 else { return nil }
    return quota / period
  }

  private static func limit(_ text: String?) -> Int? {
    guard let text, let bytes = Int(trimmed(text)), bytes > 0 else { return nil }
    return bytes
  }
}
