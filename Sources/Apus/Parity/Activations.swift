import ApusBase

/// What passes through the inside of a model, reported under the names PyTorch gives its modules.
///
/// A model reports at the boundaries of its modules, with ``Tensor/observed(as:)``; nothing is kept, and next to
/// nothing spent, unless they are recorded:
///
/// ```swift
/// let (logits, activations) = try Activations.recording(["layer1.0", "layer4"]) { try model(image) }
/// ```
///
/// While a model is built, layers report the parameters that they do not take as they are stored: those that a
/// normalisation was folded into.
public struct Activations: Sendable {
  private let tensors: [String: AnyTensor]
  /// The names of what was recorded, in the order in which they were first reported.
  package let reportedNames: [String]

  /// The names of what was recorded, sorted.
  public var names: [String] { tensors.keys.sorted() }

  /// What was reported under `name`: the last of them, where it was reported more than once.
  public subscript(name: String) -> AnyTensor? { tensors[name] }

  /// Runs `body` and keeps what it reports.
  ///
  /// - Parameter names: the names to keep; everything when `nil`, which may take as much memory as all activations of a
  ///   model together.
  public static func recording<Result>(
    _ names: Set<String>? = nil, _ body: () throws -> Result
  ) rethrows -> (result: Result, activations: Activations) {
    let recorder = Recorder(names)
    let result = try Recorder.$current.withValue(recorder, operation: body)
    return (result, recorder.record.withLock { Activations(tensors: $0.tensors, reportedNames: $0.names) })
  }
}

extension Tensor {
  /// Reports this tensor as an activation to the recording scope, and returns it. See ``Activations``.
  @discardableResult
  public func observed(as name: @autoclosure () -> String) -> Tensor {
    if let recorder = Recorder.current { recorder.keep(AnyTensor(self), as: name()) }
    return self
  }
}

private final class Recorder: Sendable {
  @TaskLocal static var current: Recorder?

  private let names: Set<String>?
  let record = Locked((tensors: [String: AnyTensor](), names: [String]()))

  init(_ names: Set<String>?) { self.names = names }

  func keep(_ tensor: AnyTensor, as name: String) {
    if let names, !names.contains(name) { return }
    record.withLock { record in
      if record.tensors.updateValue(tensor, forKey: name) == nil { record.names.append(name) }
    }
  }
}
