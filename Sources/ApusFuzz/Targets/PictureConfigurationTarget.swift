import Apus
import ApusVision

/// What lies beside a classifier and says how it wants its pictures, Hugging Face's and timm's configurations, and what its
/// classes are called.
struct PictureConfigurationTarget: JSONFuzzTarget {
  let name = "picture-config"
  let summary = "preprocessor_config.json and timm's config.json beside a model, files of labels"
  let dictionary = [
    "\"image_mean\":[", "\"image_std\":[", "\"size\":{\"shortest_edge\":", "\"crop_pct\":", "\"pretrained_cfg\":{",
    "\"input_size\":[3,", "\"resample\":", "\"rescale_factor\":", "\"id2label\":{\"0\":", "1e-320", "-0.0", "null",
    "\"image_processor_type\":\"LevitImageProcessor\"", "\"crop_size\":", "\"include_top\":true",
  ]

  func seeds() -> [[UInt8]] {
    [
      #"{"do_normalize":true,"image_mean":[0.5,0.5,0.5],"image_std":[0.5,0.5,0.5],"resample":2,"size":{"height":224,"width":224}}"#,
      #"{"crop_size":224,"do_center_crop":true,"image_mean":[0,0,0],"image_std":[1,1,1],"size":256,"rescale_factor":1}"#,
      #"{"crop_pct":0.875,"image_mean":[0,0,0],"image_std":[1,1,1],"size":{"shortest_edge":224},"rescale_offset":true}"#,
      #"{"image_processor_type":"DeiTImageProcessor","size":{"height":256,"width":256},"crop_size":224,"do_pad":true}"#,
      #"{"pretrained_cfg":{"input_size":[3,224,224],"mean":[0,0,0],"std":[1,1,1],"crop_pct":0.9,"crop_mode":"squash"}}"#,
      #"{"id2label":{"0":"cat","1":"dog"}}"#, #"{"0":["n1","cat"],"1":["n2","dog"]}"#, #"["cat","dog"]"#,
      "0 cat\n1 dog\n",
    ]
    .map { Array($0.utf8) }
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    let labels = try outcome(allowing: JSONError.self, ClassLabelsError.self) { _ = try ClassLabels.read(input) }
    let configuration = try outcome(allowing: JSONError.self, PictureModelError.self) {
      try PicturePreparation.checkConfiguration(input)
    }
    return labels == .accepted ? labels : configuration
  }
}
