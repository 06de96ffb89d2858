/// The errors that end the program.
enum WorkError: Error {
  /// It was not called with a directory and a number.
  case usage
  case payload
  case status(UInt)
  case tooLarge
  case file(errno: Int32)
  case sniffer
  case type
}
