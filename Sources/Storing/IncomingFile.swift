internal import CLinux
internal import Glibc

/// What a body is written into while it streams past: an `UnnamedFile`, which vanishes with this value unless
/// it is finished and committed. It is made by `open`, at the latest when something is written.
package struct IncomingFile: ~Copyable {
  /// What the kernel keeps of a file in memory is a multiple of this. Where its pages are larger, more is
  /// read back.
  private static let pageBytes = 4_096

  private let store: DirectoryStore
  private var file: UnnamedFile?
  private let pieceBytes: Int
  /// How long it will be, in bytes, where that was said.
  private let announced: Int?
  private var buffer: WriteBufferPool.Buffer?
  /// What was appended and is not written yet.
  private var buffered: [UInt8] = []

  /// Bytes appended so far.
  package private(set) var size = 0
  /// Bytes of them that are written.
  private var written = 0
  /// Bytes of them that the disk was told to start writing.
  private var submitted = 0
  /// Bytes of them that are on the disk, and no longer in memory.
  private var dropped = 0

  /// - Parameters:
  ///   - store: where it is made.
  ///   - announced: how long it will be, in bytes: one that is longer than its buffer is written as soon as
  ///     all of it is there.
  ///   - buffer: the right to a buffer, where the store has no other size of pieces.
  init(in store: DirectoryStore, announced: Int? = nil, buffer: consuming WriteBufferPool.Buffer? = nil) {
    self.store = store
    self.announced = announced
    pieceBytes = buffer == nil ? store.pieceBytes : WriteBufferPool.bytes
    if let memory = buffer?.takeMemory() { buffered = memory } else { buffered.reserveCapacity(pieceBytes) }
    self.buffer = buffer
  }

  deinit { if submitted > 0 { store.unwritten?.leave() } }

  /// Whether nothing is written before all of it is there, and then by `finish`.
  var isBufferedWhole: Bool { announced.map { $0 <= pieceBytes } ?? false }

  /// Makes the file, if it is not there yet. Blocks on the disk.
  @discardableResult
  mutating func open() throws(StoreError) -> UnnamedFile {
    if let file { return file }
    let new = try store.makeUnnamedFile()
    file = new
    return new
  }

  /// Puts `bytes` behind what is there. Blocks on the disk, unless they are only buffered.
  /// - Throws: `StoreError.full`, or another error of the kernel; the file is of no use then.
  package mutating func append(_ bytes: Span<UInt8>) throws(StoreError) {
    size += bytes.count
    guard pieceBytes > 0 else { return try write(bytes) }
    // Nothing comes behind it: with what is buffered it is one call of the kernel, and not copied.
    if size == announced, !isBufferedWhole { return try finishBuffering(with: bytes) }
    var done = 0
    while done < bytes.count {
      if buffered.count == pieceBytes { try flush() }
      let end = min(bytes.count, done + pieceBytes - buffered.count)
      unsafe bytes.extracting(done..<end).withUnsafeBytes { unsafe buffered.append(contentsOf: $0) }
      done = end
    }
  }

  /// Writes what is left of it. Blocks on the disk.
  /// - Returns: the file, which has all of its content then.
  /// - Throws: as `append`, and as `open`.
  mutating func finish() throws(StoreError) -> UnnamedFile {
    try finishBuffering(with: Span())
    return try open()
  }

  /// Writes what is buffered and `bytes`, the rest of the file, and gives the buffer to another file.
  private mutating func finishBuffering(with bytes: Span<UInt8>) throws(StoreError) {
    var piece: [UInt8] = []
    swap(&piece, &buffered)
    try write(piece.span, bytes)
    piece.removeAll(keepingCapacity: true)
    buffer?.leave(piece)
    buffer = nil
  }

  /// Writes what is buffered.
  private mutating func flush() throws(StoreError) {
    var piece: [UInt8] = []
    swap(&piece, &buffered)
    try write(piece.span)
    piece.removeAll(keepingCapacity: true)
    swap(&piece, &buffered)
  }

  /// Writes `first`, and `second` behind it.
  private mutating func write(_ first: Span<UInt8>, _ second: Span<UInt8> = Span()) throws(StoreError) {
    let file = try open()
    var done = 0
    while done < first.count + second.count {
      let count = writeOnce(
        first.extracting(min(done, first.count)...), second.extracting(max(0, done - first.count)...),
        into: file.descriptor)
      if count < 0 {
        if errno == EINTR { continue }
        throw StoreError(errno, operation: "writing", path: store.path)
      }
      done += count
    }
    let start = written
    written += done
    // Where memory is bounded, reading it back later would bring it there again.
    if store.unwritten != nil || written <= FollowingDigest.beginning {
      file.digest.take(first, at: start)
      file.digest.take(second, at: start + first.count)
    }
    if let unwritten = store.unwritten {
      try bound(unwritten, file.descriptor)
    } else {
      file.digest.follow(from: start, to: written)
      if store.isDurable { startWriting(file.descriptor) }
    }
  }

  /// - Returns: how many bytes of both were written; -1 and `errno` where none were.
  private func writeOnce(_ first: Span<UInt8>, _ second: Span<UInt8>, into descriptor: Descriptor) -> Int {
    unsafe first.withUnsafeBytes { first in
      unsafe second.withUnsafeBytes { second in
        // The kernel only reads from them.
        let parts: InlineArray<2, iovec> = unsafe [
          iovec(iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress), iov_len: first.count),
          iovec(iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress), iov_len: second.count),
        ]
        return unsafe parts.span.withUnsafeBufferPointer {
          unsafe writev(descriptor.number, $0.baseAddress, Int32($0.count))
        }
      }
    }
  }

  /// Starts writing a piece to the disk, and waits for the one before it: if it waited for each at once,
  /// nothing would be read from the network meanwhile.
  private mutating func bound(_ unwritten: UnwrittenBytes, _ descriptor: Descriptor) throws(StoreError) {
    // Whole pages: a part of one, once dropped, would be read back for what is written behind it.
    let end = written - written % Self.pageBytes
    guard end - submitted >= unwritten.piece else { return }
    if submitted == 0 { unwritten.join() }
    // Advice only: the next piece waits for this one, and `commit` for all of them.
    _ = start_writing(descriptor.number, Int64(submitted), Int64(end - submitted))
    try drop(upTo: submitted, of: descriptor)
    submitted = end
  }

  /// Waits until all before `end` is on the disk, and drops it from memory.
  private mutating func drop(upTo end: Int, of descriptor: Descriptor) throws(StoreError) {
    // No bytes would be all bytes, sync_file_range(2).
    guard end > dropped else { return }
    guard finish_writing(descriptor.number, Int64(dropped), Int64(end - dropped)) == 0 else {
      throw StoreError(errno, operation: "writing", path: store.path)
    }
    _ = posix_fadvise(descriptor.number, 0, off_t(end), POSIX_FADV_DONTNEED)
    dropped = end
  }

  /// Has the disk start writing while the rest is still on its way: making the file durable then has little
  /// left to wait for.
  private mutating func startWriting(_ descriptor: Descriptor) {
    let pending = written - submitted
    guard pending >= 4_194_304 else { return }
    // Advice only: whether it was written is asked at the end, by fsync.
    _ = start_writing(descriptor.number, Int64(submitted), Int64(pending))
    submitted = written
  }

  /// Reads what was appended, from `offset`, into `buffer`.
  /// - Returns: how many bytes were read: fewer than the buffer holds at the end of the file, 0 behind it or
  ///   on an error.
  package func read(at offset: Int, into buffer: inout MutableSpan<UInt8>) -> Int {
    guard offset >= 0 else { return 0 }
    var count = 0
    if let file, offset < written {
      count = unsafe buffer.withUnsafeMutableBytes {
        max(0, unsafe pread(file.descriptor.number, $0.baseAddress, $0.count, off_t(offset)))
      }
      guard offset + count == written else { return count }
    }
    let rest = buffered.dropFirst(offset + count - written).prefix(buffer.count - count)
    unsafe buffer.withUnsafeMutableBytes {
      unsafe UnsafeMutableRawBufferPointer(rebasing: $0[count...]).copyBytes(from: rest)
    }
    return count + rest.count
  }
}
