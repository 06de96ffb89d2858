import Glibc
import Misbehaving
import Queueing
import TestSupport
import Testing

/// Media in a bucket, with the whole program.
@Suite("Media in a bucket", .timeLimit(.minutes(10)))
struct BucketTests {
  /// How many workers are killed. `PUSH_ENRICHER_KILLS` sets another number.
  private static let kills =
    unsafe getenv("PUSH_ENRICHER_KILLS").flatMap { Int(unsafe String(cString: $0)) } ?? 20
  /// How many messages arrive before each kill. The first of them has a video.
  private static let batch = 8
  /// The size of a video.
  private static let videoBytes = 4_000_000

  @Test("workers that are killed in the middle leave whole objects only, and each payload has one result")
  func kills() async throws {
    let seed =
      unsafe getenv("PUSH_ENRICHER_SEED").flatMap { UInt64(unsafe String(cString: $0)) }
      ?? UInt64.random(in: 0...UInt64.max)
    print("PUSH_ENRICHER_SEED=\(seed) repeats the pauses before the kills of workers with a bucket")
    var random = SeededGenerator(seed: seed)
    try await withWorkplace(.sqlite) { place in
      let bucket = try await RealBucket(place)
      let errands = Self.mixed(Self.kills * Self.batch, place.server)
      var inTheMiddle = 0
      for number in 0..<Self.kills {
        let batch = errands[number * Self.batch..<(number + 1) * Self.batch]
        try await place.publish(batch)
        let video = Self.video(batch.startIndex)
        let pause = Duration.milliseconds(Int.random(in: 0...100, using: &random))
        let left = try await kill(at: place, bucket, batch, after: pause) { results in
          // The worker has the whole video, and uploads it next.
          number.isMultiple(of: 2)
            ? place.server.tally(of: video).bytesSent >= Self.videoBytes : !results.isEmpty
        }
        if left > 0 { inTheMiddle += 1 }
        // A payload that has killed three workers would go out unmodified.
        if !number.isMultiple(of: 2) { try await Self.finish(place, bucket) }
      }
      // If too few are left, most kills came when there was nothing to interrupt.
      #expect(inTheMiddle * 4 >= Self.kills, "PUSH_ENRICHER_SEED=\(seed)")
      try await Self.finish(place, bucket)
      let results = try await place.contents("enriched")
      expectEach(of: errands, once: results)
      try await bucket.expect(errands.count, namedBy: results)
    }
  }

  /// Runs a worker, and kills it a moment after `hasBegun` returns true for the results so far.
  /// - Returns: how many payloads of the batch had no result by then.
  private func kill(
    at place: Workplace, _ bucket: RealBucket, _ batch: ArraySlice<Errand>, after pause: Duration,
    once hasBegun: @Sendable (_ results: Set<String>) -> Bool
  ) async throws -> Int {
    let names = Set(batch.map(\.message.id))
    let queue = try place.queue("enriched")
    let results: @Sendable () async throws -> Set<String> = {
      names.intersection(try await queue.browse(1_000_000).map(\.id))
    }
    let environment = bucket.environment.merging(["PUSH_ENRICHER_LEASE": "2s"]) { $1 }
    let run = try await place.work(bucket.options, environment: environment) { worker in
      #expect(try await eventually { hasBegun(try await results()) }, "\(worker.log)")
      try await Task.sleep(for: pause)
      #expect(Glibc.kill(worker.process, SIGKILL) == 0)
    }
    #expect(run.termination == .signalled(SIGKILL), "\(run.standardError)")
    return try await batch.count - results().count
  }

  private static func finish(_ place: Workplace, _ bucket: RealBucket) async throws {
    let run = try await place.work(bucket.options + ["--until-empty"], environment: bucket.environment)
    #expect(run.termination == .exited(0), "\(run.standardError)")
  }

  #if Redis
    @Test("two workers share a queue and a bucket") func sharing() async throws {
      try await withWorkplace(.redis) { place in
        let bucket = try await RealBucket(place)
        let errands = Errand.photos(0..<200, each: place.server)
        try await place.publish(errands)
        let options = bucket.options + ["--until-empty", "--concurrency", "8"]
        async let one = place.work(options, environment: bucket.environment)
        async let other = place.work(options, environment: bucket.environment)
        for run in try await [one, other] {
          #expect(run.termination == .exited(0), "\(run.standardError)")
        }
        let results = try await place.contents("enriched")
        expectEach(of: errands, once: results)
        try await bucket.expect(errands.count, namedBy: results)
      }
    }
  #endif

