/** The head of a page before the script: nothing of it may keep the page from being counted. */
export const HOSTILE: Readonly<Record<string, string>> = {
  '/prototype': `
    Array.prototype.toJSON = function () { return '[' + this.join(', ') + ']'; };
    String.prototype.toJSON = function () { return '"' + this + '"'; };
    Date.prototype.toJSON = function () { return '"' + this.toISOString() + '"'; };
    Object.prototype.toJSON = function () { return '{}'; };
    Array.prototype.reduce = function () { return this; };
    Array.prototype.entries = function () { return [].concat(this); };
    Array.from = (list) => { const copy = []; for (let at = 0; at < list.length; at++) copy.push(list[at]); return copy; };
    Object.keys = (object) => { const keys = []; for (const key in object) keys.push(key); return keys; };`,
  '/own-classes': `
    var URL = '/shop', screen = null, navigation = {};
    class Node {} class Element {} function Map() { this.put = () => 0 } function Set() {}`,
  '/json': `JSON.stringify = () => { throw new Error('no JSON'); };`,
  '/no-fetch': `window.fetch = undefined;`,
  '/throwing-fetch': `window.fetch = () => { throw new Error('no fetch'); };`,
  '/failing-fetch': `{
    const fetch = window.fetch; let calls = 0;
    window.fetch = (...request) => (calls++ === 0 ? Promise.reject(new TypeError('once')) : fetch(...request)); }`,
  '/no-beacon': `navigator.sendBeacon = undefined;`,
  '/throwing-beacon': `navigator.sendBeacon = () => { throw new Error('no beacon'); };`,
  '/full-beacon': `navigator.sendBeacon = () => false;`,
  '/frozen-history': `Object.freeze(history);`,
  '/no-console': `window.console = { log() {} };`,
  '/no-storage': `Object.defineProperty(window, 'localStorage', { get() { throw new Error('no storage'); } });`,
  '/intl': `Intl.DateTimeFormat = () => { throw new Error('no zones'); };`,
  '/clobbered': `document.title; addEventListener('DOMContentLoaded', () => document.body.insertAdjacentHTML('beforeend',
    '<form name="title"></form><img name="referrer">'));`,
};

/** Properties that a page passes, as code, and what is recorded of them. */
export const VALUES = `(() => {
  const cycle = { name: 'a' }; cycle.self = cycle; cycle.list = [cycle, 1];
  const { proxy, revoke } = Proxy.revocable({}, {}); revoke();
  let deep = {}; for (let n = 0; n < 40; n++) deep = { deep };
  const graph = []; for (let n = 0; n < 40; n++) graph.push([graph[n - 1], graph[n - 1], graph[n - 1]]);
  return {
    big: 10n, cycle, proxy, list: [1n, undefined, () => 1, 'x'], half: 'a\\ud800b\\u0000', quoted: 'a"b\\\\c\\nd',
    get broken() { throw new Error('broken'); },
    badJson: { toJSON() { throw new Error('badJson'); } }, goodJson: { toJSON: () => ({ a: 1n }) },
    date: new Date(0), noDate: new Date(NaN), nan: NaN, infinite: -Infinity, symbol: Symbol('s'), run() {},
    error: new RangeError('out'), element: document.body, window, set: new Set([1]), url: new URL('http://a.example/'),
    nothing: null, missing: undefined, yes: true, fraction: 0.5, '': 'nameless', deep, graph };
})()`;

const nested = (depth: number): object => (depth === 0 ? {} : { deep: nested(depth - 1) });

export const RECORDED = {
  big: '10',
  cycle: { name: 'a', list: [null, 1] },
  list: ['1', null, null, 'x'],
  half: 'ab',
  quoted: 'a"b\\c\nd',
  goodJson: { a: '1' },
  date: '1970-01-01T00:00:00.000Z',
  nan: null,
  infinite: null,
  error: 'RangeError: out',
  set: [1],
  url: 'http://a.example/',
  nothing: null,
  yes: true,
  fraction: 0.5,
  deep: nested(14),
};

const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));

/** Values that are too long or no object, and what is left of them. */
export const CUT: readonly { code: string; name: string; properties?: object }[] = [
  {
    code: `ledgerline.track('keys', Object.fromEntries(Array.from({ length: 60 }, (_, at) => ['k' + at, at])))`,
    name: 'keys',
    properties: keys(50),
  },
  {
    code: `ledgerline.track('text', { text: 'ä'.repeat(100_000), after: 1 })`,
    name: 'text',
    properties: { text: 'ä'.repeat(8_150), after: 1 },
  },
  { code: `ledgerline.track('list', ['a'])`, name: 'list' },
  { code: `ledgerline.track('number', 5)`, name: 'number' },
  { code: `ledgerline.track(42, { a: 1 })`, name: '42', properties: { a: 1 } },
  { code: `ledgerline.track('n'.repeat(5000))`, name: 'n'.repeat(256) },
];

