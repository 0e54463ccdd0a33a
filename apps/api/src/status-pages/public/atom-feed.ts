import { html } from '../../http/html';
import type { PublicIncident, StatusReport } from './status-reports';
import { incidentText, SEVERITY_TEXT, timeText } from './status-texts';

/** When something about an incident was reported last. */
const updatedAt = ({ createdAt, resolvedAt, updates }: PublicIncident): string =>
  [createdAt, resolvedAt ?? '', ...updates.map(({ at }) => at)].reduce((a, b) => (a > b ? a : b));

const BEGINNING = '1970-01-01T00:00:00.000Z';

/** The incidents of a page as an Atom feed (RFC 4287); `url` = the address of the page. */
export function atomFeed(url: string, { name, incidents }: StatusReport): string {
  const updated = incidents.map(updatedAt).reduce((a, b) => (a > b ? a : b), BEGINNING);
  const entries = incidents.map(
    (incident) =>
      html`<entry>
        <id>${url}#${incident.id}</id>
        <title>${incident.title}</title>
        <link href="${url}#${incident.id}" />
        <published>${incident.createdAt}</published>
        <updated>${updatedAt(incident)}</updated>
        <category term="${incident.severity}" />
        <content type="text">${contentOf(incident)}</content>
      </entry> `,
  );
  return html`<?xml version="1.0" encoding="utf-8"?>
    <feed xmlns="http://www.w3.org/2005/Atom">
      <id>${url}</id>
      <title>${name}: status</title>
      <link href="${url}" />
      <link rel="self" href="${url}/feed.atom" />
      <updated>${updated}</updated>
      <author><name>${name}</name></author>
      ${entries}</feed
    > `.markup;
}

function contentOf({ severity, status, startsAt, endsAt, updates }: PublicIncident): string {
  const planned = startsAt && endsAt ? [`From ${timeText(startsAt)} to ${timeText(endsAt)}.`] : [];
  const said = updates.map(
    (update) => `${timeText(update.at)}, ${incidentText(severity, update.status)}: ${update.message}`,
  );
  return [`${SEVERITY_TEXT[severity]}, ${incidentText(severity, status)}.`, ...planned, ...said].join('\n');
}
