import Apus
import ApusCoreML
import ApusGraph
import ApusONNX
import ApusTorch

/// Models of every format that Apus runs. A new format is one more case here.
public enum ModelFile {
  /// The formats that are opened.
  package static let formats: [FileFormat] = [.onnx, .coreMLPackage, .coreMLModel, .torchExport]

  /// Opens the model at `path`, whose format follows from its content. Weights stay in the mapped file.
  ///
  /// ```swift
  /// let session = try InferenceSession(ModelFile.open("model.onnx"))
  /// ```
  ///
  /// - Parameter arithmetic: what the values of a Core ML model are rounded to.
  /// - Throws: ``FileError`` when it cannot be opened, ``FileFormatError`` for a format that Apus does not run, and the
  ///   errors of the format's reader.
  public static func open(
    _ path: String, access: FileAccess = .mapped, arithmetic: CoreMLArithmetic = .float32
  ) throws -> any GraphModel {
    switch try FileFormat(of: path) {
    // What is of no known format may be a damaged model, and its reader says where.
    case .onnx, .unknown: try ONNXModel(path: path, access: access)
    case .coreMLModel, .coreMLPackage: try CoreMLModel(path: path, arithmetic: arithmetic, access: access)
    case .torchExport: try TorchModel(path: path, access: access)
    case let format: throw FileFormatError(path: path, found: format, purpose: .model)
    }
  }
}
