import ApusMedia

/// The reader of YUV4MPEG2 streams, whole and in pieces; and the reader of times.
struct Y4MTarget: FuzzTarget {
  let name = "y4m"
  let summary = "YUV4MPEG2 streams: parameters, every kind of colours, frames in pieces"
  let dictionary = [
    "YUV4MPEG2 ", "FRAME\n", " C420jpeg", " C420mpeg2", " C420paldv", " C422", " C444", " Cmono", " F25:1", " W", " H",
    " Ip", " XCOLORRANGE=FULL",
  ]

  func seeds() throws -> [[UInt8]] {
    let frame = Array("FRAME\n".utf8)
    func stream(_ kind: String, _ count: Int) -> [UInt8] {
      let pixels = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 41) }
      return Array("YUV4MPEG2 W3 H3 F25:1 Ip A1:1\(kind)\n".utf8) + frame + pixels + frame + pixels
    }
    return [
      stream("", 17), stream(" C420jpeg XCOLORRANGE=FULL", 17), stream(" C420mpeg2", 17), stream(" C420paldv", 17),
      stream(" C422", 21), stream(" C444", 27), stream(" Cmono", 9),
    ]
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    try outcome(allowing: VideoError.self) {
      let whole = Result { () throws(VideoError) in try frames(input, chunk: max(1, input.count)) }
      let pieces = Result { () throws(VideoError) in try frames(input, chunk: 5) }
      switch (whole, pieces) {
      case (.success(let a), .success(let b)) where a == b: break
      case (.failure(let a), .failure(let b)) where a == b: break
      default: throw FuzzFinding(message: "in pieces the stream gives something else")
      }
      _ = try whole.get()
    }
  }

  private func frames(_ input: UnsafeRawBufferPointer, chunk: Int) throws(VideoError) -> [Image<UInt8>] {
    var reader = Y4MReader(limits: ImageLimits(pixels: 1 << 14))
    var frames: [Image<UInt8>] = []
    for start in stride(from: 0, to: input.count, by: chunk) {
      reader.append(input[start..<min(start + chunk, input.count)])
      while let frame = try reader.next() { frames.append(frame.image) }
    }
    reader.end()
    while let frame = try reader.next() { frames.append(frame.image) }
    return frames
  }
}
