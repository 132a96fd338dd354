import Apus
import ApusGraph

/// A tensor of which a file holds the elements that are not zero, and where they are.
public struct SparseTensorProto: Sendable {
  /// The elements, `[count]`; its name is the name of the whole.
  public var values: TensorProto
  /// Where they are: `[count]` in row-major order, or `[count, rank]`. Ascending.
  public var indices: TensorProto
  /// The extents of the whole.
  public var dims: [Int64]

  /// Parts as they are; ``value()`` checks that they fit.
  public init(values: TensorProto, indices: TensorProto, dims: [Int64]) {
    self.values = values
    self.indices = indices
    self.dims = dims
  }

  /// No tensor at all: what stands for one where only its kind is known.
  init() {
    self.init(values: TensorProto(), indices: TensorProto(), dims: [])
  }
}

extension SparseTensorProto: ONNXMessage {
  package static let messageName = "SparseTensorProto"

  package init(from reader: inout ProtobufReader<FileSource>) throws(ProtobufError) {
    self.init()
    var (values, indices): (TensorProto?, TensorProto?)
    while let field = try reader.next() {
      switch field.number {
      case 1: try reader.message(field, into: &values)
      case 2: try reader.message(field, into: &indices)
      case 3: try reader.int64s(field, into: &dims)
      default: try reader.skip(field)
      }
    }
    guard let values, let indices else { throw reader.failure(.truncated(expected: "values and indices"), nil) }
    self.values = values
    self.indices = indices
  }

  package func encode(to writer: inout ProtobufWriter) throws {
    try writer.message(1, values)
    try writer.message(2, indices)
    for dimension in dims { try writer.int64(3, dimension) }
  }
}

extension SparseTensorProto {
  /// The whole tensor, zeros (and empty texts) included.
  /// - Throws: ``ONNXFileError``, which names the tensor.
  public func value() throws -> GraphValue {
    let (elements, positions) = (try values.value(), try indices.value())
    do {
      let (shape, count) = try checkedShape(dims)
      let places = try places(positions, shape: shape, count: count)
      guard elements.shape == [places.count] else {
        throw ONNXFileError.TensorReason.sparse("values of shape \(elements.shape ?? []) for \(places.count) places")
      }
      return try dense(elements, places: places, shape: shape, count: count)
    } catch let reason as ONNXFileError.TensorReason {
      throw ONNXFileError(file: "sparse tensor", reason: .tensor(values.name, reason))
    } catch let error as TensorError {
      throw ONNXFileError(file: "sparse tensor", reason: .tensor(values.name, .tensor(error)))
    } catch let error as FileError {
      throw ONNXFileError(file: "sparse tensor", reason: .tensor(values.name, .externalFile(error)))
    }
  }

  /// Where the elements go, counted in row-major order; checked to be within the tensor and ascending.
  private func places(_ indices: GraphValue, shape: [Int], count: Int) throws -> [Int] {
    guard case .tensor(.int64(let indices)) = indices, indices.rank == 1 || indices.rank == 2 else {
      throw ONNXFileError.TensorReason.sparse("indices of type \(indices.type), not INT64 in one or two dimensions")
    }
    let width = indices.rank == 1 ? 1 : indices.shape[1]
    guard indices.rank == 1 || width == shape.count, width > 0 else {
      throw ONNXFileError.TensorReason.sparse("indices of shape \(indices.shape) into a tensor of shape \(shape)")
    }
    let extents = indices.rank == 1 ? [count] : shape
    return try indices.withUnsafeBufferPointer { indices in
      var places: [Int] = []
      places.reserveCapacity(indices.count / width)
      for row in 0..<indices.count / width {
        var place = 0
        for axis in 0..<width {
          let index = indices[row * width + axis]
          guard index >= 0, index < extents[axis] else {
            throw ONNXFileError.TensorReason.sparse("index \(index) of element \(row) in a tensor of shape \(shape)")
          }
          // Below the number of elements, which was counted.
          place = place * extents[axis] + Int(index)
        }
        guard place > places.last ?? -1 else {
          throw ONNXFileError.TensorReason.sparse("the index of element \(row) does not come after the one before")
        }
        places.append(place)
      }
      return places
    }
  }

  private func dense(_ elements: GraphValue, places: [Int], shape: [Int], count: Int) throws -> GraphValue {
    switch elements {
    case .tensor(let tensor): return .tensor(try dense(tensor, places: places, shape: shape, count: count))
    case .coded(let tensor):
      let codes = try dense(.uint8(tensor.codes), places: places, shape: shape, count: count)
      return .coded(CodedTensor(elementType: tensor.elementType, codes: try codes.converted(to: UInt8.self)))
    case .strings(let tensor):
      try Shape.checkMemory(shape, of: String.self, operation: "sparse tensor")
      var texts = [String](repeating: "", count: count)
      for (place, text) in zip(places, tensor.elements) { texts[place] = text }
      return .strings(try StringTensor(texts, shape: shape))
    case .sequence, .optional:
      throw ONNXFileError.TensorReason.sparse("values of type \(elements.type)")
    }
  }

  /// Zero is zero bytes in every type, so that bytes are all this looks at.
  private func dense(_ elements: AnyTensor, places: [Int], shape: [Int], count: Int) throws -> AnyTensor {
    let size = elements.dataType.byteCount
    let (byteCount, overflow) = count.multipliedReportingOverflow(by: size)
    guard !overflow else { throw ONNXFileError.TensorReason.tooLarge(dims) }
    let memory = try elements.withUnsafeBytes { source in
      try MappedFile(name: values.name, byteCount: byteCount) { destination in
        destination.initializeMemory(as: UInt8.self, repeating: 0)
        for (index, place) in places.enumerated() {
          UnsafeMutableRawBufferPointer(rebasing: destination[place * size..<(place + 1) * size])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[index * size..<(index + 1) * size]))
        }
      }
    }
    return try memory.withUnsafeBytes { bytes in
      try StoredTensor(dataType: elements.dataType, shape: shape, count: count, bytes: bytes, file: memory).anyTensor()
    }
  }
}
