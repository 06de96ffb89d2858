internal import Decrypting
internal import Glibc
internal import Notifications
internal import Supporting

/// A JSON object of keys by name: `{"dev-7f3a":{"format":"aes128gcm","key":"…"}}`. Wipes the bytes.
enum KeyFile {
  /// In bytes. Enough for about ten thousand keys.
  private static let maximumLength = 1_048_576

  static func read(_ path: String) throws(KeyFileError) -> (records: [String: KeyRecord], stamp: FileStamp) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let code = errno
      if code == EACCES, leadsAway(path) { throw .leadsAway(path: path) }
      throw .unreadable(path: path, detail: String(errno: code))
    }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode.isRegularFile else {
      throw .unreadable(path: path, detail: "this is not a file")
    }
    if let exposure = FileExposure(status) { throw .exposed(path: path, exposure) }
    guard status.st_size <= maximumLength else { throw .tooLarge(path: path, maximum: maximumLength) }
    // Allocated once, because an array that grows would leave copies behind.
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    defer { bytes.wipe() }
    var length = 0
    while length < bytes.count {
      let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe Glibc.read(descriptor, $0.baseAddress?.advanced(by: length), $0.count - length)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .unreadable(path: path, detail: String(errno: errno)) }
      guard count > 0 else { break }
      length += count
    }
    return (try records(in: bytes, of: path), FileStamp(status))
  }

  /// Whether a link leads to another directory, which the sandbox does not let this process read.
  private static func leadsAway(_ path: String) -> Bool {
    guard let file = realPath(of: path), let folder = realPath(of: path.parentDirectory) else { return false }
    return !file.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
  }

  /// - Throws: `KeyFileError`, which quotes nothing from a record.
  static func records(in bytes: [UInt8], of path: String) throws(KeyFileError) -> [String: KeyRecord] {
    let document = try rethrowing(as: { KeyFileError(path, $0) }) { () throws(JSONError) in
      try JSONDocument(bytes, maximumDepth: 8)
    }
    guard document.root.kind == .object else { throw .notJSON(path: path, at: nil) }
    var records: [String: KeyRecord] = [:]
    for member in document.root.members {
      let name = member.name
      let record = try rethrowing(as: { KeyFileError(path, keyID: name, $0) }) { () throws(DecryptingError) in
        try KeyRecord.read(member.value, name: name)
      }
      if records.updateValue(record, forKey: name) != nil { throw .duplicate(path: path, keyID: name) }
    }
    return records
  }
}

extension KeyFileError {
  fileprivate init(_ path: String, keyID: String, _ error: DecryptingError) {
    let expected = if case .keyInvalid(let expected) = error { expected } else { "memory" }
    self = .recordInvalid(path: path, keyID: keyID, expected: expected)
  }

  /// Says where the file stops being JSON, but not what is there, because it may be part of a key.
  fileprivate init(_ path: String, _ error: JSONError) {
    self =
      switch error {
      case .byteOrderMark: .byteOrderMark(path: path)
      case .tooDeep(let position, _), .invalidUTF8(let position), .unexpected(_, let position, _):
        .notJSON(path: path, at: position)
      case .tooLong: .notJSON(path: path, at: nil)
      }
  }
}
