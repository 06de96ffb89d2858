internal import Notifications

/// How much of a limited resource is in use.
struct StatusFigure: JSONWritable {
  private let name: String
  private let value: Int
  private let limit: Int
  private let unit: String?

  /// - Parameter unit: `MB` for what is given in bytes.
  init(_ name: String, _ value: Int, of limit: Int, unit: String? = nil) {
    self.name = name
    self.value = value
    self.limit = limit
    self.unit = unit
  }

  func write(to writer: inout JSONWriter) {
    writer.object {
      $0.member("name", name)
      $0.member("value", value)
      $0.member("of", limit)
      $0.member("unit", unit)
    }
  }
}
