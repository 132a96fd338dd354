/// Where the tensors that a task makes have their places, and what they count in: one value, as every tensor looks it up.
package struct TaskMemory: Sendable {
  /// The arena of the run that the task is in.
  package private(set) var arena: MemoryArena?
  /// The account that new tensors count in.
  package private(set) var account: MemoryAccount?

  /// What holds for the current task, and for no worker.
  @TaskLocal package static var current = TaskMemory()

  /// Runs `body` with tensors in the places that `arena` offers.
  package static func with<Result>(arena: MemoryArena?, _ body: () throws -> Result) rethrows -> Result {
    var memory = current
    memory.arena = arena
    return try $current.withValue(memory, operation: body)
  }

  /// Runs `body` with the tensors that are made counting in `account`.
  package static func with<Result>(account: MemoryAccount, _ body: () throws -> Result) rethrows -> Result {
    var memory = current
    memory.account = account
    return try $current.withValue(memory, operation: body)
  }
}
