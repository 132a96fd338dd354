import Apus
import ApusFormats
import ApusGraph
import ApusNetworks
import ApusText
import ArgumentParser

/// One of two models that are compared, as the command line names it.
enum ParitySide {
  /// A file of whatever format.
  case file(String)
  /// A network written in Swift: `NAME:WEIGHTS`, or `NAME` with the weights that `apus verify` has for it.
  case network(ShippedModel, weights: String?)

  /// What is there is a file, whatever its name.
  /// - Throws: ``ValidationError`` for the name of no network.
  init(_ argument: String) throws {
    let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard !fileExists(argument), let name = parts.first else {
      self = .file(argument)
      return
    }
    let weights = parts.count > 1 ? parts[1] : nil
    if let model = ShippedModel.all.first(where: { $0.name == name }) {
      guard weights?.isEmpty != true else {
        throw ValidationError("\(argument): weights are missing; NAME:WEIGHTS was expected, or NAME alone.")
      }
      self = .network(model, weights: weights)
    } else if weights != nil {
      let names = ShippedModel.all.map(\.name)
      let nearest = nearestName(to: name, in: names).map { "did you mean '\($0)'? " } ?? ""
      throw ValidationError(
        "\(argument): there is no such file, and no network written in Swift is named '\(name)'; \(nearest)There is "
          + "\(names.joined(separator: ", ")).")
    } else {
      self = .file(argument)
    }
  }

  /// Adds what is read to a plan.
  func plan(_ files: inout FilePlan, as role: String) {
    switch self {
    case .file(let path): files.reads(path, as: role)
    case .network(let model, let weights):
      files.reads(weights, as: role, endings: [".safetensors", ".json"], depth: 1)
      for path in model.files(weights: weights) where path != weights {
        files.reads(path, as: "the data of \(model.name),")
      }
    }
  }

  var isNetwork: Bool { if case .network = self { true } else { false } }

  /// What a model is held against.
  enum Reference {
    case graph(any GraphModel)
    case network(ComparedNetwork)
  }

  /// - Throws: what readers and networks throw for a file that they cannot take.
  func reference(_ open: (String) throws -> any GraphModel) throws -> Reference {
    switch self {
    case .file(let path): return .graph(try open(path))
    case .network(let model, let path):
      let (weights, metadata) = try Self.parameters(of: model, path)
      return .network(try ComparedNetwork(model.single, model.double, weights: weights, metadata: metadata))
    }
  }

  /// Those of a file, or of a folder of Hugging Face, whose `config.json` is the configuration.
  private static func parameters(of model: ShippedModel, _ path: String?) throws -> ShippedModel.Parameters {
    guard let path, isFolder(path) else { return try model.parameters(path: path) }
    let folder = try PretrainedFolder(path: path)
    return (folder.weights, ["configuration": String(decoding: folder.configurationText, as: UTF8.self)])
  }
}
