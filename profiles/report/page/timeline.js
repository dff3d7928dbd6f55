// The timeline: a canvas with a row a PE, a worker and a link, and the overall profile below.

const timeline = {
  canvas: at('timeline'), from: 0, to: data.length, row: 0, cursor: data.length / 2,
  left: 104, top: 22, overall: 120, axis: 24, gap: 26,
  colours: {}, dragged: null, waits: false,
};
const overall = new Levels(unpack(data.overall, Float32Array), 3, meanOf(3));
const shortest = Math.max(100, data.length * 1e-9);  // ns that can be looked at

function layOut() {
  const pes = rows.filter(isPe).length;
  const workers = rows.filter(row => row.worker !== undefined).length;
  const scale = Math.min(1, 560 / (16 * pes + 13 * workers));
  let y = timeline.top;
  for (const row of rows) {
    row.y = y;
    row.height = row.link ? 12 : Math.max(3, Math.round((row.worker === undefined ? 16 : 13) * scale)) - (scale > .4 ? 1 : 0);
    y += row.height + (scale > .4 ? 1 : 0);
    const next = rows[rows.indexOf(row) + 1];
    if (row.link) y += 1;
    else if (workers && scale > .4 && next && next.worker === undefined) y += 4;
  }
  timeline.bottom = y;
  timeline.height = y + timeline.gap + timeline.overall + timeline.axis;
}

function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ['ink', 'pale', 'paper', 'rule', 'busy', 'idle', 'gc', 'blocked', 'path', 'running',
                      'runnable', 'waiting', 'message', 'focus', 'other', 'f0', 'f1', 'f2', 'f3', 'f4',
                      'f5', 'f6'])
    timeline.colours[`--${name}`] = style.getPropertyValue(`--${name}`).trim();
  timeline.rgb = {};
  for (const [name, text] of Object.entries(timeline.colours))
    timeline.rgb[name] = [1, 3, 5].map(i => parseInt(text.slice(i, i + 2), 16));
}

const plotWidth = () => timeline.canvas.clientWidth - timeline.left - 8;
const xOf = time => timeline.left + (time - timeline.from) / (timeline.to - timeline.from) * plotWidth();
const timeOf = x => timeline.from + (x - timeline.left) / plotWidth() * (timeline.to - timeline.from);

/** Calls `put(column, offset)` with the place of each column's bin. */
function eachColumn(levels, width, put) {
  const finest = levels.levels[0].length / levels.width;
  const {numbers, bins} = levels.at((timeline.to - timeline.from) / data.length * finest / width);
  for (let x = 0; x < width; ++x) {
    const time = timeline.from + (x + .5) / width * (timeline.to - timeline.from);
    put(x, numbers, Math.min(bins - 1, Math.floor(time / data.length * bins)) * levels.width);
  }
}

/** One line of pixels a row, which is then drawn as high as the row is. */
function paintBins(context, ratio) {
  const width = Math.max(1, Math.round(plotWidth() * ratio));
  const strip = document.createElement('canvas');
  strip.width = width;
  strip.height = rows.length;
  const painter = strip.getContext('2d');
  const image = painter.createImageData(width, rows.length);
  const {rgb} = timeline;
  const mix = (out, parts) => {
    for (let i = 0; i < 3; ++i) {
      let rest = 1, sum = 0;
      for (const [share, colour] of parts) { sum += share * colour[i]; rest -= share; }
      image.data[out + i] = sum + Math.max(0, rest) * rgb['--idle'][i];
    }
    image.data[out + 3] = 255;
  };
  rows.forEach((row, line) => eachColumn(row.levels, width, (x, numbers, from) => {
    const out = 4 * (line * width + x);
    if (row.worker !== undefined)
      return mix(out, [[numbers[from] / 255, rgb[functionColour(numbers[from + 1])]]]);
    if (row.link) return mix(out, [[numbers[from], rgb['--message']]]);
    const busy = numbers[from] / 255;
    const threads = busy > 0 ? undoLogarithm(numbers[from + 3]) / busy / row.facts.workers : 0;
    const dark = busy * Math.min(1, .35 + .25 * Math.log2(1 + threads));
    mix(out, [[dark, rgb['--busy']], [numbers[from + 1] / 255, rgb['--gc']],
              [numbers[from + 2] / 255, rgb['--blocked']]]);
  }));
  painter.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  rows.forEach((row, line) => context.drawImage(strip, 0, line, width, 1, timeline.left, row.y,
                                                plotWidth(), row.height));
}

