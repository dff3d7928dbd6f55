// Everything but the timeline.

function showRun() {
  const {summary} = data;
  const program = summary.program.split('/').pop();
  document.title = `${program} on ${summary.pes} PE${summary.pes === 1 ? '' : 's'}: report of a run`;
  at('title').textContent = program;
  at('run').textContent =
      `${summary.pes} PE${summary.pes === 1 ? '' : 's'}, ${summary.workers} worker${summary.workers === 1 ? '' : 's'}, ` +
      `${duration(summary.runtime)}, average parallelism ${summary.average_parallelism.toFixed(2)}` +
      (data.from > 0 || summary.to < summary.runtime
           ? `; only what happened from ${when(0)} to ${when(data.length)}` : '');
  if (data.damage.length === 0) return;
  at('damage').hidden = false;
  at('damage').append('The logs are not whole; what is readable is drawn.',
                      make('ul', {}, ...data.damage.map(text => make('li', {}, text))));
}

function showWords() {
  const {findings, shares, words} = data.report;
  const first = words.indexOf('. ') < 0 ? words : words.slice(0, words.indexOf('. ') + 1);
  at('words').append(make('p', {}, findings.length === 0 ? words : first));
  at('words').append(make('ul', {class: 'findings'}, ...findings.map(({limit, cost, evidence, advice}) =>
      make('li', {}, make('b', {}, `${limit} (${percent(cost)}): `), `${evidence}.`,
           make('span', {class: 'advice'}, `Try: ${advice}.`)))));
  at('shares').append(...bar('Where the workers\' time went', [
    [shares.busy, '--f2', 'in threads'], [shares.gc, '--f5', 'collections'],
    [shares.between_threads, '--f4', 'between threads'],
    [shares.late_start, '--f0', 'idle before more than half of the workers ran'],
    [shares.tail, '--f1', 'idle after more than half of them ran for the last time'],
    [shares.blocked, '--f6', 'only blocked threads'],
    [shares.no_sparks, '--rule', 'idle, no PE had sparks'],
    [shares.sparks_elsewhere, '--f3', 'idle, there were sparks'],
    [shares.thread_limit, '--ink', 'idle, there were sparks, and as many threads as may live']]));
}

function showLegend() {
  const count = Math.min(coloured, functions.length);
  const entries = functions.slice(0, count).map((each, i) => [`--f${i}`, each.short]);
  if (functions.length > count) entries.push(['--other', 'other functions']);
  at('legend').append(
      legend([['--busy', 'PE: running and runnable threads, the more the stronger'], ['--gc', 'collection'],
              ['--blocked', 'nothing but blocked threads'], ['--idle', 'idle'], ['--path', 'critical path; ✕ lost, ◀ left, ▶ joined'],
              ['--message', 'messages; a link\'s bytes a second, the more the stronger']]),
      legend(entries),
      legend([['--running', 'running'], ['--runnable', 'runnable'], ['--waiting', 'blocked threads of all PEs']]));
  const {seen, count: drawn} = data.slices;
  const notes = [];
  if (seen > drawn) notes.push(`Of ${seen} times that a thread ran, the ${drawn} longest of each part of the time are drawn singly; the others are in the bins.`);
  if (data.messages.seen > data.messages.looked_at || data.messages.looked_at > 2 * messages.begin.length)
    notes.push(`Of ${data.messages.seen} messages, the ${messages.begin.length} longest under way of each part of the time are drawn.`);
  const {links} = data.report;
  if (links.length > mostLinks) notes.push(`Of ${links.length} links, the ${mostLinks} that carried most have rows.`);
  if (notes.length) at('legend').append(make('p', {class: 'note'}, notes.join(' ')));
}

