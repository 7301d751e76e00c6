// Puts the page together from its data.
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);
const $ = id => document.getElementById(id);
const {run} = data;
let view = data.timeline, step = 0, chart = null;

const lines = new TimeLine($('canvas'), $('canvas-box'), $('canvas-height'), showDetail);

function showDetail(i) {
  const box = $('detail'), v = lines.view;
  box.replaceChildren();
  if (i < 0) {
    box.append(lines.line ? `Bars of line ${lineName(lines.file, lines.line)} are shown. ` : 'Nothing is selected. ');
    if (lines.line) box.append(element('button', {class: 'link', onclick: () => pickLine('', 0)}, 'show all'));
    return;
  }
  const s = v.slices, track = v.tracks[s.track[i]], end = s.start[i] + s.dur[i];
  const args = v.args[s.args[i]] || [];
  box.append(element('b', {}, v.names[s.name[i]]),
    ` \u00b7 ${v.processes[track.process].name} \u00b7 ${track.name}`,
    element('br'), `${grouped(s.dur[i])} ${v.unit}, ${grouped(s.start[i])} to ${grouped(end)}`,
    args.map(([k, val]) => ` \u00b7 ${k} ${val}`).join(''));
  if (s.line[i]) box.append(' \u00b7 ', element('button', {class: 'link', onclick: () => pickLine(lines.fileOf(i), s.line[i], true)},
    `line ${lineName(lines.fileOf(i), s.line[i])}`), ' ', element('code', {class: 'mono'},
    (sourceOf(lines.fileOf(i)).lines[s.line[i] - 1] || '').trim().slice(0, 90)));
  const ends = (label, flows, side) => {
    const found = flows.map(f => lines.sliceAt(v.flows[f][side], v.flows[f][side + 1])).filter(n => n >= 0);
    [...new Set(found)].slice(0, 6).forEach((n, k) => box.append(k ? ', ' : label,
      element('button', {class: 'link', onclick: () => lines.select(n, true)},
        `${v.names[s.name[n]]} (${v.tracks[s.track[n]].name})`)));
  };
  box.append(element('br'));
  ends('ended by ', lines.endedBy(i), 0);
  ends(' \u00b7 ends ', lines.ends(i), 2);
}

function sourceOf(file) {
  return data.sources.find(s => shortName(s.path) === file) || data.sources[0];
}

// Of a file of the program: '' of its own, else the name that is included.
function shortName(path) {
  const name = path.split('/').pop();
  return name === data.sources[0].path.split('/').pop() ? '' : name;
}

// "59", or "persistent.inc:59" where there are several files.
function lineName(file, n) {
  return data.sources.length > 1 ? `${file || data.sources[0].path.split('/').pop()}:${n}` : String(n);
}

function pickLine(file, n, jump = false) {
  const same = lines.line === n && lines.file === file;
  [lines.file, lines.line] = same ? ['', 0] : [file, n];
  lines.select(-1);
  for (const row of $('source-box').querySelectorAll('tr.line'))
    row.classList.toggle('on', Number(row.dataset.line) === lines.line && row.dataset.executed === 'yes' &&
      shortName(row.dataset.file) === lines.file);
  const on = $('source-box').querySelector('tr.on');
  if (on && jump) on.scrollIntoView({block: 'center'});
}

// --- findings: a schedule's steps, one after another, on the same canvas -----

function showView(name) {
  const finding = name === 'run' ? null : data.findings[Number(name)];
  view = finding ? finding.timeline : data.timeline;
  for (const b of $('views').children) b.setAttribute('aria-selected', b.dataset.view === String(name));
  [lines.file, lines.line] = ['', 0];
  lines.show(view);
  $('steps').hidden = !finding;
  if (finding) showSteps(finding); else showDetail(-1);
}

function showSteps(finding) {
  const list = element('ol', {id: 'step-list'}, finding.steps.map((s, i) =>
    element('li', {class: s.stuck ? 'stuck' : undefined, onclick: () => goTo(i)},
      element('span', {}, String(i + 1)), element('span', {}, s.who + (s.cta ? `, CTA ${s.cta}` : '')),
      element('span', {}, s.line ? `line ${s.line}` : ''), element('span', {}, s.text))));
  $('steps').replaceChildren(list, element('div', {class: 'moves'},
    element('button', {id: 'step-back', onclick: () => goTo(step - 1)}, '\u25c2 step'),
    element('button', {id: 'step-on', onclick: () => goTo(step + 1)}, 'step \u25b8')));
  goTo(finding.steps.findIndex(s => s.stuck) < 0 ? finding.steps.length - 1
                                                 : finding.steps.findIndex(s => s.stuck));
}

