/// Names files that contain other files, and serialized data with a file in it. They do not count as the files
/// that they contain: a device would not find the sound in a tar or ZIP archive.
enum HolderRule {
  static func name(of start: [UInt8]) -> String? {
    for (bytes, offset, name) in rows where start.dropFirst(offset).starts(with: bytes) { return name }
    if isTar(start) { return "tar archive" }
    if isStored(start) { return "deflated data" }
    if isPickle(start) { return "pickled Python object" }
    if !TextRule.isText(start), startsWithKey(start) { return "serialized data" }
    return nameOfMessage(start)
  }

  private static let rows: [(bytes: [UInt8], offset: Int, name: String)] = [
    (Array("!<arch>\n".utf8), 0, "ar archive"), (Array("!<thin>\n".utf8), 0, "ar archive"),
    // cpio(5): three formats of text, and one of 16-bit words in either byte order.
    (Array("070701".utf8), 0, "cpio archive"), (Array("070702".utf8), 0, "cpio archive"),
    (Array("070707".utf8), 0, "cpio archive"), ([0x71, 0xc7], 0, "cpio archive"),
    ([0xc7, 0x71], 0, "cpio archive"), (Array("xar!".utf8), 0, "xar archive"),
    (Array("MSCF".utf8), 0, "Windows cabinet"), (Array("-lh".utf8), 2, "LHA archive"),
    ([0x60, 0xea], 0, "ARJ archive"), (Array("WARC/".utf8), 0, "web archive (WARC)"),
    (Array("bplist0".utf8), 0, "binary property list"), ([0x93] + Array("NUMPY".utf8), 0, "NumPy array"),
    ([0xac, 0xed, 0, 5], 0, "serialized Java object"), ([0x89] + Array("HDF\r\n".utf8), 0, "HDF5 data"),
    (Array("CDF\u{1}".utf8), 0, "NetCDF data"),
    (Array("CDF\u{2}".utf8), 0, "NetCDF data"), (Array("Obj\u{1}".utf8), 0, "Avro data"),
    (Array("PAR1".utf8), 0, "Parquet data"), (Array("ARROW1".utf8), 0, "Arrow data"),
    (Array("MATLAB 5.0 MAT-file".utf8), 0, "MATLAB data"), (Array("DICM".utf8), 128, "DICOM image"),
    ([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1], 0, "Microsoft compound file"),
    ([0xd4, 0xc3, 0xb2, 0xa1], 0, "network capture"), ([0xa1, 0xb2, 0xc3, 0xd4], 0, "network capture"),
    ([0x0a, 0x0d, 0x0d, 0x0a], 0, "network capture"), ([0x55, 0xaa], 510, "disk image"),
    // A length in eight bytes, then a description in JSON (safetensors).
    (Array("{\"".utf8), 8, "serialized data"),
  ]

  /// Names a file that libmagic would recognize if it were whole. This may be little more than its start.
  static func likelyName(of start: [UInt8]) -> String? {
    for (bytes, name) in likely where start.starts(with: bytes) { return name }
    return nil
  }

  private static let likely: [(bytes: [UInt8], name: String)] = [
    (Array("OggS".utf8), "Ogg audio or video"), ([0x1a, 0x45, 0xdf, 0xa3], "Matroska or WebM media"),
    ([0x7f] + Array("ELF".utf8), "executable"), (Array("MZ".utf8), "Windows or DOS program"),
    (Array("\u{1b}Lua".utf8), "compiled Lua script"),
    (Array("FWS".utf8), "Flash animation"), (Array("hsqs".utf8), "SquashFS image"),
    (Array("UnityFS\0".utf8), "Unity asset bundle"), (Array("GDPC".utf8), "Godot package"),
    (Array("IWAD".utf8), "archive of a game"), (Array("PWAD".utf8), "archive of a game"),
    (Array("FSB5".utf8), "FMOD sound bank"), (Array("WBND".utf8), "XACT wave bank"),
    (Array("AFS2".utf8), "AFS2 archive"), (Array("RPGMV".utf8), "encrypted file of a game"),
    (Array("IREZ".utf8), "RMF music"), ([0x34, 0x12, 0xaa, 0x55], "VPK archive"),
  ]

