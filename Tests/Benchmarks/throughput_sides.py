"""The programs that `throughput` compares, and the queues that they take from."""
import json, os, pathlib, shutil, socket, subprocess, sys
from measuring import MEMORY, watch

HERE = pathlib.Path(__file__).resolve().parent
# The limits in C, and the libraries of their queues with their packages. Each has a second side, which is durable.
LIMITS = {"bare": None, "limit-sqlite": ("sqlite3", "libsqlite3-dev"), "limit-redis": ("hiredis", "libhiredis-dev"),
          "limit-rabbitmq": ("rabbitmq", "librabbitmq-dev")}
DURABLE = "-durable"
SIDES = [*LIMITS, *(limit + DURABLE for limit in LIMITS), "async-http-client", "aria2", "celery", "lines", "sqlite", "redis", "rabbitmq"]
# These do not know the authority of `--https`.
ONLY_HTTP = ["async-http-client", "aria2", "celery"]
# The programs that a side needs, and their packages.
CC, REDIS, RABBITMQ = ("cc", "gcc"), ("redis-server", "redis-server"), ("rabbitmqctl", "rabbitmq-server")
NEEDED = {
    "bare": [CC], "limit-sqlite": [CC], "limit-redis": [CC, REDIS], "limit-rabbitmq": [CC, RABBITMQ], "redis": [REDIS], "rabbitmq": [RABBITMQ],
    "aria2": [("aria2c", "aria2")], "async-http-client": [("swift", "swift")], "celery": [("celery", "celery"), REDIS]}
# Debian's Python, which has its Celery, even if there is another Python.
PYTHON = "/usr/bin/python3"


class CeleryProgress:
    """How many of `count` tasks are left in Celery's Redis: in its list, or handed out."""
    def __init__(self, port, count):
        self.connection, self.count, self.begun = socket.create_connection(("127.0.0.1", port)), count, False

    def ask(self, command):
        self.connection.sendall(f"{command}\r\n".encode())
        return int(self.connection.recv(64)[1:])

    def begin(self):
        self.begun = self.ask("LLEN celery") < self.count
        return self.begun

    def is_done(self):
        return self.ask("LLEN celery") == 0 and self.ask("HLEN unacked") == 0


def process_of(queue):
    """The server of a queue, or None if it needs none."""
    return queue.server.pid if hasattr(queue, "server") else None


