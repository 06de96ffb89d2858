#if canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
  internal import Foundation
  public import UserNotifications

  /// Connects a `PushExtension` to the system. Each `UNNotificationServiceExtension` has its own: call `begin` in
  /// `didReceive` and `expire` in `serviceExtensionTimeWillExpire`.
  // Unchecked: everything that changes is used under the lock only.
  public final class PushDelivery: @unchecked Sendable {
    private let handling: PushExtension
    private let lock = NSLock()
    private var content: UNMutableNotificationContent?
    /// Nil in a task that `expire` has cancelled: its push is shown, and `content` may be the next one.
    private var ownContent: UNMutableNotificationContent? { Task.isCancelled ? nil : content }
    private var handler: ((UNNotificationContent) -> Void)?
    private var work: Task<Void, Never>?

    public init(_ handling: PushExtension) { self.handling = handling }

    /// Handles a push, and calls `handler` once, when all is done or with `expire`.
    public func begin(_ request: UNNotificationRequest, _ handler: @escaping (UNNotificationContent) -> Void)
    {
      guard let content = request.content.mutableCopy() as? UNMutableNotificationContent else {
        return handler(request.content)
      }
      expire()
      let pieces = handling.pieces(
        userInfo: content.userInfo,
        text: PushText(title: content.title, subtitle: content.subtitle, body: content.body),
        category: content.categoryIdentifier)
      lock.withLock {
        (self.content, self.handler) = (content, handler)
        work = Task { [self] in
          for await piece in pieces { await apply(piece) }
          deliver()
        }
      }
    }

    /// Shows the push as far as it has come.
    public func expire() {
      lock.withLock { work }?.cancel()
      deliver()
    }

    private func deliver() {
      let show: (() -> Void)? = lock.withLock {
        guard let handler, let content = ownContent else { return nil }
        (self.handler, self.content, work) = (nil, nil, nil)
        return { handler(content) }
      }
      show?()
    }

    private func apply(_ piece: PushPiece) async {
      switch piece {
      case .body(let text): lock.withLock { ownContent?.body = text }
      case .attachment(let loaded):
        let isAttached = lock.withLock { ownContent?.attach(loaded) ?? false }
        if !isAttached { try? FileManager.default.removeItem(at: loaded.file) }
      case .category(let category): await category.register()
      }
    }
  }

  extension UNMutableNotificationContent {
    /// - Returns: whether the system has taken the file.
    fileprivate func attach(_ loaded: LoadedAttachment) -> Bool {
      let options = loaded.attachment.options
      var all: [String: Any] = [UNNotificationAttachmentOptionsTypeHintKey: loaded.attachment.type]
      all[UNNotificationAttachmentOptionsThumbnailHiddenKey] = options.thumbnailHidden
      all[UNNotificationAttachmentOptionsThumbnailTimeKey] = options.thumbnailTime
      // As CGRectCreateDictionaryRepresentation spells it.
      all[UNNotificationAttachmentOptionsThumbnailClippingRectKey] = options.thumbnailClippingRect.map {
        ["X": $0.x, "Y": $0.y, "Width": $0.width, "Height": $0.height]
      }
      let identifier = loaded.attachment.identifier
      guard let new = try? UNNotificationAttachment(identifier: identifier, url: loaded.file, options: all)
      else { return false }
      attachments.append(new)
      return true
    }
  }
#endif
