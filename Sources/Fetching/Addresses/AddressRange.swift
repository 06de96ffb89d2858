package import Supporting

/// A range of addresses in CIDR notation (RFC 4632, RFC 4291 section 2.3).
package struct AddressRange: Sendable, Hashable, CustomStringConvertible {
  package let base: IPAddress
  /// The number of leading bits that count: 0…32 for IPv4, 0…128 for IPv6.
  package let prefixLength: Int

  init(_ address: IPAddress) {
    base = address
    prefixLength = address.width
  }

  /// Parses `10.0.0.0/8`, `fc00::/7`, or a single address. Bits after the prefix must be zero.
  package init(_ text: String) throws(AddressRangeError) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let base = IPAddress(String(parts[0])) else { throw .noAddress(text) }
    guard let length = parts.count == 1 ? base.width : Int(parts[1]), (0...base.width).contains(length) else {
      throw .noPrefixLength(text, maximum: base.width)
    }
    guard base.leading(length) == base.value else {
      let right = IPAddress(family: base.family, value: base.leading(length))
      throw .bitsBehindPrefix(text, right: "\(right)/\(length)")
    }
    // Connections to IPv4-mapped addresses use IPv4: `::ffff:10.0.0.0/104` is 10.0.0.0/8.
    self.base = length < 96 ? base : base.unmapped
    prefixLength = self.base.family == base.family ? length : length - 96
  }

  package func contains(_ address: IPAddress) -> Bool {
    address.family == base.family && address.leading(prefixLength) == base.value
  }

  package var description: String { "\(base)/\(prefixLength)" }
}

package enum AddressRangeError: Error, Equatable, CustomStringConvertible {
  case noAddress(String)
  case noPrefixLength(String, maximum: Int)
  case bitsBehindPrefix(String, right: String)

  package var description: String {
    switch self {
    case .noAddress(let text): "'\(text)' is not a range of addresses: write one like 10.0.0.0/8 or fd00::/8"
    case .noPrefixLength(let text, let maximum):
      "'\(text)' needs a prefix length from 0 to \(maximum) after the slash"
    case .bitsBehindPrefix(let text, let right): "'\(text)' has bits set after its prefix: write \(right)"
    }
  }
}

extension IPAddress {
  fileprivate var width: Int { family == .v4 ? 32 : 128 }

  fileprivate func leading(_ length: Int) -> UInt128 {
    let dropped = UInt128(width - length)
    return dropped == 128 ? 0 : (value >> dropped) << dropped
  }
}
