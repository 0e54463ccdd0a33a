import { createHash } from 'node:crypto';
import { html, Html } from '../../http/html';
import { STATUS_STYLE } from './status-style';
import type { PublicIncident, PublicMonitor, StatusReport } from './status-reports';
import {
  incidentText,
  isAhead,
  MONITOR_TEXT,
  OVERALL_TEXT,
  percentText,
  spanText,
  stateTexts,
  timeText,
} from './status-texts';

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

/** What goes on, the newest first, and then what is planned, the soonest first. */
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
        const text = `${date}: ${percentText(uptime)}${average === null ? '' : `, ${average} ms`}`;
        return html`<li class="${levelOf(uptime)}" title="${text}"><span>${text}</span></li>`;
      })}
    </ol>
    <p class="soft legend"><span>90 days ago</span><span>${uptimeText(uptimePercentage)}</span><span>Today</span></p>
    <p class="soft">${lastCheckedAt === null ? 'Not checked yet' : `Checked last ${timeText(lastCheckedAt, zone)}`}</p>
  </article>`;

const uptimeText = (percentage: number | null): string =>
  percentage === null ? 'No data' : `${percentText(percentage)} uptime`;

/** How a day is drawn. */
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