function goTo(n) {
  const selected = [...$('views').children].find(b => b.getAttribute('aria-selected') === 'true');
  const finding = data.findings[Number(selected.dataset.view)];
  step = Math.max(0, Math.min(n, finding.steps.length - 1));
  const s = finding.steps[step];
  const items = $('step-list').children;
  for (let i = 0; i < items.length; ++i) items[i].classList.toggle('on', i === step);
  const on = items[step];
  $('step-list').scrollTop = on.offsetTop - $('step-list').offsetTop - 80;
  lines.select(s.slice, true);
  $('detail').prepend(element('div', {id: 'step'}, element('b', {}, `Step ${step + 1} of ${finding.steps.length}: `),
    `CTA ${s.cta}, ${s.who}, line ${s.line}: ${s.text}`));
}

function findingOf(f, i) {
  const steps = f.steps.length > 0;
  return element('div', {class: `finding ${f.severity}` + (steps ? ' has-steps' : ''), 'data-finding': i,
      onclick: () => { if (steps) { showView(i); $('timeline').scrollIntoView(); } }},
    element('b', {class: f.severity === 'error' ? 'bad' : 'warn'}, `${f.severity}[${f.code}] `), f.message,
    element('span', {class: 'note'}, ` (line ${f.line}; ${f.source === 'run' ? 'seen in this run' : f.occurs === 'every' ? 'in every schedule' : 'in some schedule'})`),
    steps ? element('div', {class: 'note'}, `Click: its ${f.steps.length} steps on the time line.`) : null,
    element('pre', {}, f.text));
}

// --- all together ------------------------------------------------------------

function boot() {
  $('head').append(...headOf(run));
  const nav = [['summary', 'Summary'], ['timeline', 'Time line'], ['gpu', 'GPU'], ['source', 'Source'], ['path', 'Critical path'],
    ['roles', 'Roles'], ['roof', 'Roofline'], ['findings', `Findings (${data.findings.length})`]];
  if (data.sweep) nav.push(['sweep', 'Sweep']);
  $('nav').append(...nav.map(([id, words]) => element('a', {href: '#' + id}, words)));
  $('cards').append(...cardsOf(run, data.check));
  $('summary').append(element('div', {style: 'margin-top:12px;overflow-x:auto'}, launchOf(run)), ...hintsOf(run));

  const views = [['run', 'the run']];
  data.findings.forEach((f, i) => { if (f.steps.length) views.push([i, `${f.code}, line ${f.line}`]); });
  $('views').append(...views.map(([name, words]) =>
    element('button', {role: 'tab', 'data-view': name, onclick: () => showView(name)}, words)));
  $('zoom-in').onclick = () => lines.zoom(0.5);
  $('zoom-out').onclick = () => lines.zoom(2);
  $('zoom-fit').onclick = () => lines.window(0, lines.view.end);
  $('show-path').onchange = e => { lines.showPath = e.target.checked; lines.draw(); };
  $('show-flows').onchange = e => { lines.showFlows = e.target.checked; lines.draw(); };
  $('find').oninput = e => { lines.words = e.target.value.trim().toLowerCase(); lines.draw(); };
  lines.onWindow = (from, to) => {
    if (chart && lines.view === data.timeline) { chart.window = [from, to]; chart.draw(); }
  };
  showView('run');
  if (data.timeline.note) $('canvas-help').append(' ' + data.timeline.note);

  chart = new GpuChart($('gpu-canvas'), $('gpu-box'), data.gpu, at => {
    showView('run');
    const span = (lines.to - lines.from < lines.view.end ? lines.to - lines.from : lines.view.end / 20);
    lines.window(at - span / 2, at + span / 2);
    $('timeline').scrollIntoView();
  });
  $('gpu-note').textContent = 'Each row is an SM, each block a CTA; the critical path is in red. Click: the time line goes there.' +
    (data.gpu.note ? ' ' + data.gpu.note : '');
  $('source-box').append(sourceTable(data.sources, run, pickLine));
  $('show-waits').onchange = e => {
    for (const row of $('source-box').querySelectorAll('.wait-row')) row.hidden = !e.target.checked;
  };
  const jump = (file, n) => pickLine(file, n, true);
  $('path-box').append(run.critical_path.length ? pathOf(run, jump) : element('p', {class: 'note'}, 'The run did not end.'));
  $('roles-box').append(...rolesOf(run));
  $('roof-box').append(roofline(run), unitsOf(run));
  $('findings-box').append(...(data.findings.length ? data.findings.map(findingOf)
    : [element('p', {class: 'note'}, 'Nothing was found.')]));
  if (data.sweep) bootSweep(data.sweep);
}

function bootSweep(sweep) {
  $('sweep').hidden = false;
  const plot = element('div');
  plot.innerHTML = sweep.svg;
  const columns = sweep.axes;
  const rows = sweep.points.map((p, i) => [String(i + 1), ...columns.map(c => String(p.values[c])),
    plain(p.time_us), p.tflops === null ? '' : plain(p.tflops), p.bound_by]);
  $('sweep-box').append(plot, table(['', ...columns, '\u00b5s', 'TFLOP/s', 'bound by'], rows,
    [0, ...columns.map((c, i) => i + 1), columns.length + 1, columns.length + 2]));
  if (sweep.left_out) $('sweep-box').append(element('p', {class: 'note'}, sweep.left_out));
}

boot();
