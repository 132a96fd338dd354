import Apus
import ApusText

/// A masked-language model from a folder: the scores of one position of 32 tokens.
func measurePretrained(_ options: Options) throws {
  let clock = ContinuousClock()
  let start = clock.now
  let model = try PretrainedFolder(path: options.folder).maskedLanguageModel()
  let length = min(32, model.positionCount)
  let ids = (0..<length).map { 7 &* $0 % model.vocabularySize }
  let place = max(0, length - 2)
  func run() throws { _ = try model.logits(ids: ids, at: place) }
  try run()
  let first = (clock.now - start) / .seconds(1)
  try printLine("first scores \(duration(first)) after opening the folder")
  if !options.isOnce {
    let timing = try Timing.of(budget: options.isQuick || isDebug ? 0.2 : 2, run)
    try printLine("further ones \(duration(timing.median)), at least \(duration(timing.minimum))")
  }
  try printLine("resident memory at most \(megabytes(try peakResidentBytes()))")
}
