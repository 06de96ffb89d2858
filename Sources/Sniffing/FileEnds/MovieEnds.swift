/// The length of a RIFF or IFF file; of an AVI over 1 GB, that of the last of several (OpenDML).
enum ChunkFileEnd {
  static func find(in file: inout FileWindow, isLittleEndian: Bool) -> Int? {
    let start = file.code(at: 0)
    var offset = 0
    repeat {
      guard let number = file.number(at: offset + 4) else { return nil }
      let length = Int(isLittleEndian ? number.byteSwapped : number)
      offset += 8 + length
      // The last one needs no padding.
      if offset != file.size { offset += length & 1 }
    } while file.code(at: offset) == start
    return offset
  }
}

/// Boxes that fill the file, with an index (moov) and media (mdat) among them (ISO/IEC 14496-12).
enum MovieEnd {
  static func find(in file: inout FileWindow) -> Int? {
    var kinds: Set<FourCharacterCode> = []
    var last: FourCharacterCode?
    var offset = 0
    while let short = file.number(at: offset), let kind = file.code(at: offset + 4) {
      var length = UInt64(short)
      if short == 1 {
        guard let high = file.number(at: offset + 8), let low = file.number(at: offset + 12) else {
          return nil
        }
        length = UInt64(high) << 32 | UInt64(low)
      }
      // 0 stands for a box that goes on to the end, wherever that is.
      guard length >= 8, length <= UInt64(file.size - offset) else { return nil }
      offset += Int(length)
      last = kind
      if kinds.count < 64 { kinds.insert(kind) }
    }
    guard kinds.isSuperset(of: ["moov", "mdat"]) else { return nil }
    // Fragments could go on; behind the last one there may be an index of all.
    let isFragmented = kinds.contains("moof")
    return isFragmented && last != "mfra" ? nil : offset
  }
}
