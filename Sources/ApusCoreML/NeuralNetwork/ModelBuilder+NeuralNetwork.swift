import Apus
import ApusGraph
extension ModelBuilder {
  mutating func network(_ fields: Fields, kind: String, _ description: ModelDescription, to emitter: Emitter) throws {
    throw CoreMLError.Reason.unsupported(at: "", kind)
  }
  mutating func pipeline(_ fields: Fields, to emitter: Emitter) throws {
    throw CoreMLError.Reason.unsupported(at: "", "pipeline")
  }
  mutating func classic(_ fields: Fields, kind: String, _ description: ModelDescription, to emitter: Emitter) throws {
    throw CoreMLError.Reason.unsupported(at: "", kind)
  }
}
