internal import Notifications
internal import Queueing
internal import Sending
internal import Supporting

/// Where `enrich` sends its result: --to and --device-token, checked.
struct PushChoice {
  let queue: QueueChoice
  private let push: SinglePush

  /// Nil if the result is not sent anywhere.
  init?(
    to: String?, deviceToken: String?, _ type: PushType?, _ sources: OptionSources,
    trusting authorities: String?
  ) throws(CommandError) {
    guard let to else {
      guard deviceToken == nil else {
        throw CommandError("--device-token: name APNs with --to as well: --to '\(Self.example)'")
      }
      return nil
    }
    guard let deviceToken else {
      throw CommandError("--to: name the device as well: --device-token TOKEN, in hexadecimal or base64")
    }
    queue = try QueueChoice(.enriched, option: ("--to", to), in: sources)
    let url = try queue.url(of: "enrich sends its result to APNs only")
    let headers = [
      Header(Message.deviceTokenHeader, deviceToken), type.map { Header("apns-push-type", $0.rawValue) },
    ]
    do throws(QueueError) {
      push = try SinglePush(to: url, headers: headers.compactMap(\.self), trusting: authorities)
    } catch {
      throw queue.failure(opening: error)
    }
    if let fault = push.fault { throw CommandError("the push would not be sent: \(fault)") }
  }

  private static let example = "apns://api.push.apple.com?key=FILE&key-id=ID&team-id=ID&topic=TOPIC"

  func send(_ payload: [UInt8]) async -> PushStory { await push.send(payload) }
}

extension QueueChoice {
  /// - Parameter rule: why it has to be APNs.
  func url(of rule: String) throws(CommandError) -> APNsURL {
    let named: any QueueURL
    do throws(QueueError) { named = try url.get() } catch { throw failure(opening: error) }
    guard let url = named as? APNsURL else {
      throw CommandError(
        "\(self): \(rule): write it like 'apns://api.push.apple.com?key=FILE&key-id=ID&team-id=ID'")
    }
    return url
  }
}

extension PushStory {
  /// Formats the steps as `Explanation` does.
  var explanation: String {
    steps.map { "\($0.name.padded(to: 8)) \($0.text.printable)\n" }.joined()
  }

  var line: String {
    if let failure { return "not accepted: \(failure.printable)" }
    return
      "sent in \(elapsed.milliseconds) ms: APNs has accepted push \(apnsID ?? "") for device \(device)"
  }
}

extension PushStory: JSONWritable {
  func write(to writer: inout JSONWriter) {
    writer.object {
      $0.member("accepted", failure == nil)
      $0.member("status", status)
      $0.member("reason", reason)
      $0.member("apns_id", apnsID)
      $0.member("detail", failure?.printable)
      $0.member("elapsed_ms", elapsed.milliseconds)
    }
  }
}
