import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RowOf, WebsiteDto } from '@ledgerline/client';
import { ANOTHER_PAGE } from '@ledgerline/contracts/attributes';
import { ReadableAddress } from '../../../addresses/address';
import { ValueIcon } from '../../../marks/mark';
import { formatFigure, formatTime, isText, readableText, UNKNOWN } from '../format';
import { isSelected } from '../view/filter-fields';
import { sharedSearch, type Selection } from '../view/use-view';
import { formatRevenue } from './amounts';
import type { ListColumn } from './declare-list';

/** A row of the api, whose fields a declaration names. */
export type AnyRow = Readonly<Record<string, unknown>>;

/** The selection of a list, and its website; links have no pages of visitors and sessions. */
export type ListView = Pick<Selection, 'filters' | 'fields' | 'search' | 'toggle'> & {
  readonly website?: Pick<WebsiteDto, 'id' | 'organizationId'>;
};

/** One field of a row: a number, a link to a page, or a value to filter by. */
export function ListCell({
  column,
  row,
  view,
  timeZone,
}: {
  column: ListColumn;
  row: AnyRow;
  view: ListView;
  timeZone: string;
}) {
  const { kind, field, filter, opens } = column;
  const value = row[field];
  if (kind === 'properties') return <Properties properties={value} />;
  if (kind === 'revenue') return formatRevenue(value as RowOf<'goal_by'>['revenue']); // its kind is that of this field alone
  if (kind === 'time') return formatTime(value, timeZone);
  if (!isText(kind)) return formatFigure(kind, value);
  const text = typeof value === 'string' ? value : '';
  if (text === '') return <span className="soft">{UNKNOWN}</span>;
  if (opens) return <OpenLink opens={opens} id={text} view={view} name={nameIn(row)} />;
  const shown = readableText(kind, text);
  if (!filter || !view.fields.some(([name]) => name === filter) || UNFILTERED.includes(text))
    return (
      <span className="value" title={shown}>
        <bdi>{shown}</bdi>
      </span>
    );
  return (
    <button
      type="button"
      className="value filter-value marked"
      aria-pressed={isSelected(view.filters, filter, text)}
      title={`Show only ${shown}`}
      onClick={() => view.toggle(filter, text)}
    >
      <ValueIcon field={filter} value={text} countryCode={row['country_code']} />
      <bdi>{shown}</bdi>
    </button>
  );
}

/** The texts that the api puts in the place of values that nothing is filtered by. */
const UNFILTERED: readonly string[] = [ANOTHER_PAGE, '(none)'];

const ID_LETTERS = 8;

const nameIn = ({ display_name: name }: AnyRow) => (typeof name === 'string' ? name : undefined);

/** Ids are shown as far as people compare them. */
function OpenLink({
  opens,
  id,
  view,
  name,
}: {
  opens: 'visitor' | 'session';
  id: string;
  view: ListView;
  name: string | undefined;
}) {
  if (!view.website) return id;
  const { organizationId, id: websiteId } = view.website;
  const search = sharedSearch(view.search);
  const shown: ReactNode = name ?? <code>{id.slice(0, ID_LETTERS)}</code>;
  return opens === 'visitor' ? (
    <Link
      to="/organizations/$organizationId/websites/$websiteId/visitors/$visitorId"
      params={{ organizationId, websiteId, visitorId: id }}
      search={search}
    >
      {shown}
    </Link>
  ) : (
    <Link
      to="/organizations/$organizationId/websites/$websiteId/sessions/$sessionId"
      params={{ organizationId, websiteId, sessionId: id }}
      search={search}
    >
      {shown}
    </Link>
  );
}

/** The properties of an event, in its own words. */
export function Properties({ properties }: { readonly properties: unknown }) {
  const entries = typeof properties === 'object' && properties !== null ? Object.entries(properties) : [];
  if (entries.length === 0) return <span className="soft">{UNKNOWN}</span>;
  return (
    <span className="properties">
      {entries.map(([key, value]) => (
        <span key={key}>
          <span className="soft">{key}</span>{' '}
          {typeof value === 'string' ? <ReadableAddress raw={value} /> : JSON.stringify(value)}
        </span>
      ))}
    </span>
  );
}
