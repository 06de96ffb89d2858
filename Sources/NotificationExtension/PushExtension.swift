internal import Foundation

/// A change to a push in the extension. Apply each piece when it comes. The push can be shown after any piece, so it
/// does not matter when the extension's time runs out.
public enum PushPiece: Equatable, Sendable {
  /// The new body. Comes twice if the server is asked for missed pushes: the summary first, and the push's own body
  /// when the server has answered.
  case body(String)
  case attachment(LoadedAttachment)
  /// Register it before the push is shown.
  case category(PushCategory)
}

/// What a notification service extension does with the pushes that push-enricher has enriched.
public struct PushExtension: Sendable {
  /// The push queue; nil for none.
  public var queue: PushQueue?
  /// Downloads the attachment.
  public var loader = AttachmentLoader()
  /// The name of the payload's list of attachments (`--attachments-key`).
  public var attachmentsKey = "attachments"
  /// Finds the members that push-enricher has added. Most services pass the payload on as it is. Expo, for example,
  /// wraps them: `{ $0["body"] as? [AnyHashable: Any] ?? $0 }`.
  public var members: @Sendable ([AnyHashable: Any]) -> [AnyHashable: Any] = { $0 }
  /// Which URLs may be fetched.
  public var schemes: Set<String> = ["https"]

  public init(queue: PushQueue? = nil) { self.queue = queue }

  /// Handles a push. Its parts are handled at the same time. The stream ends when all are there, or have failed. If
  /// nobody listens any more, they are cancelled.
  /// - Parameter category: `aps.category`; empty for none.
  public func pieces(
    userInfo: [AnyHashable: Any], text: PushText, category: String
  ) -> AsyncStream<PushPiece> {
    let (pieces, output) = AsyncStream.makeStream(of: PushPiece.self)
    let mark = QueueMark(userInfo: userInfo)
    let members = members(userInfo)
    let attachments = MediaAttachment.all(in: members, key: attachmentsKey, schemes: schemes)
    let source = PushCategory.source(in: members, identifier: category)
    let work = Task { [self] in
      await withTaskGroup(of: Void.self) { group in
        if let queue, let mark {
          group.addTask { await queue.receive(mark, text) { output.yield(.body($0)) } }
        }
        if !attachments.isEmpty {
          group.addTask {
            guard let loaded = await loader.loadFirst(of: attachments) else { return }
            if case .terminated = output.yield(.attachment(loaded)) {
              try? FileManager.default.removeItem(at: loaded.file)
            }
          }
        }
        if let source {
          group.addTask {
            let category = await PushCategory.load(source, identifier: category, schemes: schemes)
            if let category { output.yield(.category(category)) }
          }
        }
      }
      output.finish()
    }
    output.onTermination = { _ in work.cancel() }
    return pieces
  }
}
