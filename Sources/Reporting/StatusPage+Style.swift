extension StatusPage {
  /// Contrasts are 4.5 to 1 and more in both schemes (WCAG 2.2, AA). Colour never stands alone.
  static let style = """
    :root {
      color-scheme: light dark;
      --ground: #f6f7f8; --card: #fff; --line: #dfe3e6; --text: #16191d; --quiet: #59636e;
      --good: #136c3a; --bad: #b3261e; --wait: #8a5300; --bar: #2b6cb0; --good-ground: #e5f4eb; --bad-ground: #fdeceb;
      --wait-ground: #fdf1dc;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --ground: #0f1215; --card: #171b20; --line: #2a3138; --text: #e8ebee; --quiet: #9aa5b1;
        --good: #63d297; --bad: #ff8a80; --wait: #f0b95a; --bar: #6fa8dc; --good-ground: #12281c; --bad-ground: #351816;
        --wait-ground: #302410;
      }
    }
    * { box-sizing: border-box; }
    body {
      margin: 0 auto; padding: 16px; max-width: 1280px; background: var(--ground); color: var(--text);
      font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
      font-variant-numeric: tabular-nums;
    }
    h1, h2, p, dl, dd, ul, figure { margin: 0; padding: 0; }
    h1 { font-size: 15px; font-weight: 600; }
    h2, dt, th { font-size: 13px; font-weight: 500; color: var(--quiet); }
    a { color: inherit; }
    .quiet { color: var(--quiet); }
    .small { font-size: 13px; }
    header { display: flex; flex-wrap: wrap; gap: 2px 16px; align-items: baseline; margin-bottom: 12px; }
    header p { overflow-wrap: anywhere; }
    #state {
      display: flex; gap: 12px; align-items: center; padding: 14px 16px; border-radius: 10px; margin-bottom: 12px;
      background: var(--wait-ground); color: var(--wait); border: 1px solid currentColor;
    }
    #state.ready { background: var(--good-ground); color: var(--good); }
    #state.stuck, #state.gone { background: var(--bad-ground); color: var(--bad); }
    #state .sign { font-size: 22px; line-height: 1; width: 1.1em; text-align: center; }
    #state strong { font-size: 20px; line-height: 1.2; display: block; font-weight: 650; }
    #state span { overflow-wrap: anywhere; }
    .card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 14px 16px; min-width: 0; }
    .tiles { display: grid; gap: 12px; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); margin-bottom: 12px; }
    .tiles .wide { grid-column: span 2; }
    .value { font-size: 26px; font-weight: 600; line-height: 1.25; white-space: nowrap; }
    .value small { font-size: 14px; font-weight: 400; color: var(--quiet); }
    .meter { height: 4px; border-radius: 2px; background: var(--line); overflow: hidden; margin-top: 6px; }
    .meter i { display: block; height: 100%; background: var(--bar); width: 0; }
    .meter i.full { background: var(--bad); }
    #pace { display: block; width: 100%; height: 48px; margin-top: 6px; }
    #pace .done { fill: var(--bar); } #pace .failed { fill: var(--bad); } #pace .axis { fill: var(--line); }
    .ends { display: flex; justify-content: space-between; }
    #unhealthy-card { margin-bottom: 12px; }
    .halves { display: grid; gap: 12px; grid-template-columns: repeat(2, minmax(0, 1fr)); margin-bottom: 12px; }
    h2 { margin-bottom: 8px; }
    table { width: 100%; border-collapse: collapse; }
    th, td { text-align: right; padding: 4px 0 4px 12px; vertical-align: baseline; white-space: nowrap; }
    th:first-child, td:first-child { text-align: left; padding-left: 0; white-space: normal; overflow-wrap: anywhere; }
    tbody tr { border-top: 1px solid var(--line); }
    td .meter { margin-top: 2px; }
    .bad, .value small.bad { color: var(--bad); }
    .name { unicode-bidi: isolate; }
    #failures li { list-style: none; padding: 8px 0; border-top: 1px solid var(--line); display: grid; gap: 0 12px;
      grid-template-columns: minmax(0, 1fr) auto; overflow-wrap: anywhere; }
    #failures li:first-child { border-top: 0; padding-top: 0; }
    #failures b { font-weight: 600; color: var(--bad); }
    .empty { color: var(--quiet); }
    footer { margin-top: 12px; display: flex; flex-wrap: wrap; gap: 2px 16px; justify-content: space-between; overflow-wrap: anywhere; }
    .stale main { opacity: .6; }
    .unanswered main { visibility: hidden; }
    @media (max-width: 760px) { .halves { grid-template-columns: minmax(0, 1fr); } }
    @media (max-width: 520px) {
      body { padding: 10px; } .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 8px; }
      #figures { grid-template-columns: repeat(3, minmax(0, 1fr)); }
      .card { padding: 10px 12px; } .value { font-size: 22px; } #figures .value { font-size: 18px; }
      #figures .value small { display: block; line-height: 1.2; }
      #hosts tr { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); padding: 4px 0; }
      #hosts td, #hosts th { padding: 0; } #hosts td:first-child { grid-column: 1 / -1; } #hosts th:first-child { display: none; }
      #failures li { grid-template-columns: minmax(0, 1fr); }
    }
    """
}
