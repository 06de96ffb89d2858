package import Storing
internal import Supporting

extension S3Store {
  /// How long asking about an object may take. Without an answer, the medium is sent again.
  private static let lookingTime = Duration.seconds(3)

  /// Renews an old object, so that no lifecycle rule removes it soon.
  package func touch(_ name: String, size: Int) async -> Presence {
    if known.contains(name, size: size) { return .present }
    let end = ContinuousClock.now + Self.lookingTime
    do throws(S3Failure) {
      let answer = try await exchange.perform(S3Request(method: "HEAD", name: name), until: end)
      guard let length = answer["Content-Length"].flatMap({ Int($0) }) else { return .unknown }
      if length != size { return .absent }
      if isOld(answer), try await !renew(name, mediaType: answer["Content-Type"], until: end) {
        return .unknown
      }
    } catch .refused(let refusal) where refusal.status == 404 {
      return .absent
    } catch {
      // Without `s3:ListBucket`, S3 answers 403 for a missing object as well.
      return .unknown
    }
    known.note(name, size: size)
    return .present
  }

  /// Whether the bucket is known to have this object.
  func look(at name: String, size: Int) async -> Bool { await touch(name, size: size) == .present }

  private func isOld(_ answer: HTTPAnswer) -> Bool {
    guard let modified = answer.time(of: "Last-Modified") else { return false }
    // Goes by the server's clock, if its answer has a Date.
    let now = answer.time(of: "Date") ?? WallClock.milliseconds / 1_000
    return now - modified > Int64(LifecycleRule.renewalDays * 86_400)
  }

  /// Copies an object onto itself, which renews the time of its last PUT. Needs the rights to read and
  /// write it, as HEAD and PUT do. S3 refuses the copy unless something changes, such as the metadata.
  /// - Returns: whether the answer shows that it succeeded. S3 may begin its answer before it knows.
  private func renew(
    _ name: String, mediaType: String?, until end: ContinuousClock.Instant
  ) async throws(S3Failure) -> Bool {
    let headers = Self.headers(mediaType: mediaType ?? "application/octet-stream")
    let path = location.url(forKey: location.key(of: name)).target
    let source = location.isPathStyle ? path : "/\(location.bucket)\(path)"
    let request = S3Request(
      name: name,
      headers: headers + [
        HTTPField("x-amz-copy-source", source),
        HTTPField("x-amz-metadata-directive", "REPLACE"),
      ])
    let answer = try await exchange.perform(request, until: end)
    return !answer.isCut && !String(decoding: answer.body, as: UTF8.self).contains("<Error>")
  }
}
