#if canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
  internal import Dispatch
  internal import Foundation
  internal import UserNotifications

  extension PushCategory {
    /// Extensions in one process take turns. Each reads all categories and sets them again, so it would remove a
    /// category that another adds in between.
    private static let turns = DispatchQueue(label: "push-enricher.categories")

    /// Adds the category to those that the app has registered, and returns when it is in force.
    func register() async {
      await withCheckedContinuation { done in
        Self.turns.async {
          let isInForce = DispatchSemaphore(value: 0)
          UNUserNotificationCenter.current().getNotificationCategories { own in
            let same = own.first { $0.identifier == identifier }
            let center = UNUserNotificationCenter.current()
            center.setNotificationCategories(
              own.filter { $0.identifier != identifier }.union([merged(with: same)]))
            // The categories are set in another process. Reading them waits for that.
            center.getNotificationCategories { _ in isInForce.signal() }
          }
          // If the system does not answer, the next category still gets its turn.
          _ = isInForce.wait(timeout: .now() + 5)
          done.resume()
        }
      }
    }

    /// Does the same as `[PushCategory].merged(with:)`. The app's own actions stay the same objects.
    private func merged(with own: UNNotificationCategory?) -> UNNotificationCategory {
      UNNotificationCategory(
        identifier: identifier,
        actions: actions.map(\.action).merged(with: own?.actions ?? [], by: \.identifier),
        intentIdentifiers: own?.intentIdentifiers ?? [],
        hiddenPreviewsBodyPlaceholder: hiddenPreviewsBodyPlaceholder ?? own?.hiddenPreviewsBodyPlaceholder,
        categorySummaryFormat: categorySummaryFormat ?? own?.categorySummaryFormat,
        options: options.isEmpty ? own?.options ?? [] : categoryOptions)
    }

    private var categoryOptions: UNNotificationCategoryOptions {
      var all: UNNotificationCategoryOptions = []
      if options.contains(.customDismissAction) { all.insert(.customDismissAction) }
      #if !os(macOS)
        if options.contains(.allowInCarPlay) { all.insert(.allowInCarPlay) }
      #endif
      if options.contains(.hiddenPreviewsShowTitle) { all.insert(.hiddenPreviewsShowTitle) }
      if options.contains(.hiddenPreviewsShowSubtitle) { all.insert(.hiddenPreviewsShowSubtitle) }
      return all
    }
  }

  extension PushAction {
    fileprivate var action: UNNotificationAction {
      let text =
        switch title {
        case .text(let text): text
        case .localized(let key, let arguments):
          NSString.localizedUserNotificationString(forKey: key, arguments: arguments)
        }
      let symbol: UNNotificationActionIcon? =
        switch icon {
        case .system(let name): UNNotificationActionIcon(systemImageName: name)
        case .template(let name): UNNotificationActionIcon(templateImageName: name)
        case nil: nil
        }
      var all: UNNotificationActionOptions = []
      if options.contains(.foreground) { all.insert(.foreground) }
      if options.contains(.destructive) { all.insert(.destructive) }
      if options.contains(.authenticationRequired) { all.insert(.authenticationRequired) }
      guard let textInput else {
        return UNNotificationAction(identifier: identifier, title: text, options: all, icon: symbol)
      }
      return UNTextInputNotificationAction(
        identifier: identifier, title: text, options: all, icon: symbol,
        textInputButtonTitle: textInput.buttonTitle, textInputPlaceholder: textInput.placeholder)
    }
  }
#endif
