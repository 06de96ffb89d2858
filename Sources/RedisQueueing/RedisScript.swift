/// What has to happen at once or not at all: Redis runs nothing else while it runs a script, and a crash undoes all
/// of one. The folder `Scripts` has each of them, with the function that makes the command for it.
final class RedisScript: Sendable {
  static let all = [receive, release, settle, forgets, oldest, tidy, sign]

  /// In Lua, as Redis runs it.
  let text: String

  init(_ text: String) { self.text = text }
}
