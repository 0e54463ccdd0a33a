import { html } from '../../http/html';
import type { PublicIncident, StatusReport } from './status-reports';
import { incidentText, OVERALL_TEXT, spanText, stateTexts, timeText } from './status-texts';

const latestOf = (instants: readonly string[]): string => instants.reduce((a, b) => (a > b ? a : b));

/** When something about an incident was reported last, or a maintenance began. */
const updatedAt = ({ createdAt, resolvedAt, startsAt, updates }: PublicIncident, now: string): string => {
  const begun = startsAt === null ? [] : [new Date(startsAt).toISOString()].filter((at) => at <= now);
  return latestOf([createdAt, resolvedAt ?? '', ...begun, ...updates.map(({ at }) => at)]);
};

/** The incidents of a page as an Atom feed (RFC 4287); `url` = the address of the page. */
export function atomFeed(url: string, report: StatusReport, now = new Date().toISOString()): string {
  const { name, overallStatus, incidents } = report;
  const updated = latestOf([report.updatedAt, ...incidents.map((incident) => updatedAt(incident, now))]);
  const entries = incidents.map(
    (incident) =>
      html`<entry>
        <id>${url}#${incident.id}</id>
        <title>${incident.title}</title>
        <link href="${url}#${incident.id}" />
        <published>${incident.createdAt}</published>
        <updated>${updatedAt(incident, now)}</updated>
        <category term="${incident.severity}" />
        <content type="text">${contentOf(incident, now, report.timezone)}</content>
      </entry> `,
  );
  return html`<?xml version="1.0" encoding="utf-8"?>
    <feed xmlns="http://www.w3.org/2005/Atom">
      <id>${url}</id>
      <title>${name}: status</title>
      <subtitle>${OVERALL_TEXT[overallStatus].sentence}</subtitle>
      <link href="${url}" />
      <link rel="self" href="${url}/feed.atom" />
      <updated>${updated}</updated>
      <author><name>${name}</name></author>
      ${entries}</feed
    > `.markup;
}

function contentOf(incident: PublicIncident, now: string, zone: string): string {
  const { startsAt, repeats, updates } = incident;
  const planned = startsAt === null ? [] : [`${spanText(incident, zone)}.`];
  const again = repeats === null ? [] : [`${repeats}.`];
  const said = updates.map(
    (update) => `${timeText(update.at, zone)}, ${incidentText(incident, update.status, update.at)}: ${update.message}`,
  );
  return [`${stateTexts(incident, now).join(', ')}.`, ...planned, ...again, ...said].join('\n');
}
