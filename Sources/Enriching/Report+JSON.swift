package import Notifications
internal import Fetching
internal import Sniffing
internal import Supporting

extension Report: JSONWritable {
  /// The names are stable. Omits members that do not apply. Makes text from strangers `printable`.
  package func write(to writer: inout JSONWriter) {
    writer.object { writeMembers(to: &$0) }
  }

  package func writeMembers(to writer: inout JSONWriter) {
    writer.member("outcome", outcome)
    writer.member("reason", failure?.reason.rawValue)
    writer.member("detail", failure?.detail.printable)
    writer.member("elapsed_ms", elapsed.milliseconds)
    writer.member("peak_private_bytes", peakPrivateBytes)
    if let envelope {
      writer.member("envelope", envelope)
      writer.name("payloads")
      writer.array { for place in places { $0.write(payload(at: place)) } }
    }
    writer.member("category", category)
    writer.member("texts", texts?.rawValue)
    writer.name("media")
    writer.array { for medium in media { $0.write(medium) } }
  }
}

extension Report {
  private func payload(at place: String) -> PayloadEntry {
    PayloadEntry(place: place, failure: failure ?? failures.first { $0.path == place }?.failure)
  }
}

/// A payload of an envelope.
private struct PayloadEntry: JSONWritable {
  let place: String
  let failure: Failure?

  func write(to writer: inout JSONWriter) {
    writer.object {
      $0.member("at", place.printable)
      $0.member("outcome", failure == nil ? "enriched" : "unmodified")
      $0.member("reason", failure?.reason.rawValue)
      $0.member("detail", failure?.detail.printable)
    }
  }
}

extension MediaReport: JSONWritable {
  package func write(to writer: inout JSONWriter) {
    writer.object {
      $0.member("identifier", identifier.printable)
      $0.member("url", self.url.printable)
      $0.member("dialect", reference.dialect)
      $0.member("path", reference.path.printable)
      $0.member("hint", reference.typeHint?.text.printable)
      $0.member("content_type", contentType?.printable)
      $0.member("type", format?.uniformTypeIdentifier)
      $0.member("limit_bytes", limit)
      $0.member("width", facts.width)
      $0.member("height", facts.height)
      $0.member("frames", facts.frames)
      $0.member("duration_ms", facts.milliseconds)
      $0.member("cache", cacheUse?.rawValue)
      $0.member("received_bytes", fetch.received)
      $0.member("stored_url", stored?.url)
      $0.member("size", stored?.size)
      $0.member("sha256", stored?.sha256)
      if !writtenPaths.isEmpty {
        $0.name("written_at")
        $0.array { for path in writtenPaths { $0.write(path.printable) } }
      }
      $0.member("reason", failure?.reason.rawValue)
      $0.member("detail", failure?.detail.printable)
      $0.member("warning", warning?.rawValue)
      $0.member("warning_detail", warning?.text)
      $0.name("disagreeing_labels")
      $0.array { for label in disagreements { $0.write(label.printable) } }
      $0.name("hops")
      $0.array { for hop in fetch.hops { hop.write(to: &$0) } }
    }
  }
}

extension Hop {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object {
      $0.member("url", url.printable)
      $0.member("attempt", attempt)
      $0.member("address", address)
      $0.member("status", status)
      $0.member("received_bytes", received)
      $0.member("dns_us", timings.dns)
      $0.member("connect_us", timings.connect)
      $0.member("tls_us", timings.tls)
      $0.member("first_byte_us", timings.firstByte)
      $0.member("total_us", timings.total)
    }
  }
}
