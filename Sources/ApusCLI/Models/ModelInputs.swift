import Apus
import ApusCoreML
import ApusGraph
import ApusMedia
import ApusONNX
import ApusVision

/// The inputs of a model, read from files or made up.
struct ModelInputs {
  /// What the model declares of the inputs that it takes.
  let declared: [Graph.ValueInfo]
  private let required: Set<String>
  /// What inputs stand for, where their types do not say it.
  private let forms: [String: ValueForm]
  /// The states that the file declares as FLOAT16 and that are kept in FLOAT.
  private let halfStates: Set<String>
  /// What random numbers for an input are drawn from.
  private let randomRange: @Sendable (_ input: String) -> RandomRange
  /// Whether numbers of another type are turned into the declared one.
  let converts: Bool
  /// Whether every floating-point type is as good as the declared one: all become float64.
  let widens: Bool
  private(set) var values: [String: GraphValue] = [:]
  /// What was only assumed, in words.
  private(set) var warnings: [String] = []
  /// How the last picture became numbers; nil where none did.
  private(set) var pictures: PicturePreparation?
  /// Where each value comes from, in words.
  private(set) var sources: [String: String] = [:]
  /// How a picture becomes an input of numbers; nil for one that is none.
  private let preparation: @Sendable (_ input: String, Image<UInt8>) throws -> PicturePreparation?

  /// - Parameters:
  ///   - file: where the model lies; what lies beside it says how pictures become its numbers.
  ///   - stated: what the caller says of the pictures.
  init(
    _ model: any GraphModel, file: String, converts: Bool, widens: Bool, stated: PictureStatement = PictureStatement()
  ) {
    preparation = { try PicturePreparation(of: model, input: $0, file: file, image: $1, stated: stated) }
    declared = model.graph.inputs.map { model.graph.values[$0] }
    required = Set(model.graph.requiredInputs.map { model.graph.values[$0].name })
    randomRange = { model.randomRange(of: $0) }
    let states = (model as? CoreMLModel)?.states ?? []
    halfStates = Set(states.filter { if case .state(.float16, _) = $0.kind { true } else { false } }.map(\.name))
    forms = declared.reduce(into: [:]) { $0[$1.name] = model.form(of: $1.name) }
    self.converts = converts
    self.widens = widens
  }

  /// The inputs that must be given, in the model's order.
  private var requiredNames: [String] { declared.map(\.name).filter(required.contains) }

  /// The one input that numbers without a name can be for: what has a default may be left out.
  var onlyName: String? {
    requiredNames.count == 1 ? requiredNames.first : declared.count == 1 ? declared.first?.name : nil
  }
}

// MARK: - Files

extension ModelInputs {
  /// Reads what an argument names: `NAME=FILE`, or `FILE` alone, whose entries are named as inputs.
  mutating func read(_ argument: String) throws {
    guard let (name, path) = try split(argument) else { return try readAll(argument) }
    let info = try info(name)
    if Self.isProtobuf(path) {
      try add(openValue(path, as: info.type ?? .tensor(nil, nil)).value, for: info, from: path)
      return
    }
    if let picture = try PictureInput(path, for: info, forms[name], preparation: { try preparation(name, $0) }) {
      return try add(picture, for: info, from: path)
    }
    let file = try TensorFile(path: path)
    if let dictionary = try Self.naming(path, info, { try forms[name]?.dictionary(named: name, in: file) }) {
      return try add(dictionary, for: info, from: path)
    }
    guard let entry = file.names.contains(name) ? name : file.names.count == 1 ? file.names[0] : nil else {
      throw CommandFailure(
        .badData, "\(path): has no entry '\(name)'; there is \(Self.list(file.names))")
    }
    try add(file.value(entry), for: info, from: path)
  }

  /// Takes a value for an input; `source` says in messages where it comes from.
  mutating func give(_ value: GraphValue, for name: String, from source: String) throws {
    try add(value, for: info(name), from: source)
  }

