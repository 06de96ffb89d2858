"""Runs containers of one image for the tests, without everything that a container does not need."""
import json, os, pathlib, shlex, shutil, subprocess, tempfile, time, uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]
BASE, COMPILER = "docker.io/library/debian:bookworm-slim", "docker.io/library/swift:6.3.1-bookworm"
STRICT = ["--read-only", "--cap-drop", "all", "--security-opt", "no-new-privileges", "--user", "65532:65532", "--network", "host"]
LIMITED = ["--memory", "12m"]


class Engine:
    """`podman`, or the program in CONTAINER_ENGINE, with the additional options that a machine needs for all containers
    (CONTAINER_RUN_OPTIONS) and builds (CONTAINER_BUILD_OPTIONS)."""
    def __init__(self):
        self.command = shlex.split(os.environ.get("CONTAINER_ENGINE", "podman"))
        self.run_options = shlex.split(os.environ.get("CONTAINER_RUN_OPTIONS", ""))
        self.build_options = shlex.split(os.environ.get("CONTAINER_BUILD_OPTIONS", ""))
        if self.command[0] == "podman":
            # As with docker, a read-only file system has no writable temporary directories.
            self.run_options.append("--read-only-tmpfs=false")
            # The other format has no HEALTHCHECK.
            self.build_options += ["--format", "docker"]

    def call(self, *words, limit=60, **options):
        """Runs a command of the engine until it ends, or kills it at the limit."""
        return subprocess.run([*self.command, *words], capture_output=True, timeout=limit, **{"text": True, **options})

    def why_not(self):
        """Why this machine cannot build and test an image; None if it can."""
        path = os.environ.get("PATH", "") + ":/usr/sbin"
        for tool in self.command[0], "nginx", "openssl", "redis-server":
            if not shutil.which(tool, path=path):
                return f"{tool} is not installed"
        try:
            if self.call("info").returncode:
                return f"{self.command[0]} does not work here"
            # The small image comes first: if it cannot be pulled soon, neither can the other.
            for image, seconds in (BASE, 60), (COMPILER, 240):
                if self.call("image", "inspect", image).returncode and self.call("pull", image, limit=seconds).returncode:
                    return f"{image} cannot be pulled"
            trial = self.call("run", "--rm", *self.run_options, *STRICT, *LIMITED, BASE, "true")
            if trial.returncode:
                return f"no container can be run: {trial.stderr.strip()[-200:]}"
            # These commands are what every build needs before it gets to our sources.
            needs = "swift --version && git ls-remote -q https://github.com/apple/swift-log HEAD && apt-get update -qq"
            with tempfile.TemporaryDirectory() as empty:
                (pathlib.Path(empty) / "Dockerfile").write_text(f"FROM {COMPILER}\nRUN {needs}\n")
                trial = self.call("build", *self.build_options, "--no-cache", "-t", "push-enricher:trial", empty, limit=180)
            self.call("rmi", "-f", "push-enricher:trial")
            if trial.returncode:
                return f"nothing can be built in {COMPILER}: {trial.stderr.strip()[-200:]}"
        except subprocess.TimeoutExpired as expired:
            return f"{' '.join(map(str, expired.cmd[:3]))} took longer than {expired.timeout:.0f} s"
        return None

    def build(self, image):
        if subprocess.run([*self.command, "build", *self.build_options, "-t", image, ROOT]).returncode:
            raise SystemExit("FAIL  the image does not build")

    def inspect(self, kind, name):
        return json.loads(self.call(kind, "inspect", name).stdout)[0]


class Containers:
    """A context whose containers and volumes are removed at its end."""
    def __init__(self, engine, image):
        self.engine, self.image, self.names, self.volumes = engine, image, [], []

    def files(self, image):
        """The paths of all files of an image."""
        return set(Containers(self.engine, image).run("/", "-xdev", "-type", "f", entrypoint="/usr/bin/find").stdout.splitlines())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for name in self.names:
            self.engine.call("rm", "-f", name)
        for volume in self.volumes:
            self.engine.call("volume", "rm", "-f", volume)

    def volume(self):
        """Creates an empty volume, whose owner becomes that of /data in the image."""
        self.volumes.append(f"push-enricher-test-{uuid.uuid4().hex[:12]}")
        self.engine.call("volume", "create", self.volumes[-1])
        return self.volumes[-1]

    def words(self, arguments, options=(), variables=None, volume=None, limited=True, name=None, entrypoint=None):
        self.names.append(name or f"push-enricher-test-{uuid.uuid4().hex[:12]}")
        environment = {"PUSH_ENRICHER_STATUS": "", **(variables or {})}
        # Without systemd, podman complains about each HEALTHCHECK.
        return [*self.engine.command, "run", "--rm", "-i", "--no-healthcheck", "--name", self.names[-1], *self.engine.run_options, *STRICT,
                *(LIMITED if limited else []), *(["-v", f"{volume}:/data"] if volume else []),
                *(["--entrypoint", entrypoint] if entrypoint else []),
                *[word for name, value in environment.items() for word in ("-e", f"{name}={value}")], *options, self.image, *arguments]

    def run(self, *arguments, text="", seconds=300, **options):
        """Runs a container until it ends. `returncode` is that of the program; 137 if it was killed, even for taking too long."""
        words = self.words(arguments, **options)
        try:
            return subprocess.run(words, input=text, text=True, capture_output=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            self.engine.call("kill", self.names[-1])
            return subprocess.CompletedProcess(words, 137, "", f"it was still running after {seconds} s\n")

    def start(self, log, *arguments, **options):
        """Starts a container whose stderr goes into the file `log`."""
        words = self.words(arguments, **options)
        with open(log, "wb") as errors:
            return Running(self.engine, self.names[-1], subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors), log)


class Running:
    """A container that has been started."""
    def __init__(self, engine, name, process, log):
        self.engine, self.name, self.process, self.log = engine, name, process, pathlib.Path(log)

    def outcomes(self):
        """The outcomes in the log of its worker so far: `enriched`, or the reason of an unmodified payload."""
        return outcomes(self.log.read_text())

    def wait_for(self, condition, seconds=120):
        """Waits while it runs, and returns whether `condition` becomes true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            if condition():
                return True
            time.sleep(0.05)
        return condition()

    def stop(self):
        self.engine.call("stop", "-t", "60", self.name, limit=120)
        return self.end()

    def kill(self):
        self.engine.call("kill", self.name)
        return self.end()

    def end(self, seconds=300):
        """Waits until it ends, or kills it at the limit, and returns its exit status."""
        try:
            return self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.engine.call("kill", self.name)
            return self.process.wait(timeout=60)


def outcomes(log):
    found = []
    for line in log.splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if "outcome" in entry:
            found.append(entry.get("reason", entry["outcome"]))
    return found
