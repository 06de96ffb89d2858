internal import Caching
internal import Sniffing
internal import Storing

/// A file of the store that one payload after the other may name.
struct ReusableFile: Sendable {
  let file: StoredFile
  let format: MediaFormat
  /// The server's label.
  let contentType: String?

  init(_ kept: MediaIntake.Kept, contentType: String?) {
    file = kept.file
    format = kept.format
    self.contentType = contentType
  }

  /// - Returns: nil for what this program did not write.
  init?(_ entry: CacheEntry) {
    guard let format = MediaFormat(rawValue: entry.file.format),
      let file = StoredFile(
        name: entry.file.name, size: entry.file.size, filenameExtension: format.filenameExtension)
    else { return nil }
    self.file = file
    self.format = format
    contentType = entry.file.contentType
  }

  var forCache: CacheEntry.File {
    CacheEntry.File(name: file.name, size: file.size, format: format.rawValue, contentType: contentType)
  }
}
