package import Storing
internal import Supporting
internal import Synchronization

/// Media as objects in a bucket, each under `PREFIX/<sha256>.<extension>`. A medium arrives in an unnamed
/// local file. Once it is verified, one PUT gives it its final name. So nobody sees a partial object, and
/// a crash leaves nothing behind.
package final class S3Store: MediaStore {
  /// How long a medium may take. A payload that waits for it has its own, shorter deadline.
  static let patience = Duration.seconds(30)
  /// Smaller objects are put without asking whether they are there, because the answer would take as long.
  static let leastToAsk = 262_144

  package let spools: SpoolDirectory
  let exchange: S3Exchange
  let settings: StoreSettings
  let known = KnownObjects()
  let pace = UploadPace()
  /// Whether the server is believed to support `If-None-Match`.
  let knowsConditions = Atomic(true)

  init(
    spool: SpoolPlace, _ settings: StoreSettings, _ exchange: S3Exchange
  ) throws(StoreError) {
    (self.exchange, self.settings) = (exchange, settings)
    var spooling = settings
    // An upload reads the file back at once, and nobody needs it after a power cut.
    spooling.isDurable = false
    spools = try spool.open(spooling)
  }

  package func url(of name: String) -> String {
    settings.urlPrefix.map { $0 + name } ?? location.url(forKey: location.key(of: name)).text
  }

  var location: S3Location { exchange.location }

  package func timeToStore(_ bytes: Int) -> Duration { pace.time(for: bytes) }

  package func store(_ medium: any ArrivedMedium) async throws(StoreError) -> StoredFile? {
    let finished = try await settings.disk.run { [spools] () throws(StoreError) in
      spools.activity.begin()
      defer { spools.activity.end() }
      return try medium.finish()
    }
    guard let file = finished else { return nil }
    let (name, size) = (file.stored.name, file.stored.size)
    if known.contains(name, size: size) { return file.stored }
    if size > Self.leastToAsk, await look(at: name, size: size) { return file.stored }
    do throws(S3Failure) {
      try await put(file, mediaType: medium.mediaType)
    } catch {
      throw StoreError(error, at: location)
    }
    return file.stored
  }

  /// Puts a file into the bucket, unless it is there.
  private func put(_ file: SpooledFile, mediaType: String) async throws(S3Failure) {
    let (name, size) = (file.stored.name, file.stored.size)
    let end = ContinuousClock.now + Self.patience
    var isConditional = knowsConditions.load(ordering: .relaxed)
    var wasRefused = false
    while true {
      do throws(S3Failure) {
        try await upload(file, mediaType: mediaType, isConditional: isConditional, until: end)
        if wasRefused { knowsConditions.store(false, ordering: .relaxed) }
        return known.note(name, size: size)
      } catch {
        guard isConditional, case .refused(let refusal) = error else { throw error }
        if refusal.status == 412 {
          // An object with this name exists. It may be old and about to be removed, or its content may be
          // wrong.
          if await look(at: name, size: size) { return }
        } else if refusal.mayBeAboutCondition {
          wasRefused = true
        } else {
          throw error
        }
        isConditional = false
      }
    }
  }

  private func upload(
    _ file: SpooledFile, mediaType: String, isConditional: Bool, until end: ContinuousClock.Instant
  ) async throws(S3Failure) {
    var request = S3Request(
      name: file.stored.name, headers: Self.headers(mediaType: mediaType), body: .file(file),
      payloadSHA256: file.stored.sha256)
    if isConditional { request.headers.append(HTTPField("If-None-Match", "*")) }
    // Other stores have answered 400 or 501 to this header.
    if location.isAWS, let checksum = Self.base64(ofHexadecimal: file.stored.sha256) {
      request.headers.append(HTTPField("x-amz-checksum-sha256", checksum))
    }
    let start = ContinuousClock.now
    do throws(S3Failure) {
      _ = try await exchange.perform(request, until: end)
      pace.note(file.stored.size, took: .now - start)
    } catch {
      // A refusal says nothing about how long an upload takes, unless it took its time.
      pace.noteAbandoned(file.stored.size, after: .now - start)
      throw error
    }
  }

  /// The headers of every object. The content under a name never changes.
  static func headers(mediaType: String) -> [HTTPField] {
    [
      HTTPField("Content-Type", mediaType),
      HTTPField("Cache-Control", "public, max-age=31536000, immutable"),
      HTTPField("Content-Disposition", "inline"),
    ]
  }

  /// Converts hexadecimal digits to Base64 with padding (RFC 4648 section 4).
  private static func base64(ofHexadecimal text: String) -> String? {
    BaseEncoding.base16.bytes(of: text.utf8.span).map {
      let digits = BaseEncoding.base64.encode($0.span)
      return digits + String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4)
    }
  }
}
