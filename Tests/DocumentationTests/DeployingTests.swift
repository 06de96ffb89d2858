import Notifications
import TestSupport
import Testing

/// Checks what the article says about containers against the program and the Dockerfile.
@Suite("Deploying", .timeLimit(.minutes(5)))
struct DeployingTests {
  @Test("the commands name existing options, commands and images")
  func commands() async throws {
    let block = try #require(
      try Documentation.article("Deploying").blocks("console").first { $0.contains("docker build") })
    let image = try #require(block.firstMatch(of: #/docker build -t ([a-z-]+) \./#)).output.1
    let runs = block.split(separator: "\n").filter { $0.hasPrefix("$ docker run ") }
    #expect(runs.count == 3)
    for run in runs {
      let words = run.split(separator: " ").map(String.init)
      let place = try #require(words.firstIndex(of: String(image)))
      #expect(try await help("--help").contains("\n  \(words[place + 1]) "), "\(words[place + 1])")
      for option in words[(place + 2)...] where option.hasPrefix("--") {
        #expect(try await help(words[place + 1], "--help").contains(" \(option) "))
      }
    }
    let variables = block.matches(of: #/-e (PUSH_ENRICHER_[A-Z_]+)=/#).map { String($0.output.1) }
    #expect(variables.count == 4)
    try await expectOptions(variables)
    #expect(block.contains(" -v media:\(try Dockerfile().volume) "))
  }

  @Test("the Compose file has a Redis and two confined workers") func compose() async throws {
    let root = try await YAML.read(try text(with: "services:")).root
    let worker = try #require(root.at("services.enricher"))
    #expect(worker.text(at: "image") == "push-enricher")
    #expect(worker.list(at: "command") == ["work"])
    #expect(worker.at("deploy.replicas")?.spelling == "2")
    #expect(holdsWholeMemory(worker.text(at: "deploy.resources.limits.memory")))
    #expect(worker.at("read_only")?.spelling == "true")
    #expect(worker.list(at: "cap_drop") == ["ALL"])
    #expect(worker.list(at: "security_opt") == ["no-new-privileges:true"])
    #expect(worker.list(at: "volumes") == ["media:\(try Dockerfile().volume)"])
    #expect(leavesTimeToDrain(worker.text(at: "stop_grace_period")?.dropLast().description))
    #expect(root.at("volumes")?.members.map(\.name).sorted() == ["media", "queues"])
    let environment = worker.at("environment")?.members.map { ($0.name, $0.value.string ?? "") } ?? []
    try await expectOptions(environment.map(\.0))
    let redis = try #require(root.at("services.redis"))
    #expect(redis.list(at: "command") == ["redis-server", "--appendonly", "yes", "--appendfsync", "always"])
    #expect(redis.list(at: "volumes") == ["queues:/data"])
    #if Redis
      try await expectWork(Dictionary(uniqueKeysWithValues: environment), probing: [])
    #endif
  }

  @Test("the Kubernetes file has a Deployment with probes, confinement and time to drain")
  func kubernetes() async throws {
    let root = try await YAML.read(try text(with: "kind: Deployment")).root
    #expect(root.text(at: "apiVersion") == "apps/v1")
    #expect(
      root.text(at: "spec.selector.matchLabels.app") == root.text(at: "spec.template.metadata.labels.app"))
    let pod = try #require(root.at("spec.template.spec"))
    let container = try #require(pod.at("containers.0"))
    let dockerfile = try Dockerfile()
    #expect(container.text(at: "image") == "push-enricher")
    #expect(container.list(at: "args") == ["work"])
    #expect(leavesTimeToDrain(pod.at("terminationGracePeriodSeconds")?.spelling))
    #expect(pod.at("securityContext.runAsNonRoot")?.spelling == "true")
    for user in ["runAsUser", "fsGroup"] {
      #expect(pod.at("securityContext.\(user)")?.spelling == dockerfile.user)
    }
    // Otherwise, the cache would become writable for the group.
    #expect(pod.text(at: "securityContext.fsGroupChangePolicy") == "OnRootMismatch")
    #expect(container.at("securityContext.readOnlyRootFilesystem")?.spelling == "true")
    #expect(container.at("securityContext.allowPrivilegeEscalation")?.spelling == "false")
    #expect(container.list(at: "securityContext.capabilities.drop") == ["ALL"])
    #expect(container.text(at: "resources.requests.memory") == "12Mi")
    #expect(holdsWholeMemory(container.text(at: "resources.limits.memory")?.dropLast().description))
    #expect(container.text(at: "volumeMounts.0.mountPath") == dockerfile.volume)
    let names = ["volumeMounts", "ports"].map {
      container.at($0)?.elements.compactMap { $0["name"]?.string } ?? []
    }
    #expect(names[0] == pod.at("volumes")?.elements.compactMap { $0["name"]?.string })

