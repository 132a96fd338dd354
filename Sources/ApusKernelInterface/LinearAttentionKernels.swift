/// Attention without a softmax.
package protocol LinearAttentionKernels<Scalar> {
  associatedtype Scalar: BitwiseCopyable

  /// A token of one head changes the head's state `S`, `[keys, values]`, and reads it:
  ///
  ///     S' = d · S + k ⊗ u,  u = v, or rate · (v - (d · S)ᵀ k)
  ///     y[j] = scale · S'ᵀ q[j]
  ///
  /// - Parameter y: `[queries, values]`.
  static func attendLinearly(
    _ token: LinearToken<Scalar>, state: UnsafeMutablePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>)
}

/// What a token says of one head.
package struct LinearToken<Scalar: BitwiseCopyable>: BitwiseCopyable {
  /// Features of a key and a query, and of a value.
  package var keys: Int
  package var values: Int
  package var key: UnsafePointer<Scalar>
  package var value: UnsafePointer<Scalar>
  /// What rows of the state are multiplied by, `decayStep` apart: 0 where it is the same for all.
  package var decay: UnsafePointer<Scalar>?
  package var decayStep: Int
  /// How much of the difference is corrected; nil where values are added as they are.
  package var rate: UnsafePointer<Scalar>?
  /// `[queries, keys]`
  package var query: UnsafePointer<Scalar>
  package var queries: Int
  package var scale: Scalar

  package init(
    keys: Int, values: Int, key: UnsafePointer<Scalar>, value: UnsafePointer<Scalar>, decay: UnsafePointer<Scalar>?,
    decayStep: Int, rate: UnsafePointer<Scalar>?, query: UnsafePointer<Scalar>, queries: Int, scale: Scalar
  ) {
    (self.keys, self.values, self.key, self.value) = (keys, values, key, value)
    (self.decay, self.decayStep, self.rate) = (decay, decayStep, rate)
    (self.query, self.queries, self.scale) = (query, queries, scale)
  }
}
