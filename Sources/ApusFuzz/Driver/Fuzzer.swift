import Apus
import ApusPlatform

/// Runs targets on inputs, and says what comes of it.
struct Fuzzer {
  private let options: Options
  private let witness: Witness

  init(_ options: Options) throws {
    self.options = options
    witness = try Witness(timeLimit: options.timeLimit, memoryLimitMiB: options.memoryLimit)
  }

  /// - Returns: whether nothing was found.
  func run() throws -> Bool {
    if let folder = options.keep { try makeFolder(at: folder) }
    do {
      guard try runTargets() else { return false }
    } catch {
      witness.remove()
      throw error
    }
    witness.remove()
    return true
  }

  private func runTargets() throws -> Bool {
    for target in options.targets {
      witness.setTarget(target, seed: options.seed)
      let isSound = options.inputs.isEmpty ? try fuzz(target) : try runInputs(target)
      guard isSound else { return false }
    }
    return true
  }

  private func runInputs(_ target: any FuzzTarget) throws -> Bool {
    let inputs = try Corpus.inputs(at: options.inputs, for: target)
    var accepted = 0
    for input in inputs {
      guard let outcome = check(target, input, iteration: 0) else { return false }
      if outcome == .accepted { accepted += 1 }
    }
    print("\(target.name): \(inputs.count) inputs, \(accepted) of them sound; nothing found")
    return true
  }

  private func fuzz(_ target: any FuzzTarget) throws -> Bool {
    let files = try Corpus.inputs(at: options.corpus, for: target)
    let seeds = try target.seeds()
    for seed in seeds {
      guard let outcome = check(target, seed, iteration: 0) else { return false }
      guard outcome == .accepted else {
        complain("\(target.name): refuses one of its own sound inputs; it is in \(witness.path)")
        return false
      }
    }
    // What they reach is not new afterwards.
    for file in files where check(target, file, iteration: 0) == nil { return false }
    let mutator = Mutator(target, corpus: seeds + files)
    let begin = ContinuousClock.now
    var iteration = options.start
    var accepted = 0
    var edges = ReachedEdges()
    edges.look(after: 0)
    print("\(target.name): seed \(options.seed), from \(iteration) …")
    fflush(nil)
    while !isDone(target, iteration &- options.start, since: begin) {
      let input = self.input(iteration, of: target, by: mutator)
      guard let outcome = check(target, input, iteration: iteration) else { return false }
      if outcome == .accepted { accepted += 1 }
      iteration &+= 1
      let count = iteration &- options.start
      guard count.isMultiple(of: ReachedEdges.interval) else { continue }
      let new = edges.look(after: count)
      if options.keep != nil, !new.isEmpty {
        guard try keep(new, of: target, by: mutator, before: iteration) else { return false }
      }
    }
    let count = iteration &- options.start
    if !count.isMultiple(of: ReachedEdges.interval) { edges.look(after: count) }
    let seconds = ((ContinuousClock.now - begin) / .seconds(1)).rounded()
    let share = count == 0 ? 0 : (Double(accepted) / Double(count) * 100).rounded()
    let summary = "\(count) inputs in \(Int(seconds)) s, \(Int(share)) % of them sound"
    print("\(target.name): \(summary)\(edges.summary); nothing found")
    return true
  }

  /// An input depends on target, seed and number alone.
  private func input(_ iteration: UInt64, of target: any FuzzTarget, by mutator: Mutator) -> [UInt8] {
    var random = SplitMix64(seed: options.seed, target: target.name, iteration: iteration)
    return mutator.makeInput(using: &random)
  }

  /// Runs the latest inputs again, and writes those that reach something new.
  /// - Returns: whether nothing was found.
  private func keep(
    _ new: NewEdges, of target: any FuzzTarget, by mutator: Mutator, before end: UInt64
  ) throws -> Bool {
    var new = new
    new.reset()
    for iteration in (end &- ReachedEdges.interval)..<end where !new.isEmpty {
      let input = self.input(iteration, of: target, by: mutator)
      guard check(target, input, iteration: iteration) != nil else { return false }
      guard new.areReached(), let folder = options.keep else { continue }
      try AtomicFile.create(at: "\(folder)/\(target.name)-\(options.seed)-\(iteration)") { file in
        try input.withUnsafeBytes { try file.append($0) }
      }
    }
    return true
  }

  private func isDone(_ target: any FuzzTarget, _ count: UInt64, since begin: ContinuousClock.Instant) -> Bool {
    switch options.amount {
    case .iterations(let limit): count >= limit
    case .longRun: count >= target.longRun
    case .seconds(let limit): ContinuousClock.now - begin >= .seconds(limit)
    }
  }

  /// Runs one input.
  /// - Returns: `nil` when something was found, which has been reported then.
  private func check(_ target: any FuzzTarget, _ input: [UInt8], iteration: UInt64) -> FuzzOutcome? {
    witness.begin(input, iteration: iteration)
    var message: String?
    var outcome = FuzzOutcome.refused
    do throws(FuzzFinding) {
      outcome = try Self.run(target, input)
    } catch {
      message = error.message
    }
    let excess = witness.end()
    guard let message = message ?? excess else { return outcome }
    witness.keep()
    complain(
      """
      \(target.name), seed \(options.seed), iteration \(iteration): \(message)
      The input is in \(witness.path); run it again with
        apus-fuzz --target \(target.name) --input \(witness.path)
      """)
    return nil
  }

  /// Hands a target memory of just the right size, so that a sanitizer sees every byte read beyond it.
  private static func run(_ target: any FuzzTarget, _ input: [UInt8]) throws(FuzzFinding) -> FuzzOutcome {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: input.count, alignment: 1)
    defer { memory.deallocate() }
    memory.copyBytes(from: input)
    return try target.run(UnsafeRawBufferPointer(memory))
  }
}
