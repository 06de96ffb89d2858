internal import CLinux
internal import Glibc
internal import Supporting

/// What a body is put into while it streams past: a file without a name (`O_TMPFILE`), or memory while the body is
/// short. It vanishes with this value, or with the process, unless it is finished and a store keeps it: a crash
/// leaves nothing behind, and no reader ever sees half a file.
package struct Spool: ~Copyable {
  /// What the kernel keeps of a file in memory is a multiple of this. Where its pages are larger, more is
  /// read back.
  private static let pageBytes = 4_096

  private let directory: SpoolDirectory
  private var file: Descriptor?
  /// Of what is written, which is hashed before it leaves the processor's cache.
  private var digest: SHA256?
  /// How many groups had failed when the file was made.
  private var failures = 0
  private let pieceBytes: Int
  /// How long it will be, in bytes, if that was said.
  private let announced: Int?
  /// Whether `buffered` is one of the pool's buffers.
  private var isPooled: Bool
  /// What was appended and is not written yet.
  private var buffered: [UInt8]

  /// Bytes appended so far.
  package private(set) var size = 0
  /// Bytes of them that are written.
  private var written = 0
  /// Bytes of them that the disk was told to start writing.
  private var submitted = 0
  /// Bytes of them that are on the disk, and no longer in memory.
  private var dropped = 0

  /// - Parameter buffer: one of the pool's, if the directory has no other size of pieces.
  init(in directory: SpoolDirectory, announced: Int?, buffer: [UInt8]?) {
    self.directory = directory
    self.announced = announced
    isPooled = buffer != nil
    pieceBytes = isPooled ? WriteBufferPool.bytes : directory.pieceBytes
    buffered = buffer ?? []
    buffered.reserveCapacity(pieceBytes)
  }

  deinit {
    if submitted > 0 { directory.unwritten?.leave() }
    if isPooled { directory.buffers.giveBack() }
  }

  /// Whether nothing is written before all of it is there, and then by `finish`.
  var isBufferedWhole: Bool { announced.map { $0 <= pieceBytes } ?? false }

  /// Makes the file, if it is not there yet. Blocks on the disk.
  @discardableResult
  mutating func open() throws(StoreError) -> Descriptor {
    if let file { return file }
    // Read before the file exists, so that no error of its own is missed.
    failures = directory.groups.failures
    let new = try directory.makeFile()
    digest = SHA256()
    file = new
    return new
  }

  /// Puts `bytes` behind what is there. Blocks on the disk, unless they are only buffered.
  /// - Throws: `StoreError.full`, or another error of the kernel; the spool is of no use then.
  package mutating func append(_ bytes: Span<UInt8>) throws(StoreError) {
    size += bytes.count
    guard pieceBytes > 0 else { return try write(bytes) }
    // Nothing comes behind it: with what is buffered it is one call of the kernel, and not copied.
    if size == announced, !isBufferedWhole { return try flush(with: bytes, isLast: true) }
    var done = 0
    while done < bytes.count {
      if buffered.count == pieceBytes { try flush() }
      let end = min(bytes.count, done + pieceBytes - buffered.count)
      unsafe bytes.extracting(done..<end).withUnsafeBytes { unsafe buffered.append(contentsOf: $0) }
      done = end
    }
  }

  /// Writes what is left of it. Called once; blocks on the disk.
  /// - Parameter filenameExtension: that of its media type, without a dot.
  /// - Throws: as `append`, and `StoreError.digestUnavailable`.
  package mutating func finish(filenameExtension: String) throws(StoreError) -> SpooledFile {
    try flush(isLast: true)
    let descriptor = try open()
    guard let digest = digest?.finish() else { throw .digestUnavailable }
    let name = "\(String(hexadecimal: digest.span)).\(filenameExtension)"
    return SpooledFile(
      descriptor: descriptor, stored: StoredFile(name: name, size: size), failures: failures)
  }

  /// Writes what is buffered, and `bytes` behind it.
  /// - Parameter isLast: whether nothing is buffered any more.
  private mutating func flush(with bytes: Span<UInt8> = Span(), isLast: Bool = false) throws(StoreError) {
    var piece: [UInt8] = []
    swap(&piece, &buffered)
    try write(piece.span, bytes)
    piece.removeAll(keepingCapacity: true)
    guard isLast else { return swap(&piece, &buffered) }
    if isPooled { directory.buffers.giveBack(piece) }
    isPooled = false
  }

  /// Writes `first`, and `second` behind it.
  private mutating func write(_ first: Span<UInt8>, _ second: Span<UInt8> = Span()) throws(StoreError) {
    let file = try open().number
    var done = 0
    while done < first.count + second.count {
      let count = Self.writeOnce(
        first.extracting(min(done, first.count)...), second.extracting(max(0, done - first.count)...),
        to: file)
      if count < 0 {
        if errno == EINTR { continue }
        throw StoreError(errno, operation: "writing", path: directory.path)
      }
      done += count
    }
    digest?.update(first)
    digest?.update(second)
    written += done
    if let unwritten = directory.unwritten {
      try bound(unwritten, file)
    } else if directory.settings.isDurable, written - submitted >= 4_194_304 {
      // Making the file durable then has little left to wait for.
      submit(upTo: written, of: file)
    }
  }

  /// - Returns: how many bytes of both were written; -1 and `errno` if none were.
  private static func writeOnce(_ first: Span<UInt8>, _ second: Span<UInt8>, to file: Int32) -> Int {
    unsafe first.withUnsafeBytes { first in
      unsafe second.withUnsafeBytes { second in
        // The kernel only reads from them.
        let parts: InlineArray<2, iovec> = unsafe [
          iovec(iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress), iov_len: first.count),
          iovec(iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress), iov_len: second.count),
        ]
        return unsafe parts.span.withUnsafeBufferPointer {
          unsafe writev(file, $0.baseAddress, Int32($0.count))
        }
      }
    }
  }

  /// Starts writing a piece to the disk, and waits for the one before it: if it waited for each at once,
  /// nothing would be read from the network meanwhile.
  private mutating func bound(_ unwritten: UnwrittenBytes, _ file: Int32) throws(StoreError) {
    // Whole pages: a part of one, once dropped, would be read back for what is written behind it.
    let end = written - written % Self.pageBytes
    guard end - submitted >= unwritten.piece else { return }
    if submitted == 0 { unwritten.join() }
    let previous = submitted
    submit(upTo: end, of: file)
    // No bytes would be all bytes, sync_file_range(2).
    guard previous > dropped else { return }
    guard finish_writing(file, Int64(dropped), Int64(previous - dropped)) == 0 else {
      throw StoreError(errno, operation: "writing", path: directory.path)
    }
    _ = posix_fadvise(file, 0, off_t(previous), POSIX_FADV_DONTNEED)
    dropped = previous
  }

  /// Has the disk start writing while the rest is still on its way. Advice only: fsync(2) asks at the end whether
  /// it was written.
  private mutating func submit(upTo end: Int, of file: Int32) {
    _ = start_writing(file, Int64(submitted), Int64(end - submitted))
    submitted = end
  }

  /// Reads what was appended, from `offset`, into `buffer`.
  /// - Returns: how many bytes were read: fewer than the buffer holds at the end of the file, 0 behind it or
  ///   on an error.
  package func read(at offset: Int, into buffer: inout MutableSpan<UInt8>) -> Int {
    guard offset >= 0 else { return 0 }
    var count = 0
    if let file, offset < written {
      count = file.read(at: offset, into: &buffer)
      guard offset + count == written else { return count }
    }
    let rest = buffered.dropFirst(offset + count - written).prefix(buffer.count - count)
    unsafe buffer.withUnsafeMutableBytes {
      unsafe UnsafeMutableRawBufferPointer(rebasing: $0[count...]).copyBytes(from: rest)
    }
    return count + rest.count
  }
}
