internal import Glibc
internal import Queueing
internal import Supporting

/// The HTTP/2 of a single push on a connection of its own.
struct PushDialogue {
  private let channel: TLSChannel
  private let target: PushTarget
  private let end: MonotonicTime
  private let start = MonotonicTime.now

  init(_ channel: TLSChannel, _ target: PushTarget, _ times: PushTimes) {
    (self.channel, self.target) = (channel, target)
    end = start + times.answer
  }

  private static let noMemory = PushFailure("there is no memory for a connection")

  func send(_ push: PushStream, _ story: inout PushStory) throws(PushFailure) {
    guard let session = HTTP2Session(authority: target.authority) else { throw Self.noMemory }
    // The server's SETTINGS come first (RFC 9113 section 3.4).
    var opened: MonotonicTime?
    var (buffer, output) = ([UInt8](repeating: 0, count: 16_384), [UInt8]())
    while true {
      try write(&output, of: session, push)
      try read(&buffer, into: session, push)
      for event in session.takeEvents() {
        switch event {
        case .settings:
          let allowed = "\(session.allowed) \(session.allowed == 1 ? "push" : "pushes") at a time"
          story.tell("settings", allowed, since: opened ?? start)
          guard opened == nil else { continue }
          guard session.open(push) else { throw Self.noMemory }
          opened = .now
          story.tell(push.request)
        case .goAway(let code, let data): try take(goAway: code, data, &story)
        case .closed(_, let code):
          session.end()
          try? write(&output, of: session, push)
          channel.finish()
          return try take(push, code, since: opened ?? start, &story)
        }
      }
    }
  }

  private func write(_ output: inout [UInt8], of session: HTTP2Session, _ push: PushStream)
    throws(PushFailure)
  {
    if let fault = session.frame(into: &output, atLeast: 65_536) { throw broken(fault, push) }
    while !output.isEmpty {
      switch channel.write(output[...]) {
      case .done(let count): output.removeFirst(count)
      // The server may have to send something first.
      case .waitsToRead: return
      case .waitsToWrite: try wait(POLLOUT, push)
      case .ended: throw ended("\(target.place) closed the connection", push)
      case .failed(let reason): throw ended("the connection to \(target.place) ended (\(reason))", push)
      }
    }
  }

  private func read(
    _ buffer: inout [UInt8], into session: HTTP2Session, _ push: PushStream
  ) throws(PushFailure) {
    while true {
      switch channel.read(into: &buffer) {
      case .done(let count):
        if let fault = session.receive(buffer[..<count]) ?? session.fault { throw broken(fault, push) }
        return
      case .waitsToRead: try wait(POLLIN, push)
      case .waitsToWrite: try wait(POLLOUT, push)
      case .ended: throw ended("\(target.place) closed the connection", push)
      case .failed(let reason): throw ended("the connection to \(target.place) ended (\(reason))", push)
      }
    }
  }

  private func wait(_ events: Int32, _ push: PushStream) throws(PushFailure) {
    guard SocketWait.wait(channel.descriptor, for: events, until: end) else {
      throw ended("\(target.place) has not answered for \((end - start).components.seconds) s", push)
    }
  }

  private func take(
    goAway code: UInt32, _ data: [UInt8], _ story: inout PushStory
  ) throws(PushFailure) {
    let answer = PushAnswer(status: 500, body: data)
    let words = [answer.reason, code == 0 ? nil : "code \(code)"].compactMap(\.self).joined(separator: ", ")
    story.tell("goaway", words.isEmpty ? "without a reason" : words, since: start)
    guard answer.reason != nil, answer.kind == .credentials else { return }
    throw PushFailure("\(target.place) ended the connection (\(words)): \(answer.adviceForOne)")
  }

  /// - Parameter code: the code of RST_STREAM, or 0.
  private func take(
    _ push: PushStream, _ code: UInt32, since start: MonotonicTime, _ story: inout PushStory
  ) throws(PushFailure) {
    guard push.status == 200 || push.status > 200 && code == 0 else {
      // REFUSED_STREAM (RFC 9113 section 8.7), or the request was never sent.
      guard code == 7 || !push.isOpened else { throw ended("its stream was reset with code \(code)", push) }
      throw PushFailure("\(target.place) did not take it on (code \(code)): try again")
    }
    let answer = PushAnswer(status: push.status, body: push.answer)
    story.tell(answer, since: start)
    guard answer.kind == .sent else {
      throw PushFailure(answer.detail(push.request, advice: answer.adviceForOne))
    }
  }

  private func broken(_ fault: String, _ push: PushStream) -> PushFailure {
    ended("\(target.place) broke the rules of HTTP/2 (\(fault))", push)
  }

  private func ended(_ what: String, _ push: PushStream) -> PushFailure {
    PushFailure(
      push.isOpened
        ? "\(what), so it is unknown whether APNs has taken the push: look at the device before you send it again"
        : "\(what): check that this is the address of APNs, and try again")
  }
}

extension PushAnswer {
  /// What to do about a push that is not sent again by itself.
  fileprivate var adviceForOne: String {
    switch kind {
    case .deviceTooFast: "send less often to this device, and try again later"
    case .later, .shutdown, .idle:
      "try again later; if this goes on, check the host and Apple's system status"
    default:
      reason == nil
        ? "APNs would have given a reason, so check that the host is one of APNs'"
        : AnswerRule(status: status, reason: reason).advice
    }
  }
}
