extension String {
  /// Up to `count` bytes from its start, in memory of their own.
  func beginning(_ count: Int) -> String {
    utf8.count <= count ? self : String(decoding: utf8.prefix(count), as: UTF8.self)
  }
}
