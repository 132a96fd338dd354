/// What is wrong with a line of text, and where.
package struct LineFailure: Error, Equatable {
  /// Counts bytes from 1.
  package var column: Int
  package var message: String

  package init(column: Int, message: String) {
    (self.column, self.message) = (column, message)
  }
}
