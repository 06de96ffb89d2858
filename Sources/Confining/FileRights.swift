/// What may be done with files: rights of landlock(7), under its names (`LANDLOCK_ACCESS_FS_…`).
struct FileRights: OptionSet, Sendable {
  let rawValue: UInt64

  static let execute = FileRights(rawValue: 1 << 0)
  static let writeFile = FileRights(rawValue: 1 << 1)
  static let readFile = FileRights(rawValue: 1 << 2)
  static let readDirectory = FileRights(rawValue: 1 << 3)
  static let removeFile = FileRights(rawValue: 1 << 5)
  static let makeDirectory = FileRights(rawValue: 1 << 7)
  static let makeFile = FileRights(rawValue: 1 << 8)
  static let truncate = FileRights(rawValue: 1 << 14)

  static let reading: FileRights = [.readFile, .readDirectory]
  /// To make, write and remove files.
  static let keeping: FileRights = [.readFile, .readDirectory, .writeFile, .makeFile, .removeFile, .truncate]
  /// The rights that a file can have. All other rights are for directories.
  static let ofFiles: FileRights = [.execute, .writeFile, .readFile, .truncate]

  /// All rights that a version of Landlock knows, and so can forbid.
  static func known(to version: Int) -> FileRights {
    // The highest bits came with versions 2 (moves between directories), 3 (truncating) and 5
    // (ioctl(2) on devices).
    FileRights(rawValue: 1 << (13 + [2, 3, 5].count { version >= $0 }) - 1)
  }
}
