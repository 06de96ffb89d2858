extension StatusPage {
  /// What comes from strangers goes in as text only.
  static let script = #"""
    'use strict';
    const $ = id => document.getElementById(id);
    const say = (node, text) => { if (node.textContent !== text) node.textContent = text; };
    const make = (name, text, type) => {
      const node = document.createElement(name);
      if (text !== undefined) node.textContent = text;
      if (type) node.className = type;
      return node;
    };
    const count = n => n.toLocaleString('en');
    const rate = n => n >= 10 ? count(Math.round(n)) : n.toFixed(1);
    const time = us => us === undefined ? '–' : us < 1000 ? '<1 ms' : us < 999500 ? `${Math.round(us / 1000)} ms`
      : `${(us / 1e6).toFixed(us < 9.95e6 ? 1 : 0)} s`;
    const span = s => s < 120 ? `${s} s` : s < 7200 ? `${Math.floor(s / 60)} min` : s < 172800 ? `${Math.floor(s / 3600)} h`
      : `${Math.floor(s / 86400)} d`;
    const clock = date => date.toTimeString().slice(0, 8);
    const amount = (n, unit) => unit === 'MB' ? (n / 1e6).toFixed(1) : count(n);
    const states = {
      ready: ['✓', 'Ready'], starting: ['…', 'Starting'], stopping: ['■', 'Stopping'], stuck: ['!', 'Stuck'],
      gone: ['!', 'No answer'],
    };

    function showState(name, text) {
      const [sign, title] = states[name] || ['?', name];
      const box = $('state');
      box.className = name;
      say(box.querySelector('.sign'), sign);
      say(box.querySelector('strong'), title);
      say(box.querySelector('span'), text);
      document.title = name === 'ready' ? 'push-enricher' : `${sign} ${title} – push-enricher`;
    }

    function meter(share) {
      const box = make('div', undefined, 'meter');
      const fill = make('i', undefined, share > 0.98 ? 'full' : '');
      fill.style.width = `${Math.min(100, 100 * share)}%`;
      box.append(fill);
      return box;
    }

    function fill(id, rows) {
      const table = $(id), body = table.tBodies ? table.tBodies[0] : table;
      body.replaceChildren(...rows);
      table.hidden = rows.length === 0;
      table.parentNode.querySelector('.empty').hidden = rows.length > 0;
    }

    function drawPace(finished, failed) {
      const highest = Math.max(1, ...finished), width = 300 / finished.length;
      const bar = (type, x, y, height) => {
        const node = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
        for (const [name, value] of Object.entries({ class: type, x, y, width: width * 0.8, height })) node.setAttribute(name, value);
        return node;
      };
      const bars = finished.map((n, index) => bar('axis', index * width, 47, 1));
      finished.forEach((n, index) => {
        const whole = 46 * n / highest, bad = 46 * failed[index] / highest;
        bars.push(bar('done', index * width, 47 - whole, whole - bad), bar('failed', index * width, 47 - bad, bad));
      });
      $('pace').replaceChildren(...bars);
    }

    function row(cells) {
      const node = make('tr');
      node.append(...cells.map(cell => {
        if (cell instanceof Node) { const box = make('td'); box.append(cell); return box; }
        return make('td', cell);
      }));
      return node;
    }

    function show(status) {
      const sum = list => list.reduce((a, b) => a + b, 0);
      const finished = sum(status.finished), failed = sum(status.failed);
      showState(status.state, status.state === 'ready' ? 'Messages are taken and results are published.' : status.text.replace(/^[a-z]+: /, ''));
      say($('queues'), `${status.from} → ${status.to}`);
      say($('rate'), rate(status.rate));
      const share = 100 * failed / finished;
      say($('failing'), finished === 0 ? 'none in 5 min' : `${share > 0 && share < 0.1 ? '<0.1' : share.toFixed(1)} % failed in 5 min`);
      $('failing').className = failed > 0 ? 'bad' : '';
      drawPace(status.finished, status.failed);
      $('queue').hidden = status.waiting === undefined;
      if (status.waiting !== undefined) say($('waiting'), count(status.waiting));
      say($('oldest'), [status.oldest_s === undefined ? '' : `oldest ${span(status.oldest_s)}`,
        status.on_lease === undefined ? '' : `${count(status.on_lease)} on lease`].filter(Boolean).join(', '));
      for (const id of ['p50', 'p90', 'p99']) say($(id), time(status[`${id}_us`]));
      $('figures').replaceChildren(...status.figures.map(figure => {
        const card = make('div', undefined, 'card'), value = make('p', amount(figure.value, figure.unit), 'value');
        value.append(make('small', ` of ${amount(figure.of, figure.unit)}${figure.unit ? ` ${figure.unit}` : ''}`));
        card.append(make('h2', figure.name), value, meter(figure.of > 0 ? figure.value / figure.of : 0));
        return card;
      }));
      const most = Math.max(1, ...status.outcomes.map(outcome => outcome.recent));
      fill('outcomes', status.outcomes.sort((a, b) => b.recent - a.recent || b.total - a.total).map(outcome => {
        const name = make('span', outcome.name, outcome.failure ? 'bad' : '');
        const cell = make('div');
        cell.append(name, meter(0));
        const bar = cell.querySelector('i');
        bar.style.width = `${100 * outcome.recent / most}%`;
        bar.className = outcome.failure ? 'full' : '';
        return row([cell, count(outcome.recent), count(outcome.total)]);
      }));
      fill('hosts', status.hosts.map(host => row([make('span', host.host, 'name'), count(host.requests),
        make('span', count(host.failures), host.failures ? 'bad' : ''), time(host.mean_us), time(host.slowest_us)])));
      $('unhealthy-card').hidden = status.unhealthy.length === 0;
      fill('unhealthy', status.unhealthy.map(host => row([make('span', host.host, 'name'), span(host.since_s),
        host.next_s > 0 ? `in ${span(host.next_s)}` : 'now'])));
      // In steps of ten seconds: what happens all the time does not change places all the time.
      const order = failure => Math.floor(failure.age_s / 10) * 1e9 - Math.min(failure.count, 1e8);
      fill('failures', status.failures.sort((a, b) => order(a) - order(b)).map(failure => {
        const item = make('li'), what = make('div'), when = make('div', undefined, 'quiet small');
        what.append(make('b', failure.reason), failure.host ? ' ' : '', make('span', failure.host || '', 'name'),
          make('div', failure.detail, 'name'), make('div', failure.advice, 'quiet small'));
        when.textContent = `${failure.count > 1 ? `${count(failure.count)} times, ` : ''}${span(failure.age_s)} ago`;
        item.append(what, when);
        return item;
      }));
      say($('process'), `version ${status.version}, up ${span(status.uptime_s)}; sandbox: ${status.sandbox}`);
    }

    let last = null, isAsking = false;
    async function ask() {
      if (isAsking) return;
      isAsking = true;
      try {
        const answer = await fetch('/status.json', { cache: 'no-store', signal: AbortSignal.timeout(5000) });
        if (!answer.ok) throw new Error(`status ${answer.status}`);
        const status = await answer.json();
        last = new Date();
        document.body.classList.remove('stale', 'unanswered');
        show(status);
        say($('answer'), `answered at ${clock(last)}`);
      } catch (error) {
        document.body.classList.add('stale');
        showState('gone', last ? `The worker does not answer. What stands below is of ${clock(last)}.` : 'The worker does not answer.');
      } finally {
        isAsking = false;
      }
    }

    // None while nobody looks.
    async function watch() {
      if (!document.hidden) await ask();
      setTimeout(watch, 1000);
    }
    document.addEventListener('visibilitychange', () => { if (!document.hidden) ask(); });
    watch();
    """#
}
