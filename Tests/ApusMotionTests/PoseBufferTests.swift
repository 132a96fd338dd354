import Testing

@testable import ApusMotion

@Suite struct PoseBufferTests {
  private func vector(_ value: Float, seen: KeypointSet = .all) -> PoseVector {
    var vector = PoseVector()
    for feature in 0..<48 { vector.values[feature] = value * 100 + Float(feature) }
    vector.observed = seen
    return vector
  }

  /// After any number of pushes the window holds the last `capacity` frames, oldest first.
  @Test(arguments: [1, 2, 3, 7], [0, 1, 2, 5, 7, 8, 15, 30])
  func ring(capacity: Int, pushes: Int) throws {
    var buffer = try PoseBuffer(capacity: capacity)
    for index in 0..<pushes { buffer.push(vector(Float(index)), timestamp: Double(index)) }
    #expect(buffer.count == min(capacity, pushes))
    #expect(buffer.isFull == (pushes >= capacity))
    let first = pushes - buffer.count
    for index in 0..<buffer.count {
      #expect(buffer.timestamp(ofFrame: index) == Double(first + index))
    }
    guard buffer.isFull else {
      #expect(throws: InsufficientFrames(available: pushes, required: capacity)) { try buffer.window() }
      return
    }
    let window = try buffer.window()
    for feature in 0..<48 {
      for time in 0..<capacity {
        #expect(window[feature * capacity + time] == Float((first + time) * 100 + feature))
      }
    }
    #expect(buffer.windowSeconds == Double(capacity - 1))
  }

  @Test func resetEmpties() throws {
    var buffer = try PoseBuffer(capacity: 3)
    for index in 0..<5 { buffer.push(vector(Float(index)), timestamp: Double(index)) }
    buffer.reset()
    #expect(buffer.count == 0 && !buffer.isFull)
    #expect(buffer.windowSeconds == 0)
    #expect(buffer.missingFraction == 0)
    #expect(buffer.observed(inFrame: 0) == nil)
    for index in 10..<13 { buffer.push(vector(Float(index)), timestamp: Double(index)) }
    #expect(try Array(buffer.window()[0..<3]) == [1000, 1100, 1200])
  }

  @Test func maskAndMissingFraction() throws {
    var buffer = try PoseBuffer(capacity: 4)
    buffer.push(vector(0, seen: []), timestamp: 0)
    #expect(buffer.missingFraction == 1)
    buffer.push(vector(1, seen: .all), timestamp: 1)
    #expect(buffer.missingFraction == 0.5)
    buffer.push(vector(2, seen: [.nose]), timestamp: 2)
    #expect(buffer.observed(inFrame: 2) == [.nose])
    #expect(buffer.missingFraction == 47.0 / 72)
    for index in 3..<7 { buffer.push(vector(3), timestamp: Double(index)) }
    #expect(buffer.missingFraction == 0)
  }

  @Test func outsideIndicesAreNil() throws {
    var buffer = try PoseBuffer(capacity: 2)
    buffer.push(vector(0), timestamp: 0)
    #expect(buffer.observed(inFrame: -1) == nil)
    #expect(buffer.observed(inFrame: 1) == nil)
    #expect(buffer.timestamp(ofFrame: .max) == nil)
  }

  @Test func exportIntoACallersBuffer() throws {
    var buffer = try PoseBuffer(capacity: 2)
    buffer.push(vector(0), timestamp: 0)
    buffer.push(vector(1), timestamp: 1)
    var window = [Float](repeating: -1, count: 96)
    try buffer.export(into: &window)
    #expect(window == (try buffer.window()))
    #expect(Array(window[0..<4]) == [0, 100, 1, 101])
    var small = [Float](repeating: 0, count: 95)
    #expect(throws: MotionConfigurationError.wrongWindowSize(found: 95, expected: 96)) {
      try buffer.export(into: &small)
    }
  }

  @Test(arguments: [0, -1, 65_537, Int.max])
  func capacityOutOfRange(capacity: Int) {
    #expect(throws: MotionConfigurationError.windowLengthOutOfRange(capacity)) {
      try PoseBuffer(capacity: capacity)
    }
  }

  @Test func copiesAreIndependent() throws {
    var buffer = try PoseBuffer(capacity: 1)
    buffer.push(vector(1), timestamp: 0)
    let copy = buffer
    buffer.push(vector(2), timestamp: 1)
    #expect(try copy.window()[0] == 100)
    #expect(try buffer.window()[0] == 200)
  }
}

@Suite struct StandardizationTests {
  @Test func appliedOnExport() throws {
    let standardization = try Standardization(
      mean: (0..<48).map { Double($0) / 10 }, std: (0..<48).map { 1 + Double($0) })
    var buffer = try PoseBuffer(capacity: 3)
    for time in 0..<3 {
      var vector = PoseVector()
      for feature in 0..<48 { vector.values[feature] = Float(time) }
      buffer.push(vector, timestamp: Double(time))
    }
    let window = try buffer.window(standardization: standardization)
    for feature in 0..<48 {
      for time in 0..<3 {
        let expected = Float((Double(time) - Double(feature) / 10) / (1 + Double(feature)))
        #expect(window[feature * 3 + time] == expected)
      }
    }
  }

  private let ones = [Double](repeating: 1, count: 48)

  @Test func wrongCounts() {
    #expect(throws: StandardizationError.wrongCount(name: "mean", found: 47, expected: 48)) {
      try Standardization(mean: Array(ones.dropLast()), std: ones)
    }
    #expect(throws: StandardizationError.wrongCount(name: "std", found: 0, expected: 48)) {
      try Standardization(mean: ones, std: [])
    }
  }

  @Test func badValues() {
    var values = ones
    values[7] = .infinity
    #expect(throws: StandardizationError.notFinite(name: "mean", index: 7, value: .infinity)) {
      try Standardization(mean: values, std: ones)
    }
    for bad in [0, -1.0] {
      values[7] = bad
      #expect(throws: StandardizationError.notPositive(index: 7, value: bad)) {
        try Standardization(mean: ones, std: values)
      }
    }
    values[7] = 1e-300
    #expect(throws: StandardizationError.overflows(index: 7)) {
      try Standardization(mean: [Double](repeating: 0, count: 48), std: values)
    }
  }

  @Test func readsJSONAndPlainText() throws {
    let numbers = (1...48).map { "\(Double($0) / 8)" }
    let expected = (1...48).map { Double($0) / 8 }
    for text in [
      "[" + numbers.joined(separator: ", ") + "]\n", numbers.joined(separator: "\n") + "\n",
      numbers.joined(separator: ","), "  " + numbers.joined(separator: "  \t"),
    ] {
      let read = try Standardization(meanText: text, stdText: text)
      #expect(read.mean == expected && read.std == expected)
    }
  }

  @Test(arguments: ["", "[", "]", "[]", "[1", "1 2 x", "1,,2", "nan", "0x10"])
  func refusesOtherText(text: String) {
    #expect(throws: StandardizationError.self) { try Standardization(meanText: text, stdText: text) }
  }
}
