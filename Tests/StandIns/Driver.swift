import Foundation
import NotificationExtension
import UserNotifications

// Runs the extension of the article InYourApp. A test compiles it with that code. Each line of standard input is a payload.
// A number after a tab says after how many milliseconds the system ends the extension's time. Several payloads in a
// line, with tabs between them, arrive at the same time.

@main struct Driver {
  static func main() async throws {
    UserDefaults(suiteName: Pushes.group)?.set("6F1C", forKey: "device-id")
    let app = UNNotificationCategory(
      identifier: "APP", actions: [UNNotificationAction(identifier: "open", title: "Open")],
      intentIdentifiers: [],
      hiddenPreviewsBodyPlaceholder: nil, categorySummaryFormat: nil)
    UNUserNotificationCenter.current().setNotificationCategories([app])
    while let line = readLine() {
      let parts = line.split(separator: "\t").map(String.init)
      if parts.count > 1, Int(parts[1]) == nil {
        await withTaskGroup(of: Void.self) { group in
          for part in parts { group.addTask { _ = try? await run(part, expiring: nil) } }
        }
        print(await categories())
      } else {
        print(try await run(parts[0], expiring: parts.count > 1 ? Int(parts[1]) : nil))
      }
    }
  }

  private static func run(_ payload: String, expiring milliseconds: Int?) async throws -> String {
    let userInfo = try JSONSerialization.jsonObject(with: Data(payload.utf8)) as? [String: Any] ?? [:]
    let aps = userInfo["aps"] as? [String: Any]
    var values = UNNotificationContent.Values()
    values.body = aps?["alert"] as? String ?? ""
    values.categoryIdentifier = aps?["category"] as? String ?? ""
    values.userInfo = userInfo
    let request = UNNotificationRequest(content: UNMutableNotificationContent(values))
    let service = NotificationService()
    let (contents, output) = AsyncStream.makeStream(of: String.self)
    service.didReceive(request) { content in
      let media = content.values.attachments.map { attachment in
        let size = (try? Data(contentsOf: attachment.url).count) ?? 0
        let options = attachment.options.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: ",")
        try? FileManager.default.removeItem(at: attachment.url)
        return "\(attachment.identifier) \(attachment.url.pathExtension) \(size) \(options)"
      }
      output.yield("\(content.values.body)|\(media.joined(separator: ";"))".replacing("\n", with: "/"))
    }
    if let milliseconds {
      try await Task.sleep(for: .milliseconds(milliseconds))
      service.serviceExtensionTimeWillExpire()
    }
    var shown = "nothing"
    for await content in contents {
      shown = content
      break
    }
    let all = await categories()
    return "\(shown)|\(all)"
  }

  private static func categories() async -> String {
    await withCheckedContinuation { done in
      UNUserNotificationCenter.current().getNotificationCategories { all in
        let texts = all.map { category in
          "\(category.identifier):\(category.actions.map { "\($0.identifier)=\($0.title)" }.joined(separator: ","))"
        }
        done.resume(returning: texts.sorted().joined(separator: " "))
      }
    }
  }
}

/// Also fetches from the test's server.
func loopback(_ handling: PushExtension) -> PushExtension {
  var handling = handling
  handling.schemes.insert("http")
  return handling
}

extension FileManager {
  /// Linux has no app groups.
  func containerURL(forSecurityApplicationGroupIdentifier group: String) -> URL? {
    ProcessInfo.processInfo.environment["HOME"].map { URL(fileURLWithPath: $0) }
  }
}
