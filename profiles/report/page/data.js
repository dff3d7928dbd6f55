'use strict';
// What the page has in it, and how numbers are written.
const data = JSON.parse(document.getElementById('data').textContent);
const functions = data.report.functions;

function unpack(text, Type) {
  return new Type(Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer);
}

function duration(seconds) {
  if (!(seconds > 0)) return '0';
  for (const [unit, name] of [[1, 's'], [1e-3, 'ms'], [1e-6, 'us'], [1e-9, 'ns']]) {
    if (seconds < unit && unit > 1e-9) continue;
    const value = seconds / unit;
    return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${name}`;
  }
}

const percent = share => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;

function bytes(number) {
  for (const [unit, name] of [[1e9, 'GB'], [1e6, 'MB'], [1e3, 'KB']])
    if (number >= unit) return `${(number / unit).toFixed(1)} ${name}`;
  return `${number} B`;
}

/** An element; what is text stays text, whatever is in it. */
function make(tag, attributes, ...children) {
  const svg = ['svg', 'path', 'rect', 'line', 'text', 'g', 'title', 'polyline'].includes(tag);
  const element = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag)
                      : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const at = id => document.getElementById(id);

const functionName = place =>
    functions[place] ? functions[place].function : place === 0xFFFF ? 'a function not known'
                                                                    : `function ${place}`;
const shortName = place => functions[place] ? functions[place].short : functionName(place);

const linkName = link =>
    (link.from || 'PEs') + (link.from === link.to ? ', inside' : ` to ${link.to || 'PEs'}`);

/** Both ends can be told from it, however long their names. */
function shortLinkName({from, to}) {
  const cut = name => name.length > 7 ? `${name.slice(0, 3)}…${name.slice(-3)}` : name || 'PEs';
  return cut(from) + (from === to ? ', inside' : ` to ${cut(to)}`);
}

// The functions that ran longest have colours of their own.
const coloured = 7;
const functionColour = place => place < coloured ? `--f${place}` : '--other';

function legend(entries) {
  return make('ul', {class: 'legend'}, ...entries.map(([colour, text]) => make('li', {},
      make('span', {class: 'box', style: `background: var(${colour})`}), text)));
}
