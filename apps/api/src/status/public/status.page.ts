import { createHash } from 'node:crypto';
import { html, Html } from '../../http/html';
import type { PublicIncident, PublicMonitor, StatusReport } from './status-reports';
import {
  incidentText,
  isAhead,
  MONITOR_TEXT,
  OVERALL_TEXT,
  percentageText,
  spanText,
  stateTexts,
  timeText,
} from './status-texts';

/** The style of status pages; states differ in height and text, too, not in colour alone. */
const STATUS_STYLE = `
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

const STYLE_ELEMENT = new Html(`<style>${STATUS_STYLE}</style>`);
const STYLE_HASH = createHash('sha256').update(STATUS_STYLE).digest('base64');

/** The page loads nothing and runs nothing. */
export const STATUS_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** A status page for people. */
export function statusPageHtml(slug: string, report: StatusReport, now = new Date().toISOString()): string {
  const { name, description, timezone, overallStatus, monitors, incidents } = report;
  const view = { now, zone: timezone };
  const past = incidents.filter(({ resolvedAt }) => resolvedAt !== null);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${name}: ${OVERALL_TEXT[overallStatus].short}</title>
        <link rel="alternate" type="application/atom+xml" title="Incidents" href="/status/${slug}/feed.atom" />
        ${STYLE_ELEMENT}
      </head>
      <body>
        <main>
          <h1>${name}</h1>
          ${description === null ? undefined : html`<p class="description">${description}</p>`}
          <p class="overall ${overallStatus}" role="status">${OVERALL_TEXT[overallStatus].sentence}</p>
          ${sectionOf('Now and planned', nowAndPlanned(incidents, now), view)}
          ${monitors.length === 0 ? undefined : html`<section aria-label="Systems">${monitors.map((monitor) => monitorOf(monitor, timezone))}</section>`}
          ${sectionOf('Past incidents', past, view) ?? html`<p class="soft">No past incidents in the last 90 days.</p>`}
        </main>
        <footer>
          <a href="/status/${slug}/feed.atom">Feed of incidents</a> · Days are of UTC, times of ${timezone}
        </footer>
      </body>
    </html>`.markup;
}

/** Returns what goes on, the newest first, and then what is planned, the soonest first. */
function nowAndPlanned(incidents: readonly PublicIncident[], now: string): readonly PublicIncident[] {
  const open = incidents.filter(({ resolvedAt }) => resolvedAt === null);
  const beginOf = ({ startsAt }: PublicIncident) => Date.parse(startsAt ?? now);
  const planned = open.filter((incident) => isAhead(incident, now)).sort((a, b) => beginOf(a) - beginOf(b));
  return [...open.filter((incident) => !isAhead(incident, now)), ...planned];
}

const monitorOf = (
  { name, currentStatus, uptimePercentage, lastCheckedAt, dailyData }: PublicMonitor,
  zone: string,
): Html =>
  html` <article>
    <h2>${name} <span class="state ${currentStatus}">${MONITOR_TEXT[currentStatus]}</span></h2>
    <ol class="days" aria-label="Uptime of ${name} by day">
      ${dailyData.map(({ date, uptime_percentage: uptime, avg_response_time: average }) => {
        const text = `${date}: ${percentageText(uptime)}${average === null ? '' : `, ${average} ms`}`;
        return html`<li class="${levelOf(uptime)}" title="${text}"><span>${text}</span></li>`;
      })}
    </ol>
    <p class="soft legend"><span>90 days ago</span><span>${uptimeText(uptimePercentage)}</span><span>Today</span></p>
    <p class="soft">${lastCheckedAt === null ? 'Not checked yet' : `Checked last ${timeText(lastCheckedAt, zone)}`}</p>
  </article>`;

const uptimeText = (percentage: number | null): string =>
  percentage === null ? 'No data' : `${percentageText(percentage)} uptime`;

/** Tells how a day is drawn. */
function levelOf(uptime: number | null): string {
  if (uptime === null) return 'none';
  if (uptime === 100) return 'full';
  return uptime >= 99 ? 'high' : 'low';
}

/** When and in which time zone a page is seen. */
interface View {
  readonly now: string;
  readonly zone: string;
}

const sectionOf = (title: string, incidents: readonly PublicIncident[], view: View): Html | undefined =>
  incidents.length === 0
    ? undefined
    : html`<section>
        <h2>${title}</h2>
        ${incidents.map((incident) => incidentOf(incident, view))}
      </section>`;

const incidentOf = (incident: PublicIncident, { now, zone }: View): Html =>
  html`<article class="incident ${incident.severity}" id="${incident.id}">
    <h3>${incident.title}</h3>
    <p class="soft">${stateTexts(incident, now).join(' · ')} · <span class="span">${spanText(incident, zone)}</span></p>
    ${incident.repeats === null ? undefined : html`<p class="soft">${incident.repeats}</p>`}
    ${
      incident.updates.length === 0
        ? undefined
        : html`<ol class="updates" reversed>
            ${incident.updates.toReversed().map((update) => updateOf(incident, update, zone))}
          </ol>`
    }
  </article>`;

const updateOf = (
  incident: PublicIncident,
  { at, status, message }: PublicIncident['updates'][number],
  zone: string,
): Html =>
  html` <li>
    <p><strong>${incidentText(incident, status, at)}</strong> <time datetime="${at}">${timeText(at, zone)}</time></p>
    <p class="message">${message}</p>
  </li>`;
