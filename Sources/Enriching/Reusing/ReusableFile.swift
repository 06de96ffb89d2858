internal import Caching
internal import Sniffing
internal import Storing

/// A file of the store that more than one payload may name. A class, because callers hold it in frames on the
/// heap.
final class ReusableFile: Sendable {
  let file: StoredFile
  let format: MediaFormat
  /// The server's label.
  let contentType: String?

  init(_ committed: CommittedMedium, contentType: String?) {
    file = committed.file
    format = committed.format
    self.contentType = contentType
  }

  /// - Returns: nil if this program has not written the entry.
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
