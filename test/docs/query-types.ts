import { type Aggregate, textOfTree } from '@ledgerline/contracts/aggregates/aggregate';
import { LINK_FILTERS, METRIC_FILTER, WEBSITE_FILTERS } from '@ledgerline/contracts/attributes';
import type { AnswerRow } from '@ledgerline/domain/query/rows';
import { minSamplesOf } from '../../apps/api/src/query/declaration/fields';
import type { QueryType } from '../../apps/api/src/query/declaration/query-type';
import { readsOfType } from '../../apps/api/src/query/execution/executors';

/** The first rows of an answer. */
export type Example = readonly AnswerRow[];

/** The document of all query types, out of the catalogue. */
export function queryTypesDocument(types: readonly QueryType[], exampleOf: (type: QueryType) => Example): string {
  const categories = [...new Set(types.map(headingOf))];
  const sections = categories.map((category) => {
    const own = types.filter((type) => headingOf(type) === category);
    return `## ${category}\n\n${own.map((type) => sectionOf(type, exampleOf(type))).join('\n')}`;
  });
  const index = categories.map((category) => {
    const names = types.filter((type) => headingOf(type) === category).map(({ name }) => `[${name}](#${name})`);
    return `- ${category}: ${names.join(', ')}`;
  });
  return `${INTRODUCTION}\n${index.join('\n')}\n\n${sections.join('\n')}`;
}

const headingOf = ({ about, category }: QueryType): string =>
  about === 'link' ? 'Links' : about === 'monitor' ? 'Monitors' : category;

const codes = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

const INTRODUCTION = `# Query types

What \`POST /v1/query\` can answer. [queries.md](../docs/queries.md) says how to ask, [definitions.md](../docs/definitions.md) how things are counted. \`GET /v1/query/types\` lists the same types for programs, with the type of each field.

- A _list_ has rows in a stable order. A _series_ has one row for every day (or hour) of the range up to the current one. _Totals_ are one row.
- Filters of types about websites: ${codes(WEBSITE_FILTERS)}; about links: ${codes(LINK_FILTERS)}; about monitors: none. A type that needs a further filter (\`eq\` or \`in\`), or takes one, names it.
- _Public_ types of a website that is marked public need no credentials. None shows a single visitor, session or event.
- Fields are those of the example. Listed below it are units, and what else it does not show: _or null_, where there is nothing to compute the value from, or it is not known; _within 1 %_, not exact, and then rounded to three significant digits. After _Counts_ stands what the figures are of; \`GET /v1/query/types\` has it as data. Counts are integers, times ISO 8601 in UTC, percentages 0–100 with two decimals.

The examples answer \`{"parameters":["TYPE"],"preset":"last_7d"}\` about simulated traffic of one seed. They show the first rows only, of a series the last ones.
`;

function sectionOf(type: QueryType, rows: Example): string {
  const { name, description, fields, shape, publicAccess, sources } = type;
  const { filters, ids, options, needs, example } = type.takes;
  const minimum = minSamplesOf(type);
  const facts = [
    shape === 'series' ? 'Series' : shape === 'list' ? 'List' : 'Totals',
    ...(publicAccess ? ['public'] : []),
    ...(sources.own?.alsoAbout ? [`also of a ${sources.own.alsoAbout}`] : []),
    ...(sources.own ? ['takes no filters'] : []),
    ...ids.map((field) => `needs a filter on \`${field}\``),
    ...(filters.includes(METRIC_FILTER) ? [`also takes filters on \`${METRIC_FILTER}\``] : []),
    ...(options.length > 0
      ? [`takes ${options.map((option) => `\`${option}\`${needs.includes(option) ? ' (needed)' : ''}`).join(', ')}`]
      : []),
    ...(minimum ? [`\`minSamples\` is about \`${minimum.of}\`, ${minimum.byDefault} by default`] : []),
  ];
  const notes = Object.entries(fields).flatMap(notesOfField);
  const aggregates = ((type.counting && readsOfType(type.counting)?.aggregates) ?? []).map(describeAggregate);
  return `### ${name}

${description}. _${facts.join('; ')}._${aggregates.length > 0 ? ` Counts ${aggregates.join('; ')}.` : ''}
${
  example
    ? `
The example is asked with \`${shownOptions(example)}\`.
`
    : ''
}
\`\`\`json
[${rows.map((row) => JSON.stringify(shortened(row))).join(',\n ')}]
\`\`\`
${notes.length > 0 ? `\n${notes.join(', ')}.\n` : ''}`;
}

/** As `GET /v1/query/types` has it, in a line. */
function describeAggregate({ of, by = {}, where, only, measures }: Aggregate): string {
  const conditions = [where, only].flatMap((condition) => (condition ? [textOfTree(condition)] : []));
  const keys = Object.values(by).map(textOfTree);
  const figures = Object.values(measures).map(textOfTree);
  const parts = [
    ...[of, ...(conditions.length > 0 ? [`where ${conditions.join(' and ')}`] : [])],
    ...(keys.length > 0 ? [`by ${keys.join(', ')}`] : []),
  ];
  return `\`${parts.join(' ')}: ${figures.join(', ')}\``;
}

/** As a request has them. */
function shownOptions({ goals = [], goal, ...others }: NonNullable<QueryType['takes']['example']>): string {
  const asGiven = ({ name, condition, value }: (typeof goals)[number]) => ({ name, condition, value });
  return JSON.stringify({
    ...(goals.length > 0 ? { goals: goals.map(asGiven) } : {}),
    ...(goal ? { goal: asGiven(goal) } : {}),
    ...others,
  });
}

/** Returns what the value in the example does not show. */
function notesOfField([name, field]: [string, QueryType['fields'][string]]): string[] {
  const { type, unit, nullable, accuracy } = field;
  const kind = name === 'percentage' ? '' : (unit ?? (type === 'number' ? type : ''));
  const notes = [kind, nullable ? 'or null' : '', accuracy ? `within ${accuracy * 100} %` : ''].filter(Boolean);
  return notes.length > 0 ? [`\`${name}\` ${notes.join(' ')}`] : [];
}

/** Lists inside a row with their first two elements. */
const shortened = (row: AnswerRow): AnswerRow =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, Array.isArray(value) ? (value as unknown[]).slice(0, 2) : value]),
  );
