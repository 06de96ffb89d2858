package import Notifications

extension JSONValue {
  /// The value at a path of member names and array indices, such as `spec.containers.0.image`.
  package func at(_ path: String) -> JSONValue? {
    path.split(separator: ".").reduce(Optional(self)) { value, name in
      Int(name).map { index in (value?.elements).flatMap { $0.dropFirst(index).first { _ in true } } }
        ?? value?[String(name)]
    }
  }

  /// The text, or the list of texts, at a path.
  package func text(at path: String) -> String? { at(path)?.string }
  package func list(at path: String) -> [String] { at(path)?.elements.compactMap { $0.string } ?? [] }
}
