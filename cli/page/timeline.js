// A time line of tracks on a canvas: zoom, move, select; what ended a wait.
//
//   const t = new TimeLine(canvas, box, spacer, onSelect); t.show(view);
//
// A view has columns (see page_data.h): names, processes with their tracks,
// slices sorted by track and start, flows, and the steps of the critical path.
'use strict';

const ROW = 17, HEAD = 20, RULER = 22, MIN_SPAN = 20;

function cssColor(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// Families of ops have colours of their own.
const FAMILIES = [
  [/^WAIT|^wait/, '#d9705f'], [/with others|others move/, '#00000000'],
  [/^phase/, '#8f7ae5'], [/written by/, '#4c8bf5'], [/read by/, '#2fa36b'],
  [/wgmma|tcgen05\.mma|mma\.sync/, '#2fa36b'], [/tma|cp\.async|bulk/, '#4c8bf5'],
  [/mbarrier|barrier|bar\./, '#8f7ae5'], [/fence|commit|elect|sync/, '#7f8ea3'],
  [/^ld|^st|ldmatrix|stmatrix|tcgen05\.(ld|st|cp)/, '#e08a2e'],
  [/launch/, '#7f8ea3'], [/CTA/, '#5a9bd8'],
];
const OTHER = '#27a5a5';

function colorOf(name) {
  for (const [words, color] of FAMILIES) if (words.test(name)) return color;
  return OTHER;
}

function grouped(n) { return Math.round(n).toLocaleString('en-US'); }

class TimeLine {
  constructor(canvas, box, spacer, onSelect) {
    Object.assign(this, {canvas, box, spacer, onSelect});
    this.selected = -1;
    this.line = 0;   // of this.file: '' is the program's own
    this.file = '';
    this.words = '';
    this.showPath = true;
    this.showFlows = false;
    this.folded = new Set();
    this.listen();
    new ResizeObserver(() => this.draw()).observe(box);
  }

  show(view) {
    this.view = view;
    this.selected = -1;
    this.colors = view.names.map(colorOf);
    const tracks = view.tracks.length;
    this.first = new Int32Array(tracks + 1);
    const s = view.slices;
    for (let i = 0; i < s.track.length; ++i) this.first[s.track[i] + 1] = i + 1;
    for (let t = 0; t < tracks; ++t)
      this.first[t + 1] = Math.max(this.first[t + 1], this.first[t]);
    this.pathOf = new Map();
    for (const [track, from, to] of view.path) {
      if (!this.pathOf.has(track)) this.pathOf.set(track, []);
      this.pathOf.get(track).push([from, to]);
    }
    this.into = new Map();
    this.outOf = new Map();
    view.flows.forEach((f, i) => {
      for (const [map, track] of [[this.outOf, f[0]], [this.into, f[2]]]) {
        if (!map.has(track)) map.set(track, []);
        map.get(track).push(i);
      }
    });
    this.from = 0;
    this.to = Math.max(view.end, MIN_SPAN);
    this.layOut();
    this.draw();
  }

  layOut() {
    this.rows = [];
    let y = RULER;
    this.view.processes.forEach((p, i) => {
      this.rows.push({y, h: HEAD, process: i});
      y += HEAD;
      if (this.folded.has(p.name)) return;
      this.view.tracks.forEach((t, j) => {
        if (t.process !== i) return;
        this.rows.push({y, h: ROW, track: j});
        y += ROW;
      });
    });
    this.height = y + 6;
    this.spacer.style.height = this.height + 'px';
    this.rowOf = new Map(this.rows.filter(r => 'track' in r).map(r => [r.track, r]));
  }

  get left() { return Math.min(210, this.width * 0.25); }
  x(cycle) {
    return this.left + (cycle - this.from) / (this.to - this.from) * (this.width - this.left);
  }
  cycleAt(x) {
    return this.from + (x - this.left) / (this.width - this.left) * (this.to - this.from);
  }

  zoom(factor, at = (this.from + this.to) / 2) {
    const span = Math.max(MIN_SPAN, Math.min((this.to - this.from) * factor, this.view.end * 1.02 + MIN_SPAN));
    const part = (at - this.from) / (this.to - this.from);
    this.window(at - part * span, at - part * span + span);
  }
  window(from, to) {
    const span = Math.max(to - from, MIN_SPAN), end = Math.max(this.view.end, MIN_SPAN);
    this.from = Math.max(-0.01 * end, Math.min(from, end * 1.01 - span));
    if (span >= end) this.from = 0;
    this.to = this.from + span;
    this.draw();
    if (this.onWindow) this.onWindow(this.from, this.to);
  }

  draw() {
    if (!this.view || this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => { this.asked = false; this.paint(); });
  }

  paint() {
    const dpr = window.devicePixelRatio || 1;
    this.width = this.box.clientWidth;
    const most = Math.round(window.innerHeight * 0.66);
    const height = Math.max(80, Math.min(this.height, most));
    this.canvas.style.width = this.width + 'px';
    this.canvas.style.height = height + 'px';
    this.canvas.width = Math.round(this.width * dpr);
    this.canvas.height = Math.round(height * dpr);
    const c = this.canvas.getContext('2d');
    this.c = c;
    c.scale(dpr, dpr);
    this.ink = cssColor('--ink'); this.soft = cssColor('--soft');
    this.rule = cssColor('--line'); this.paper = cssColor('--paper');
    this.panel = cssColor('--panel'); this.pathColor = cssColor('--path');
    c.fillStyle = this.paper;
    c.fillRect(0, 0, this.width, height);
    this.top = this.box.scrollTop;
    const seen = this.rows.filter(r => r.y + r.h > this.top && r.y < this.top + height);
    c.save();
    c.beginPath();
    c.rect(this.left, RULER, this.width - this.left, height);
    c.clip();
    for (const row of seen) if ('track' in row) this.paintTrack(row);
    this.paintFlows();
    c.restore();
    for (const row of seen) this.paintLabel(row);
    this.paintRuler(height);
  }

  paintLabel(row) {
    const c = this.c, y = row.y - this.top;
    c.textBaseline = 'middle';
    if ('process' in row) {
      const p = this.view.processes[row.process];
      c.fillStyle = this.panel;
      c.fillRect(0, y, this.width, row.h);
      c.fillStyle = this.ink;
      c.font = '600 12px system-ui, sans-serif';
      c.fillText((this.folded.has(p.name) ? '\u25b8 ' : '\u25be ') + p.name, 6, y + row.h / 2);
      return;
    }
    c.fillStyle = this.paper;
    c.fillRect(0, y, this.left - 2, row.h);
    c.fillStyle = this.soft;
    c.font = '11.5px system-ui, sans-serif';
    c.save();
    c.beginPath();
    c.rect(0, y, this.left - 6, row.h);
    c.clip();
    c.fillText(this.view.tracks[row.track].name, 14, y + row.h / 2);
    c.restore();
    c.fillStyle = this.rule;
    c.fillRect(0, y + row.h - 0.5, this.width, 0.5);
  }

  paintRuler(height) {
    const c = this.c;
    c.fillStyle = this.paper;
    c.fillRect(0, 0, this.width, RULER);
    const span = this.to - this.from, rough = span / Math.max(2, (this.width - this.left) / 110);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = Math.max(1, [1, 2, 5, 10].map(m => m * power).find(s => s >= rough));
    c.font = '11px system-ui, sans-serif';
    c.textBaseline = 'middle';
    for (let t = Math.ceil(Math.max(0, this.from) / step) * step; t <= this.to; t += step) {
      const x = this.x(t);
      c.fillStyle = this.rule;
      c.fillRect(x, RULER - 5, 1, 5);
      c.globalAlpha = 0.35;
      c.fillRect(x, RULER, 1, height);
      c.globalAlpha = 1;
      c.fillStyle = this.soft;
      c.fillText(grouped(t), x + 3, RULER / 2);
    }
    c.fillStyle = this.ink;
    c.fillText(this.view.unit, 8, RULER / 2);
  }

  // The first slice of a track that ends after a cycle.
  firstAfter(track, cycle) {
    const s = this.view.slices;
    let low = this.first[track], high = this.first[track + 1];
    while (low < high) {
      const mid = (low + high) >> 1;
      if (s.start[mid] + s.dur[mid] <= cycle) low = mid + 1; else high = mid;
    }
    return low;
  }

  // The name of the included file that a bar's line is of; '' of the program's own.
  fileOf(i) {
    const named = (this.view.args[this.view.slices.args[i]] || []).find(([k]) => k === 'file');
    return named ? named[1] : '';
  }

  matches(i) {
    const s = this.view.slices;
    if (this.line && (s.line[i] !== this.line || this.fileOf(i) !== this.file)) return false;
    if (!this.words) return true;
    const text = this.view.names[s.name[i]] + ' line ' + s.line[i] + ' ' + this.view.tracks[s.track[i]].name;
    return text.toLowerCase().includes(this.words);
  }

  paintTrack(row) {
    const c = this.c, s = this.view.slices, y = row.y - this.top + 2, h = row.h - 4;
    const dim = this.line || this.words;
    let lastX = -1, lastName = -1;
    c.font = '10.5px system-ui, sans-serif';
    c.textBaseline = 'middle';
    for (let i = this.firstAfter(row.track, this.from); i < this.first[row.track + 1]; ++i) {
      if (s.start[i] > this.to) break;
      const x = Math.max(this.x(s.start[i]), this.left - 2);
      const w = Math.max(this.x(s.start[i] + s.dur[i]) - x, 0.8);
      if (w < 1 && Math.floor(x) === lastX && s.name[i] === lastName) continue;
      lastX = Math.floor(x); lastName = s.name[i];
      const wait = s.cat[i] === 1;
      c.globalAlpha = dim && !this.matches(i) ? 0.12 : wait ? 0.42 : 0.95;
      c.fillStyle = this.colors[s.name[i]];
      c.fillRect(x, y, w > 3 ? w - 0.7 : w, h);
      if (w > 34 && c.globalAlpha > 0.2) {
        c.globalAlpha = 1;
        c.fillStyle = wait ? this.ink : '#fff';
        c.save();
        c.beginPath(); c.rect(x, y, w - 2, h); c.clip();
        c.fillText(this.view.names[s.name[i]], x + 3, y + h / 2 + 0.5);
        c.restore();
      }
      c.globalAlpha = 1;
      if (i === this.selected) {
        c.strokeStyle = this.ink; c.lineWidth = 1.6;
        c.strokeRect(x + 0.5, y, Math.max(w - 1, 1), h);
      }
    }
    if (!this.showPath) return;
    c.fillStyle = this.pathColor;
    for (const [from, to] of this.pathOf.get(row.track) || []) {
      if (to < this.from || from > this.to) continue;
      const x = this.x(from);
      c.fillRect(x, y + h - 1, Math.max(this.x(to) - x, 1), 3);
    }
  }

  paintFlows() {
    const shown = this.showFlows ? this.view.flows.map((f, i) => i)
                                 : this.flowsOf(this.selected);
    const c = this.c;
    let left = 3000;
    for (const i of shown) {
      const [from, fromAt, to, toAt] = this.view.flows[i];
      if (fromAt > this.to || toAt < this.from || --left < 0) continue;
      const a = this.rowOf.get(from), b = this.rowOf.get(to);
      if (!a || !b) continue;
      const x1 = this.x(fromAt), y1 = a.y - this.top + ROW / 2;
      const x2 = this.x(toAt), y2 = b.y - this.top + ROW / 2;
      c.strokeStyle = this.showFlows ? this.soft : this.ink;
      c.globalAlpha = this.showFlows ? 0.4 : 0.9;
      c.lineWidth = 1.3;
      c.beginPath();
      c.moveTo(x1, y1);
      c.bezierCurveTo(x1 + 18, y1, x2 - 18, y2, x2, y2);
      c.stroke();
      c.beginPath();
      c.arc(x2, y2, 2.4, 0, 7);
      c.fillStyle = c.strokeStyle;
      c.fill();
      c.globalAlpha = 1;
    }
  }

  // Arrows that end in a slice, then those that begin in it.
  flowsOf(i) {
    return i < 0 ? [] : [...this.endedBy(i), ...this.ends(i)];
  }
  inside(i, at) {
    const s = this.view.slices;
    return at > s.start[i] && at <= s.start[i] + s.dur[i];
  }
  endedBy(i) {
    const flows = this.view.flows;
    return (this.into.get(this.view.slices.track[i]) || []).filter(f => this.inside(i, flows[f][3]));
  }
  ends(i) {
    const flows = this.view.flows;
    return (this.outOf.get(this.view.slices.track[i]) || []).filter(f => this.inside(i, flows[f][1]));
  }
  // The slice of a track that a cycle is inside of, or at the end of.
  sliceAt(track, at) {
    const s = this.view.slices;
    let best = -1;
    for (let i = this.first[track]; i < this.first[track + 1]; ++i) {
      if (s.start[i] >= at && !(s.start[i] === at && s.dur[i] === 0)) break;
      if (at <= s.start[i] + s.dur[i]) best = i;
    }
    return best;
  }

  select(i, look = false) {
    this.selected = i;
    if (look && i >= 0) this.reveal(i);
    this.draw();
    this.onSelect(i);
  }
  reveal(i) {
    const s = this.view.slices, track = this.view.tracks[s.track[i]];
    const name = this.view.processes[track.process].name;
    if (this.folded.delete(name)) this.layOut();
    const row = this.rowOf.get(s.track[i]);
    const view = this.box.clientHeight;
    if (row.y - RULER < this.box.scrollTop || row.y + ROW > this.box.scrollTop + view)
      this.box.scrollTop = row.y - view / 2;
    const start = s.start[i], end = start + s.dur[i], span = this.to - this.from;
    if (start < this.from || end > this.to) {
      const wide = Math.max(span, s.dur[i] * 1.5), mid = (start + end) / 2;
      this.window(mid - wide / 2, mid + wide / 2);
    }
  }
  zoomTo(i) {
    const s = this.view.slices, pad = Math.max(s.dur[i] * 0.6, 10);
    this.window(s.start[i] - pad, s.start[i] + s.dur[i] + pad);
  }

  hit(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    if (y < RULER) return {x};
    const row = this.rows.find(r => y + this.top >= r.y && y + this.top < r.y + r.h);
    if (!row || !('track' in row) || x < this.left) return {x, row};
    const at = this.cycleAt(x), near = 2 / (this.width - this.left) * (this.to - this.from);
    const s = this.view.slices;
    for (let i = this.firstAfter(row.track, at - near); i < this.first[row.track + 1]; ++i) {
      if (s.start[i] > at + near) break;
      return {x, row, slice: i};
    }
    return {x, row};
  }

  listen() {
    const c = this.canvas;
    this.box.addEventListener('scroll', () => this.draw());
    c.addEventListener('wheel', e => {
      if (e.ctrlKey || e.metaKey) {
        e.preventDefault();
        this.zoom(e.deltaY < 0 ? 0.8 : 1.25, this.cycleAt(this.hit(e).x));
      } else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
        e.preventDefault();
        this.move((e.deltaX || e.deltaY) / this.width);
      }
    }, {passive: false});
    let down = null;
    c.addEventListener('pointerdown', e => {
      down = {x: e.clientX, from: this.from, to: this.to, moved: false};
      c.setPointerCapture(e.pointerId);
    });
    c.addEventListener('pointermove', e => {
      if (!down) return;
      const dx = e.clientX - down.x;
      if (Math.abs(dx) > 3) down.moved = true;
      if (!down.moved) return;
      const by = -dx / (this.width - this.left) * (down.to - down.from);
      this.window(down.from + by, down.to + by);
    });
    c.addEventListener('pointerup', e => {
      const moved = down && down.moved;
      down = null;
      if (moved) return;
      const {row, slice} = this.hit(e);
      if (row && 'process' in row) {
        const name = this.view.processes[row.process].name;
        if (!this.folded.delete(name)) this.folded.add(name);
        this.layOut();
        this.draw();
      } else {
        this.select(slice === undefined ? -1 : slice);
      }
      this.box.focus({preventScroll: true});
    });
    c.addEventListener('dblclick', e => {
      const {slice} = this.hit(e);
      if (slice !== undefined) this.zoomTo(slice);
    });
    this.box.addEventListener('keydown', e => {
      const keys = {w: () => this.zoom(0.7), s: () => this.zoom(1 / 0.7),
                    a: () => this.move(-0.15), d: () => this.move(0.15),
                    f: () => this.window(0, this.view.end)};
      if (!keys[e.key] || e.ctrlKey || e.metaKey) return;
      e.preventDefault();
      keys[e.key]();
    });
  }
  move(part) {
    const by = part * (this.to - this.from);
    this.window(this.from + by, this.to + by);
  }
}
