/// Conversions between element types.
public protocol ConversionKernels {
}
