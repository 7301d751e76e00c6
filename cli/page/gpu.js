// The whole GPU: which CTA ran on which SM, and how busy its units were.
'use strict';

const LOADS = [['tensor cores', 1, '#2fa36b'], ['L2 ports', 2, '#e08a2e'], ['HBM', 3, '#4c8bf5']];
const KERNELS = ['#5a9bd8', '#8f7ae5', '#27a5a5', '#b0894e'];

class GpuChart {
  constructor(canvas, box, gpu, onTime) {
    Object.assign(this, {canvas, box, gpu});
    this.window = [0, gpu.end];
    this.rowHeight = gpu.sms > 64 ? 2.4 : 5;
    this.curves = 84;
    this.height = 18 + this.rowHeight * gpu.sms + this.curves + 14;
    canvas.addEventListener('click', e => onTime(this.cycleAt(e.offsetX)));
    canvas.addEventListener('mousemove', e => { canvas.title = this.words(e.offsetX, e.offsetY); });
    new ResizeObserver(() => this.draw()).observe(box);
    this.draw();
  }
  get left() { return 60; }
  x(t) { return this.left + t / Math.max(1, this.gpu.end) * (this.width - this.left - 8); }
  cycleAt(x) { return (x - this.left) / (this.width - this.left - 8) * this.gpu.end; }

  words(x, y) {
    const at = this.cycleAt(x), sm = Math.floor((y - 18) / this.rowHeight);
    if (sm >= 0 && sm < this.gpu.sms) {
      const c = this.gpu.ctas.find(c => c[0] === sm && c[2] <= at && c[3] > at);
      return `SM ${sm}` + (c ? `: ${this.gpu.names[c[4]] ? this.gpu.names[c[4]] + ' ' : ''}CTA ${c[1]}, cycles ${grouped(c[2])} to ${grouped(c[3])}` : ': idle');
    }
    const i = this.gpu.load.findIndex((s, n) => s[0] <= at && (this.gpu.load[n + 1] || [Infinity])[0] > at);
    return i < 0 ? '' : LOADS.map(([n, k]) => `${n} ${percent(this.gpu.load[i][k], 0)}`).join(', ');
  }

  draw() {
    const dpr = window.devicePixelRatio || 1;
    this.width = this.box.clientWidth;
    if (!this.width) return;
    const {canvas, gpu} = this;
    canvas.style.width = this.width + 'px';
    canvas.style.height = this.height + 'px';
    canvas.width = this.width * dpr;
    canvas.height = this.height * dpr;
    const c = canvas.getContext('2d');
    c.scale(dpr, dpr);
    c.fillStyle = cssColor('--paper');
    c.fillRect(0, 0, this.width, this.height);
    const soft = cssColor('--soft'), top = 18;
    c.font = '11px system-ui, sans-serif';
    c.fillStyle = soft;
    c.fillText('SM 0', 8, top + 9);
    c.fillText('SM ' + (gpu.sms - 1), 8, top + this.rowHeight * gpu.sms);
    for (const [sm, linear, from, to, kernel] of gpu.ctas) {
      const x = this.x(from), w = Math.max(this.x(to) - x - 0.6, 0.5);
      c.fillStyle = KERNELS[kernel % KERNELS.length];
      c.globalAlpha = linear % 2 ? 0.62 : 0.9;
      c.fillRect(x, top + sm * this.rowHeight, w, this.rowHeight - 0.4);
    }
    c.globalAlpha = 1;
    c.fillStyle = cssColor('--path');
    for (const [sm, from, to] of gpu.path) {
      const x = this.x(from);
      c.fillRect(x, top + sm * this.rowHeight, Math.max(this.x(to) - x, 1), Math.max(this.rowHeight, 2));
    }
    this.paintLoad(c, top + this.rowHeight * gpu.sms + 10);
    c.fillStyle = cssColor('--accent');
    c.globalAlpha = 0.12;
    c.fillRect(this.x(this.window[0]), 0, this.x(this.window[1]) - this.x(this.window[0]), this.height);
    c.globalAlpha = 1;
    c.fillStyle = soft;
    c.fillText('cycle 0', this.left, 12);
    const end = grouped(gpu.end);
    c.fillText(end, this.width - 10 - c.measureText(end).width, 12);
  }

  paintLoad(c, top) {
    const {gpu} = this, bottom = top + this.curves - 12;
    c.strokeStyle = cssColor('--line');
    c.strokeRect(this.left, top, this.width - this.left - 8, bottom - top);
    c.fillStyle = cssColor('--soft');
    c.fillText('100 %', 18, top + 8);
    c.fillText('0 %', 30, bottom);
    for (const [name, k, color] of LOADS) {
      c.strokeStyle = color;
      c.lineWidth = 1.4;
      c.beginPath();
      gpu.load.forEach((s, i) => {
        const y = bottom - s[k] * (bottom - top), next = i + 1 < gpu.load.length ? gpu.load[i + 1][0] : gpu.end;
        if (i === 0) c.moveTo(this.x(s[0]), y); else c.lineTo(this.x(s[0]), y);
        c.lineTo(this.x(next), y);
      });
      c.stroke();
    }
    let x = this.left + 8;
    for (const [name, , color] of LOADS) {
      c.fillStyle = color;
      c.fillRect(x, top + 5, 9, 9);
      c.fillStyle = cssColor('--ink');
      c.fillText(name, x + 13, top + 13);
      x += 26 + c.measureText(name).width + 12;
    }
  }
}
