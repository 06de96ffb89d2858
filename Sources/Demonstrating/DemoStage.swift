package import Enriching

/// What a demo is run with.
package struct DemoStage: Sendable {
  /// An enricher with these options of the command line.
  let enricher: @Sendable ([String]) throws -> Enricher
  /// Shows a line.
  let show: @Sendable (String) -> Void

  package init(
    enricher: @escaping @Sendable ([String]) throws -> Enricher, show: @escaping @Sendable (String) -> Void
  ) {
    self.enricher = enricher
    self.show = show
  }
}
