/// Every target there is.
let fuzzTargets: [any FuzzTarget] = [
  SafetensorsTarget(), SafetensorsIndexTarget(), NPYTarget(), NPZTarget(), InflateTarget(), JSONTarget(),
  PoseFramesTarget(), KeypointFilesTarget(), ArmRecordingTarget(), DetectionsTarget(), TextConfigurationTarget(),
  NetworkConfigurationTarget(), ONNXModelTarget(), ONNXTensorTarget(), ONNXSessionTarget(), CoreMLModelTarget(),
  TorchProgramTarget(),
  VocabularyTarget(), TokenizerConfigurationTarget(), TypedTextTarget(),
  PNGTarget(), JPEGTarget(), NetpbmTarget(), BMPTarget(), ImageArchiveTarget(), Y4MTarget(), DeflateTarget(),
  DetectorMetadataTarget(), RunSessionTarget(), SettingsTarget(), BreedListTarget(), NetworkOutputsTarget(),
  ExternalDataTarget(), CoreMLPackageTarget(), ParityTarget(), ConformanceTarget(), PretrainedFolderTarget(),
  PictureConfigurationTarget(), ValueDumpTarget(), StaticQuantizationTarget(), PackedCacheTarget(),
]
