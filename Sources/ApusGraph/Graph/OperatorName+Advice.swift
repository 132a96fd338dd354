extension OperatorName {
  /// Where an operator comes from that other programs write and Apus does not have, and what to do instead; nil where that is
  /// not known.
  package var advice: String? {
    switch (domain, type) {
    case ("com.microsoft.nchwc", _):
      "ONNX Runtime writes \(domain) where it saves a model as it has optimised it for the processor that it runs on; "
        + "take the model as it was before, or one saved with ORT_ENABLE_EXTENDED"
    case ("com.microsoft", "EPContext"):
      "EPContext holds what the compiler of a device has made of the model; take the model as it was before"
    case ("com.microsoft", "RemovePadding"), ("com.microsoft", "RestorePadding"), ("com.microsoft", "PackedAttention"),
      ("com.microsoft", "PackedMultiHeadAttention"):
      "ONNX Runtime's convert_to_packing_mode makes models for GPUs of which tokens are packed; "
        + "take the model as it was before"
    case ("com.microsoft", "BeamSearch"), ("com.microsoft", "GreedySearch"), ("com.microsoft", "Sampling"),
      ("com.microsoft", "WhisperBeamSearch"):
      "ONNX Runtime's convert_generation puts a decoder and the search for its texts into one node; "
        + "export the decoder without it"
    case ("org.pytorch.aten", _):
      "PyTorch's exporter writes \(domain) for what it finds no operators of ONNX for; export without ONNX_ATEN_FALLBACK"
    case ("ai.onnx.contrib", _):
      "\(domain) are operators of onnxruntime-extensions, of texts and pictures around the network; "
        + "export the network without them"
    default: nil
    }
  }
}
