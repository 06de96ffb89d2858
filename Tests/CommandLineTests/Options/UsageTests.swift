import TestSupport
import Testing

/// A wrong command line, and a part of the message about it.
struct Misuse: Sendable, CustomTestStringConvertible {
  let arguments: [String]
  let says: String

  var testDescription: String { arguments.joined(separator: " ") }

  init(_ arguments: String..., says: String) {
    self.arguments = arguments
    self.says = says
  }

  /// Wrong values. Each message says what would be right.
  static let values: [Misuse] = [
    .init(
      "--store", "s3://bucket",
      says: "--store: this place cannot be used: the region of the bucket is missing: add ?region="),
    .init(
      "--store", "s3:/KEY:SECRET@bucket",
      says: "--store: a bucket is written s3://BUCKET/PREFIX?region=REGION, and a directory"),
    .init(
      "--store", "gs://bucket",
      says: "--store: 'gs://bucket' is neither a directory nor a bucket: write a path, or s3://"),
    .init(
      "--spool", "/nonexistent",
      says: "media arrive in the store itself if it is a directory: leave out --spool"),
    .init("--cache-file", "/tmp/cache", says: "--cache-file /tmp/cache: the sandbox would have to open /tmp"),
    .init("--store", "", says: "--store: '' is not a directory"),
    .init(
      "--public-url", "cdn.example",
      says: "--public-url: 'cdn.example' is not the start of a URL: write one like https://"),
    .init("--public-url", "1:2", says: "--public-url: '1:2' is not the start of a URL"),
    .init("--public-url", "https://", says: "--public-url: 'https://' is not the start of a URL"),
    .init(
      "--public-url", "https:///media/", says: "--public-url: 'https:///media/' is not the start of a URL"),
    .init(
      "--public-url", "HTTPS:cdn.example",
      says: "--public-url: 'HTTPS:cdn.example' is not the start of a URL"),
    .init(
      "--public-url", "https://cdn.example:99999/",
      says: "--public-url: 'https://cdn.example:99999/' is not the start of a URL"),
    .init(
      "--public-url", "https://cdn.example/a b/",
      says: "--public-url: 'https://cdn.example/a b/' is not the start of a URL"),
    .init(
      "--public-url", "https://cdn.example/50%/",
      says: "--public-url: 'https://cdn.example/50%/' is not the start of a URL"),
    // Some SDKs take backslashes out of the payload, and JSON escapes a quote with one.
    .init(
      "--public-url", #"https://cdn.example/"a"/"#,
      says: #"--public-url: 'https://cdn.example/"a"/' is not the start of a URL"#),
    .init(
      "--public-url", #"https://cdn.example\a/"#,
      says: #"--public-url: 'https://cdn.example\a/' is not the start of a URL"#),
    .init(
      "--public-url", "myapp://media#", says: "--public-url: 'myapp://media#' is not the start of a URL"),
    .init("--deadline", "30", says: "--deadline: '30' is not a time: write one like 30s"),
    .init(
      "--deadline", "31s", says: "--deadline: '31s' is longer than the 30s that iOS gives: write 30s or less"),
    .init("--deadline", "0s", says: "--deadline: '0s' is too short: write more than 0"),
    .init("--deadline=-1s", says: "--deadline: '-1s' is not a time"),
    .init("--deadline", "nans", says: "--deadline: 'nans' is not a time"),
    .init("--deadline", "1e300s", says: "--deadline: '1e300s' is not a time"),
    .init(
      "--memory", "plenty",
      says:
        "--memory: 'plenty' is not a number of bytes: write one like 12MB, 5MiB or 65536; the units are B, kB, MB, GB, KiB, MiB and GiB"
    ),
    .init("--memory", "1e300", says: "--memory: '1e300' is not a number of bytes"),
    .init("--concurrency", "0", says: "--concurrency: '0' is not a number from 1 to 1024"),
    .init("--concurrency", "many", says: "--concurrency: 'many' is not a number from 1 to 1024"),
    .init(
      "--allow-network", "10.0.0.0/33",
      says: "--allow-network: '10.0.0.0/33' needs a prefix length from 0 to 32"),
    .init(
      "--allow-network", "10.0.0.7/8",
      says: "--allow-network: '10.0.0.7/8' has bits set after its prefix: write 10.0.0.0/8"),
    .init(
      "--allow-network", "localhost",
      says: "'localhost' is not a range of addresses: write one like 10.0.0.0/8"),
    .init("--allow-port", "65536", says: "--allow-port: '65536' is not a number from 1 to 65535"),
    .init("--allow-port", "80", "--allow-port", "http", says: "--allow-port: 'http' is not a number"),
    .init(
      "--media-key", "a..b",
      says: "--media-key: “a..b”: a name is missing before, between or after dots; write data.image"),
    .init("--media-key", "", says: "--media-key: it is empty: write a path like data.image"),
    .init("--payload-at", "", says: "--payload-at: it is empty: write a path like data.image"),
    .init("--ca-file", "/nonexistent.pem", says: "--ca-file: /nonexistent.pem: No such file or directory"),
    .init("--ca-file", "/dev/null", says: "--ca-file: /dev/null holds no certificate in PEM form"),
    .init(
      "--name-servers", "dns.example",
      says: "--name-servers: 'dns.example' is not a name server: write one like 9.9.9.9"),
    .init(
      "--name-servers", "dns.example", "--name-servers", "9.9.9.9",
      says: "--name-servers: 'dns.example' is not a name server"),
    .init("--name-servers", "", says: "--name-servers: '' is not a name server"),
    .init("--name-servers", "9.9.9.9,9.9.9.9:x", says: "--name-servers: 'x' is not a number from 1 to 65535"),
    .init("--name-servers", "[::1:53", says: "--name-servers: '[::1:53' is not a name server"),
    .init("--name-servers", "[9.9.9.9]:53", says: "--name-servers: '[9.9.9.9]:53' is not a name server"),
    .init(
      "--write", "in-Place",
      says:
        "--write: 'in-Place' is not a way to name stored files: write attachments, in-place, or both, separated by commas"
    ),
    .init("--write", "in-place,", says: "--write: '' is not a way to name stored files"),
    .init("--write", "", says: "--write: '' is not a way to name stored files"),
    .init(
      "--write", "in-place",
      says: "--write: 'in-place' is for URLs that devices can fetch: give --public-url one like https://"),
    .init(
      "--write", "attachments,in-place", "--public-url", "file:///srv/media/",
      says: "--write: 'in-place' is for URLs that devices can fetch"),
    .init(
      "--attachments-key", "", says: "--attachments-key: the name is empty: write one like attachments"),
    .init(
      "--limits", "10MB", says: "--limits: '10MB' is not a limit: write audio=5MB, image=10MB or video=50MB"),
    .init("--cache", "plenty", says: "--cache: 'plenty' is not a number of bytes: write one like 12MB"),
    .init("--cache", "16383", says: "--cache: '16383' is too small for a cache: write 16384 or more, or 0"),
    .init(
      "--limits", "pixels=many",
      says: "--limits: 'many' is not a number of pixels: write a whole one like 50M"),
    .init("--limits", "side=0", says: "--limits: '0' is not a number of pixels"),
    .init("--limits", "side=0x10", says: "--limits: '0x10' is not a number of pixels"),
    .init("--limits", "pixels=1.5", says: "--limits: '1.5' is not a number of pixels: write a whole one"),
    .init("--limits", "pixels=1e6", says: "--limits: '1e6' is not a number of pixels"),
    .init("--limits", "pixels=.5M", says: "--limits: '.5M' is not a number of pixels"),
    .init("--limits", "image=0", says: "--limits: '0' is not the size of a file: write one from 1B to 1GB"),
    .init("--limits", "image=20GB", says: "--limits: '20GB' is not the size of a file"),
    .init("--limits", "image=0x10MB", says: "--limits: '0x10MB' is not a number of bytes"),
    .init("--memory", "1e7", says: "--memory: '1e7' is not a number of bytes"),
    .init("--deadline", "0x5s", says: "--deadline: '0x5s' is not a time"),
    .init("--limits", "text=1MB", says: "--limits: 'text=1MB' is not a limit"),
    .init("--limits", "image=1MB,", says: "--limits: '' is not a limit"),
    .init("--limits", "image=big", says: "--limits: 'big' is not a number of bytes"),
    .init("--push-type", "silent", says: "--push-type: 'silent' is not one of alert, background"),
    .init("--config", "/nonexistent.json", says: "--config /nonexistent.json: No such file or directory"),
    .init("--config", "/", says: "--config /: Is a directory"),
    .init(
      "--report", "/nonexistent/report.json",
      says: "--report /nonexistent/report.json: No such file or directory"),
    .init("--report", "/", says: "--report /: Is a directory"),
    .init("/nonexistent.json", says: "/nonexistent.json: No such file or directory"),
    .init("/", says: "/: Is a directory"),
  ]

  /// Mistakes that the parser of the command line reports, in its own words.
  static let words: [Misuse] = [
    .init(
      "--attachment-key", "a", says: "Unknown option '--attachment-key'. Did you mean '--attachments-key'?"),
    .init("--deadline", says: "Missing value for '--deadline"),
    .init("one.json", "two.json", says: "Unexpected argument 'two.json'"),
    .init("--allow-http=yes", says: "--allow-http"),
  ]
}

@Suite("A wrong command line")
struct UsageTests {
  @Test("ends the program with status 64 and says what would be right, in one line", arguments: Misuse.values)
  func value(misuse: Misuse) async throws {
    let run = try await run(misuse)
    let lines = run.standardError.split(separator: "\n")
    #expect(lines.count == 1, "\(run.standardError)")
    #expect(lines.first?.hasPrefix("push-enricher: ") == true)
    // With `--`, ArgumentParser reads the same options.
    #expect(try await self.run(misuse, "--").standardError == run.standardError)
  }

  @Test("a plain one is read like any other") func plain() async throws {
    let options = [
      "--explain", "--attachments-key", "media", "--allow-port", "81", "--allow-port=82", "--no-allow-http",
      "--limits=image=1MB", "--push-type=alert",
    ]
    for more in [["-"], []] {
      let plain = try await PushEnricher.run(["enrich"] + options + more, input: Array("{}".utf8))
      let other = try await PushEnricher.run(["enrich"] + options + ["--"] + more, input: Array("{}".utf8))
      #expect(plain.output == "{}" && other.output == "{}")
      // The sandbox, with the ports, and the advice. The memory and the time of two runs differ.
      let (lines, others) = (
        plain.standardError.split(separator: "\n"), other.standardError.split(separator: "\n")
      )
      #expect(lines.count == 5 && lines[1].contains("81, 82"))
      #expect(lines[1..<4] == others[1..<4])
    }
  }

  @Test("ends the program with status 64 and shows how to get help", arguments: Misuse.words)
  func word(misuse: Misuse) async throws {
    #expect(try await run(misuse).standardError.contains("push-enricher enrich --help"))
  }

  @Test("an unknown command is refused") func command() async throws {
    let run = try await PushEnricher.run(["enrichen"])
    #expect(run.termination == .exited(64))
    #expect(run.standardOutput == [])
    #expect(run.standardError.contains("'enrichen'"))
  }

  @Test("help lists every option, its other sources, and the exit statuses") func help()
    async throws
  {
    let run = try await PushEnricher.run(["enrich", "--help"])
    #expect(run.termination == .exited(0))
    #expect(run.standardError == "")
    for option in Setting.all.map(\.name) + ["require-sandbox", "explain", "report", "push-type", "config"] {
      #expect(run.output.contains("--\(option)"), "\(option)")
    }
    for part in ["PUSH_ENRICHER_PUBLIC_URL", "0 enriched", "3 the payload", "64 wrong usage", "65 the input"]
    {
      #expect(run.output.contains(part), "\(part)")
    }
  }

  private func run(_ misuse: Misuse, _ more: String...) async throws -> Run {
    let run = try await Turns.shared.take {
      try await PushEnricher.run(
        ["enrich"] + misuse.arguments + more, input: Push.naming("https://media.example/a.jpg"))
    }
    #expect(run.termination == .exited(64))
    #expect(run.standardOutput == [])
    #expect(run.standardError.contains(misuse.says), "\(run.standardError)")
    return run
  }
}
