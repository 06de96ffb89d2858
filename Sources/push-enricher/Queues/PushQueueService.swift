internal import Confining
internal import DeviceAPI
internal import PushQueueing
internal import Queueing
internal import Reporting
internal import Sending
internal import Serving
internal import Working

/// The work of a process with a push queue besides sending: it answers devices, and resends pushes that they
/// missed.
struct PushQueueService {
  private let choice: PushQueueChoice
  private let keys: TicketKeys
  /// Nil if devices are not answered here.
  private let deviceAPI: DeviceAPIChoice?

  /// - Returns: nil if no push queue is named.
  init?(_ options: OptionValues, target: QueueChoice) throws(CommandError) {
    let values = options.pushQueue
    deviceAPI = try DeviceAPIChoice(values)
    guard let choice = try PushQueueChoice(options) else {
      let others = [values.keys?.origin, values.endpoint?.origin, values.limitsOrigin].compactMap(\.self)
      if let origin = others.first { throw CommandError("\(origin): give --push-queue as well") }
      return nil
    }
    // Pushes get their positions where they are sent. If that is elsewhere, work only leaves room for the marks.
    guard target.sendsToDevices else {
      // The environment and the file may be those of `send`, too.
      if let origin = values.endpoint?.origin, origin.hasPrefix("--") {
        throw CommandError(
          "\(origin): devices are answered only where pushes are sent: give it to the process with --to apns://…"
        )
      }
      return nil
    }
    guard let keys = values.keys?.value else {
      throw CommandError(
        "\(choice): give --push-queue-key as well: openssl rand -hex 32 > FILE makes a key; chmod 600 FILE")
    }
    (self.choice, self.keys) = (choice, keys)
  }

  func add(to needs: inout Needs) throws(CommandError) {
    try needs.add(choice.needs, of: "\(choice)")
    needs.paths?.addReplaceable(keys.path)
    guard let deviceAPI = deviceAPI?.settings.needs else { return }
    for file in deviceAPI.replaceableFiles { needs.paths?.addReplaceable(file) }
    needs.calls.insert(.listening)
    needs.listenPorts.insert(deviceAPI.listenPort)
  }

  /// Opens the push queue, and starts the work. Ends the process if that can never work.
  func begin(
    with sink: any Queue, _ opening: inout QueueOpening, log: WorkLog, watch: DeliveryWatch = DeliveryWatch()
  ) async {
    guard let sink = sink as? APNsSink else { return }
    let queue = await opening.open(choice)
    let numbering = PushNumbering(with: queue, keys: keys, tell: log.unnumbered)
    keys.warn(with: log.warn)
    sink.number(with: numbering)
    watch.begin(with: queue)
    // If pushes are under way when the process ends, the next process sends them again.
    Task { await Resender(to: sink, with: numbering, noting: log.resending).run() }
    await deviceAPI?.serve(queue, keys, warn: log.warn)
  }
}

/// The endpoint at which devices are answered.
struct DeviceAPIChoice {
  let settings: DeviceAPISettings
  private let origin: String

  /// - Returns: nil if there is no such endpoint.
  init?(_ values: PushQueueValues) throws(CommandError) {
    guard let endpoint = values.endpoint else {
      let others = [values.certificateFile?.origin, values.certificateKeyFile?.origin].compactMap(\.self)
      if let origin = others.first { throw CommandError("\(origin): give --device-api as well") }
      return nil
    }
    origin = endpoint.origin
    do throws(DeviceAPIError) {
      settings = try DeviceAPISettings(
        at: endpoint.value, certificateFile: values.certificateFile?.value,
        keyFile: values.certificateKeyFile?.value)
    } catch {
      throw CommandError("\(endpoint.origin): \(error)")
    }
  }

  /// Serves, or ends the process if that can never work. If another program has the port, returns at once and keeps
  /// trying: it may be the previous process, and pushes should not wait for it to end.
  fileprivate func serve(
    _ queue: any PushQueue, _ keys: TicketKeys, warn: @escaping @Sendable (String) -> Void
  )
    async
  {
    var settings = settings
    settings.warn = warn
    if await tryToServe(settings, queue, keys) { return }
    warn(
      "\(origin): devices are not answered yet, trying again: \(ServingError.endpointTaken(settings.endpoint))"
    )
    Task { [settings] in
      repeat { try? await Task.sleep(for: .seconds(1)) } while await !tryToServe(settings, queue, keys)
    }
  }

  /// - Returns: false if another program has the port.
  private func tryToServe(_ settings: DeviceAPISettings, _ queue: any PushQueue, _ keys: TicketKeys) async
    -> Bool
  {
    do throws(ServingError) {
      _ = try await DeviceAPI.start(settings, queue: queue, keys: keys)
      return true
    } catch .endpointTaken {
      return false
    } catch {
      ConsoleLog.end(.usage, "\(origin): \(error)")
    }
  }
}
