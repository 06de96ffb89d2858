/// The header of an MPEG audio frame, read as far as needed to find the next one (ISO/IEC 11172-3
/// 2.4.2.3, ISO/IEC 13818-3 2.4.2.3; MPEG-2.5 as Fraunhofer extended it).
struct MPEGAudioFrame: Equatable {
  enum Version { case one, two, twoAndAHalf }
  enum Layer: Int { case one, two, three }

  /// The longest frame of Layer III, in bytes: 320 kbit/s at 32 kHz, padded.
  static let maximumLengthOfLayerThree = 1441

  let version: Version
  let layer: Layer
  let sampleRate: Int
  /// In bytes, including the header.
  let length: Int
  /// How many samples a frame of Layer III has.
  var samples: Int { version == .one ? 1_152 : 576 }
  /// Where an encoder's own header ("Xing", "Info") is in its first frame: after the header of 4
  /// bytes and the side information of Layer III (ISO/IEC 11172-3 2.4.1.7, 13818-3 2.4.1.7).
  let infoOffset: Int

  /// Returns nil for reserved values, and for "free" bit rates, which do not show the length.
  init?(header: UInt32) {
    let (rateIndex, bitRateIndex) = (Int(header >> 10 & 3), Int(header >> 12 & 15))
    let isEmphasisReserved = header & 3 == 2
    guard header >> 21 == 0x7ff, rateIndex < 3, 1..<15 ~= bitRateIndex, !isEmphasisReserved,
      let version = [.twoAndAHalf, nil, .two, .one][Int(header >> 19 & 3)] as Version?,
      let layer = [nil, .three, .two, .one][Int(header >> 17 & 3)] as Layer?
    else { return nil }
    self.version = version
    self.layer = layer
    let divisor = version == .one ? 1 : version == .two ? 2 : 4
    sampleRate = [44_100, 48_000, 32_000][rateIndex] / divisor
    let rates = Self.bitRates[version == .one ? layer.rawValue : layer == .one ? 3 : 4]
    let bitRate = rates[bitRateIndex - 1] * 1000
    let padding = Int(header >> 9 & 1)
    switch (layer, version) {
    case (.one, _): length = (12 * bitRate / sampleRate + padding) * 4
    case (.two, _), (.three, .one): length = 144 * bitRate / sampleRate + padding
    case (.three, _): length = 72 * bitRate / sampleRate + padding
    }
    let isMono = header >> 6 & 3 == 3
    infoOffset = 4 + (version == .one ? isMono ? 17 : 32 : isMono ? 9 : 17)
  }

  /// Whether both frames can belong to one stream. These three never change within a stream.
  func isCompatible(with other: Self) -> Bool {
    version == other.version && layer == other.layer && sampleRate == other.sampleRate
  }

  /// In kbit/s: MPEG-1 layers I, II, III; MPEG-2 layer I; MPEG-2 layers II and III.
  private static let bitRates: [[Int]] = [
    [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  ]
}