class Sides:
    def __init__(self, program, options, folder, port, slots, authority=None):
        """- Parameter authority: the certificate of the authority if the media come over https."""
        self.program, self.options, self.folder, self.port, self.slots = program, options, folder, str(port), str(slots)
        self.authority, self.origin = authority, f"{'https' if authority else 'http'}://127.0.0.1:{port}"

    def prepare(self, names):
        for program, package in (need for name in names for need in NEEDED.get(name.removesuffix(DURABLE), [])):
            if not shutil.which(program):
                sys.exit(f"{program} is missing. Install {package}, or leave that side out with --sides.")
        if "celery" in names and subprocess.run([PYTHON, "-c", "import celery, magic, redis, requests"]).returncode != 0:
            sys.exit("Install python3-magic, python3-redis and python3-requests, or leave celery out with --sides.")
        for limit in {name.removesuffix(DURABLE) for name in names} & LIMITS.keys():
            library, package = LIMITS[limit] or (None, None)
            sources = [HERE / "limit.c", HERE / f"limit-{limit.removeprefix('limit-')}.c"]
            command = ["cc", "-O2", "-Wall", "-Wextra", "-o", self.folder / limit, *sources, "-lcurl", "-lcrypto", "-lmagic"]
            if subprocess.run(command + [f"-l{library}"] * bool(library)).returncode != 0:
                packages = ["libcurl4-openssl-dev", "libssl-dev", "libmagic-dev"] + [package] * bool(package)
                sys.exit(f"{limit} cannot be built. Install {', '.join(packages)}, or leave that side out with --sides.")
        if "async-http-client" in names:
            package = HERE / "with-async-http-client"
            subprocess.run(["swift", "build", "-c", "release", "--static-swift-stdlib", "--product", "work", "--package-path", package],
                           check=True, stdout=sys.stderr)
            self.async_http_client = package / ".build" / "release" / "work"

    def run(self, name, media, folder):
        """- Returns: the cost of all of `media`, which are then in `store` in the folder."""
        store = folder / "store"
        store.mkdir(mode=0o755)
        if name == "celery":
            figures = self.celery(media, store, folder)
        elif name == "async-http-client":
            figures = self.swift(media, store, folder)
        elif name in MEMORY.QUEUES:
            figures = self.worker(name, media, store, folder)
        elif name.startswith("limit-"):
            figures = self.limit(name, media, store, folder)
        else:
            figures = self.list(name, media, store, folder)
        stored = sum(not entry.name.startswith(".") for entry in os.scandir(store))
        if stored != len(media):
            sys.exit(f"{name}: {stored} of {len(media)} files are stored")
        return figures

    def list(self, name, media, store, folder):
        urls = folder / "urls"
        urls.write_text("".join(f"{self.origin}/{one}\n" for one in media))
        aria2 = ["aria2c", "--no-conf", "--quiet", "-j", self.slots, "-x", "1", "--file-allocation=none", "--deferred-input", "-d", store, "-i", urls]
        command = aria2 if name == "aria2" else self.limit_command(name, store)
        with open(urls) as lines:
            return watch(command, stdin=lines, stdout=subprocess.DEVNULL, env=self.environment())

    def limit_command(self, name, store, *place):
        return [self.folder / name.removesuffix(DURABLE), store, self.slots, *place, *(["durable"] if name.endswith(DURABLE) else [])]

    def environment(self):
        return {**os.environ, **({"SSL_CERT_FILE": str(self.authority)} if self.authority else {})}

    def limit(self, name, media, store, folder):
        kind = name.removeprefix("limit-").removesuffix(DURABLE)
        queue = MEMORY.QUEUES[kind](self.program, folder)
        try:
            queue.fill(self.payloads(media))
            place = folder / "queue.db" if kind == "sqlite" else str(queue.port)
            figures = watch(self.limit_command(name, store, place), server=process_of(queue), env=self.environment())
            # No log says how many results there are.
            self.check_count(name, queue.results().count(b'"attachments":'), media)
            return figures
        finally:
            queue.stop()

    def swift(self, media, store, folder):
        payloads, results = folder / "payloads", folder / "results"
        payloads.write_text("".join(self.payloads(media)))
        with open(payloads) as taken, open(results, "wb") as written:
            figures = watch([self.async_http_client, store, self.slots], stdin=taken, stdout=written)
        self.check_count("async-http-client", results.read_text().count('"attachments":'), media)
        return figures

    def worker(self, name, media, store, folder):
        queue = MEMORY.QUEUES[name](self.program, folder)
        try:
            queue.fill(self.payloads(media))
            files = queue.files()
            with open(folder / "log", "wb") as log:
                figures = watch(self.work(queue, store), server=process_of(queue), stdin=files[0], stdout=files[1], stderr=log)
            self.check(name, folder / "log", media)
            return figures
        finally:
            queue.stop()

    def payloads(self, media):
        for number, one in enumerate(media):
            yield json.dumps({"aps": {"alert": f"{number}", "mutable-content": 1}, "media": {"url": f"{self.origin}/{one}"}}) + "\n"

    def check(self, name, log, media):
        """Counts results in the log, because taking thousands of them out of a queue takes longer than putting them there."""
        self.check_count(name, log.read_text().count('"outcome":"enriched"'), media)

    def check_count(self, name, enriched, media):
        if enriched != len(media):
            sys.exit(f"{name}: {enriched} of {len(media)} payloads are enriched")

    def work(self, queue, store):
        access = ["--ca-file", self.authority] if self.authority else ["--allow-http"]
        return [self.program, "work", *queue.options(), "--store", store, *access, "--allow-network", "127.0.0.0/8", "--allow-port", self.port,
                "--concurrency", self.slots, *self.options]

    def celery(self, media, store, folder):
        queue = MEMORY.RedisQueue(self.program, folder)
        environment = {**os.environ, "BROKER": f"redis://127.0.0.1:{queue.port}", "STORE": str(store), "PYTHONPATH": str(HERE),
                       "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            send = "import sys, celery_worker\nfor line in sys.stdin: celery_worker.enrich.delay(line.strip())"
            subprocess.run([PYTHON, "-c", send], input="".join(f"{self.origin}/{one}\n" for one in media), text=True, env=environment, check=True)
            with open(folder / "log", "wb") as log:
                return watch([PYTHON, "-m", "celery", "-A", "celery_worker", "worker", "--concurrency=2", "--loglevel=ERROR",
                              "--without-gossip", "--without-mingle", "--without-heartbeat"], CeleryProgress(queue.port, len(media)),
                             process_of(queue), env=environment, stdout=log, stderr=log)
        finally:
            queue.stop()
