import Testing

@testable import ApusBase

@Suite struct ControlGroupTests {
  private func group(_ membership: String, _ files: [String: String]) -> ControlGroup {
    ControlGroup(membership: membership) { files[$0] }
  }

  @Test func versionTwo() {
    let files = ["/a/cpu.max": "max 100000\n", "/cpu.max": "150000 100000\n", "/a/memory.max": "1048576\n"]
    let limits = group("0::/a\n", files)
    #expect(limits.processorQuota == 1.5)
    #expect(limits.memoryLimit == 1 << 20)
  }

  @Test func theLowestLimitOfAllAncestorsCounts() {
    let files = [
      "/a/b/cpu.max": "400000 100000", "/a/cpu.max": "200000 100000", "/cpu.max": "max 100000",
      "/a/b/memory.max": "max", "/a/memory.max": "4096",
    ]
    let limits = group("0::/a/b", files)
    #expect(limits.processorQuota == 2)
    #expect(limits.memoryLimit == 4096)
  }

  @Test func versionOne() {
    let membership = "4:memory:/box\n1:cpu,cpuacct:/box\n0::/\n"
    let files = [
      "/cpu/box/cpu.cfs_quota_us": "50000\n", "/cpu/box/cpu.cfs_period_us": "100000\n",
      "/cpu/cpu.cfs_quota_us": "-1\n", "/cpu/cpu.cfs_period_us": "100000\n",
      "/memory/box/memory.limit_in_bytes": "2097152\n", "/memory/memory.limit_in_bytes": "9223372036854771712\n",
    ]
    let limits = group(membership, files)
    #expect(limits.processorQuota == 0.5)
    #expect(limits.memoryLimit == 2 << 20)
  }

  @Test(arguments: ["", "nonsense", "0:", "0::", "::::", "0::/../../etc", "1:cpu"])
  func nonsenseLimitsNothing(membership: String) {
    let limits = ControlGroup(membership: membership) { _ in "what? 1 2 3" }
    #expect(limits.processorQuota == nil)
    #expect(limits.memoryLimit == nil)
  }
}