function showFunctions() {
  const {change_first: first} = data.report;
  if (first.length)
    at('first').append(make('h3', {}, 'To change first'), make('ul', {}, ...first.map(text => make('li', {}, text))));
  const column = (head, name, text) => [head, each => each[name], each => text ? text(each[name]) : String(each[name])];
  const about = (head, name) => [head, each => each[name] ?? -1, each => each[name] ?? '-'];
  at('functions').append(table('Functions of sparks and threads', [
    ['function', each => each.function, each => each.short, true],
    about('sparks', 'sparks'), about('subsumed', 'subsumed'), about('fizzled', 'fizzled'), column('again', 'again'),
    column('own', 'converted'), column('imported', 'imported'), column('exported', 'exported'),
    column('ran', 'ran', duration), column('mean', 'mean', duration), column('longest', 'longest', duration),
    column('blocks', 'blocks'), column('blocked', 'blocked', duration),
    column('of it, afar', 'blocked_afar', duration), column('awaited', 'awaited', duration),
    column('queued', 'queued', duration), column('makes', 'made'),
    column('bytes out', 'bytes_out', bytes), column('bytes home', 'bytes_home', bytes),
    column('on the path', 'on_path', duration),
    ['made at', each => each.made_at.map(line => line.short).join(', '), null, true], ['note', each => each.advice, null, true]], functions));
}

function showOverTime() {
  const {running, others, converted, imported, exported, made} = data.report.over_time;
  const few = value => value.toFixed(value < 10 ? 1 : 0);
  const series = running.map((each, i) => [shortName(i), functionColour(i), each.threads]);
  if (others.some(each => each > 0)) series.push(['all others', '--other', others]);
  if (series.length > 0) at('over-time').append(areas('Threads that ran, by function', few, series));
  at('over-time').append(lines('Sparks a second', few, [
    ['became threads where they were made', '--f0', converted], ['became threads on another PE', '--f1', imported],
    ['left a PE', '--f2', exported]]));
  at('over-time').append(lines('Sparks that were made, a second', few, [['all', '--f0', made]]));
}

function showPath() {
  const path = data.report.critical_path;
  if (!path)
    return at('path').append(make('p', {}, 'The log has too much, or nothing, to follow: take a part of the run by --from and --to.'));
  const all = path.run + path.queue + path.travel + path.nothing_known + path.start + path.end || 1;
  at('path').append(...bar('The critical path', [
    [path.run / all, '--f2', 'threads run'], [path.queue / all, '--f1', 'a thread could run, but no worker was free'],
    [path.travel / all, '--f5', 'messages under way'], [path.nothing_known / all, '--rule', 'a PE had nothing to run'],
    [path.start / all, '--f0', 'before the first thread'], [path.end / all, '--f4', 'after the last']]));
  at('path').append(make('p', {}, `It goes ${path.from_pe_to_pe} times from PE to PE, and ${path.from_thread_to_thread} ` +
      'times from a thread to one of its PE that waited for it.'));
  const {faster_links, more_workers, smaller_sparks, larger_sparks} = path.shorter;
  at('path').append(table('By about how much the run could be shorter, if only this were different', [
    ['what', each => each[0], null, true], ['shorter by', each => each[1], each => duration(each[1])],
    ['of the run', each => each[1], each => percent(each[1] / all)], ['how', each => each[2], null, true]], [
    ['links twice as fast', faster_links, 'half of the time in which messages were under way'],
    ['twice the workers, or PEs', more_workers, 'half of what only kept a worker from the next thread of the path'],
    ['the path\'s threads in pieces', smaller_sparks, 'smaller sparks: shared with workers that were idle meanwhile'],
    ['nothing between two threads', larger_sparks, 'larger sparks: from the end of a thread to the next of its worker']]));
  at('path').append(make('p', {class: 'note'}, 'Where the path becomes shorter, another may be the longest: ' +
      'what becomes of a change, trawl-replay and trawl-tune tell from a recording.'));
  const on = functions.filter(each => each.on_path > 0).sort((a, b) => b.on_path - a.on_path).slice(0, 20);
  at('path').append(table('Functions on it', [
    ['function', each => each.function, each => each.short, true],
    ['on the path', each => each.on_path, each => duration(each.on_path)],
    ['share', each => each.on_path, each => percent(each.on_path / all)]], on));
}

function showLengths() {
  const {work} = data;
  at('lengths').append(
      histogram('Threads, by how long they ran', duration, [
        ['of sparks from here', '--f0', work.threads], ['of sparks from other PEs', '--f1', work.threads_of_imported]]),
      histogram('Sparks sent away, by bytes', value => bytes(Math.round(value)), [['SCHEDULE', '--f2', work.spark_bytes]]));
}

