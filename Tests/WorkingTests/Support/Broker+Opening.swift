import BuiltInQueueing
import Queueing
import TestSupport

extension Broker {
  /// A queue as a consumer sees it that has others in `queues`.
  func open(_ name: String, in queues: Queues) throws(QueueError) -> any Queue {
    try ([.memory] + QueueKind.builtIn).url(url(name), defaultQueue: name)
      .open(in: queues, for: .taking, createsFile: true)
  }
}