  @Test("a campaign is one GET and one PUT") func campaign() async throws {
    try await withWorkplace(.sqlite) { place in
      try await withS3Server { bucket in
        let photo = Behaviour.serve(Self.cacheable("photo.jpg", "image/jpeg"))
        let errands = (0..<600).map {
          Errand($0, naming: place.server.url(photo), .enriched("public.jpeg"))
        }
        let options = ["--store", bucket.place(), "--spool", place.store, "--cache", "16MB", "--until-empty"]
        for half in [errands.prefix(300), errands.suffix(300)] {
          try await place.publish(half)
          let run = try await place.work(options, environment: S3Server.environment)
          #expect(run.termination == .exited(0), "\(run.standardError)")
        }
        expectEach(of: errands, once: try await place.contents("enriched"))
        #expect(place.server.tally(of: photo).requests == 1)
        #expect(bucket.mediaQuestions.count { $0.method == "PUT" } == 1)
        #expect(bucket.media.count == 1)
      }
    }
  }

  /// Payloads that each name a file of their own. The first file of each batch is a video, and all others are
  /// photos.
  private static func mixed(_ count: Int, _ server: HostileServer) -> [Errand] {
    Errand.photos(0..<count, each: server).enumerated().map { number, errand in
      number.isMultiple(of: batch)
        ? Errand(number, naming: server.url(video(number)), .enriched("public.mpeg-4")) : errand
    }
  }

  /// A clip with a box of zeros after it, whose size is different for each number.
  private static func video(_ number: Int) -> Behaviour {
    let clip = (try? Files.read("\(Fixtures.media)/clip.mp4")) ?? []
    let length = videoBytes + number
    let size = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: (length - clip.count) >> $0) }
    let first = clip + size + Array("free".utf8)
    return .serve(Response(.padded(first: first, length: length), as: "video/mp4"))
  }

  private static func cacheable(_ name: String, _ type: String) -> Response {
    var response = Response.file(name, type)
    response.fields = [Response.Field("Cache-Control", "max-age=3600")]
    return response
  }
}

extension Errand {
  /// Payloads that each name a photo of their own.
  static func photos(_ numbers: Range<Int>, each server: HostileServer) -> [Errand] {
    let photo = (try? Files.read("\(Fixtures.media)/photo.jpg")) ?? []
    return numbers.map { number in
      let own = Response(.bytes(photo + Array("\(number)".utf8)), as: "image/jpeg")
      return Errand(number, naming: server.url(.serve(own)), .enriched("public.jpeg"))
    }
  }
}

/// A prefix of its own in the bucket of a real SeaweedFS.
private struct RealBucket: Sendable {
  let options: [String]
  let environment: [String: String]
  private let server: SeaweedServer
  private let prefix = String(UInt64.random(in: 0...UInt64.max), radix: 36)

  init(_ place: Workplace) async throws {
    server = try await SeaweedServer.shared()
    let store = "s3://media/\(prefix)?region=us-east-1&endpoint=\(server.endpoint)"
    options = ["--store", store, "--spool", place.store]
    environment = [
      "AWS_ACCESS_KEY_ID": SeaweedServer.account.accessKey,
      "AWS_SECRET_ACCESS_KEY": SeaweedServer.account.secretKey,
    ]
  }

  private static let types = ["jpg": "image/jpeg", "mp4": "video/mp4"]

  /// Expects this many media, each with its type and named after its SHA-256, and results that name them. The
  /// object that a worker puts at its start may be there, too.
  func expect(_ count: Int, namedBy results: [Message]) async throws {
    let list = try await server.curl.ask("media?list-type=2&prefix=\(prefix)%2F").output
    let names = list.matches(of: #/<Key>[a-z0-9]+\/([^<]+)<\/Key>/#).map { String($0.output.1) }
      .filter { $0 != S3Server.trialName }
    #expect(names.count == count)
    let told = results.map { String(decoding: $0.body, as: UTF8.self) }.joined()
    for name in names {
      let parts = name.split(separator: ".").map(String.init)
      let type = parts.last.flatMap { Self.types[$0] } ?? "a type for \(name)"
      let head = try await server.curl.ask("media/\(prefix)/\(name)", ["--head"]).output
      #expect(head.contains("Content-Type: \(type)\r\n"), "\(head)")
      let content = try await server.curl.ask("media/\(prefix)/\(name)").standardOutput.dropLast(4)
      #expect(S3Signature.sha256(Array(content)) == parts.first, "\(name)")
      #expect(told.contains("/media/\(prefix)/\(name)\""))
    }
  }
}
