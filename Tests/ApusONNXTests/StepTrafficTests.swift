import Testing

@testable import ApusGraph

@Suite struct StepTrafficTests {
  @Test func stepsAreReadBackAsTheyWereAdded() {
    var traffic = StepTraffic()
    traffic.append(inputs: [3, nil, 0], outputs: [4, nil, 5], lastUses: [0, 5])
    traffic.append(inputs: [], outputs: [], lastUses: [])
    traffic.append(inputs: [4], outputs: [6], lastUses: [4])
    #expect(traffic.inputs(of: 0).map { traffic[$0].id } == [3, nil, 0])
    #expect(traffic.outputs(of: 0).map { traffic[$0].id } == [4, nil, 5])
    #expect(traffic.outputs(of: 0).map { traffic[$0].isRead } == [true, false, false])
    #expect(traffic.lastUses(of: 0).map { traffic[$0].id } == [0, 5])
    #expect(traffic.inputs(of: 1).isEmpty && traffic.outputs(of: 1).isEmpty && traffic.lastUses(of: 1).isEmpty)
    #expect(traffic.inputs(of: 2).map { traffic[$0].id } == [4])
    #expect(traffic.outputs(of: 2).map { traffic[$0].id } == [6])
    #expect(traffic.lastUses(of: 2).map { traffic[$0].id } == [4])
  }
}
