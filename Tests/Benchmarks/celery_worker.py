"""The same work as a Celery task: fetches with requests, hashes, sniffs with python-magic, and stores. Started by `throughput`."""
import hashlib, os

import celery, magic, requests

STORE = os.environ["STORE"]

app = celery.Celery("worker", broker=os.environ["BROKER"], backend=None)
# A task is acknowledged when it is done, as in push-enricher, so that a crash loses nothing.
app.conf.update(task_acks_late=True, task_ignore_result=True, worker_prefetch_multiplier=64)
session = requests.Session()


@app.task
def enrich(url):
    digest, head = hashlib.sha256(), b""
    part = f"{STORE}/.{os.getpid()}"
    with session.get(url, timeout=30, stream=True) as response, open(part, "wb") as file:
        response.raise_for_status()
        for piece in response.iter_content(65_536):
            if len(head) < 4_096:
                head += piece[:4_096]
            digest.update(piece)
            file.write(piece)
    kind = magic.from_buffer(head, mime=True)
    if not kind.startswith(("image/", "video/")):
        raise ValueError(kind)
    os.rename(part, f"{STORE}/{digest.hexdigest()}.{kind.split('/')[1]}")