    let environment =
      container.at("env")?.elements.map {
        ($0["name"]?.string ?? "", $0["value"]?.string ?? "")
      } ?? []
    try await expectOptions(environment.map(\.0))
    let variables = Dictionary(uniqueKeysWithValues: environment)
    #expect(
      variables["PUSH_ENRICHER_STATUS"]?.hasSuffix(
        ":\(container.at("ports.0.containerPort")?.spelling ?? "")") == true)
    let secrets = try #require(container.text(at: "volumeMounts.1.mountPath"))
    let files = variables.filter { $0.key.hasSuffix("_FILE") }.values
    #expect(files.count == 3)
    for file in files {
      #expect(file.hasPrefix("\(secrets)/"))
      #expect(
        try Documentation.article("Deploying").text.contains(
          "--from-literal=\(file.dropFirst(secrets.count + 1))="))
    }
    // Octal 0400, because the worker refuses a secret that others may read.
    #expect(pod.at("volumes.1.secret.defaultMode")?.spelling == "256")
    let probes = ["livenessProbe", "readinessProbe"].compactMap { container.at("\($0).httpGet") }
    #expect(probes.map { $0["port"]?.string } == [names[1].first, names[1].first])
    #if Redis
      try await expectWork(variables, probing: probes.compactMap { $0["path"]?.string })
    #endif
  }

  @Test("the keys are a file of a secret that only the worker may read") func keys() async throws {
    let root = try await YAML.read(try text(with: "PUSH_ENRICHER_KEYS")).root
    try await expectOptions(["PUSH_ENRICHER_KEYS"])
    #expect(root.text(at: "env.0.value") == "\(root.text(at: "volumeMounts.0.mountPath") ?? "")/keys.json")
    #expect(root.text(at: "volumeMounts.0.name") == root.text(at: "volumes.0.name"))
    // Octal 0400.
    #expect(root.at("volumes.0.secret.defaultMode")?.spelling == "256")
    for text in [
      "create secret generic \(root.text(at: "volumes.0.secret.secretName") ?? "") --from-file=keys.json"
    ] {
      #expect(try Documentation.article("Deploying").text.contains(text))
    }
  }

  @Test("the Dockerfile installs what README says, and runs without a shell") func dockerfile() throws {
    let dockerfile = try Dockerfile()
    let commands = try Documentation.readme().blocks("sh")
    let options = try Documentation.article("Options").text
    func packages(_ text: String) -> [Substring] {
      let line = text.firstMatch(of: #/--no-install-recommends ([a-z0-9 .+-]+)/#)?.output.1 ?? ""
      return line.split(separator: " ")
    }
    let stages = dockerfile.text.split(separator: "\nFROM ").dropFirst().map { String($0) }
    try #require(stages.count == 2)
    #expect(packages(stages[0]) == packages(try #require(commands.first)))
    #expect(!packages(stages[1]).isEmpty)
    for package in packages(stages[1]) { #expect(options.contains("`\(package)`"), "\(package)") }
    #expect(dockerfile.user != "0")
    for line in ["ENTRYPOINT [", "HEALTHCHECK "] { #expect(dockerfile.text.contains("\n\(line)")) }
    #expect(dockerfile.text.contains("healthcheck\"]"))
  }

  @Test("the systemd unit waits for queues, gives time to drain, and stops restarting only for wrong options")
  func unit() async throws {
    let unit = try #require(
      try Documentation.article("Deploying").blocks("ini").first { $0.contains("[Service]") })
    let lines = unit.split(separator: "\n").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
    let values = Dictionary(
      lines.filter { $0.count == 2 }.map { ($0[0], $0[1]) }, uniquingKeysWith: { first, _ in first })
    #expect(values["ExecStart"]?.hasSuffix("/push-enricher work") == true)
    #expect(values["StartLimitIntervalSec"] == "0")
    #expect(values["Restart"] == "on-failure")
    #expect(values["RestartPreventExitStatus"] == "64")
    #expect(values["WorkingDirectory"] == values["StateDirectory"].map { "/var/lib/\($0)" })
    #expect(values["UMask"] == "0077")
    #expect(values["StateDirectoryMode"] == "0700")
    #expect(leavesTimeToDrain(values["TimeoutStopSec"]))
    #expect(holdsWholeMemory(values["MemoryMax"]))
  }

  /// The block of the article that contains `line`.
  func text(with line: String) throws -> String {
    try #require(try Documentation.article("Deploying").blocks("yaml").first { $0.contains(line) })
  }

  private func help(_ arguments: String...) async throws -> String {
    try await PushEnricher.run(arguments).output
  }

  /// Expects `work` to read each of these variables.
  private func expectOptions(_ variables: [String]) async throws {
    let help = try await help("work", "--help")
    let options = Set(
      help.matches(of: #/--([a-z-]+)/#).map {
        "PUSH_ENRICHER_" + $0.output.1.uppercased().replacing("-", with: "_")
      })
    let secrets = ["FROM", "TO", "DEAD_LETTERS"].map { "PUSH_ENRICHER_\($0)_FILE" }
    for variable in variables { #expect(options.union(secrets).contains(variable), "\(variable)") }
  }

  /// Whether five ninths of this limit in MiB are at least the default of `--memory`.
  private func holdsWholeMemory(_ limit: String?) -> Bool {
    (limit?.prefix { $0.isNumber }).flatMap { Int($0) }.map { $0 * 1_048_576 / 9 * 5 >= 12_000_000 } ?? false
  }

  /// Whether this many seconds are longer than the deadline and what follows it.
  private func leavesTimeToDrain(_ seconds: String?) -> Bool {
    seconds.flatMap { Int($0) }.map { $0 > 31 } ?? false
  }

  #if Redis
    /// Expects a worker to work with this environment, with a Redis, a store and a port of the test
    /// instead of the named ones.
    private func expectWork(_ variables: [String: String], probing paths: [String]) async throws {
      try await withRedisServer { server in
        try await withTemporaryDirectory { folder in
          var environment = variables.merging(["PUSH_ENRICHER_STORE": folder.path]) { $1 }
          for (name, value) in variables {
            if name.hasSuffix("_FILE") {
              let role = value.split(separator: "/").last.map(String.init) ?? ""
              environment[name] = try folder.write(Array(server.url(role).utf8), to: role, mode: 0o600)
            } else {
              environment[name] = value.replacing("redis://redis/", with: "redis://127.0.0.1:\(server.port)/")
                .replacing(":8080", with: ":0")
            }
          }
          let put = try await PushEnricher.run(
            ["enqueue"], input: Array("[1]\n".utf8), environment: environment)
          #expect(put.termination == .exited(0), "\(put.standardError)")
          let worker = Daemon(PushEnricher.path, ["work"], environment: environment, name: "work", in: folder)
          #expect(try await worker.wait { $0.contains(#""outcome":"unmodified""#) }, "\(worker.output)")
          let port = worker.output.firstMatch(of: #/"address":"0\.0\.0\.0:(\d+)"/#)?.output.1
          for path in paths {
            let url = "http://127.0.0.1:\(try #require(port))\(path)"
            #expect(
              try await eventually {
                try await Command("curl").run(["-q", "-sSf", "--noproxy", "*", url]).exitStatus == 0
              })
          }
          try await worker.kill()
          let got = try await PushEnricher.run(["dequeue"], environment: environment)
          #expect(got.output == "[1]\n")
        }
      }
    }
  #endif
}

/// The contents of the Dockerfile.
private struct Dockerfile {
  let text: String

  init() throws { text = String(decoding: try Files.read("\(Fixtures.root)/Dockerfile"), as: UTF8.self) }

  var volume: String { text.firstMatch(of: #/\nVOLUME (\S+)/#).map { String($0.output.1) } ?? "" }
  var user: String { text.firstMatch(of: #/\nUSER (\d+):/#).map { String($0.output.1) } ?? "" }
}