  /// Takes a picture for the one input that can be one.
  mutating func give(_ picture: Image<UInt8>, from source: String) throws {
    let only = onlyPicture ?? (requiredNames.count == 1 ? requiredNames.first : nil)
    guard let info = declared.first(where: { $0.name == only }) else {
      throw CommandFailure(
        .badData,
        "\(source): is a picture, and the model's inputs are \(Self.list(declared.map(\.name))); one was expected")
    }
    try add(
      PictureInput(
        picture, named: source, for: info, forms[info.name], preparation: { try preparation(info.name, $0) }),
      for: info, from: source)
  }

  /// Adds what is read of an argument to a plan. Names may hold equals signs, so what follows each may be the file.
  static func plan(_ argument: String, _ files: inout FilePlan) {
    files.reads(argument, as: "--input")
    for index in argument.indices where argument[index] == "=" {
      files.reads(String(argument[argument.index(after: index)...]), as: "--input")
    }
  }

  /// The name before an equals sign that an input has; nil for a file alone. Names may hold equals signs themselves.
  private func split(_ argument: String) throws -> (name: String, path: String)? {
    var first: String?
    for index in argument.indices where argument[index] == "=" {
      let name = String(argument[..<index])
      if declared.contains(where: { $0.name == name }) {
        return (name, String(argument[argument.index(after: index)...]))
      }
      first = first ?? name
    }
    // A file whose own name holds the sign.
    if let first, realPath(argument) == nil { _ = try info(first) }
    return nil
  }

  private func info(_ name: String) throws -> Graph.ValueInfo {
    if let info = declared.first(where: { $0.name == name }) { return info }
    let nearest = nearestName(to: name, in: declared.map(\.name)).map { "did you mean '\($0)'?" }
    throw CommandFailure(
      .usage,
      "--input \(name): the model has no such input; "
        + (nearest ?? "there is \(Self.list(declared.map(\.name)))"))
  }

  /// Reads the entries of a file that are named as inputs; one without a name is that of a model with one input.
  private mutating func readAll(_ path: String) throws {
    let only = onlyName
    if Self.isProtobuf(path) {
      let type = only.flatMap { name in declared.first { $0.name == name }?.type } ?? .tensor(nil, nil)
      let (name, value) = try openValue(path, as: type)
      guard let info = declared.first(where: { $0.name == name }) ?? declared.first(where: { $0.name == only }) else {
        throw CommandFailure(.usage, "--input \(path): the model has several inputs; say which one: NAME=\(path)")
      }
      return try add(value, for: info, from: path)
    }
    if let info = declared.first(where: { $0.name == only ?? onlyPicture }),
      let picture = try PictureInput(path, for: info, forms[info.name], preparation: { try preparation(info.name, $0) })
    {
      return try add(picture, for: info, from: path)
    }
    let file = try TensorFile(path: path)
    let matching = file.names.filter { name in declared.contains { $0.name == name } }
    var dictionaries: Set<String> = []
    for info in declared {
      let dictionary = try Self.naming(path, info) { try forms[info.name]?.dictionary(named: info.name, in: file) }
      guard let dictionary else { continue }
      try add(dictionary, for: info, from: path)
      dictionaries.insert(info.name)
    }
    if !dictionaries.isEmpty, matching.isEmpty { return }
    if matching.isEmpty, file.names.count == 1, let only, let info = declared.first(where: { $0.name == only }) {
      return try add(file.value(file.names[0]), for: info, from: path)
    }
    guard !matching.isEmpty else {
      let inputs = Self.list(declared.map(\.name))
      if file.names == [""] {
        throw CommandFailure(
          .usage, "--input \(path): the model's inputs are \(inputs); say which one: NAME=\(path)")
      }
      throw CommandFailure(
        .badData,
        "\(path): none of its entries is named as an input; it has \(Self.list(file.names)), "
          + "and the inputs are \(inputs)")
    }
    for info in declared where matching.contains(info.name) && !dictionaries.contains(info.name) {
      try add(file.value(info.name), for: info, from: path)
    }
  }

