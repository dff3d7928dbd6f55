// Bars, lines and tables.

/** Tables sort by a click on a head. A column: [head, value of an item, its text, is it text?]. */
function table(caption, columns, items) {
  const body = make('tbody');
  let order = null;
  const fill = () => {
    body.replaceChildren(...items.map(item => make('tr', {}, ...columns.map(([, value, text, isText]) =>
        make('td', isText ? {class: 'text', title: value(item)} : {}, text ? text(item) : String(value(item)))))));
  };
  const heads = columns.map(([head, value, , isText], number) => {
    const cell = make('th', {scope: 'col', ...(isText ? {class: 'text'} : {})},
                      make('button', {type: 'button'}, head));
    cell.firstChild.addEventListener('click', () => {
      order = {number, down: order && order.number === number ? !order.down : !isText};
      items = [...items].sort((a, b) => {
        const x = value(a), y = value(b);
        return (x < y ? -1 : x > y ? 1 : 0) * (order.down ? -1 : 1);
      });
      heads.forEach(each => each.removeAttribute('aria-sort'));
      cell.setAttribute('aria-sort', order.down ? 'descending' : 'ascending');
      fill();
    });
    return cell;
  });
  fill();
  return make('table', {}, make('caption', {}, caption), make('thead', {}, make('tr', {}, ...heads)), body);
}

/** A bar of shares, with what they are beside their colours. */
function bar(label, parts) {
  const shown = parts.filter(([share]) => share >= .0005);
  const boxes = shown.map(([share, colour, name]) => make('div', {
    style: `width: ${100 * share}%; background: var(${colour})`, title: `${name}: ${percent(share)}`}));
  const text = shown.map(([share, , name]) => `${name} ${percent(share)}`).join(', ');
  return [make('div', {class: 'bar', role: 'img', 'aria-label': `${label}: ${text}`}, ...boxes),
          legend(shown.map(([share, colour, name]) => [colour, `${name} ${percent(share)}`]))];
}

function frame(title, width, height, most, unit) {
  const svg = make('svg', {viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': title});
  const left = 58, top = 24, right = width - 10, bottom = height - 34;
  svg.append(make('text', {x: left, y: 14, 'font-weight': 'bold'}, title));
  for (const share of [0, .5, 1]) {
    const y = bottom - share * (bottom - top);
    svg.append(make('line', {x1: left, x2: right, y1: y, y2: y, class: 'axis'}),
               make('text', {x: left - 6, y: y + 4, 'text-anchor': 'end'}, unit(share * most)));
  }
  return {svg, left, top, right, bottom};
}

function timeAxis(svg, left, right, bottom) {
  for (const [time, text] of ticks(data.from, data.from + data.length, right - left))
    svg.append(make('text', {x: Math.min(right - 12, left + (time - data.from) / data.length * (right - left)),
                             y: bottom + 15, 'text-anchor': 'middle'}, text));
}

/** Lines over the run's time. A line: [name, colour, numbers or null each]. */
function lines(title, unit, all) {
  const known = all.flatMap(([, , numbers]) => numbers.filter(each => each !== null));
  if (known.length === 0) return make('p', {class: 'note'}, `${title}: none in the log.`);
  const most = Math.max(...known, 1e-12);
  const {svg, left, top, right, bottom} = frame(title, 560, 200, most, unit);
  for (const [name, colour, numbers] of all) {
    const x = i => left + (i + .5) / numbers.length * (right - left);
    const y = value => bottom - value / most * (bottom - top);
    let path = '', pen = 'M';
    numbers.forEach((value, i) => {
      if (value === null) return;
      path += `${pen}${x(i).toFixed(1)},${y(value).toFixed(1)}`;
      pen = 'L';
    });
    const line = make('path', {d: path, fill: 'none', stroke: `var(${colour})`, 'stroke-width': 1.8},
                      make('title', {}, name));
    svg.append(line);
  }
  timeAxis(svg, left, right, bottom);
  return make('div', {class: 'chart'}, svg, legend(all.map(([name, colour]) => [colour, name])));
}

/** Areas over the run's time, one on the other. A series: [name, colour, numbers], the first lowest. */
function areas(title, unit, all) {
  const sums = all[0][2].map((_, i) => all.reduce((sum, [, , numbers]) => sum + numbers[i], 0));
  const most = Math.max(...sums, 1e-12);
  const {svg, left, top, right, bottom} = frame(title, 560, 200, most, unit);
  const width = (right - left) / sums.length;
  const low = sums.map(() => 0);
  for (const [name, colour, numbers] of all) {
    const y = value => (bottom - value / most * (bottom - top)).toFixed(1);
    const edge = i => `${(left + i * width).toFixed(1)},${y(low[i])} ${(left + (i + 1) * width).toFixed(1)},${y(low[i])}`;
    const below = sums.map((_, i) => edge(i));
    numbers.forEach((value, i) => { low[i] += value; });
    const above = sums.map((_, i) => edge(i));
    svg.append(make('path', {d: `M${above.join(' ')} ${below.map(each => each.split(' ').reverse().join(' ')).reverse().join(' ')}Z`,
                             fill: `var(${colour})`}, make('title', {}, name)));
  }
  timeAxis(svg, left, right, bottom);
  return make('div', {class: 'chart'}, svg, legend(all.map(([name, colour]) => [colour, name])));
}

/** Bars of numbers by size. A series: [name, colour, histogram]; sizes double. */
function histogram(title, unit, series) {
  const sizes = [...new Set(series.flatMap(([, , each]) => each.histogram.map(({below}) => below)))]
      .sort((a, b) => a - b);
  if (sizes.length === 0) return make('p', {class: 'note'}, `${title}: none in the log.`);
  const columns = [];
  for (let size = sizes[0]; size <= sizes[sizes.length - 1] * 1.01; size = size === 0 ? sizes[1] : size * 2)
    columns.push(size);
  const number = (each, size) => {
    const found = each.histogram.find(({below}) => Math.abs(below / size - 1) < .01);
    return found ? found.count : 0;
  };
  const sums = columns.map(size => series.reduce((sum, [, , each]) => sum + number(each, size), 0));
  const most = Math.max(...sums);
  const {svg, left, top, right, bottom} = frame(title, 560, 200, most, value => value.toFixed(0));
  const width = Math.min(60, (right - left) / columns.length);
  columns.forEach((size, i) => {
    let y = bottom;
    for (const [name, colour, each] of series) {
      const height = number(each, size) / most * (bottom - top);
      y -= height;
      svg.append(make('rect', {x: left + i * width + 1, y, width: Math.max(1, width - 2), height,
                               fill: `var(${colour})`},
                      make('title', {}, `${name}: ${number(each, size)} below ${unit(size)}`)));
    }
    if (i % Math.ceil(52 / width) === 0)
      svg.append(make('text', {x: Math.min(right - 18, left + (i + 1) * width), y: bottom + 15,
                               'text-anchor': 'middle'}, unit(size)));
  });
  return make('div', {}, svg, legend(series.map(([name, colour, each]) =>
      [colour, `${name}: ${each.count}, mean ${unit(each.mean)}`])));
}
