import Supporting

@testable import Fetching

extension AddressRange {
  private var size: UInt128 {
    let bits = (base.family == .v4 ? 32 : 128) - prefixLength
    return bits == 128 ? .max : 1 << UInt128(bits)
  }

  var last: IPAddress { IPAddress(family: base.family, value: base.value + (size - 1)) }
  var middle: IPAddress { IPAddress(family: base.family, value: base.value + size / 2) }

  /// The address before the range; nil at the end of the address space.
  var below: IPAddress? {
    base.value == 0 ? nil : IPAddress(family: base.family, value: base.value - 1)
  }

  /// The address after the range; nil at the end of the address space.
  var above: IPAddress? {
    let maximum = base.family == .v4 ? UInt128(UInt32.max) : UInt128.max
    return last.value == maximum ? nil : IPAddress(family: base.family, value: last.value + 1)
  }
}
