/// The length of a RIFF or IFF file. An AVI over 1 GB is several of them in a row (OpenDML).
enum ChunkFileEnd {
  @Sendable static func find(in file: inout Body) throws(Shortage) -> Int? {
    let start = try file.code(at: 0)
    var (offset, chunks) = (0, 0)
    repeat {
      chunks += 1
      guard chunks <= MovieEnd.most else { return nil }
      guard let number = try file.number(at: offset + 4) else { return nil }
      let length = Int(start == "RIFF" ? number.byteSwapped : number)
      offset += 8 + length
      // The last chunk needs no padding.
      if offset != file.available { offset += length & 1 }
    } while try file.code(at: offset) == start
    return offset
  }
}

/// The length in the first chunk, ds64, because the header's length has too few bits (EBU Tech 3306).
enum RF64End {
  @Sendable static func find(in file: inout Body) throws(Shortage) -> Int? {
    guard try file.has("ds64".utf8, at: 12), let low = try file.number(at: 20),
      try file.number(at: 24) == 0
    else { return nil }
    let end = 8 + Int(low.byteSwapped)
    // The last chunk needs no padding.
    return end == file.available ? end : end + end & 1
  }
}

/// Boxes that fill the file, with an index (moov) and media (mdat) among them (ISO/IEC 14496-12).
enum MovieEnd {
  /// The most boxes or chunks to look at. A file of 50 MB could have six million, and all transfers wait meanwhile.
  static let most = 65_536

  @Sendable static func find(in file: inout Body) throws(Shortage) -> Int? {
    var kinds: Set<String> = []
    var last: String?
    var (offset, boxes) = (0, 0)
    while let box = try Box(at: offset, in: &file), box.end <= file.available {
      boxes += 1
      guard boxes <= most else { return nil }
      offset = box.end
      last = box.type
      if kinds.count < 64 { kinds.insert(box.type) }
    }
    guard kinds.isSuperset(of: ["moov", "mdat"]) else { return nil }
    // More fragments could follow unless an index of all fragments (mfra) ends the file.
    return kinds.contains("moof") && last != "mfra" ? nil : offset
  }
}
