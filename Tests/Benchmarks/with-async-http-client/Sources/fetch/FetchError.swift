/// What ends it.
enum FetchError: Error {
  /// Not called with a directory and a number.
  case usage
  case status(UInt)
  case file(errno: Int32)
  case sniffer
  case type
}