  /// Whether the header has the right checksum: the sum of all its bytes, with spaces in place of the sum itself
  /// (POSIX, pax, "ustar Interchange Format"). All variants of tar have it, and the oldest has no other mark.
  private static func isTar(_ start: [UInt8]) -> Bool {
    guard start.count >= 512, start[0] != 0 else { return false }
    let digits = start[148..<156].drop { $0 == 0x20 }.prefix { 0x30...0x37 ~= $0 }
    guard !digits.isEmpty, start[148..<156].allSatisfy({ 0x30...0x37 ~= $0 || $0 == 0x20 || $0 == 0 }) else {
      return false
    }
    let stated = digits.reduce(0) { $0 << 3 | Int($1 & 7) }
    let sum = start[..<148] + start[156..<512]
    // Old programs add signed bytes.
    return sum.reduce(256) { $0 + Int($1) } == stated
      || sum.reduce(256) { $0 + Int(Int8(bitPattern: $1)) } == stated
  }

  /// A block that is not compressed: its length, and the complement of that (RFC 1951, 3.2.4).
  private static func isStored(_ start: [UInt8]) -> Bool {
    start.count > 5 && start[0] < 2 && start[1] == ~start[3] && start[2] == ~start[4]
  }

  /// Protocols 2 to 5 (Python, Lib/pickletools.py). From 4 on, a frame comes first.
  private static func isPickle(_ start: [UInt8]) -> Bool {
    guard start.count > 11, start[0] == 0x80, 2...5 ~= start[1] else { return false }
    // The upper half of the frame's length.
    if start[1] >= 4, start[2] == 0x95 { return start[7..<11].allSatisfy { $0 == 0 } }
    // Opcodes that begin a value: bytes, text, collections, globals.
    return "BCTUX()[]}{cK\u{8}".utf8.contains(start[2]) || [0x8c, 0x8d, 0x8e, 0x96, 0x8f].contains(start[2])
  }

  /// Whether a map starts with a key in plain letters: MessagePack, CBOR (RFC 8949) or BSON.
  private static func startsWithKey(_ start: [UInt8]) -> Bool {
    guard start.count > 40 else { return false }
    let (kind, key) = (start[0], start[1])
    if 0x81...0x8f ~= kind, 0xa1...0xbf ~= key { return isKey(start[2...].prefix(Int(key & 0x1f))) }
    if 0x81...0x8f ~= kind, key == 0xd9 { return isKey(start[3...].prefix(Int(start[2]))) }
    if 0xa1...0xb7 ~= kind || kind == 0xbf, 0x61...0x77 ~= key {
      return isKey(start[2...].prefix(Int(key & 0x1f)))
    }
    // The length of the document, then the type of its first element.
    guard start[3] == 0, 1...0x13 ~= start[4] else { return false }
    let name = start[5...].prefix { $0 != 0 }
    return name.endIndex < start.endIndex && isKey(name)
  }

  /// Three or more such characters do not occur by chance.
  private static func isKey(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.count >= 3 && bytes.count < 64
      && bytes.allSatisfy {
        0x30...0x39 ~= $0 || 0x41...0x5a ~= $0 || 0x61...0x7a ~= $0 || "_-. ".utf8.contains($0)
      }
  }

  /// Names a message by its first lines: an answer of HTTP, parts of a form, or a mail (RFC 5322, RFC
  /// 2046, RFC 9112). Bytes of a file may follow them.
  private static func nameOfMessage(_ start: [UInt8]) -> String? {
    let head = start.prefix { 0x20..<0x7f ~= $0 || TextRule.isSpace($0) }
    var lines = head.split { $0 == 0x0a || $0 == 0x0d }.prefix(20)
    guard let first = lines.popFirst() else { return nil }
    if first.starts(with: "HTTP/".utf8) { return "HTTP answer in a file" }
    if first.starts(with: "--".utf8), let next = lines.first, next.starts(with: "Content-".utf8),
      isField(next)
    {
      return "multipart message"
    }
    // A mailbox starts with an envelope that has no colon.
    guard isField(first) || first.starts(with: "From ".utf8) else { return nil }
    for line in [first] + lines
    where isField(line) && fieldsOfMail.contains(where: { line.starts(with: $0.utf8) }) {
      return "mail"
    }
    return nil
  }

  /// At least one of these is in each mail.
  private static let fieldsOfMail = [
    "Received:", "Return-Path:", "Message-ID:", "Message-Id:", "MIME-Version:", "Delivered-To:", "From:",
    "Subject:",
  ]

  /// A name of letters and hyphens, a colon and a space.
  private static func isField(_ line: ArraySlice<UInt8>) -> Bool {
    let name = line.prefix { 0x41...0x5a ~= $0 || 0x61...0x7a ~= $0 || $0 == 0x2d }
    return name.count >= 2 && name.count < 64 && line.dropFirst(name.count).starts(with: ": ".utf8)
  }
}
