extension OutputSpan<UInt8> {
  /// - Parameter bytes: no more than there is room for, or it traps.
  @inlinable package mutating func append(contentsOf bytes: Span<UInt8>) {
    precondition(bytes.count <= freeCapacity, "there is no room for the bytes")
    unsafe withUnsafeMutableBufferPointer { buffer, count in
      unsafe bytes.withUnsafeBytes {
        unsafe UnsafeMutableRawBufferPointer(buffer)[count...].copyBytes(from: $0)
      }
      count += bytes.count
    }
  }
}
