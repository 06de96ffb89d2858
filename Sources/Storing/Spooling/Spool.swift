internal import CLinux
internal import Glibc
internal import Supporting

/// Holds a body as it arrives: in an unnamed file (`O_TMPFILE`), or in memory while it is short.
/// Unless a store keeps the file, it vanishes with this value or with the process, so a crash leaves nothing behind.
package struct Spool: ~Copyable {
  private let directory: SpoolDirectory
  private var file: Descriptor?
  private var digest: FollowingDigest?
  private let pieceBytes: Int
  /// The length of the body in bytes, if it was announced.
  private let announced: Int?
  private var isPooled: Bool
  /// Bytes that are appended but not written yet.
  private var buffered: [UInt8]

  /// Bytes appended so far.
  package private(set) var size = 0
  /// How many of them are written, how many the disk was told to write, how many have left memory.
  private var (written, submitted, dropped) = (0, 0, 0)

  /// - Parameter buffer: taken from the pool if the settings set no `pieceBytes`.
  init(in directory: SpoolDirectory, announced: Int?, buffer: [UInt8]?) {
    (self.directory, self.announced) = (directory, announced)
    isPooled = buffer != nil
    pieceBytes = isPooled ? WriteBufferPool.bytes : directory.settings.pieceBytes
    buffered = buffer ?? []
    buffered.reserveCapacity(pieceBytes)
  }

  deinit {
    if submitted > 0 { directory.unwritten?.leave() }
    if isPooled { directory.buffers.giveBack() }
  }

  /// Whether nothing is written before `finish`.
  var isBufferedWhole: Bool { announced.map { $0 <= pieceBytes } ?? false }

  /// Makes the file if there is none yet. Blocks on the disk.
  @discardableResult mutating func open() throws(StoreError) -> Descriptor {
    if let file { return file }
    let new = try directory.makeFile()
    file = new
    digest = try FollowingDigest(of: new, in: directory.path, on: directory.hashing)
    return new
  }

  /// Blocks on the disk, unless `bytes` are only buffered.
  /// - Throws: `StoreError.full`, or another error of the kernel. The spool is useless then.
  package mutating func append(_ bytes: Span<UInt8>) throws(StoreError) {
    size += bytes.count
    guard pieceBytes > 0 else { return try write(bytes) }
    // Writes the buffer and the end in one call, and does not copy the end.
    if size == announced, !isBufferedWhole { return try flush(with: bytes, isLast: true) }
    var done = 0
    while done < bytes.count {
      if buffered.count == pieceBytes { try flush() }
      let end = min(bytes.count, done + pieceBytes - buffered.count)
      unsafe bytes.extracting(done..<end).withUnsafeBytes { unsafe buffered.append(contentsOf: $0) }
      done = end
    }
  }

  /// Writes what is left. Call it once. Blocks on the disk.
  /// - Parameter filenameExtension: the extension of its media type, without a dot.
  package mutating func finish(filenameExtension: String) throws(StoreError) -> SpooledFile {
    try flush(isLast: true)
    let descriptor = try open()
    guard let digest else { throw .digestUnavailable }
    let name = "\(try digest.finish(at: size)).\(filenameExtension)"
    return SpooledFile(descriptor: descriptor, stored: StoredFile(name: name, size: size))
  }

  /// Writes the buffer, then `bytes`.
  /// - Parameter isLast: whether nothing will be buffered after this.
  private mutating func flush(with bytes: Span<UInt8> = Span(), isLast: Bool = false) throws(StoreError) {
    var piece: [UInt8] = []
    swap(&piece, &buffered)
    try write(piece.span, bytes)
    piece.removeAll(keepingCapacity: true)
    guard isLast else { return swap(&piece, &buffered) }
    if isPooled { directory.buffers.giveBack(piece) }
    isPooled = false
  }

  private mutating func write(_ first: Span<UInt8>, _ second: Span<UInt8> = Span()) throws(StoreError) {
    let file = try open()
    var done = 0
    while done < first.count + second.count {
      let rest = first.extracting(min(done, first.count)...)
      let count = file.write(rest, second.extracting(max(0, done - first.count)...))
      if count < 0 {
        if errno == EINTR { continue }
        throw StoreError(errno, operation: "writing", path: directory.path)
      }
      done += count
    }
    let start = written
    written += done
    // If memory is bounded, hashes now: reading bytes back would bring them into memory again.
    if directory.unwritten != nil || written <= FollowingDigest.beginning {
      digest?.take(first, at: start)
      digest?.take(second, at: start + first.count)
    }
    if let unwritten = directory.unwritten { return try bound(unwritten, file.number) }
    digest?.follow(from: start, to: written)
    if directory.settings.isDurable, written - submitted >= 4_194_304 {
      // Leaves little to wait for when the file is made durable.
      submit(upTo: written, of: file.number)
    }
  }

  /// Starts writing a piece, and waits for the one before it: the disk works while more arrives.
  private mutating func bound(_ unwritten: UnwrittenBytes, _ file: Int32) throws(StoreError) {
    // Only whole pages: if a part of a page were dropped, the bytes after it would read it back.
    let end = written - written % 4_096
    guard end - submitted >= unwritten.piece else { return }
    if submitted == 0 { unwritten.join() }
    let previous = submitted
    submit(upTo: end, of: file)
    // To sync_file_range(2), a length of 0 means all bytes.
    guard previous > dropped else { return }
    guard finish_writing(file, Int64(dropped), Int64(previous - dropped)) == 0 else {
      throw StoreError(errno, operation: "writing", path: directory.path)
    }
    _ = posix_fadvise(file, 0, off_t(previous), POSIX_FADV_DONTNEED)
    dropped = previous
  }

  /// Makes the disk start writing while the rest arrives. fsync(2) reports errors at the end.
  private mutating func submit(upTo end: Int, of file: Int32) {
    _ = start_writing(file, Int64(submitted), Int64(end - submitted))
    submitted = end
  }

  /// Reads appended bytes, from `offset` on.
  /// - Returns: how many bytes were read: fewer than fit at the end, 0 past the end or on an error.
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
