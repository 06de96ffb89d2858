public import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A file that is ready to be attached.
public struct LoadedAttachment: Equatable, Sendable {
  public let attachment: MediaAttachment
  /// Ends with the extension of its type. The system moves it away when it is attached.
  public let file: URL
}

/// Why an attachment cannot be shown.
public enum AttachmentError: Error, Equatable {
  /// Nil if the server did not answer.
  case status(Int?)
  /// In bytes. The file may be even larger, because the download stops once there are too many.
  case size(Int, expected: Int)
  /// The bytes are not those that push-enricher has checked.
  case digest
  /// The file does not begin like its type.
  case type
  case cannotWrite
}

/// Downloads attachments, and verifies them.
public struct AttachmentLoader: Sendable {
  private let directory: URL
  private let limit: Duration

  /// - Parameters:
  ///   - directory: where the files go. Nobody else may change them.
  ///   - limit: how long a download may take.
  public init(
    into directory: URL = FileManager.default.temporaryDirectory, limit: Duration = .seconds(20)
  ) {
    (self.directory, self.limit) = (directory, limit)
  }

  /// Returns the first attachment that works. The limit is for all of them together.
  public func loadFirst(of attachments: [MediaAttachment]) async -> LoadedAttachment? {
    let end = ContinuousClock.now + limit
    for attachment in attachments {
      let left = end - ContinuousClock.now
      guard left > .zero, !Task.isCancelled else { return nil }
      let loaded = await withTimeLimit(left) { try? await load(attachment) }
      if let loaded { return loaded }
    }
    return nil
  }

  /// Returns a file whose size, SHA-256 and type are verified. Leaves no file behind if it throws.
  /// - Throws: `AttachmentError`.
  public func load(_ attachment: MediaAttachment) async throws -> LoadedAttachment {
    guard let type = attachment.mediaType else { throw AttachmentError.type }
    let file = directory.appendingPathComponent("\(UUID().uuidString).\(type.filenameExtension)")
    do {
      try await download(attachment, to: file)
      try verifyType(type, of: file)
      return LoadedAttachment(attachment: attachment, file: file)
    } catch {
      try? FileManager.default.removeItem(at: file)
      throw error as? AttachmentError ?? .status(nil)
    }
  }

  private func download(_ attachment: MediaAttachment, to file: URL) async throws {
    guard FileManager.default.createFile(atPath: file.path, contents: nil),
      let handle = try? FileHandle(forWritingTo: file)
    else { throw AttachmentError.cannotWrite }
    defer { try? handle.close() }
    let answer: Exchange.Answer
    do {
      answer = try await Exchange(atMost: attachment.size, into: handle).run(URLRequest(url: attachment.url))
    } catch Exchange.Failure.tooLong(let status) {
      guard status == 200 else { throw AttachmentError.status(status) }
      throw AttachmentError.size(attachment.size + 1, expected: attachment.size)
    } catch Exchange.Failure.cannotWrite {
      throw AttachmentError.cannotWrite
    }
    guard answer.status == 200 else { throw AttachmentError.status(answer.status) }
    guard answer.length == attachment.size else {
      throw AttachmentError.size(answer.length, expected: attachment.size)
    }
    guard answer.digest.hexadecimal == attachment.sha256 else { throw AttachmentError.digest }
  }

  private func verifyType(_ type: MediaType, of file: URL) throws {
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }
    let start = try handle.read(upToCount: MediaType.startLength) ?? Data()
    guard type.fits(Array(start)) else { throw AttachmentError.type }
  }
}

extension [UInt8] {
  fileprivate var hexadecimal: String {
    map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
}
