// Parts of the page that do not move: tables and charts of the run's numbers.
'use strict';

// element('td', {class: 'n'}, 'text', child ...)
function element(tag, attributes = {}, ...children) {
  const svg = ['svg', 'path', 'line', 'rect', 'circle', 'text', 'g', 'title'].includes(tag);
  const e = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag)
                : document.createElement(tag);
  for (const [k, v] of Object.entries(attributes)) {
    if (k.startsWith('on')) e.addEventListener(k.slice(2), v);
    else if (v !== undefined && v !== false) e.setAttribute(k, v);
  }
  for (const child of children.flat()) if (child !== null && child !== undefined) e.append(child);
  return e;
}

const percent = (x, digits = 1) => (100 * x).toFixed(digits) + ' %';
const plain = x => x === null || x === undefined ? '\u2013'
  : Math.abs(x) >= 1000 ? grouped(x) : Number(x.toPrecision(4)).toString();
const megabytes = x => x >= 1e9 ? (x / 1e9).toFixed(2) + ' GB' : (x / 1e6).toFixed(1) + ' MB';

function table(head, rows, numbers = []) {
  const cell = (tag, v, i) => element(tag, {class: numbers.includes(i) ? 'n' : undefined}, v);
  return element('table', {},
    element('thead', {}, element('tr', {}, head.map((h, i) => cell('th', h, i)))),
    element('tbody', {}, rows.map(r => element('tr', {}, r.map((v, i) =>
      v instanceof Element && v.tagName === 'TD' ? v : cell('td', v, i))))));
}

function headOf(run) {
  const sizes = Object.entries({...run.params, ...run.constants}).map(([k, v]) => `${k} = ${v}`);
  return [
    element('h1', {}, `${run.kernels.length ? run.kernels.map(k => k.name).join(', ') : run.program} on ${run.arch}`),
    element('div', {class: 'sub'}, element('code', {}, run.file),
      sizes.length ? ` \u00b7 ${sizes.join(', ')}` : '',
      ` \u00b7 seed ${run.seed}, L2 ${run.l2} \u00b7 ${run.version}`),
  ];
}

function cardsOf(run, check) {
  const card = (k, v, w, mood = '') => element('div', {class: 'card'},
    element('div', {class: 'k'}, k), element('div', {class: 'v ' + mood}, v),
    element('div', {class: 'w'}, w || ''));
  const cards = [];
  if (run.finished) {
    const e = run.clock_error;
    cards.push(card('Duration', plain(run.time_us) + ' \u00b5s',
      `${grouped(run.cycles)} cycles at ${Math.round(run.clock_mhz)} MHz; ` +
      (e ? `clock error ${Math.round((e.unseen || e).mean_time_percent)} % on average` +
        (e.unseen ? `, in ${e.unseen.programs} programs that the model was not made with (worst ${e.unseen.worst_time_percent > 0 ? '+' : ''}${Math.round(e.unseen.worst_time_percent)} %)` : '') : 'no such GPU was measured')));
    if (run.tflops !== null)
      cards.push(card('Throughput', plain(run.tflops) + ' TFLOP/s', percent(run.peak_fraction) + ' of peak'));
    cards.push(card('Bound by', run.bound_by, run.bound_why));
  } else {
    cards.push(card('Duration', 'none', `it did not end; stopped at cycle ${grouped(run.cycles)}`, 'bad'));
  }
  const t = run.traffic;
  if (t) cards.push(card('HBM', megabytes(t.hbm_bytes), `${plain(t.hbm_gb_per_s)} of ${plain(t.hbm_peak_gb_per_s)} GB/s`),
    card('L2', megabytes(t.l2_bytes), `${plain(t.l2_gb_per_s)} of ${plain(t.l2_peak_gb_per_s)} GB/s` +
      (t.l2_hit_rate === null ? '' : `, ${percent(t.l2_hit_rate)} hits`)));
  const r = run.result;
  const same = r.bit_exact === null ? (r.bit_exact_of ? '' : r.bit_exact_note) : r.bit_exact_of ?
    `MMA sums ${r.bit_exact ? 'bit for bit those of' : 'differ in bits from'} ${r.bit_exact_of}` : `bits ${r.bit_exact ? 'equal' : 'differ from'} the reference`;
  cards.push(card('Values', r.checked ? (run.findings.length ? 'wrong' : 'right') : 'not checked',
    [r.coverage, same, r.max_abs_error === null ? '' : (r.nan_elements ? `NaN in ${grouped(r.nan_elements)} elements, ` : '') + `error ${plain(r.max_abs_error)} of ${plain(r.bound)} allowed`]
      .filter(Boolean).join('; '), r.checked ? (run.findings.length ? 'bad' : 'good') : 'warn'));
  const verdicts = {clean: 'good', findings: 'bad', incomplete: 'warn'};
  cards.push(card('Every schedule', check ? check.verdict : 'not checked',
    check ? check.says : '--no-check', check ? verdicts[check.verdict] || 'bad' : 'warn'));
  return cards;
}

