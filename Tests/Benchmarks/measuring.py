"""Runs one side of `throughput`, and measures what it costs."""
import collections, importlib.machinery, importlib.util, os, pathlib, signal, subprocess, sys, time

LOADER = importlib.machinery.SourceFileLoader("memory", str(pathlib.Path(__file__).resolve().parent / "work-in-twelve-megabytes"))
MEMORY = importlib.util.module_from_spec(importlib.util.spec_from_loader("memory", LOADER))
LOADER.exec_module(MEMORY)

# `server` is the CPU time of the server that has the queue.
Run = collections.namedtuple("Run", "seconds cpu peak server")


def family(process):
    """A process and all of its descendants."""
    pids = [process]
    for pid in pids:
        try:
            for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
                pids += map(int, (task / "children").read_text().split())
        except OSError:
            pass
    return pids


def private_bytes(process):
    pids = family(process)
    if len(pids) == 1:
        return MEMORY.private_bytes(pathlib.Path(f"/proc/{process}"))
    total = 0
    for pid in pids:
        try:
            fields = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().split()
            total += int(fields[fields.index("Pss_Anon:") + 1]) * 1024
        except (OSError, ValueError):
            pass
    return total


def cpu_seconds(process):
    """Of a process and its descendants, or 0 without one."""
    total = 0
    for pid in family(process) if process else []:
        try:
            # The clock of another process (clock_getcpuclockid(3)). /proc counts only in hundredths of a second.
            total += time.clock_gettime((~pid << 3) | 2)
        except OSError:
            pass
    return total


def watch(command, progress=None, server=None, **options):
    """Runs a command until it ends. With `progress`, it measures from `begun` to `done`, and then ends the command.
    - Parameter server: the process of the server that has the queue."""
    start, peak, spent, served = time.monotonic(), 0, 0, cpu_seconds(server)
    # In the session of the servers, because the kernel divides the cores between sessions (sched(7), autogroups), not between processes.
    child = subprocess.Popen(command, process_group=0, **options)
    try:
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                child.returncode = os.waitstatus_to_exitcode(status)
                if child.returncode != 0 or progress:
                    sys.exit(f"{command[0]} ended with status {child.returncode}")
                return Run(time.monotonic() - start, usage.ru_utime + usage.ru_stime, peak, cpu_seconds(server) - served)
            # Only Celery has child processes. Looking for them takes five times as long, at the cost of a side that has no core to spare.
            peak = max(peak, private_bytes(child.pid) if progress else MEMORY.private_bytes(pathlib.Path(f"/proc/{child.pid}")))
            if progress and not progress.begun:
                if progress.begin():
                    start, spent, served = time.monotonic(), cpu_seconds(child.pid), cpu_seconds(server)
            elif progress and progress.is_done():
                return Run(time.monotonic() - start, cpu_seconds(child.pid) - spent, peak, cpu_seconds(server) - served)
            time.sleep(0.02)
    finally:
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        if child.returncode is None:
            child.wait()
