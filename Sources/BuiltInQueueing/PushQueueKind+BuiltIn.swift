package import PushQueueing

extension PushQueueKind {
  /// The kinds in this build.
  package static let builtIn: [PushQueueKind] = [.sqlite]
}
