// Zooming, moving and pointing, by mouse and by keys.

function look(from, to) {
  const length = Math.min(data.length, Math.max(shortest, to - from));
  timeline.from = Math.min(Math.max(0, from), data.length - length);
  timeline.to = timeline.from + length;
  repaint();
}

function zoom(factor, time = timeline.cursor) {
  if (time < timeline.from || time > timeline.to) time = (timeline.from + timeline.to) / 2;
  look(time - (time - timeline.from) / factor, time + (timeline.to - time) / factor);
}

function move(share) {
  const by = share * (timeline.to - timeline.from);
  look(timeline.from + by, timeline.to + by);
}

function say(text, x, y) {
  at('what').textContent = text;
  const tip = at('tip');
  tip.hidden = text === '' || x === undefined;
  tip.textContent = text;
  if (tip.hidden) return;
  const room = at('frame').clientWidth - tip.offsetWidth - 8;
  tip.style.left = `${Math.max(0, Math.min(x + 14, room))}px`;
  tip.style.top = `${y + 18}px`;
}

/** The message whose line passes within some pixels, or -1. */
function messageAt(x, y) {
  let best = -1, least = 4;
  for (const i of shownMessages()) {
    const from = rowOf(messages.from[i]), to = rowOf(messages.to[i]);
    if (!from || !to) continue;
    const x1 = xOf(messages.begin[i]), x2 = xOf(messages.begin[i] + messages.length[i]);
    const y1 = middle(from), y2 = middle(to);
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const along = ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length ** 2;
    const off = Math.abs((x - x1) * (y2 - y1) - (y - y1) * (x2 - x1)) / length;
    if (along >= 0 && along <= 1 && off < least) { best = i; least = off; }
  }
  return best;
}

function point(event) {
  const box = timeline.canvas.getBoundingClientRect();
  const x = event.clientX - box.left, y = event.clientY - box.top;
  const row = rows.find(each => y >= each.y - 1 && y < each.y + each.height + 1);
  if (!row || x < timeline.left) return say('');
  const message = messageAt(x, y);
  say(describe(row, timeOf(x)) + (message < 0 ? '' : `. ${describeMessage(message)}`), x, y);
}

function showCursor() {
  if (timeline.cursor < timeline.from || timeline.cursor > timeline.to) {
    const half = (timeline.to - timeline.from) / 2;
    look(timeline.cursor - half, timeline.cursor + half);
  }
  repaint();
  say(describe(rows[timeline.row], timeline.cursor));
}

/** To a thread of the row, or of the first below that has threads. */
function stepTo(next) {
  while (rows[timeline.row].lane === undefined && timeline.row + 1 < rows.length) ++timeline.row;
  const {lane} = rows[timeline.row];
  if (lane === undefined || firstOfLane[lane] === firstOfLane[lane + 1]) return;
  const now = sliceBefore(lane, timeline.cursor);
  const wanted = now < 0 ? firstOfLane[lane] : now + (next ? 1 : -1);
  const i = Math.min(firstOfLane[lane + 1] - 1, Math.max(firstOfLane[lane], wanted));
  timeline.cursor = slices.begin[i];
  showCursor();
}

function moveCursor(share) {
  move(share);
  timeline.cursor += share * (timeline.to - timeline.from);
  timeline.cursor = Math.min(timeline.to, Math.max(timeline.from, timeline.cursor));
  showCursor();
}

const keys = {
  '+': () => zoom(1.5), '=': () => zoom(1.5), '-': () => zoom(1 / 1.5), '_': () => zoom(1 / 1.5),
  '0': () => look(0, data.length),
  ArrowLeft: () => moveCursor(-.1), ArrowRight: () => moveCursor(.1),
  PageUp: () => moveCursor(-.9), PageDown: () => moveCursor(.9),
  ArrowUp: () => { timeline.row = Math.max(0, timeline.row - 1); showCursor(); },
  ArrowDown: () => { timeline.row = Math.min(rows.length - 1, timeline.row + 1); showCursor(); },
  Home: () => { timeline.cursor = 0; showCursor(); },
  End: () => { timeline.cursor = data.length; showCursor(); },
  n: () => stepTo(true), p: () => stepTo(false),
};

function listen() {
  const {canvas} = timeline;
  canvas.addEventListener('wheel', event => {
    if (event.ctrlKey) return;
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      return move((event.deltaX || event.deltaY) / 800);
    zoom(Math.exp(-event.deltaY / 400), timeOf(event.offsetX));
  }, {passive: false});
  canvas.addEventListener('pointerdown', event => {
    timeline.dragged = {x: event.clientX, from: timeline.from, to: timeline.to};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', event => {
    const {dragged} = timeline;
    if (!dragged) return point(event);
    const by = (dragged.x - event.clientX) / plotWidth() * (dragged.to - dragged.from);
    look(dragged.from + by, dragged.to + by);
  });
  canvas.addEventListener('pointerup', () => { timeline.dragged = null; });
  canvas.addEventListener('pointerleave', () => { at('tip').hidden = true; });
  canvas.addEventListener('keydown', event => {
    if (event.ctrlKey || event.altKey || event.metaKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  for (const name of ['focus', 'blur']) canvas.addEventListener(name, repaint);
  canvas.addEventListener('focus', () => { if (canvas.matches(':focus-visible')) showCursor(); });
  at('zoom-in').addEventListener('click', () => zoom(1.5));
  at('zoom-out').addEventListener('click', () => zoom(1 / 1.5));
  at('zoom-all').addEventListener('click', () => look(0, data.length));
  at('which-messages').addEventListener('change', repaint);
  at('show-path').addEventListener('change', repaint);
  window.addEventListener('resize', repaint);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { readColours(); repaint(); });
}

readColours();
layOut();
listen();
paint();
