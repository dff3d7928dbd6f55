// What is at a place of the timeline, in words.

const seconds = nanos => duration(nanos / 1e9);
const when = nanos => seconds(nanos + data.from);
const steps = ['runs', 'can run, but no worker is free', 'waits for a message under way',
               'has nothing to run', 'before the first thread', 'after the last thread'];

const unknown = 0xFFFFFFFF;

/** The thread that made the spark of a slice's thread, or woke it, if it is known. */
function source(i) {
  if (slices.source[i] === unknown) return '';
  const its = slices.source_function[i];
  return `thread ${slices.source[i]}${its === 0xFFFF ? '' : ` (${shortName(its)})`}`;
}

/** By whom a slice's spark was made, and where: the log holds all lines that make such sparks. */
function made(i, elsewhere) {
  const by = source(i) && ` by ${source(i)}${elsewhere ? ' there' : ''}`;
  const lines = (functions[slices.function[i]]?.made_at ?? []).map(line => line.short);
  const at = lines.length === 0 ? '' : ` at ${lines.length === 1 ? '' : 'one of '}${lines.join(', ')}`;
  return by || at ? `, made${by}${at}` : '';
}

const fromPe = i => slices.pe[i] === unknown ? 'another PE' : `PE ${slices.pe[i]}`;

/** What ended the waiting of a slice's thread. */
function whatCame(i) {
  switch (slices.cause[i]) {
    case 4: return `${source(i)} of this PE had evaluated what it waited for`;
    case 5: return `it came from ${fromPe(i)}`;
    case 6: return 'a call outside of the run had ended';
  }
  return 'it could go on';
}

function whyItRan(i) {
  const waited = slices.waited[i] >= 1000 ? `, then ${seconds(slices.waited[i])} for a worker` : '';
  switch (slices.cause[i]) {
    case 1: return 'the program\'s first thread';
    case 2: return `its spark was here${made(i, false)}`;
    case 3: return `its spark came from ${fromPe(i)}${made(i, true)}` +
                   (slices.waited[i] >= 1000 ? `, and waited ${seconds(slices.waited[i])}` : '');
    case 4: case 5: case 6: return `was blocked for ${seconds(slices.blocked[i])}, until ${whatCame(i)}${waited}`;
  }
  return '';
}

/** Where the thread of a slice that blocks goes on, if that is drawn. */
function goesOn(row, i) {
  const blocked = slices.begin[i] + slices.length[i];
  for (const {lane, pe} of rows) {
    if (lane === undefined || pe !== row.pe) continue;
    for (let next = Math.max(firstOfLane[lane], sliceBefore(lane, blocked)); next < firstOfLane[lane + 1]; ++next) {
      if (slices.thread[next] !== slices.thread[i] || slices.begin[next] < blocked) continue;
      const since = slices.begin[next] - slices.waited[next] - slices.blocked[next];
      if (Math.abs(since - blocked) < 1000) return next;  // ns: it has not run in between
    }
  }
  return -1;
}

function whatItWaitsFor(row, i) {
  const next = goesOn(row, i);
  const name = slices.waits_for[i] === 0xFFFF ? 'a value' : shortName(slices.waits_for[i]);
  const what = name.startsWith('a value') ? name : `a value of ${name}`;
  const where = slices.ends[i] & 4 ? ', from elsewhere' : '';
  const until = next < 0 ? '' : `, for ${seconds(slices.blocked[next])}, until ${whatCame(next)}`;
  return `then it waits for ${what}${where}${until}`;
}

function describeSlice(row, i) {
  const ends = slices.ends[i];
  const then = ends & 1 ? whatItWaitsFor(row, i) : ends & 2 ? 'then it ends' : '';
  return [`PE ${row.pe}, worker ${row.worker}: thread ${slices.thread[i]}, ` +
              functionName(slices.function[i]),
          `runs from ${when(slices.begin[i])} for ${seconds(slices.length[i])}`, whyItRan(i), then]
      .filter(Boolean).join('; ');
}

function describeBin(row, time) {
  const bin = Math.min(data.bins - 1, Math.floor(time / data.length * data.bins));
  const numbers = row.levels.levels[0];
  const share = i => percent(numbers[bin * row.levels.width + i] / 255);
  const place = `${row.label}${row.worker === undefined ? '' : ` of PE ${row.pe}`} at ${when(time)}`;
  if (row.worker !== undefined) {
    const ran = numbers[2 * bin], place_ = numbers[2 * bin + 1];
    if (ran === 0) return `${place}: idle`;
    return `${place}: threads run for ${share(0)} of ${seconds(data.length / data.bins)}, most of ` +
           (place_ === 255 ? 'other functions' : functionName(place_));
  }
  const facts = row.facts;
  const who = [facts.cluster, facts.host, `speed ${facts.speed}`].filter(Boolean).join(', ');
  const at5 = i => undoLogarithm(numbers[5 * bin + i]).toFixed(1);
  return `${place} (${who}): busy ${share(0)}, collecting ${share(1)}, only blocked threads ` +
         `${share(2)}; ${at5(3)} threads running and runnable, ${at5(4)} sparks`;
}

function describeMessage(i) {
  return `${data.messages.kinds[messages.kind[i]]} of ${messages.bytes[i]} bytes from PE ` +
         `${messages.from[i]} to PE ${messages.to[i]}, under way for ${seconds(messages.length[i])}`;
}

function describeLink({link}, time) {
  const part = Math.min(link.bytes_per_s_over_time.length - 1,
                        Math.floor(time / data.length * link.bytes_per_s_over_time.length));
  const mean = link.mean_over_time[part];
  return `Messages ${link.from === link.to ? '' : 'from '}${linkName(link)}, at ${when(time)}: ` +
         `${bytes(Math.round(link.bytes_per_s_over_time[part]))} a second, of ${bytes(Math.round(link.most_bytes_per_s))} at the most` +
         (link.busy === null ? '' : `, and ${bytes(Math.round(link.carries_bytes_per_s))} that it can carry (busy for ${percent(link.busy)} of the run)`) +
         (mean === null ? '' : `; under way for ${duration(mean)} on average`);
}

function describe(row, time) {
  if (time < 0 || time > data.length) return '';
  if (row.link) return describeLink(row, time);
  let text = '';
  if (row.lane !== undefined) {
    const i = sliceBefore(row.lane, time);
    if (i >= 0 && slices.begin[i] + slices.length[i] >= time) text = describeSlice(row, i);
  }
  if (text === '') text = describeBin(row, time);
  const segment = data.path.segments.find(([begin, end, , pe]) => begin <= time && time <= end &&
                                                                  row.pe <= pe && pe <= row.last);
  if (segment) {
    const [begin, end, step, , place] = segment;
    const who = step === 0 || (step <= 2 && place !== 0xFFFF) ? shortName(place) + ' ' : '';
    text += `. On the critical path: ${who}${steps[step]} for ${seconds(end - begin)}`;
  }
  return text;
}