  /// The one input that is a picture.
  private var onlyPicture: String? {
    let pictures = declared.filter { if case .picture? = forms[$0.name] { true } else { false } }
    return pictures.count == 1 ? pictures[0].name : nil
  }

  private static func isProtobuf(_ path: String) -> Bool { path.lowercased().hasSuffix(".pb") }

  /// Names as a sentence has them, not too many.
  private static func list(_ names: [String]) -> String {
    if names.isEmpty { return "none" }
    return names.prefix(8).map { "'\($0)'" }.joined(separator: ", ") + (names.count > 8 ? ", …" : "")
  }

  /// Adds to what is wrong with a value the file and the input.
  private static func naming<Result>(
    _ path: String, _ info: Graph.ValueInfo, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as OperatorError {
      throw CommandFailure(.badData, "\(path): input '\(info.name)': \(error)")
    }
  }

  private mutating func add(_ picture: PictureInput, for info: Graph.ValueInfo, from path: String) throws {
    try add(picture.value, for: info, from: path, converts: true)
    sources[info.name] = path + picture.remark
    pictures = picture.preparation ?? pictures
    if let warning = picture.warning { warnings.append("input '\(info.name)'" + warning) }
  }

  private mutating func add(
    _ value: GraphValue, for info: Graph.ValueInfo, from path: String, converts: Bool = false
  ) throws {
    guard values[info.name] == nil else {
      throw CommandFailure(.usage, "--input \(path): input '\(info.name)' is given twice")
    }
    values[info.name] = try fitting(value, info, path, converts: converts || self.converts)
    sources[info.name] = path
  }

  /// The value in the declared form and type.
  private func fitting(
    _ value: GraphValue, _ info: Graph.ValueInfo, _ path: String, converts: Bool
  ) throws -> GraphValue {
    let form = forms[info.name]
    let value = try Self.naming(path, info) { try form?.graphValue(value) ?? value }
    guard case .tensor(let wanted?, _)? = info.type, case .tensor(let tensor) = value else { return value }
    let found = ElementType(tensor.dataType)
    // A number is a number, of whatever width.
    let isNumber = if case .number? = form { true } else { false }
    let converts = converts || isNumber || found == .float16 && halfStates.contains(info.name)
    if found == wanted || widens && found.isFloatingPoint && wanted.isFloatingPoint { return value }
    guard converts else {
      throw CommandFailure(
        .badData,
        "\(path): holds \(tensor.dataType), and input '\(info.name)' is \(wanted): save it as "
          + "\(wanted.numPyName), or add --convert")
    }
    do {
      if let converted = try tensor.converted(to: wanted) { return .tensor(converted) }
    } catch let error as TensorError {
      throw CommandFailure(.badData, "\(path): cannot be converted for input '\(info.name)': \(error)")
    }
    throw CommandFailure(.badData, "\(path): holds \(tensor.dataType), which cannot be converted to \(wanted)")
  }
}

// MARK: - Made up

extension ModelInputs {
  /// Fills inputs that are not given with random numbers, or with zeros when `seed` is nil.
  ///
  /// - Parameter integers: what random numbers of some inputs are drawn as, whatever the model declares.
  mutating func fill(
    seed: UInt64?, dimensions: OpenDimensions, as integers: [String: (type: ElementType, range: RandomRange)] = [:]
  ) throws {
    var dimensions = dimensions
    for info in declared { if let value = values[info.name] { dimensions.take(from: value, for: info) } }
    let absent = declared.filter { required.contains($0.name) && values[$0.name] == nil }
    let missing = dimensions.missing(in: absent)
    guard missing.isEmpty else {
      let flags = missing.map { "--dim '\($0)=…'" }.joined(separator: " ")
      throw CommandFailure(.usage, "the model leaves extents open; give them: \(flags)")
    }
    for info in absent {
      values[info.name] = try made(info, seed: seed, dimensions, as: integers[info.name])
      sources[info.name] = seed.map { "random, seed \($0)" } ?? "zeros"
    }
  }