/** Errors that a page throws, as code; and what is recorded of it, or nothing where it is noise. */
export const THROWN: readonly (readonly [code: string, recorded: object | null])[] = [
  ['Promise.reject({ code: 42, reason: "full" })', { message: '{"code":42,"reason":"full"}', errorType: null }],
  ['setTimeout(() => { throw { code: 43 }; })', { message: '{"code":43}', line: 1 }],
  ['Promise.reject({ get a() { throw 1 }, b: 2n })', { message: '{"b":"2"}' }],
  ['Promise.reject(new frames[0].TypeError("of a frame"))', { message: 'of a frame', errorType: 'TypeError' }],
  ['Promise.reject(new DOMException("gone", "AbortError"))', { message: 'gone', errorType: 'AbortError' }],
  [
    'new Promise((_, no) => { const i = new Image(); i.onerror = no; i.src = "/x.png?error"; document.body.append(i) })',
    { message: expect.stringMatching(/^error event of http.*\/x\.png\?error$/) as unknown },
  ],
  ['Promise.reject(new Response("", { status: 500 }))', { message: 'Response 500' }],
  [
    'fetch("/missing?token=secret&of=.png").then((answer) => Promise.reject(answer))',
    { message: expect.stringMatching(/^Response 404 http.*\/missing$/) as unknown },
  ],
  [
    'new Promise((_, no) => { const x = new XMLHttpRequest(); x.onload = () => no(x); x.open("GET", "/gone.png"); x.send() })',
    { message: expect.stringMatching(/^XMLHttpRequest 404 http.*\/gone\.png$/) as unknown },
  ],
  [
    'Promise.reject(((form) => (form.set("password", "secret"), form))(new FormData()))',
    { message: '[object FormData]' },
  ],
  [
    'Promise.reject(Object.assign(new RangeError(), { message: { code: 42 } }))',
    { message: '{"code":42}', errorType: 'RangeError', stack: expect.stringContaining('RangeError') as unknown },
  ],
  ['setTimeout(() => { throw Object.assign(new Error(), { message: null }); })', { message: 'null', line: 1 }],
  ['Promise.reject(Symbol("s"))', { message: 'Symbol(s)' }],
  ['Promise.reject()', { message: 'undefined' }],
  ['Promise.reject(Object.assign(new Error("odd"), { stack: { a: 1 }, name: 7 }))', { message: 'odd', stack: null }],
  ['Promise.reject(new Error("x".repeat(5000)))', { message: 'x'.repeat(2048) }],
  [
    'setTimeout(() => history.pushState(() => 1, "", ""))',
    { message: expect.stringMatching(/could not be cloned/) as unknown, errorType: 'DataCloneError' },
  ],
  [
    'dispatchEvent(new ErrorEvent("error", { message: "ResizeObserver loop completed with undelivered notifications." }))',
    null,
  ],
  ['dispatchEvent(new ErrorEvent("error", { message: "Script error." }))', null],
  ['dispatchEvent(new ErrorEvent("error", { message: "x", filename: "chrome-extension://abc/a.js" }))', null],
  [
    'Promise.reject(Object.assign(new Error("of an extension"), { stack: "Error: of\\n at f (moz-extension://a/b.js:1:2)" }))',
    null,
  ],
];

/** Links of a page: how one is opened, and what is recorded of it, or nothing. */
export const LINKS = `
  <span id="host"></span>
  <svg width="60" height="30"><a id="svg" href="https://svg.example/a"><text y="20">Chart</text></a></svg>
  <a id="middle" href="https://middle.example/">Middle</a> <a id="right" href="https://right.example/">Right</a>
  <a id="key" href="https://key.example/">Key</a> <a id="own" href="/inside">Inside</a>
  <a id="file" href="/files/Report.PDF?v=2">Report</a> <a id="named" href="/export?id=7" download="a.csv">Export</a>
  <a id="elsewhere" href="https://cdn.example/app.zip"><b>App</b></a>
  <map name="m"><area id="area" alt="Area" shape="rect" coords="0,0,40,40" href="https://area.example/"></map>
  <img usemap="#m" width="40" height="40" src="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==">
  <script>
    document.getElementById('host').attachShadow({ mode: 'open' }).innerHTML = '<a href="https://shadow.example/"><i>Shadow</i></a>';
    document.addEventListener('click', (event) => event.preventDefault());
  </script>`;
