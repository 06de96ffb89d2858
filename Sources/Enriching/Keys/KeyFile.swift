internal import Decrypting
internal import Notifications
internal import Supporting

/// A JSON object of keys by name: `{"dev-7f3a":{"format":"aes128gcm","key":"…"}}`.
enum KeyFile {
  /// In bytes. Enough for about ten thousand keys.
  fileprivate static let maximumLength = 1_048_576

  static func read(_ path: String) throws(KeyFileError) -> (records: [String: KeyRecord], stamp: FileStamp) {
    let file = try SettingsFile.read(
      path, atMost: maximumLength, as: { KeyFileError(path, $0) },
      check: { (status) throws(KeyFileError) in
        if let exposure = FileExposure(status) { throw .exposed(path: path, exposure) }
      }
    ) { (bytes) throws(KeyFileError) in
      try records(in: bytes, of: path)
    }
    return (file.content, file.stamp)
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
  fileprivate init(_ path: String, _ trouble: SettingsFile.Trouble) {
    self =
      switch trouble {
      case .unreadable(let detail): .unreadable(path: path, detail: detail)
      case .tooLarge: .tooLarge(path: path, maximum: KeyFile.maximumLength)
      case .leadsAway: .leadsAway(path: path)
      }
  }

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
