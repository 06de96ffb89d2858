internal import Notifications
internal import Queueing
internal import Supporting

extension PushType {
  /// The suffix that APNs wants after the bundle id in the topic.
  var topicSuffix: String {
    switch self {
    case .alert, .background, .mdm: ""
    case .location: ".location-query"
    case .voip: ".voip"
    case .complication: ".complication"
    case .fileProvider: ".pushkit.fileprovider"
    case .liveactivity: ".push-type.liveactivity"
    case .pushtotalk: ".voip-ptt"
    case .widgets: ".push-type.widgets"
    case .controls: ".push-type.controls"
    }
  }

  /// Whether the payload needs no `aps`: the app or the system reads the rest of it.
  var isFreeForm: Bool { [.voip, .mdm, .fileProvider, .complication].contains(self) }

  /// - Parameter text: the value of `apns-push-type`. Case does not matter.
  init(header text: String) throws(Rejection) {
    guard let type = Self.allCases.first(where: { text.isSameASCII(as: $0.rawValue) }) else {
      let types = Self.allCases.map(\.rawValue).joined(separator: ", ")
      throw .header(.pushType, "is not a push type", right: "the types are \(types)", text)
    }
    self = type
  }

  /// The type that the suffix of a topic stands for.
  init?(topic: String) {
    let type = Self.allCases.first { !$0.topicSuffix.isEmpty && topic.hasASCIISuffix($0.topicSuffix) }
    guard let type else { return nil }
    self = type
  }

  /// The topic with the suffix of this type. Any other topic would be refused.
  func topic(_ topic: String) -> String {
    topicSuffix.isEmpty || topic.hasASCIISuffix(topicSuffix) ? topic : topic + topicSuffix
  }
}

extension String {
  fileprivate func hasASCIISuffix(_ suffix: String) -> Bool {
    utf8.count >= suffix.utf8.count && utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
  }
}
