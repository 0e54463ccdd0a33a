import type { Row } from '@ledgerline/domain/query/rows';
import { LINK_FILTERS, METRIC_FILTER, WEBSITE_FILTERS, type QueryType } from '../../apps/api/src/query/query-type';

/** A question, and the first rows of its answer. */
export interface Example {
  readonly request: object;
  readonly rows: readonly Row[];
  /** Of the whole answer. */
  readonly total: number;
}

/** The document of all query types, out of the catalogue. */
export function queryTypesDocument(types: readonly QueryType[], exampleOf: (type: QueryType) => Example): string {
  const categories = [...new Set(types.map(headingOf))];
  const sections = categories.map((category) => {
    const own = types.filter((type) => headingOf(type) === category);
    return `## ${category}\n\n${own.map((type) => sectionOf(type, exampleOf(type))).join('\n')}`;
  });
  const index = categories.map((category) => {
    const names = types.filter((type) => headingOf(type) === category).map(({ name }) => `[${name}](#${name})`);
    return `| ${category} | ${names.join(', ')} |`;
  });
  return `${INTRODUCTION}\n| Category | Types |\n| --- | --- |\n${index.join('\n')}\n\n${sections.join('\n')}`;
}

const headingOf = ({ about, category }: QueryType): string => (about === 'link' ? 'Links' : category);

const codes = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

const INTRODUCTION = `# Query types

<!-- Written by \`npm run query-types\` from the catalogue; a test fails when it is stale. -->

Every question goes to \`POST /v1/query?website_id=…\` (types about a link: \`?link_id=…\`) and names one or more of the types below. Its answer has one entry for each of them, with the rows that are shown here. [queries.md](queries.md) says how to ask: range, order and pages, filters, comparison, batches, CSV and limits. [definitions.md](definitions.md) says how things are counted. \`GET /v1/query/types\` lists the same types for programs.

- A _list_ has rows in a stable order. A _series_ has one row for every day, or hour, of the range up to the current one. _Totals_ are one row.
- Filters of types about websites: ${codes(WEBSITE_FILTERS)}; about links: ${codes(LINK_FILTERS)}. A type that needs or takes a further filter says so below.
- _Public_ types of a website that is marked public need no credentials. None shows a single visitor, session or event.
- Times are ISO 8601 in UTC, percentages 0–100 with two decimals. _or null_: nothing to compute the value from, or not known. _within 1 %_: not exact, and then rounded to three significant digits.

The examples are answers about simulated traffic of one seed. They show the first rows only, of a series the last ones.
`;

function sectionOf(type: QueryType, { request, rows, total }: Example): string {
  const { name, description, fields, allowedFilters, requiredFilters, shape, publicAccess } = type;
  const facts = [
    shape === 'series' ? 'Series, daily or hourly' : shape === 'list' ? 'List' : 'Totals',
    publicAccess ? 'public' : about(type),
    ...requiredFilters.map((field) => `needs a filter on \`${field}\` (eq or in)`),
    ...(allowedFilters.includes(METRIC_FILTER)
      ? [`also takes filters on ${codes([METRIC_FILTER])}, and \`minSamples\``]
      : []),
  ];
  const table = Object.entries(fields).map(([field, { type: kind, unit, nullable, accuracy }]) => {
    const within = accuracy ? `, within ${accuracy * 100} %` : '';
    return `| \`${field}\` | ${kind}${nullable ? ' or null' : ''}${within} | ${unit ?? ''} |`;
  });
  const more = total > rows.length ? ` ${rows.length} of ${total} rows:` : '';
  return `### ${name}

${description}. _${facts.join('; ')}._

| Field | Type | Unit |
| --- | --- | --- |
${table.join('\n')}

\`\`\`json
${JSON.stringify(request)}
\`\`\`

Answer:${more}

\`\`\`json
${rows.length === 0 ? '[]' : `[\n${rows.map((row) => `  ${JSON.stringify(shortened(row))}`).join(',\n')}\n]`}
\`\`\`
`;
}

const about = ({ about: subject }: QueryType): string => (subject === 'link' ? 'about a link' : 'not public');

/** Lists inside a row with their first two elements. */
const shortened = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, Array.isArray(value) ? (value as unknown[]).slice(0, 2) : value]),
  );
