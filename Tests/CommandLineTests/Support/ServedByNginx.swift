import TestSupport
import Testing

/// One nginx for all tests of a suite: its certificates and its start cost more than most of them.
struct ServedByNginx: SuiteTrait, TestScoping {
  @TaskLocal static var server: NginxServer?

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await withNginx(serving: Fixtures.media) { nginx in
      try await Self.$server.withValue(nginx) { try await function() }
    }
  }
}

extension Trait where Self == ServedByNginx {
  /// `ServedByNginx.server` serves Fixtures/media.
  static var servedByNginx: Self { ServedByNginx() }
}
