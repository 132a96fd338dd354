import Apus
import ApusGraph

/// What to say of a file that is not an ONNX model but something that people take for one; nil when nothing is known.
func otherFormat(of file: MappedFile) -> String? {
  file.withUnsafeBytes { bytes in
    func has(_ text: String, at offset: Int = 0) -> Bool {
      bytes.dropFirst(offset).prefix(text.utf8.count).elementsEqual(text.utf8)
    }
    if has("ORTM", at: 4) || file.name.hasSuffix(".ort") {
      return "is a model in the format of ONNX Runtime; take the .onnx file it was made from, or export the model as "
        + ".onnx"
    }
    if has("version https://git-lfs") {
      return "is a pointer of Git LFS and not the file itself; fetch that with `git lfs pull`"
    }
    if has("PK\u{3}\u{4}") {
      return "is a zip archive: a PyTorch checkpoint, or a packed model; export the model as .onnx, or unpack it"
    }
    if has("TFL3", at: 4) { return "is a TensorFlow Lite model; convert it to .onnx" }
    if has("GGUF") { return "is a GGUF file; export the model as .onnx" }
    if bytes.starts(with: [0x89, 0x48, 0x44, 0x46]) { return "is an HDF5 file; export the model as .onnx" }
    if bytes.starts(with: [0x1F, 0x8B]) { return "is compressed with gzip; unpack it first" }
    if bytes.starts(with: [0x93] + Array("NUMPY".utf8)) { return "is a NumPy array and not a model" }
    if isSafetensors(bytes) {
      return "is a safetensors file, which holds weights without a graph; export the model as .onnx"
    }
    return textFormat(bytes)
  }
}

private func isSafetensors(_ bytes: UnsafeRawBufferPointer) -> Bool {
  guard bytes.count > 9, bytes[8] == UInt8(ascii: "{") else { return false }
  let length = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
  return length >= 2 && length <= UInt64(bytes.count - 8)
}

/// Whether the file begins as texts do, and which kind of text it looks like.
private func textFormat(_ bytes: UnsafeRawBufferPointer) -> String? {
  let limit = 512
  let beginning = bytes.prefix(limit)
  guard beginning.allSatisfy({ $0 >= 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }) else { return nil }
  // The beginning may end in the middle of a character.
  let cuts = 0...(bytes.count > limit ? 3 : 0)
  guard cuts.contains(where: { String(validating: beginning.dropLast($0), as: UTF8.self) != nil }) else { return nil }
  let first = beginning.first { $0 > 0x20 }
  switch first {
  case UInt8(ascii: "<"):
    return "is a web page or XML; the download went wrong, or the address was that of a page about the file"
  case UInt8(ascii: "{"), UInt8(ascii: "["): return "is JSON text and not an ONNX model"
  default: return "is text and not an ONNX model"
  }
}
