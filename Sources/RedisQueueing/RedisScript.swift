/// What has to happen at once or not at all: Redis runs nothing else while it runs a script, and a crash
/// undoes all of one. Each script is in a file of its own, with the function that makes the command for it.
enum RedisScript: CaseIterable {
  case receive, release, settle, forgets, oldest, tidy, sign

  /// In Lua, as Redis runs it.
  var text: String {
    switch self {
    case .receive: Self.receiveText
    case .release: Self.releaseText
    case .settle: Self.settleText
    case .forgets: Self.forgetsText
    case .oldest: Self.oldestText
    case .tidy: Self.tidyText
    case .sign: Self.signText
    }
  }
}
