package import PushQueueing
package import Queueing

/// `redis[s]://[[USER]:PASSWORD@]HOST[:PORT]/[DATABASE/]NAME[?db=DATABASE][&password-file=PATH]`. The keys of the push
/// queue begin with NAME and a colon.
package struct RedisPushQueueURL: PushQueueURL {
  package static let kind = PushQueueKind(["redis:", "rediss:"], example: example) {
    (text) throws(QueueError) in try RedisPushQueueURL(text)
  }
  package static let example = "redis://HOST/\(defaultName)"
  private static let defaultName = "push-queue"

  private let server: RedisServer
  private let name: String

  /// - Throws: `QueueError.urlInvalid` with a corrected URL.
  init(_ text: String) throws(QueueError) {
    do throws(URLFault) {
      let url = try BrokerURL(text, parameters: ["db"])
      let path = try RedisPath(url, defaultStream: Self.defaultName, what: "name")
      (server, name) = (try RedisServer(url, database: path.database), path.stream)
    } catch {
      throw .urlInvalid(text.withoutPassword, error, right: error.right ?? Self.example)
    }
  }

  package var label: QueueLabel {
    QueueLabel(system: "redis", name: server.database == 0 ? name : "\(server.database)/\(name)")
  }

  package var needs: QueueNeeds { QueueNeeds(passwordFile: server.passwordFile, port: server.port) }

  package func open(
    _ limits: PushQueueLimits, certificateFile: String?, warn: (String) -> Void
  ) throws(QueueError) -> any PushQueue {
    let store = try RedisStore(server, certificateFile: certificateFile)
    return RedisPushQueue(try RedisDeviceStore(store, name: name), limits)
  }
}