function launchOf(run) {
  const launches = run.kernels.length ? run.kernels : [{name: run.program, launch: run.launch}];
  const several = run.kernels.length > 0;
  return table(['kernel', 'grid', 'CTAs', 'cluster', 'threads', 'waves', 'shared bytes', 'registers', ...(several ? ['from cycle', 'cycles'] : [])],
    launches.map(k => [k.name, k.launch.grid, grouped(k.launch.ctas), k.launch.cluster || '\u2013',
      grouped(k.launch.threads_per_cta), k.launch.waves.toFixed(2), grouped(k.launch.shared_bytes),
      k.launch.registers_per_thread || '\u2013',
      ...(several ? [grouped(k.start_cycle), grouped(k.end_cycle - k.start_cycle)] : [])]),
    [2, 4, 5, 6, 7, 8, 9]);
}

function hintsOf(run) {
  const out = [];
  for (const h of run.hints || [])
    out.push(element('p', {}, element('b', {class: 'good'}, `${h.change}: ${(100 * h.of_time).toFixed(1)} %`),
      ` (${plain(h.time_us)} \u00b5s; found by running it)`));
  if (run.hints && !run.hints.length)
    out.push(element('p', {class: 'note'}, run.hints_tried.length
      ? `None is faster of what was tried: ${run.hints_tried.join('; ')}.`
      : 'Nothing was tried: no constant says how many stages there are.'));
  return out;
}

// The file of the line that ended a wait: `by` names it if it is another.
function endedIn(wait, source) {
  const other = / of (.+)$/.exec(wait.by || '');
  return shortName(other ? other[1] : source.path);
}

