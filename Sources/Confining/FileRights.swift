/// What may be done with files: the rights that landlock(7) knows, under its names (`LANDLOCK_ACCESS_FS_…`).
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
  /// To make files, write them and take them away.
  static let keeping: FileRights = [.readFile, .readDirectory, .writeFile, .makeFile, .removeFile, .truncate]

  /// Those that can be given for a file; the others belong to directories.
  static let ofFiles: FileRights = [.execute, .writeFile, .readFile, .truncate]

  /// All that a version of Landlock knows, and so can forbid.
  static func known(to version: Int) -> FileRights {
    let highest =
      switch version {
      case ...1: 12
      // To move files between directories; to truncate; ioctl(2) on devices.
      case 2: 13
      case 3, 4: 14
      default: 15
      }
    return FileRights(rawValue: (1 << (highest + 1)) - 1)
  }
}
