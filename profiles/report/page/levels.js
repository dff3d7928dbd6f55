// Bins by level of zoom: each level has half as many as the one before.

class Levels {
  /** `width` numbers a bin; `join(a, b, from, to)` makes one bin of two. */
  constructor(numbers, width, join) {
    this.levels = [numbers];
    this.width = width;
    this.join = join;
  }

  /** The level whose bins are about as long as asked for, and how many bins it has. */
  at(binsPerPixel) {
    const wanted = Math.max(0, Math.floor(Math.log2(binsPerPixel)));
    while (this.levels.length <= wanted && this.last().length > 2 * this.width) this.half();
    const numbers = this.levels[Math.min(wanted, this.levels.length - 1)];
    return {numbers, bins: numbers.length / this.width};
  }

  last() { return this.levels[this.levels.length - 1]; }

  half() {
    const from = this.last();
    const bins = Math.floor(from.length / this.width / 2);
    const to = new from.constructor(bins * this.width);
    for (let bin = 0; bin < bins; ++bin)
      this.join(from, 2 * bin * this.width, (2 * bin + 1) * this.width, to, bin * this.width);
    this.levels.push(to);
  }
}

function meanOf(width) {
  return (from, a, b, to, out) => {
    for (let i = 0; i < width; ++i) to[out + i] = (from[a + i] + from[b + i]) / 2;
  };
}

/** Of a worker: for how much of the time threads ran, and of which function most did. */
function longer(from, a, b, to, out) {
  to[out] = (from[a] + from[b]) / 2;
  to[out + 1] = from[from[a] >= from[b] ? a + 1 : b + 1];
}

const undoLogarithm = byte => 2 ** (byte / 16) - 1;

const rows = [];  // of the timeline, from above
{
  const lanesOf = new Map();
  data.lanes.forEach((lane, index) => {
    if (!lanesOf.has(lane.pe)) lanesOf.set(lane.pe, []);
    lanesOf.get(lane.pe).push({lane, index});
  });
  for (const pe of data.rows) {
    const group = pe.last_pe !== pe.pe;
    rows.push({pe: pe.pe, last: pe.last_pe, facts: pe,
               label: group ? `PE ${pe.pe} to ${pe.last_pe}` : `PE ${pe.pe}`,
               levels: new Levels(Float32Array.from(unpack(pe.bins, Uint8Array)), 5, meanOf(5))});
    if (group) continue;
    for (const {lane, index} of lanesOf.get(pe.pe) || [])
      rows.push({pe: pe.pe, last: pe.pe, facts: pe, worker: lane.worker, lane: index,
                 label: `worker ${lane.worker}`,
                 levels: new Levels(Float32Array.from(unpack(lane.bins, Uint8Array)), 2, longer)});
  }
}

const isPe = row => row.facts && row.worker === undefined;

// Below them those links that carried most.
const mostLinks = 8;
{
  const {links} = data.report;
  for (const link of [...links].sort((a, b) => b.bytes - a.bytes).slice(0, mostLinks)) {
    const most = Math.max(...link.bytes_per_s_over_time, 1e-12);
    rows.push({link, label: shortLinkName(link),
               levels: new Levels(Float32Array.from(link.bytes_per_s_over_time, each => each / most), 1, meanOf(1))});
  }
}

function unpackAll(packed, types) {
  const columns = {};
  for (const [name, Type] of Object.entries(types)) columns[name] = unpack(packed[name], Type);
  return columns;
}

const slices = unpackAll(data.slices, {
  begin: Float64Array, length: Float32Array, waited: Float32Array, blocked: Float32Array,
  thread: Uint32Array, pe: Uint32Array, source: Uint32Array, source_function: Uint16Array,
  waits_for: Uint16Array, lane: Uint16Array, function: Uint16Array,
  cause: Uint8Array, ends: Uint8Array});
const allSlices = data.slices.seen === data.slices.count;
const messages = unpackAll(data.messages, {
  begin: Float64Array, length: Float32Array, from: Uint32Array, to: Uint32Array,
  bytes: Uint32Array, kind: Uint8Array});

const firstOfLane = new Uint32Array(data.lanes.length + 1);  // slices are in the order of lanes
for (const lane of slices.lane) ++firstOfLane[lane + 1];
for (let lane = 0; lane < data.lanes.length; ++lane) firstOfLane[lane + 1] += firstOfLane[lane];

/** The last slice of a lane that begins at `time` or before, or -1. */
function sliceBefore(lane, time) {
  let low = firstOfLane[lane], high = firstOfLane[lane + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (slices.begin[middle] <= time) low = middle + 1; else high = middle;
  }
  return low > firstOfLane[lane] ? low - 1 : -1;
}