function sourceTable(sources, run, onLine) {
  const most = Math.max(1, ...run.lines.map(l => Math.max(l.busy_cycles, l.waited_cycles)));
  const heat = (v, color, max) => element('span', {class: 'heat',
    style: `width:${(64 * v / max).toFixed(1)}px;background:${color}`});
  const rows = [];
  const several = sources.length > 1;
  sources.forEach(source => {
    if (several) rows.push(element('tr', {}, element('td', {colspan: 7}, element('h3', {}, source.path))));
    source.lines.forEach((text, i) => {
      const here = run.lines.filter(l => l.line === i + 1 && l.file === source.path);
      const sum = key => here.reduce((n, l) => n + l[key], 0);
      const busy = sum('busy_cycles'), waited = sum('waited_cycles'), path = sum('critical_path_cycles');
      const ops = sum('operations'), share = path / Math.max(1, run.cycles);
      const at = text.search(/\/\//);
      const code = at < 0 ? [text] : [text.slice(0, at), element('span', {class: 'comment'}, text.slice(at))];
      const row = element('tr', {class: 'line' + (share > 0.05 ? ' hot' : ''), 'data-line': i + 1, 'data-file': source.path, 'data-executed': here.length ? 'yes' : 'no',
                                 onclick: () => onLine(shortName(source.path), i + 1)},
        element('td', {class: 'n', style: 'color:var(--soft)'}, String(i + 1)),
        element('td', {class: 'n'}, here.length ? grouped(sum('executed')) : ''),
        element('td', {class: 'n'}, busy ? [heat(busy, '#27a5a5', most), ' ' + grouped(busy)] : ''),
        element('td', {class: 'n'}, waited ? [heat(waited, '#d9705f', most), ' ' + grouped(waited)] : ''),
        element('td', {class: 'n'}, ops ? grouped(sum('in_flight_cycles') / ops) : ''),
        element('td', {class: 'n', style: path ? 'color:var(--path)' : ''}, path ? percent(share) : ''),
        element('td', {class: 'code'}, code));
      rows.push(row);
      const banks = sum('bank_cycles'), least = sum('least_bank_cycles');
      if (banks > 1.25 * least) {
        rows.push(element('tr', {class: 'wait-row'}, element('td', {colspan: 6}),
          element('td', {class: 'wait'}, `\u21b3 bank conflicts: shared memory takes ${(banks / least).toFixed(1)} cycles where 1 would do`)));
      }
      for (const w of here.flatMap(l => l.waits).slice(0, 3)) {
        rows.push(element('tr', {class: 'wait-row'}, element('td', {colspan: 6}),
          element('td', {class: 'wait'}, `\u21b3 ${percent(waited ? w.cycles / waited : 0, 0)} of the wait on ${w.on}, ${grouped(w.count)} times` ,
            w.by_line ? [', ended by ', element('button', {class: 'link', onclick: e => { e.stopPropagation(); onLine(endedIn(w, source), w.by_line); }},
            `line ${lineName(endedIn(w, source), w.by_line)}`), ` ${w.by}`, w.by_role ? ` of ${w.by_role}` : ''] : '')));
      }
    });
  });
  return element('table', {},
    element('thead', {}, element('tr', {}, ['line', 'executed', 'busy', 'waited', 'in flight', 'path', 'source']
      .map((h, i) => element('th', {class: i < 6 ? 'n' : undefined,
        title: ['', 'by warps, or groups of warps that run together', 'cycles, all CTAs', 'cycles before it could be executed, all CTAs',
                'cycles from issue to end, each', 'share of the critical path', ''][i]}, h)))),
    element('tbody', {}, rows));
}

function pathOf(run, onLine) {
  const shown = run.critical_path.filter(s => s.share >= 0.005);
  const rest = run.critical_path.reduce((n, s) => n + (s.share < 0.005 ? s.share : 0), 0);
  const rows = shown.map(s => [percent(s.share), grouped(s.cycles), s.cause,
    s.line ? element('td', {class: 'n'}, element('button', {class: 'link', onclick: () => onLine(shortName(s.file), s.line)},
      lineName(shortName(s.file), s.line))) : '',
    element('td', {class: 'code'}, s.source || s.op || '')]);
  if (rest > 0.0005) rows.push([percent(rest), '', 'smaller ones', '', '']);
  return table(['share', 'cycles', 'spent on', 'line', ''], rows, [0, 1, 3]);
}

const WAIT_COLORS = ['#d9705f', '#e08a2e', '#8f7ae5', '#c96aa8', '#b0894e', '#7f8ea3'];

function rolesOf(run) {
  return run.roles.map(role => {
    const parts = [['busy', role.busy, '#2fa36b'],
      ...role.waits.map((w, i) => [`waits on ${w.on}`, w.fraction, WAIT_COLORS[i % WAIT_COLORS.length]])]
      .filter(p => p[1] > 0);
    return element('div', {style: 'margin-bottom:12px'},
      element('h3', {}, (role.kernel ? role.kernel + ': ' : '') + role.name,
        element('span', {class: 'note'}, `  ${grouped(role.warps)} warps`)),
      element('div', {class: 'rolebar'}, parts.map(([n, f, c]) =>
        element('span', {style: `width:${(100 * f).toFixed(2)}%;background:${c}`, title: `${n} ${percent(f)}`}))),
      element('div', {class: 'legend'}, parts.filter(p => p[1] >= 0.003).map(([n, f, c]) =>
        element('span', {}, element('i', {style: `background:${c}`}), `${n} ${percent(f)}`))));
  });
}

// Log-log: FLOP a byte against TFLOP/s, with the roofs of HBM and L2.
function roofline(run) {
  const t = run.traffic;
  if (!t || !t.flops || run.tflops === null) return element('p', {class: 'note'},
    'No roofline: the program computes no matrix product, or did not end.');
  const W = 470, H = 300, L = 52, B = 36, T = 12, R = 14;
  const points = [['HBM', t.hbm_bytes, t.hbm_peak_gb_per_s, '#4c8bf5'], ['L2', t.l2_bytes, t.l2_peak_gb_per_s, '#e08a2e']];
  const xs = points.filter(p => p[1] > 0).map(p => t.flops / p[1]);
  const lo = Math.min(1, ...xs) / 2, hi = Math.max(4 * t.ridge_flop_per_byte, ...xs) * 3;
  const top = t.peak_tflops * 2, bottom = Math.min(t.peak_tflops / 2000, run.tflops / 4);
  const x = v => L + Math.log(v / lo) / Math.log(hi / lo) * (W - L - R);
  const y = v => H - B - Math.log(v / bottom) / Math.log(top / bottom) * (H - B - T);
  const svg = element('svg', {width: W, height: H, viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': 'roofline'});
  const text = (px, py, words, anchor = 'middle') => svg.append(element('text', {x: px, y: py, 'text-anchor': anchor}, words));
  for (let d = Math.ceil(Math.log10(lo)); 10 ** d < hi; ++d) {
    svg.append(element('line', {x1: x(10 ** d), x2: x(10 ** d), y1: T, y2: H - B, stroke: 'var(--line)'}));
    text(x(10 ** d), H - B + 14, plain(10 ** d));
  }
  for (let d = Math.ceil(Math.log10(bottom)); 10 ** d < top; ++d) {
    svg.append(element('line', {x1: L, x2: W - R, y1: y(10 ** d), y2: y(10 ** d), stroke: 'var(--line)'}));
    text(L - 6, y(10 ** d) + 4, plain(10 ** d), 'end');
  }
  text((W + L) / 2, H - 4, 'FLOP a byte');
  text(L, T - 2, 'TFLOP/s', 'start');
  for (const [name, bytes, gbps, color] of points) {
    const ridge = t.peak_tflops * 1e3 / gbps, start = Math.max(lo, bottom / (gbps / 1e3));
    svg.append(element('path', {d: `M${x(start)},${y(start * gbps / 1e3)}L${x(ridge)},${y(t.peak_tflops)}H${x(hi)}`,
      fill: 'none', stroke: color, 'stroke-width': 2}));
    if (bytes <= 0) continue;
    const at = t.flops / bytes, dot = element('circle', {cx: x(at), cy: y(run.tflops), r: 5, fill: color},
      element('title', {}, `${name}: ${plain(at)} FLOP a byte, ${plain(run.tflops)} TFLOP/s`));
    svg.append(dot);
    text(x(at), y(run.tflops) + 18, name);
  }
  text(W - R, y(t.peak_tflops) - 6, `${plain(t.peak_tflops)} TFLOP/s`, 'end');
  return svg;
}

function unitsOf(run) {
  const bar = f => element('span', {class: 'heat', style: `width:${(160 * f).toFixed(1)}px;background:${f >= 0.6 ? 'var(--path)' : '#5a9bd8'}`});
  return table(['unit', 'busy', ''], run.units.map(u =>
    [u.name, percent(u.busy), element('td', {}, bar(u.busy))]), [1]);
}
