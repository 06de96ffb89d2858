"""How payloads go through workers: what they cost, and how many a second come out. `workers` asks for it."""
import collections, heapq, itertools, math

# In microseconds of a core. `thread`: the worker's busiest thread; `rest`: all of its other threads; `hit_…`: the same if the medium is in the
# cache; `server`: the server of the queue, which is taken to use one core. `trip`, also in microseconds: how long it takes to take up to `BATCH`
# payloads out of the queue. All for images of 20 KB, as `--measure` printed them on 2026-11-30.
Costs = collections.namedtuple("Costs", "thread rest hit_thread hit_rest server trip")
COSTS = {
    "lines": Costs(81, 252, 27, 36, 0, 621),
    "sqlite": Costs(64, 234, 21, 49, 0, 687),
    "redis": Costs(80, 280, 34, 64, 60, 1_661),
    "rabbitmq": Costs(80, 363, 33, 64, 125, 2_094),
}
BATCH = 16
Load = collections.namedtuple("Load", "workers places latency size cores bandwidth own")


class Simulation:
    """Payloads go through steps. A step may need something that only one payload can have at a time, and a core."""
    def __init__(self, load, costs, media=0, is_shared=False):
        """- Parameters:
            - media: microseconds of nginx for a medium, if it runs on the same cores.
            - is_shared: whether the server of the queue runs on the same cores."""
        self.load, self.trip, self.events, self.number, self.now, self.done = load, costs.trip / 1e6, [], itertools.count(), 0, []
        self.idle_cores, self.core_line, self.lines, self.taken, self.started = load.cores, collections.deque(), {}, set(), 0
        self.free, self.taking = [load.places] * load.workers, [False] * load.workers
        # What is needed, seconds, and whether that takes a core.
        queue, transfer = ("queue", costs.server / 1e6, is_shared), load.size * 8 / load.bandwidth / 1e6
        host = (None, media / 2e6, True)
        self.fetch = [("thread", costs.thread / 2e6, True), host, (None, load.latency / 1e3, False), host, ("network", transfer, False),
                      ("thread", costs.thread / 2e6, True), (None, costs.rest / 1e6, True), "free", queue]
        self.hit = [("thread", costs.hit_thread / 1e6, True), (None, costs.hit_rest / 1e6, True), "free", queue]

    def run(self):
        """- Returns: payloads a second."""
        for worker in range(self.load.workers):
            # They have started at different times, so their downloads do not all end at once.
            self.later(self.load.latency / 1e3 * worker / self.load.workers, self.begin_taking, worker)
        # Downloads that have begun together end together. So it counts as many as there are places, or several times as many.
        everywhere = self.load.workers * self.load.places
        count = math.ceil(max(2_000, everywhere / max(self.load.own, 0.01)) / everywhere) * everywhere
        rounds = 6 if self.load.own == 1 else 10
        while len(self.done) <= rounds * count:
            self.now, _, event, subject = heapq.heappop(self.events)
            event(subject)
        return (rounds - 2) * count / (self.done[rounds * count] - self.done[2 * count])

    def begin_taking(self, worker):
        """A worker takes payloads for half of its free places, and takes again when they have come."""
        if self.free[worker] > 0 and not self.taking[worker]:
            count = min(BATCH, self.free[worker] - self.free[worker] // 2)
            self.free[worker] -= count
            self.taking[worker] = True
            self.later(self.trip, self.take_batch, (worker, count))

    def take_batch(self, batch):
        worker, count = batch
        self.taking[worker] = False
        for _ in range(count):
            # Downloads are evenly spread, and the same in each run.
            self.started += 1
            is_own = int(self.started * self.load.own) > int((self.started - 1) * self.load.own)
            self.enter((worker, self.fetch if is_own else self.hit, 0))
        self.begin_taking(worker)

    def later(self, seconds, event, subject):
        heapq.heappush(self.events, (self.now + seconds, next(self.number), event, subject))

    def enter(self, payload):
        worker, steps, index = payload
        if index == len(steps):
            self.done.append(self.now)
        elif steps[index] == "free":
            self.free[worker] += 1
            self.begin_taking(worker)
            self.enter((worker, steps, index + 1))
        else:
            need = self.need(payload)
            if need is None or need not in self.taken:
                self.take(need, payload)
            else:
                self.lines.setdefault(need, collections.deque()).append(payload)

    def need(self, payload):
        worker, steps, index = payload
        name = steps[index][0]
        return (name, worker) if name == "thread" else name

    def take(self, need, payload):
        if need is not None:
            self.taken.add(need)
        _, seconds, is_on_core = payload[1][payload[2]]
        if not is_on_core or self.idle_cores > 0:
            self.idle_cores -= is_on_core
            self.later(seconds, self.leave, payload)
        elif need is not None:
            # The kernel prefers a thread that has just been woken up, and others wait for this one.
            self.core_line.appendleft(payload)
        else:
            self.core_line.append(payload)

    def leave(self, payload):
        worker, steps, index = payload
        if steps[index][2]:
            self.idle_cores += 1
            if self.core_line:
                other = self.core_line.popleft()
                self.idle_cores -= 1
                self.later(other[1][other[2]][1], self.leave, other)
        need = self.need(payload)
        if need is not None:
            self.taken.discard(need)
            if line := self.lines.get(need):
                self.take(need, line.popleft())
        self.enter((worker, steps, index + 1))


def predict(load, costs, **more):
    return Simulation(load, costs, **more).run()


# With two thirds of the computed rate, the figures leave room for what the simulation does not know.
ROOM = 2 / 3
RATES, LATENCIES, SHARES = (10_000, 100_000, 1_000_000), (50, 200, 1_000), (1, 0.1, 0.01)


def rate_of_one(kind, latency, own):
    """Payloads a second of a worker with more cores than it can use, and a network that is not full."""
    return predict(Load(1, 64, latency, 20_000, 8, 1e6, own), COSTS[kind]) * ROOM


def core_time(kind, own):
    """Seconds of a core for a payload, with room."""
    costs = COSTS[kind]
    return ((costs.thread + costs.rest) * own + (costs.hit_thread + costs.hit_rest) * (1 - own)) / 1e6 / ROOM


def short(number):
    """With two digits at least."""
    return f"{number:,.{2 if number < 0.1 else 1 if number < 10 else 0}f}"


def print_tables():
    print("| pushes a minute | downloads of their own | workers at 50 ms | at 200 ms | at 1 s | cores | network |")
    print("|---|---|---|---|---|---|---|")
    ones = {(latency, own): rate_of_one("redis", latency, own) for latency in LATENCIES for own in SHARES}
    for minute in RATES:
        for own in SHARES:
            rate = minute / 60
            workers = (f"{math.ceil(rate / ones[latency, own])}" for latency in LATENCIES)
            megabits = rate * own * 20_000 * 8 / 1e6
            print(f"| {minute:,} | {own * 100:g} % | {' | '.join(workers)} | {short(rate * core_time('redis', own))} | {short(megabits)} Mbit/s |")
    print()
    print("| queue | workers | their cores | cores of the queue's server |")
    print("|---|---|---|---|")
    for kind, name in (("sqlite", "SQLite"), ("redis", "Redis"), ("rabbitmq", "RabbitMQ")):
        rate = RATES[-1] / 60
        server = f"{rate * COSTS[kind].server / 1e6 / ROOM:.1f}" if COSTS[kind].server else "none"
        print(f"| {name} | {math.ceil(rate / rate_of_one(kind, 50, 1))} | {rate * core_time(kind, 1):.1f} | {server} |")
