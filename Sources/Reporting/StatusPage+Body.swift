extension StatusPage {
  static let body = """
    <body class="unanswered">
    <header>
      <h1>push-enricher</h1>
      <p class="quiet small" id="queues"></p>
    </header>
    <div id="state" role="status">
      <div class="sign" aria-hidden="true">…</div>
      <div><strong>Asking the worker</strong><span></span></div>
    </div>
    <noscript><p class="card">This page needs JavaScript. <a href="/readyz">/readyz</a> and <a href="/metrics">/metrics</a> do without.</p></noscript>
    <main>
      <section class="tiles" aria-label="Now">
        <figure class="card wide">
          <h2>Finished per second</h2>
          <p class="value"><span id="rate">–</span> <small id="failing"></small></p>
          <svg id="pace" viewBox="0 0 300 48" preserveAspectRatio="none" role="img" aria-label="Payloads finished and failed in the last five minutes"></svg>
          <p class="quiet small ends" aria-hidden="true"><span>5 min ago</span><span>now</span></p>
        </figure>
        <div class="card" id="queue" hidden>
          <h2>Waiting</h2>
          <p class="value" id="waiting"></p>
          <p class="quiet small" id="oldest"></p>
        </div>
        <div class="card">
          <h2>Time, median</h2>
          <p class="value" id="p50">–</p>
          <p class="quiet small">90 %: <span id="p90">–</span></p>
          <p class="quiet small">99 %: <span id="p99">–</span></p>
        </div>
      </section>
      <section class="tiles" id="figures" aria-label="In use"></section>
      <div class="halves">
        <section class="card" aria-labelledby="outcomes-title">
          <h2 id="outcomes-title">Outcomes</h2>
          <table id="outcomes"><thead><tr><th scope="col">outcome</th><th scope="col">last 5 min</th><th scope="col">since start</th></tr></thead><tbody></tbody></table>
          <p class="empty">Nothing has been finished yet.</p>
        </section>
        <section class="card" aria-labelledby="hosts-title">
          <h2 id="hosts-title">Slowest hosts, last 10 min</h2>
          <table id="hosts"><thead><tr><th scope="col">host</th><th scope="col">requests</th><th scope="col">failed</th><th scope="col">mean</th><th scope="col">longest</th></tr></thead><tbody></tbody></table>
          <p class="empty">No host has been asked.</p>
        </section>
      </div>
      <section class="card" id="unhealthy-card" aria-labelledby="unhealthy-title" hidden>
        <h2 id="unhealthy-title">Hosts that are not asked now</h2>
        <table id="unhealthy"><thead><tr><th scope="col">host</th><th scope="col">without an answer for</th><th scope="col">next try</th></tr></thead><tbody></tbody></table>
        <p class="empty">None.</p>
      </section>
      <section class="card" aria-labelledby="failures-title">
        <h2 id="failures-title">Last failures</h2>
        <ul id="failures"></ul>
        <p class="empty">None. Payloads that ask for no media are no failures.</p>
      </section>
    </main>
    <footer class="quiet small">
      <p id="answer"></p>
      <p id="process"></p>
      <p><a href="/metrics">metrics</a></p>
    </footer>
    """
}