function paintSlices(context) {
  const binPixels = plotWidth() / ((timeline.to - timeline.from) / data.length * data.bins);
  if (binPixels < 1 && !allSlices) return;
  context.font = '10px system-ui, sans-serif';
  for (const row of rows) {
    if (row.lane === undefined || row.height < 5) continue;
    let i = Math.max(firstOfLane[row.lane], sliceBefore(row.lane, timeline.from));
    if (allSlices && binPixels > 2) {  // bins are coarser than what is known
      context.fillStyle = timeline.colours['--idle'];
      context.fillRect(timeline.left, row.y, plotWidth(), row.height);
    }
    for (; i < firstOfLane[row.lane + 1] && slices.begin[i] < timeline.to; ++i) {
      const x = Math.max(timeline.left, xOf(slices.begin[i]));
      const end = Math.min(timeline.left + plotWidth(), xOf(slices.begin[i] + slices.length[i]));
      if (end <= x || (end - x < 3 && binPixels <= 2)) continue;
      const colour = functionColour(slices.function[i]);
      context.fillStyle = timeline.colours[colour];
      context.fillRect(x, row.y, Math.max(.5, end - x - .5), row.height);
      if (end - x < 50 || row.height < 10) continue;
      const [r, g, b] = timeline.rgb[colour];
      context.fillStyle = .3 * r + .6 * g + .1 * b > 120 ? '#000' : '#fff';
      const name = shortName(slices.function[i]);
      const fits = Math.floor((end - x - 8) / 5.5);
      context.fillText(name.length > fits ? name.slice(0, fits - 1) + '…' : name, x + 4,
                       row.y + row.height - 3);
    }
  }
}

const rowOfPe = new Map();
for (const row of rows)
  if (isPe(row)) for (let pe = row.pe; pe <= row.last; ++pe) rowOfPe.set(pe, row);
const rowOf = pe => rowOfPe.get(pe);
const middle = row => row.y + row.height / 2;

function shownMessages() {
  const which = at('which-messages').value;
  if (which === 'none') return [];
  const shown = [];
  for (let i = 0; i < messages.begin.length; ++i) {
    if (which === 'work' && messages.kind[i] !== 1 && messages.kind[i] !== 3) continue;
    if (messages.begin[i] > timeline.to || messages.begin[i] + messages.length[i] < timeline.from) continue;
    shown.push(i);
  }
  return shown;
}

function paintMessages(context) {
  const shown = shownMessages();
  context.strokeStyle = timeline.colours['--message'];
  context.lineWidth = 1;
  context.globalAlpha = Math.max(.12, Math.min(.8, 60 / shown.length));
  context.beginPath();
  for (const i of shown) {
    const from = rowOf(messages.from[i]), to = rowOf(messages.to[i]);
    if (!from || !to) continue;
    context.moveTo(xOf(messages.begin[i]), middle(from));
    context.lineTo(xOf(messages.begin[i] + messages.length[i]), middle(to));
  }
  context.stroke();
  context.globalAlpha = 1;
}

function paintPath(context) {
  if (!at('show-path').checked) return;
  context.strokeStyle = timeline.colours['--path'];
  for (const [begin, end, step, pe, , from] of data.path.segments) {
    const row = rowOf(pe);
    if (!row || end < timeline.from || begin > timeline.to || step > 3) continue;
    const sender = from >= 0 ? rowOf(from) : undefined;
    const y = row.y + row.height - 1.5;
    context.lineWidth = step === 0 ? 3 : 1.5;
    context.setLineDash(step === 0 || step === 2 ? [] : [3, 3]);
    context.beginPath();
    context.moveTo(xOf(begin), sender ? sender.y + sender.height - 1.5 : y);
    context.lineTo(xOf(end), y);
    context.stroke();
  }
  context.setLineDash([]);
  context.lineWidth = 1;
}

function paintChanges(context) {
  context.font = 'bold 13px system-ui, sans-serif';
  context.textAlign = 'center';
  context.fillStyle = timeline.colours['--path'];
  for (const [time, pe, what] of data.changes) {
    const row = rowOf(pe);
    if (row && time >= timeline.from && time <= timeline.to)
      context.fillText({lost: '✕', left: '◀', joined: '▶'}[what], xOf(time), row.y + Math.max(11, row.height - 3));
  }
  for (const row of rows)
    if (isPe(row) && !row.facts.complete && row.facts.last <= timeline.to)
      context.fillText('✕', xOf(row.facts.last), row.y + Math.max(11, row.height - 3));
  context.textAlign = 'left';
}

