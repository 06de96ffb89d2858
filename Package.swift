// swift-tools-version: 6.3
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// A library target: one step on a payload's way, or the code that joins the steps.
func module(
  _ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []
) -> Target {
  .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

/// The tests of one module. They share the loopback servers of `Misbehaving` and `TestSupport`, and the
/// fixtures of `TestSupport`.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: dependencies + ["Misbehaving", "TestSupport"],
    swiftSettings: strict)
}

let package = Package(
  name: "push-enricher",
  // For NotificationExtension: everything else runs on Linux only.
  platforms: [.iOS(.v16), .macOS(.v13), .watchOS(.v9), .visionOS(.v1)],
  products: [
    .executable(name: "push-enricher", targets: ["push-enricher"]),
    .library(name: "NotificationExtension", targets: ["NotificationExtension"]),
  ],
  traits: [
    .trait(name: "Redis", description: "Redis Streams as a queue; needs libhiredis."),
    .trait(name: "RabbitMQ", description: "RabbitMQ as a queue; needs librabbitmq."),
    .default(enabledTraits: ["Redis", "RabbitMQ"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
  ],
  targets: [
    .systemLibrary(name: "CAres", pkgConfig: "libcares", providers: [.apt(["libc-ares-dev"])]),
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    // Module maps link the libraries without pkgConfig in statically, because each shared library takes up to
    // 0.5 ms of each start. Libraries that parse bytes from strangers stay shared, so that they get the
    // system's updates.
    // CFrames is more than a header: it has a function that libcurl finds in the program.
    .target(name: "CFrames"),
    .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CMagic", pkgConfig: "libmagic", providers: [.apt(["libmagic-dev"])]),
    .systemLibrary(
      name: "CNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CRabbitMQ", providers: [.apt(["librabbitmq-dev", "libssl-dev"])]),
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),

    // All other modules may use Supporting, and it uses none of them.
    module("Supporting", ["CLinux", "COpenSSL"]),
    module("Confining", ["CLinux", "Supporting"]),
    module("Notifications", ["Supporting"]),
    module("Fetching", ["CAres", "CCurl", "CFrames", "CLinux", "COpenSSL", "Supporting"]),
    module("Decrypting", ["COpenSSL", "Notifications", "Supporting"]),
    module("Sniffing", ["CMagic", "Supporting"]),
    module("Storing", ["CLinux", "Supporting"]),
    module(
      "S3Storing",
      ["CCurl", "CLinux", "COpenSSL", "Fetching", "Notifications", "Storing", "Supporting"]),
    module("Caching", ["Supporting"]),
    module(
      "Enriching",
      [
        "Caching", "CLinux", "Notifications", "Fetching", "Decrypting", "Sniffing", "Storing",
        "Supporting",
      ]),
    module("Queueing", ["CSQLite", "Notifications", "Supporting"]),
    module("PushQueueing", ["CSQLite", "Queueing", "Supporting"]),
    module("RabbitMQQueueing", ["CRabbitMQ", "Queueing", "Supporting"]),
    module("RedisQueueing", ["CCurl", "CHiredis", "COpenSSL", "PushQueueing", "Queueing", "Supporting"]),
    module("HTTPQueueing", ["Notifications", "Queueing", "Serving", "Supporting"]),
    module(
      "Sending",
      ["CLinux", "CNghttp2", "COpenSSL", "Notifications", "PushQueueing", "Queueing", "Supporting"]),
    module(
      "BuiltInQueueing",
      [
        "HTTPQueueing", "PushQueueing", "Queueing", "Sending",
        .target(name: "RabbitMQQueueing", condition: .when(traits: ["RabbitMQ"])),
        .target(name: "RedisQueueing", condition: .when(traits: ["Redis"])),
      ]),
    module("Measuring", ["Enriching", "Fetching", "Sniffing", "Supporting"]),
    module(
      "Working",
      [
        "Enriching", "Fetching", "Measuring", "Notifications", "Queueing", "Supporting",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    module(
      "Serving",
      [
        "COpenSSL", "Supporting", .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    module("DeviceAPI", ["Notifications", "PushQueueing", "Queueing", "Serving", "Supporting"]),
    module(
      "Reporting",
      [
        "Confining", "Enriching", "Fetching", "Measuring", "Notifications", "PushQueueing", "Queueing",
        "Sending",
        "Serving", "Supporting", "Working",
      ], resources: [.embedInCode("page.html")]),
    module(
      "Misbehaving",
      [
        "CLinux", "CNghttp2", "COpenSSL", "Notifications", "Supporting",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    module(
      "Demonstrating",
      [
        "BuiltInQueueing", "DeviceAPI", "Enriching", "Misbehaving", "Notifications", "PushQueueing",
        "Queueing",
        "Sending", "Serving", "Supporting", "Working", .product(name: "Logging", package: "swift-log"),
      ]),
    .executableTarget(
      name: "push-enricher",
      dependencies: [
        "CLinux", "Confining", "BuiltInQueueing", "Decrypting", "Demonstrating", "DeviceAPI", "Enriching",
        "Fetching",
        "Measuring", "Notifications", "PushQueueing", "Queueing", "Reporting", "S3Storing",
        "Sending", "Serving", "Sniffing", "Storing", "Supporting", "Working",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict,
      linkerSettings: [
        // Saves a tenth of the start: 89,000 relocations take 10 KB instead of 1.2 MB, and no symbols are
        // exported, because nobody links against the program.
        .unsafeFlags(
          [
            "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker",
            "--no-export-dynamic", "-Xclang-linker", "-static-libgcc",
            // Saves 650 KB: only C++ exceptions and backtraces use this index, and nothing here throws an
            // exception that is caught.
            "-Xlinker", "--no-eh-frame-hdr",
            "-L\(Context.packageDirectory)/Sources/CLinux/static",
          ],
          .when(configuration: .release))
      ]),

    // Runs in apps, on their devices. Foundation is all that it needs.
    module("NotificationExtension", []),

    .target(
      name: "TestSupport",
      dependencies: [
        "Misbehaving", "Notifications", "Queueing", "Storing", "Supporting",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "Subprocess", package: "swift-subprocess"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Tests/TestSupport",
      swiftSettings: strict),
    .testTarget(
      name: "TestSupportTests", dependencies: ["Misbehaving", "TestSupport", "push-enricher"],
      swiftSettings: strict),
    tests("Supporting", ["Supporting"]),
    tests("Confining", ["CLinux", "Confining"]),
    tests("Notifications", ["Notifications"]),
    tests("Fetching", ["CAres", "CLinux", "Fetching", "Supporting"]),
    tests("Decrypting", ["Decrypting", "Supporting"]),
    tests("Sniffing", ["Sniffing"]),
    tests("Storing", ["CLinux", "Storing", "Supporting"]),
    tests("S3Storing", ["CCurl", "Fetching", "S3Storing", "Storing", "Supporting"]),
    tests("Caching", ["Caching", "Supporting"]),
    tests(
      "Queueing",
      [
        "BuiltInQueueing", "HTTPQueueing", "Queueing", "Serving",
        .target(name: "CRabbitMQ", condition: .when(traits: ["RabbitMQ"])),
        .target(name: "RabbitMQQueueing", condition: .when(traits: ["RabbitMQ"])),
        .target(name: "RedisQueueing", condition: .when(traits: ["Redis"])),
      ]),
    tests("PushQueueing", ["BuiltInQueueing", "PushQueueing", "Queueing", "Supporting"]),
    tests("Sending", ["COpenSSL", "Notifications", "PushQueueing", "Queueing", "Sending", "Supporting"]),
    tests("Enriching", ["Enriching", "Fetching", "S3Storing", "Storing", "Supporting"]),
    tests("Measuring", ["Enriching", "Fetching", "Measuring", "Notifications", "Supporting"]),
    tests("Serving", ["Serving", "Supporting"]),
    tests(
      "DeviceAPI",
      ["BuiltInQueueing", "DeviceAPI", "Notifications", "PushQueueing", "Queueing", "Serving", "Supporting"]),
    tests("Reporting", ["PushQueueing", "Queueing", "Reporting", "Serving"]),
    tests(
      "Working",
      [
        "BuiltInQueueing", "Enriching", "Fetching", "Measuring", "Notifications", "Queueing", "S3Storing",
        "Sending", "Storing", "Supporting", "Working", "push-enricher",
        .product(name: "Logging", package: "swift-log"),
      ]),
    tests("NotificationExtension", ["Notifications", "NotificationExtension", "Serving", "Sniffing"]),
    tests(
      "Delivering",
      [
        "BuiltInQueueing", "NotificationExtension", "Notifications", "Queueing", "Supporting",
        "push-enricher",
      ]),
    tests("CommandLine", ["Confining", "Supporting", "push-enricher"]),
    tests("Documentation", ["Enriching", "Notifications", "push-enricher"]),
  ]
)

// Modules whose code runs once, or waits for others. The program is 0.4 MB smaller, and so is the image.
let modulesToKeepSmall: Set = [
  "Confining", "Decrypting", "Demonstrating", "DeviceAPI", "HTTPQueueing", "Misbehaving", "RabbitMQQueueing",
  "Reporting", "S3Storing", "push-enricher",
]
for target in package.targets where modulesToKeepSmall.contains(target.name) {
  target.swiftSettings?.append(.unsafeFlags(["-Osize"], .when(configuration: .release)))
}