  private func made(
    _ info: Graph.ValueInfo, seed: UInt64?, _ dimensions: OpenDimensions,
    as integers: (type: ElementType, range: RandomRange)?
  ) throws -> GraphValue {
    let type = info.type ?? .tensor(nil, nil)
    do {
      guard case .tensor(let elementType, _) = type else { return try GraphValue(zeros: type, shape: []) }
      guard let shape = dimensions.shape(of: info) else { throw OperatorError("the model does not declare its rank") }
      guard let seed else { return try GraphValue(zeros: type, shape: shape) }
      let drawn = try GraphValue(
        random: integers?.type ?? elementType ?? .float, shape: shape, seed: seed, name: info.name,
        range: integers?.range ?? randomRange(info.name))
      guard integers != nil, let elementType, case .tensor(let tensor) = drawn else { return drawn }
      return try tensor.converted(to: elementType).map { .tensor($0) } ?? drawn
    } catch let error as OperatorError {
      throw CommandFailure(.badData, "input '\(info.name)' cannot be made up: \(error); give it with --input")
    }
  }

  /// - Throws: ``CommandFailure`` that names an extent of `--dim` and the input that has another one there.
  func check(_ dimensions: OpenDimensions) throws {
    for info in declared {
      guard let value = values[info.name], let (name, size, axis) = dimensions.contradiction(of: value, for: info)
      else { continue }
      let source = sources[info.name].map { " from \($0)" } ?? ""
      throw CommandFailure(
        .usage,
        "--dim \(name)=\(size): input '\(info.name)'\(source) is \(value.type), another extent along axis \(axis)")
    }
  }

  /// - Throws: ``CommandFailure`` that names the inputs which are still missing.
  func checkAllGiven() throws {
    let missing = declared.filter { required.contains($0.name) && values[$0.name] == nil }
    guard let first = missing.first else { return }
    let list = missing.map { "'\($0.name)'" + ($0.type.map { " \($0)" } ?? "") }.joined(separator: ", ")
    let noun = missing.count == 1 ? "an input is missing" : "\(missing.count) inputs are missing"
    throw CommandFailure(
      .usage, "\(noun): \(list); give --input '\(first.name)=FILE', or --random SEED to make numbers up")
  }
}

extension AnyTensor {
  /// The elements as another type: floating-point numbers rounded, integers where they fit, and integers and
  /// Booleans as floating-point numbers. Nil for what would change what is meant.
  func converted(to type: ElementType) throws -> AnyTensor? {
    switch type {
    case .double: try tensor(as: Double.self, converting: true).map { AnyTensor($0) }
    case .float: try tensor(as: Float.self, converting: true).map { AnyTensor($0) }
    case .bfloat16: AnyTensor(try converted(to: BFloat16.self))
    #if !(os(macOS) && arch(x86_64))
      case .float16: AnyTensor(try converted(to: Float16.self))
    #endif
    case .int8: try tensor(as: Int8.self, converting: true).map { AnyTensor($0) }
    case .int16: try tensor(as: Int16.self, converting: true).map { AnyTensor($0) }
    case .int32: try tensor(as: Int32.self, converting: true).map { AnyTensor($0) }
    case .int64: try tensor(as: Int64.self, converting: true).map { AnyTensor($0) }
    case .uint8: try tensor(as: UInt8.self, converting: true).map { AnyTensor($0) }
    case .uint16: try tensor(as: UInt16.self, converting: true).map { AnyTensor($0) }
    case .uint32: try tensor(as: UInt32.self, converting: true).map { AnyTensor($0) }
    case .uint64: try tensor(as: UInt64.self, converting: true).map { AnyTensor($0) }
    case .bool where !dataType.isFloatingPoint: AnyTensor(try converted(to: Bool.self))
    default: nil
    }
  }
}

extension ElementType {
  /// The name that NumPy has for the type: `float32`; the standard's in small letters for others.
  var numPyName: String { dataType?.rawValue ?? "\(self)".lowercased() }
}
