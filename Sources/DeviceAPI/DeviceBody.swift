internal import Notifications
internal import PushQueueing
internal import Supporting

/// The body of a request: a JSON object. Members with other names are ignored. Of members with the same name, the
/// last one counts.
struct DeviceBody {
  private let object: JSONValue
  /// The newest push that the device got. The ticket of the request has to be that of this push.
  let position: QueuePosition

  init(_ bytes: [UInt8]) throws(BodyFault) {
    do throws(JSONError) { object = try JSONDocument(bytes).root } catch { throw BodyFault("\(error)") }
    guard object.kind == .object else { throw BodyFault("it has to be a JSON object") }
    let device = AppDevice(app: try object.name("app"), device: try object.name("device"))
    position = QueuePosition(
      device: device, epoch: try object.integer("e", from: 0), position: try object.integer("last", from: 1))
  }

  var question: MissedQuestion {
    get throws(BodyFault) {
      MissedQuestion(
        device: position.device, epoch: position.epoch, last: position.position,
        count: try object.integer("count", from: 1), seen: try object.bits("seen"))
    }
  }

  var receipt: PushReceipt {
    get throws(BodyFault) {
      PushReceipt(
        device: position.device, epoch: position.epoch, last: position.position,
        seen: try object.bits("seen"), summarized: try object.integer("summarized", from: 0, orElse: 0))
    }
  }
}

/// What is wrong with a body.
struct BodyFault: Error, Equatable {
  let text: String

  init(_ text: String) { self.text = text }
}

extension JSONValue {
  /// The largest number that every JSON reader (RFC 8259 section 6) and a Redis script can represent.
  private static var largest: Int { 9_007_199_254_740_991 }
  /// In bytes.
  private static var longestName: Int { 255 }

  /// Control characters are not allowed: a ticket is made of names with zero bytes between them.
  fileprivate func name(_ member: String) throws(BodyFault) -> String {
    guard let text = given(member)?.string, 1...Self.longestName ~= text.utf8.count,
      text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else {
      throw BodyFault(
        "“\(member)” has to be a string of 1 to \(Self.longestName) bytes without control characters")
    }
    return text
  }

  fileprivate func integer(
    _ member: String, from least: Int, orElse missing: Int64? = nil
  ) throws(BodyFault) -> Int64 {
    let value = given(member)
    if let missing, value == nil { return missing }
    guard let number = value?.integer, least...Self.largest ~= number else {
      throw BodyFault("“\(member)” has to be an integer from \(least) to \(Self.largest)")
    }
    return Int64(number)
  }

  /// Reads exactly 64 bits: from an integer, or from a text, for writers of JSON whose numbers have
  /// only 53 bits.
  fileprivate func bits(_ member: String) throws(BodyFault) -> UInt64 {
    let value = given(member)
    let digits = value?.utf8 ?? value.flatMap { $0.kind == .number ? Array($0.spelling.utf8)[...] : nil }
    guard let digits, digits.allSatisfy(\.isASCIIDigit),
      let bits = UInt64(String(decoding: digits, as: UTF8.self))
    else {
      throw BodyFault(
        "“\(member)” has to be an integer from 0 to \(UInt64.max), or a string of its decimal digits")
    }
    return bits
  }
}
