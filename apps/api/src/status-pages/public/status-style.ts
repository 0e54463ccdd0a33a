/** Of status pages; states differ in height and text, too, not in colour alone. */
export const STATUS_STYLE = `
:root { color-scheme: light dark; --ink: #16202e; --soft: #4a5868; --line: #d3dae2; --paper: #f4f6f8; --card: #fff; --up: #1a7f4b; --part: #8a6100; --down: #b3261e; --work: #2f5fa8; --none: #aab4be; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8edf2; --soft: #a9b6c3; --line: #33404d; --paper: #10161d; --card: #18212b; --up: #4cc38a; --part: #f0b429; --down: #ff8a80; --work: #8ab4f8; --none: #4b5865; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 56rem; margin: 0 auto; padding: 2rem 1rem 1rem; }
footer { max-width: 56rem; margin: 0 auto; padding: 0 1rem 2rem; color: var(--soft); font-size: .9rem; }
a { color: inherit; }
h1, h2, h3, p { margin: 0; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; }
.description { margin-top: .5rem; white-space: pre-line; }
.soft, time { color: var(--soft); font-size: .9rem; }
time, .span { display: inline-block; }
.overall { margin: 1.5rem 0; padding: 1rem 1.25rem; border: 1px solid var(--line); border-left: .5rem solid var(--none); border-radius: 8px; background: var(--card); font-size: 1.2rem; font-weight: 600; }
.overall.operational { border-left-color: var(--up); }
.overall.degraded { border-left-color: var(--part); }
.overall.outage { border-left-color: var(--down); }
.overall.maintenance { border-left-color: var(--work); }
section { margin: 0 0 2rem; }
section > h2 { margin: 0 0 .75rem; font-size: 1.2rem; }
article { margin: 0 0 1rem; padding: 1rem 1.25rem; border: 1px solid var(--line); border-radius: 8px; background: var(--card); break-inside: avoid; }
article h2, article h3 { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; font-size: 1.05rem; }
.state { font-weight: 600; color: var(--soft); }
.state.up { color: var(--up); }
.state.degraded { color: var(--part); }
.state.down { color: var(--down); }
.state.maintenance { color: var(--work); }
.days { display: flex; align-items: flex-end; gap: 1px; height: 2.25rem; margin: .75rem 0 .35rem; padding: 0; list-style: none; }
.days li { flex: 1 1 0; min-width: 1px; height: 100%; border-radius: 1px; background: var(--none); }
.days li.none { height: 30%; }
.days li.full { background: var(--up); }
.days li.high { height: 80%; background: var(--part); }
.days li.low { height: 60%; background: var(--down); }
.days span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.legend { display: flex; justify-content: space-between; gap: .5rem; }
.incident { border-left: .35rem solid var(--part); }
.incident.critical, .incident.major { border-left-color: var(--down); }
.incident.maintenance { border-left-color: var(--work); }
.updates { margin: .75rem 0 0; padding: 0; list-style: none; }
.updates li { padding: .5rem 0; border-top: 1px solid var(--line); }
.message { white-space: pre-line; }
@media (min-width: 40rem) { .days { gap: 2px; } }
@media print { :root { --paper: #fff; } body { font-size: 10pt; } main { padding: 0; } .days li, .overall, .incident { print-color-adjust: exact; -webkit-print-color-adjust: exact; } footer a { text-decoration: none; } }
`;