/** Times at which to put ticks, and how they are written. */
function ticks(from, to, pixels) {
  const least = (to - from) * 90 / pixels;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map(factor => factor * power).find(each => each >= least);
  const [unit, name] = [[1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']].find(([each]) => to >= each) || [1, 'ns'];
  const digits = Math.max(0, -Math.floor(Math.log10(step / unit) + 1e-9));
  const all = [];
  for (let i = Math.ceil(from / step); i * step <= to; ++i)
    all.push([i * step, `${(i * step / unit).toFixed(digits)} ${name}`]);
  return all;
}

function paintAxis(context) {
  const bottom = timeline.bottom + timeline.gap + timeline.overall;
  context.font = '11px system-ui, sans-serif';
  context.textAlign = 'center';
  context.lineWidth = 1;
  for (const [time, text] of ticks(timeline.from + data.from, timeline.to + data.from, plotWidth())) {
    const x = Math.round(xOf(time - data.from)) + .5;
    context.globalAlpha = .35;
    context.strokeStyle = timeline.colours['--rule'];
    context.beginPath();
    context.moveTo(x, timeline.top - 4);
    context.lineTo(x, bottom + 4);
    context.stroke();
    context.globalAlpha = 1;
    context.fillStyle = timeline.colours['--ink'];
    const centre = Math.min(x, timeline.left + plotWidth() + 8 - context.measureText(text).width / 2);
    context.fillText(text, centre, 13);
    context.fillText(text, centre, bottom + 17);
  }
  context.textAlign = 'left';
}

function paintLabels(context) {
  context.textAlign = 'right';
  let free = 0;
  for (const row of rows) {
    if (row.y < free) continue;
    const strong = row.worker === undefined;
    if (!strong && row.height < 9) continue;
    context.font = `${strong && !row.link ? 12 : 10}px system-ui, sans-serif`;
    context.fillStyle = timeline.colours[strong ? '--ink' : '--pale'];
    context.fillText(row.label, timeline.left - 6, row.y + Math.min(row.height, 15) - (strong ? 3 : 2));
    free = row.y + 12;
  }
  context.textAlign = 'left';
}

function paintOverall(context, ratio) {
  const top = timeline.bottom + timeline.gap, bottom = top + timeline.overall;
  const workers = data.summary.workers;
  const width = Math.max(1, Math.round(plotWidth() * ratio));
  const kinds = ['--waiting', '--runnable', '--running'];  // the whole stack first
  let most = workers;
  eachColumn(overall, width, (x, n, i) => { most = Math.max(most, n[i] + n[i + 1] + n[i + 2]); });
  const scale = timeline.overall / (most * 1.05);
  kinds.forEach((kind, number) => {
    context.fillStyle = timeline.colours[kind];
    context.beginPath();
    context.moveTo(timeline.left, bottom);
    eachColumn(overall, width, (x, n, i) => {
      const sum = n[i] + (number < 2 ? n[i + 1] : 0) + (number < 1 ? n[i + 2] : 0);
      context.lineTo(timeline.left + x / ratio, bottom - sum * scale);
      context.lineTo(timeline.left + (x + 1) / ratio, bottom - sum * scale);
    });
    context.lineTo(timeline.left + plotWidth(), bottom);
    context.fill();
  });
  context.font = '11px system-ui, sans-serif';
  context.fillStyle = context.strokeStyle = timeline.colours['--ink'];
  context.fillText('Threads of all PEs; the dashed line is the number of workers', timeline.left, top - 7);
  context.setLineDash([4, 3]);
  context.beginPath();
  context.moveTo(timeline.left, bottom - workers * scale);
  context.lineTo(timeline.left + plotWidth(), bottom - workers * scale);
  context.stroke();
  context.setLineDash([]);
  context.textAlign = 'right';
  context.fillText(String(workers), timeline.left - 6, bottom - workers * scale + 4);
  if (most > 1.3 * workers) context.fillText(most.toFixed(0), timeline.left - 6, bottom - most * scale + 4);
  context.textAlign = 'left';
}

function paintFocus(context) {
  const row = rows[timeline.row];
  if (document.activeElement !== timeline.canvas || !row) return;
  context.strokeStyle = timeline.colours['--focus'];
  context.lineWidth = 2;
  context.strokeRect(timeline.left - 1, row.y - 1, plotWidth() + 2, row.height + 2);
  context.beginPath();
  context.moveTo(xOf(timeline.cursor), timeline.top - 4);
  context.lineTo(xOf(timeline.cursor), timeline.bottom);
  context.stroke();
  context.lineWidth = 1;
}

function paint() {
  timeline.waits = false;
  const {canvas} = timeline;
  const ratio = window.devicePixelRatio || 1;
  canvas.style.height = `${timeline.height}px`;
  canvas.width = Math.round(canvas.clientWidth * ratio);
  canvas.height = Math.round(timeline.height * ratio);
  const context = canvas.getContext('2d');
  context.scale(ratio, ratio);
  context.fillStyle = timeline.colours['--paper'];
  context.fillRect(0, 0, canvas.clientWidth, timeline.height);
  paintBins(context, ratio);
  paintSlices(context);
  paintOverall(context, ratio);
  paintAxis(context);
  context.save();
  context.beginPath();
  context.rect(timeline.left, 0, plotWidth(), timeline.bottom);
  context.clip();
  paintMessages(context);
  paintPath(context);
  paintChanges(context);
  context.restore();
  paintLabels(context);
  paintFocus(context);
  at('span').textContent = `${when(timeline.from)} to ${when(timeline.to)}`;
}

function repaint() {
  if (timeline.waits) return;
  timeline.waits = true;
  requestAnimationFrame(paint);
}