function showFish() {
  const {names, cells} = data.fish;
  if (!cells.some(cell => cell[0] + cell[1] + cell[2] > 0))
    return at('fish').append(make('p', {class: 'note'}, 'No FISH in the log.'));
  const kinds = [['asked first', String], ['found there', String], ['passed on', String], ['in vain', String],
                 ['mean time', duration]];
  const choice = make('select', {id: 'fish-kind'}, ...kinds.map(([name], i) => make('option', {value: i}, name)));
  const holder = make('div', {class: 'wide'});
  const fill = () => {
    const kind = Number(choice.value);
    const most = Math.max(...cells.map(cell => cell[kind]), 1e-12);
    const size = names.length;
    const body = names.map((name, thief) => make('tr', {}, make('th', {scope: 'row'}, name),
        ...names.map((victim, i) => {
          const value = cells[thief * size + i][kind];
          return make('td', {style: `background: rgba(var(--heat), ${(.6 * value / most).toFixed(3)})`},
                      value ? kinds[kind][1](value) : '');
        })));
    holder.replaceChildren(make('table', {class: 'heat'},
        make('caption', {}, 'Thieves are lines, victims columns.'),
        make('thead', {}, make('tr', {}, make('td', {}, ''), ...names.map(name => make('th', {scope: 'col'}, name)))),
        make('tbody', {}, ...body)));
  };
  choice.addEventListener('change', fill);
  fill();
  at('fish').append(make('label', {}, 'FISH: ', choice), holder);
}

function showLinks() {
  const mean = which => data.work.beliefs.over_time.map(part => part && part[which]);
  at('beliefs').append(lines('Sparks of victims, as thieves believed and as it was', value => value.toFixed(value < 10 ? 1 : 0),
      [['believed', '--f1', mean('believed')], ['had', '--f5', mean('had')]]));
  const {links} = data.report;
  const drawn = links.map(link => [linkName(link), link.messages * link.median, link.mean_over_time])
      .filter(([, , parts]) => parts.some(part => part !== null)).sort((a, b) => b[1] - a[1]).slice(0, coloured);
  at('latencies').append(lines('Mean time under way', duration,
      drawn.map(([text, , parts], i) => [text, `--f${i}`, parts])));
  const busiest = links.map(link => [linkName(link), link.bytes, link.bytes_per_s_over_time])
      .sort((a, b) => b[1] - a[1]).slice(0, coloured);
  at('rates').append(lines('Bytes a second, as they were sent', value => bytes(Math.round(value)),
      busiest.map(([text, , parts], i) => [text, `--f${i}`, parts])));
  if (links.length)
    at('links').append(table('Messages between clusters', [
      ['from, to', linkName, null, true], ['messages', each => each.messages],
      ['bytes', each => each.bytes, each => bytes(each.bytes)],
      ['most in a second', each => each.most_bytes_per_s, each => bytes(Math.round(each.most_bytes_per_s))],
      ['can carry a second', each => each.carries_bytes_per_s, each => each.carries_bytes_per_s === null ? '' : bytes(Math.round(each.carries_bytes_per_s))],
      ['busy', each => each.busy, each => each.busy === null ? '' : percent(each.busy)],
      ['median', each => each.median, each => duration(each.median)],
      ['one of 100 takes longer than', each => each.slow, each => duration(each.slow)]], links));
  if (data.messages.back_in_time > 0)
    at('links').append(make('p', {class: 'note'}, `${data.messages.back_in_time} of ${data.messages.looked_at} messages seem to arrive before they were sent: clocks of hosts are not known well enough. They are left out.`));
}

function showPes() {
  const column = (head, name, text) => [head, each => each[name], each => text ? text(each[name]) : String(each[name])];
  const {per_pe: pes, pes: all} = data.summary;
  at('pes').append(table(pes.length < all ? `What ${pes.length} of ${all} did` : 'What each did', [
    column('PE', 'pe'), ['cluster', each => each.cluster, null, true], column('speed', 'speed', value => value.toFixed(2)),
    column('busy', 'busy', percent), column('idle', 'idle', percent), column('collections', 'gc', percent),
    column('sparks', 'mean_sparks', value => value.toFixed(1)), column('threads', 'threads'), column('blocks', 'blocks'),
    column('imported', 'sparks_imported'), column('exported', 'sparks_exported'), column('FISH', 'fish_sent'),
    column('in vain', 'fish_home'), column('FETCH', 'fetch_sent'), column('messages sent', 'messages_sent')],
    pes));
}

for (const show of [showRun, showWords, showLegend, showFunctions, showOverTime, showPath, showLengths, showFish, showLinks, showPes])
  show();
