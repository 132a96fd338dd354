import Apus
import ApusGraph
import ApusMedia
import ApusVision

/// A picture from a file as an input of a model that declares one: upright, without opacity, in the model's planes, and
/// in a size that it takes.
///
/// Core ML itself takes pictures of the declared size alone, and leaves it to the caller to bring them to it. Here they
/// are stretched as Pillow's `resize` does with `LANCZOS`, which is how the guide of coremltools prepares them.
///
/// For a model that declares numbers a ``PicturePreparation`` says which ones a picture becomes, if anything does.
struct PictureInput {
  let value: GraphValue
  /// What was done to it, in words that follow the file's name.
  let remark: String
  /// How it became numbers; nil for a model that declares a picture.
  var preparation: PicturePreparation?
  /// What was only assumed of it or is not done, in words that follow the file's name; nil where everything is known.
  var warning: String?

  /// - Parameter preparation: how a picture becomes an input of numbers.
  /// - Returns: nil for files of arrays.
  /// - Throws: ``CommandFailure`` for a picture where the model takes none, ``ImageError``, ``FileError``.
  init?(
    _ path: String, for info: Graph.ValueInfo, _ form: ValueForm?,
    preparation: (Image<UInt8>) throws -> PicturePreparation? = { _ in nil }
  ) throws {
    if let format = try? FileFormat(of: path), [.npy, .npz, .safetensors].contains(format) { return nil }
    if case .picture? = form {} else { guard try Self.isPicture(path) else { return nil } }
    try self.init(ImageFile.read(path: path), named: path, for: info, form, preparation: preparation)
  }

  /// - Parameters:
  ///   - name: what messages call the picture.
  ///   - preparation: how a picture becomes an input of numbers.
  /// - Throws: ``CommandFailure`` where the model takes no picture, ``ImageError``.
  init(
    _ image: Image<UInt8>, named name: String, for info: Graph.ValueInfo, _ form: ValueForm?,
    preparation: (Image<UInt8>) throws -> PicturePreparation?
  ) throws {
    if case .picture(let form)? = form {
      let image = image.flattened()
      (value, remark) = try Self.read(form.colors == .gray ? image.gray() : image.rgb(), form, name)
      return
    }
    guard let preparation = try preparation(image) else {
      throw CommandFailure(
        .badData,
        "\(name): is a picture, and the model declares '\(info.name)' as numbers"
          + (info.type.map { ", \($0)" } ?? "")
          + "; for a picture of three colours [1, 3, height, width] or [1, height, width, 3] was expected: save the "
          + "numbers as .npy")
    }
    value = GraphValue(try preparation.input.tensor(image))
    self.preparation = preparation
    remark = ", brought to \(preparation.summary)"
    var doubts = [preparation.doubt].compactMap(\.self)
    if preparation.isAssumed {
      doubts.append(
        "nothing says how the model wants its pictures; it is brought to \(preparation.summary). If that is wrong, so is "
          + "every output: --mean and --std say it")
    }
    if !doubts.isEmpty { warning = ": " + doubts.joined(separator: "; ") }
  }

  private static func read(
    _ image: Image<UInt8>, _ form: PictureForm, _ path: String
  ) throws -> (value: GraphValue, remark: String) {
    let own = PictureForm.Size(width: image.width, height: image.height)
    let isAllowed = form.allows(own)
    guard isAllowed || form.size.width > 0 && form.size.height > 0 else {
      throw CommandFailure(.badData, "\(path): the model does not say to which size \(own) pixels are to be brought")
    }
    let fitted =
      try isAllowed ? image : image.resized(width: form.size.width, height: form.size.height, filter: .lanczos)
    let pixels = try Tensor(fitted.samples, shape: [fitted.height, fitted.width, fitted.color.channels])
    return (GraphValue(try form.planes(AnyTensor(pixels))), isAllowed ? "" : ", \(own) brought to \(form.size)")
  }

  /// Whether a file begins as a picture that can be read.
  /// - Throws: ``ImageError`` for one that ffmpeg can read.
  private static func isPicture(_ path: String) throws -> Bool {
    guard let file = try? MappedFile(path: path) else { return false }
    do {
      _ = try file.withUnsafeBytes { try ImageFile.format(of: $0) }
      return true
    } catch let error as ImageError {
      if error.isForeign { throw error.naming(path) }
      return false
    }
  }
}

extension ValueForm {
  /// The dictionary `name` of a file, which has `name.keys` and `name.values`; nil when it has not, and for other forms.
  /// - Throws: ``OperatorError``, and the errors of the file's reader.
  func dictionary(named name: String, in file: TensorFile) throws -> GraphValue? {
    guard case .dictionary = self, file.names.contains(name + ".keys"), file.names.contains(name + ".values") else {
      return nil
    }
    return try dictionary(keys: file.value(name + ".keys"), values: file.value(name + ".values"))
  }
}
