/// Copies that change where elements lie, by element size.
public protocol MovementKernels {
}
