/// What a `HostileServer` does to a request: a row for each way in which a server fails, lies or attacks.
///
/// Where a client "notices" something, that is what libcurl 7.88 does with its defaults, or is known not to.
/// Streams that never end stop after `endlessBound` bytes, so that a defenceless client ends too.
package indirect enum Behaviour: Hashable, Sendable {
  // MARK: As it should be

  /// Answers as told, and keeps the connection where the framing allows.
  case serve(Response)
  /// The same with this `ETag`, and 304 without a body for a client that has it already.
  case revalidating(Response, tag: String)

  // MARK: Silence and slowness

  /// Reads the request and never says a word.
  case silent
  /// Announces the whole response, sends the first `after` bytes of its body, then nothing more. The
  /// connection stays open.
  case stalling(Response, after: Int)
  /// Behaves otherwise, this much later.
  case late(by: Duration, Behaviour)
  /// A status line at once, then one header byte per interval, without end.
  case drippingHeaders(every: Duration)
  /// A header line of this many bytes that is never complete.
  case stallingHeaderLine(bytes: Int)
  /// The headers at once, then so many bytes of the body per interval.
  case drippingBody(Response, bytes: Int = 1, every: Duration)

  // MARK: Lengths that are not true

  /// Sends one `Content-Length` field for each text, verbatim, then the whole body, then closes. More than
  /// the body: half a file. Less: bytes left over. Two that differ, `-1`, words: a strict client refuses.
  case announcing([String], Response)
  /// Announces the whole response truthfully, sends the first half of the body, then closes in good order.
  case truncated(Response)
  /// `Content-Length` and `Transfer-Encoding: chunked` both (RFC 9112 section 6.3, item 3: an error, or an
  /// attack).
  case lengthAndChunked(Response)

  /// Behaves otherwise, and ends the connection without telling a client over TLS that this is the end.
  case abruptly(Behaviour)
  /// The response, and on the kept connection bytes that nobody has asked for: in the same write, or this much
  /// later. A careless client takes them for the answer to its next request.
  case followed(Response, by: [UInt8], after: Duration = .zero)

  // MARK: Failure

  /// Resets the connection (RST) once the request is read, without an answer.
  case reset
  /// Resets the connection after the first half of the body.
  case resetHalfway(Response)
  /// Behaves as `by` for the first `count` requests and as `then` from there on.
  case failing(first: Int, by: Behaviour, then: Behaviour)

  // MARK: Redirects

  /// `Location` is sent exactly as given: absolute, relative, or no URL at all.
  case redirect(to: String, status: Int = 302)
  /// This many redirects, each to its own URL, before `then`.
  case redirectChain(hops: Int, then: Behaviour)
  /// Redirects to the very URL that was asked for.
  case redirectLoop
  /// Redirects for ever, each time to a URL not seen before.
  case redirectForever
  /// Redirects, with a chunked body of this many bytes, which libcurl's own redirects swallow unseen.
  case redirectWithBody(to: String, bytes: Int)
  /// A 3xx status without `Location`; with 304, the headers are all there is.
  case redirectNowhere(status: Int)

  // MARK: Streams without end

  /// Header after header.
  case endlessHeaders
  /// One header line that does not end.
  case endlessHeaderLine
  /// `103 Early Hints` after `103 Early Hints`.
  case endlessInterimResponses
  /// A body of three bytes and then trailer field after trailer field, past which most limits do not look.
  case endlessTrailers
  /// Chunk after chunk of this `Content-Type`, starting with these bytes.
  case endlessChunks(first: [UInt8], as: String)
  /// The same without chunks, to be ended by a close that never comes.
  case endlessBody(first: [UInt8], as: String)

  // MARK: Not what was asked for

  /// `Content-Encoding: gzip`: 194 kB that unpack to 200 MB of zeros, under the given `Content-Type`.
  case gzipBomb(as: String)
  /// Exactly these bytes, then a close.
  case raw([UInt8])

  /// 600 MB: where an endless stream gives up.
  package static let endlessBound = 600_000_000
}

extension Behaviour {
  /// One header byte a second.
  package static let drippingHeaders = Behaviour.drippingHeaders(every: .seconds(1))

  /// One byte of the body a second.
  package static func drippingBody(_ response: Response) -> Behaviour {
    .drippingBody(response, every: .seconds(1))
  }

  /// Headers that promise the whole response, and nothing after them.
  package static func silentAfterHeaders(_ response: Response) -> Behaviour { .stalling(response, after: 0) }

  /// 100 MB announced. A client that reads the number does not wait for the bytes, which are few.
  package static func hugeLength(as contentType: String) -> Behaviour {
    .announcing(["100000000"], Response(.bytes(Array("tiny".utf8)), as: contentType))
  }

  /// Two `Content-Length` fields, one of them true.
  package static func twoLengths(_ response: Response, other: Int) -> Behaviour {
    .announcing(["\((try? response.body.length()) ?? 0)", "\(other)"], response)
  }

  /// An answer of HTTP/0.9: a body and nothing else.
  package static let http09 = Behaviour.raw(Array("<html>just a body</html>\n".utf8))

  /// Bytes of no protocol: each one once.
  package static let garbage = Behaviour.raw((0...255).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) })

  /// An overloaded server that says when to come back; `retryAfter` is seconds or an HTTP date, verbatim.
  package static func unavailable(_ status: Int = 503, retryAfter: String? = nil) -> Behaviour {
    .serve(Response(status: status, fields: retryAfter.map { [Response.Field("Retry-After", $0)] } ?? []))
  }

  /// The name of the row, as the paths of its URLs have it.
  var name: String { Mirror(reflecting: self).children.first?.label ?? "\(self)" }
}
