/// What every kernel variant provides for one floating-point type.
///
/// The kernels are one source compiled for several instruction sets. Each compiled copy has a `Float32Kernels` and a
/// `Float64Kernels` that conform to this protocol, and the tensor module calls them through
/// `any FloatingKernels<Float>.Type`. So there is one list of kernels, checked by the compiler, and one source.
///
/// Rules every kernel keeps:
/// - Pointers are valid for the extents given; outputs do not overlap inputs unless the kernel says that they may.
/// - A kernel never allocates, never throws, never looks at global state: shapes are checked before it is called.
/// - A kernel's result depends on its arguments alone, never on how many threads call it.
/// - A kernel calls no generic function that survives to a call: the linker may keep one variant's copy for all.
package protocol FloatingKernels<Scalar>:
  MatrixKernels,
  UnfoldKernels,
  FoldKernels,
  ArithmeticKernels,
  ActivationKernels,
  ReductionKernels,
  NormalizationKernels,
  PoolingKernels,
  ResizeKernels,
  SampleKernels,
  RecurrentKernels,
  LinearAttentionKernels,
  SendableMetatype
{
  associatedtype Scalar
}

/// What every kernel variant provides for data of any type.
package protocol DataKernels:
  MovementKernels,
  ConversionKernels,
  GenerationKernels,
  SelectionKernels,
  SendableMetatype
{}
