/// A file of a known format where one of another kind was needed.
public struct FileFormatError: ApusError, Hashable {
  /// What the file was opened for.
  public enum Purpose: Sendable, Hashable {
    /// A network with its graph, to be run.
    case model
    /// Parameters of a network that Apus has itself.
    case weights
    /// Values: inputs, outputs, references.
    case tensors
  }

  /// The file, as it was named when it was opened.
  public let path: String
  /// What the file holds.
  public let found: FileFormat
  /// What was needed instead.
  public let purpose: Purpose

  /// An error about the file at `path`, whose format was recognised by its content.
  public init(path: String, found: FileFormat, purpose: Purpose) {
    self.path = path
    self.found = found
    self.purpose = purpose
  }

  /// Why a file could not be read as a model of one of these formats, where it is of another one; nil where it is a
  /// damaged one of these, for all that its content says.
  package init?(_ file: MappedFile, expecting formats: [FileFormat]) {
    let format = FileFormat(file)
    guard format != .unknown, !formats.contains(format) else { return nil }
    self.init(path: file.name, found: format, purpose: .model)
  }

  /// ``Fault/data``: the file is there, and is of another kind.
  public var fault: Fault { .data }

  /// The path, what the file is, and how to get what was needed.
  public var description: String { "\(path): is \(found); \(found.advice(for: purpose))" }
}

extension FileFormat: CustomStringConvertible {
  /// The format with its article, as a sentence says it: "a TensorFlow Lite model".
  public var description: String {
    switch self {
    case .onnx: "an ONNX model"
    case .onnxRuntime: "a model in the format of ONNX Runtime"
    case .coreMLModel: "a Core ML model"
    case .coreMLPackage: "a Core ML package"
    case .compiledCoreML: "a compiled Core ML model"
    case .torchExport: "a program of torch.export"
    case .torchScript: "a TorchScript archive"
    case .torchCheckpoint: "a PyTorch checkpoint, which holds weights without a graph"
    case .pickle: "a Python pickle"
    case .tensorFlowLite: "a TensorFlow Lite model"
    case .mediaPipeTask: "a MediaPipe task, an archive of TensorFlow Lite models"
    case .savedModel: "a TensorFlow SavedModel"
    case .keras: "a Keras archive"
    case .gguf: "a GGUF file"
    case .hdf5: "an HDF5 file"
    case .safetensors: "a safetensors file, which holds weights without a graph"
    case .npy: "a NumPy array"
    case .npz: "an archive of NumPy arrays"
    case .pretrainedFolder: "a folder with a pretrained model"
    case .gitLFSPointer: "a pointer of Git LFS and not the file itself"
    case .markup: "a web page or XML"
    case .json: "JSON text"
    case .text: "text"
    case .zip: "a ZIP archive"
    case .gzip: "compressed with gzip"
    case .compressed: "compressed, with xz, bzip2, Zstandard or 7-Zip"
    case .unknown: "of no format that Apus knows"
    }
  }

  /// How to come from such a file to one that serves.
  package func advice(for purpose: FileFormatError.Purpose) -> String {
    switch self {
    case .gitLFSPointer: return "fetch the file with `git lfs pull`"
    case .markup: return "the download went wrong, or the address was that of a page about the file"
    case .zip, .gzip, .compressed: return "unpack it first"
    default: break
    }
    return switch purpose {
    case .model: adviceForModel
    case .weights: adviceForWeights
    case .tensors:
      "values are read from .npy, .npz and .safetensors files, folders of .npy files, and JSON of Polygraphy"
    }
  }

  private var adviceForModel: String {
    switch self {
    case .onnx: "open it with ONNXModel, or with ModelFile.open whatever the format is"
    case .coreMLModel, .coreMLPackage: "open it with CoreMLModel, or with ModelFile.open whatever the format is"
    case .torchExport: "open it with TorchModel, or with ModelFile.open whatever the format is"
    case .onnxRuntime: "take the .onnx file it was made from, or export the model as .onnx"
    case .compiledCoreML: "take the .mlpackage or .mlmodel that it was compiled from"
    case .torchScript, .torchCheckpoint, .pickle:
      "build the module in Python, load its weights, and write it with torch.onnx.export(module, inputs, \"model.onnx\")"
    case .tensorFlowLite: "convert it with `python -m tf2onnx.convert --tflite model.tflite --output model.onnx`"
    case .mediaPipeTask:
      "unpack it, and convert each model with `python -m tf2onnx.convert --tflite model.tflite --output model.onnx`"
    case .gguf: "weights for llama.cpp, which have no graph; take the model's own folder, or export it as .onnx"
    case .savedModel: "convert it with `python -m tf2onnx.convert --saved-model FOLDER --output model.onnx`"
    case .keras, .hdf5: "export the model from Keras with model.export(\"model.onnx\", format=\"onnx\")"
    case .npy, .npz, .json, .text: "a model was expected, such as an .onnx file"
    case .pretrainedFolder:
      "`apus classify`, `apus fill` and `apus suggest` read it as it is; to run it as a graph, export the model as .onnx"
    default: "export the model as .onnx"
    }
  }

  private var adviceForWeights: String {
    switch self {
    case .torchCheckpoint, .pickle:
      "in Python, safetensors.torch.save_file(torch.load(\"model.pt\", weights_only=True), \"model.safetensors\") "
        + "writes what is needed"
    default: "weights are read from .safetensors files"
    }
  }
}
