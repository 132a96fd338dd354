import Apus
import ApusGraph

// What is put around tensors.

extension ProgramBuilder {
  static let padding: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    result["pad"] = { call in [try padded(call, "pad", mode: call.string("mode", default: "constant"))] }
    result["constant_pad_nd"] = { call in [try padded(call, "pad", mode: "constant")] }
    result["_pad_circular"] = { call in [try padded(call, "pad", mode: "circular")] }
    for count in 1...3 {
      result["reflection_pad\(count)d"] = { call in [try padded(call, "padding", mode: "reflect")] }
      result["replication_pad\(count)d"] = { call in [try padded(call, "padding", mode: "replicate")] }
    }
    return result
  }()

  private static func padded(_ call: Call, _ name: String, mode: String) throws -> Graph.ValueID {
    let e = call.emitter
    let x = try call.x
    let rank = try e.rank(x)
    // Pairs of what is before and behind, the last axis first.
    let pads = try call.extents(name)
    guard pads.count % 2 == 0, pads.count / 2 <= rank else {
      throw OperatorError("\(pads.count) numbers for \(rank) axes")
    }
    var (before, behind) = (
      [GraphExtent](repeating: .known(0), count: rank), [GraphExtent](repeating: .known(0), count: rank)
    )
    for pair in 0..<(pads.count / 2) {
      before[rank - 1 - pair] = pads[2 * pair]
      behind[rank - 1 - pair] = pads[2 * pair + 1]
    }
    let modes = ["constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"]
    guard let wanted = modes[mode] else { throw OperatorError("the mode '\(mode)' is not known") }
    let type = try call.outputType
    let value = mode == "constant" ? try call.optional("value", as: type) : nil
    return try e.node("Pad", [x, e.list(before + behind), value], ["mode": .text(wanted)])
  }
}
