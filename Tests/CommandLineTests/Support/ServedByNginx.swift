import TestSupport
import Testing

/// One nginx for all tests of a suite. Its start takes longer than most of the tests.
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
  /// Provides `ServedByNginx.server`, which serves Fixtures/media.
  static var servedByNginx: Self { ServedByNginx() }
}
