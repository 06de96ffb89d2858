import Testing

@testable import Sniffing

@Suite struct MPEGAudioFrameTests {
  /// The lengths that ffprobe reports for streams with these settings.
  static let lengths: [(header: UInt32, layer: MPEGAudioFrame.Layer, rate: Int, length: Int)] = [
    (0xfffb_9000, .three, 44_100, 417), (0xfffb_9200, .three, 44_100, 418),
    (0xfffb_e800, .three, 32_000, 1440),
    (0xfff3_8400, .three, 24_000, 192), (0xffe3_1800, .three, 8000, 72), (0xfffd_e800, .two, 32_000, 1728),
    (0xffff_e400, .one, 48_000, 448),
  ]

  @Test(arguments: lengths)
  func length(header: UInt32, layer: MPEGAudioFrame.Layer, rate: Int, length: Int) {
    let frame = MPEGAudioFrame(header: header)
    #expect(frame?.layer == layer)
    #expect(frame?.sampleRate == rate)
    #expect(frame?.length == length)
  }

  /// Headers without a sync word, or with reserved, free or invalid values of version, layer, bit rate,
  /// sample rate and emphasis.
  @Test(
    arguments: [
      0xff1b_9000, 0xffeb_9000, 0xfff9_9000, 0xfffb_0000, 0xfffb_f000, 0xfffb_9c00, 0xfffb_9002,
    ] as [UInt32])
  func noFrame(_ header: UInt32) {
    #expect(MPEGAudioFrame(header: header) == nil)
  }

  @Test func noFrameIsLongerThanTheSearchAllowsFor() {
    let lengths = (UInt32(0xffe0_00)...0xffff_ff).lazy
      .compactMap { MPEGAudioFrame(header: $0 << 8) }.filter { $0.layer == .three }.map(\.length)
    #expect(lengths.max() == MPEGAudioFrame.maximumLengthOfLayerThree)
    #expect(lengths.min() == 24)
  }
}
