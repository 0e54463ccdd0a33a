import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { parse } from 'papaparse';
import { useState } from 'react';
import type { LinkOutcomeDto, LinkOutcomesDto, NewLinkDto } from '@ledgerline/client';
import { keysOf } from '@ledgerline/contracts/json';
import { ReadableAddress } from '../../addresses/address';
import { readableAddress } from '../../addresses/readable-address';
import { fieldSentence } from '../../api/failure';
import { useCreateLinks } from '../../api/link-changes';
import { tagsQuery } from '../../api/tags';
import { Button, CopyButton } from '../../components/button';
import { Form } from '../../components/form';
import { PageHeader } from '../../components/page';
import { Badge } from '../../components/page-parts';
import { ErrorState } from '../../components/states';
import { type TableColumn, Table } from '../../components/table';
import { Textarea } from '../../components/text-fields';
import { nameOfAddress } from './link-address';

const route = getRouteApi('/signed-in/organizations/$organizationId/links/paste');

/** Many links from lines of text. */
export function PasteLinksPage() {
  const { organizationId } = route.useParams();
  const createLinks = useCreateLinks(organizationId);
  const [text, setText] = useState('');
  const [sent, setSent] = useState<readonly PastedLine[]>([]);
  const { data: tags = [] } = useQuery(tagsQuery(organizationId));
  const { lines, problem } = readPasted(text, new Map(tags.map(({ id, name }) => [name, id])));
  const tooMany =
    lines.length > MAX_LINES ? `At most ${MAX_LINES} lines at once; these are ${lines.length}.` : undefined;
  const submit = () => {
    setSent(lines);
    createLinks.mutate(lines.map(({ link }) => link));
  };
  return (
    <div className="page">
      <PageHeader title="Paste many links" description="One address per line; each is created or refused by itself" />
      <Form onSubmit={submit}>
        <Textarea
          label="Addresses"
          rows={8}
          spellCheck={false}
          wrap="off"
          value={text}
          onChange={({ target }) => setText(target.value)}
          placeholder={'https://example.com/spring\nhttps://example.com/summer summer-sale'}
          hint="A short name may follow its address after a space or tab; without one it is random. Or a table with the names of its columns first, as in “short,long,title”."
          error={problem ?? tooMany}
        />
        <div className="form-actions">
          <Button
            type="submit"
            variant="primary"
            isBusy={createLinks.isPending}
            disabled={lines.length === 0 || (problem ?? tooMany) !== undefined}
          >
            {lines.length === 1 ? 'Create 1 link' : `Create ${lines.length} links`}
          </Button>
        </div>
      </Form>
      {createLinks.error && (
        <ErrorState error={createLinks.error} onRetry={() => createLinks.mutate(createLinks.variables)} />
      )}
      {createLinks.data && <PasteResults lines={sent} outcomes={createLinks.data} onEdit={setText} />}
    </div>
  );
}

interface PasteResultsProps {
  readonly lines: readonly PastedLine[];
  readonly outcomes: LinkOutcomesDto;
  /** Gets the refused lines, to be mended and sent again. */
  readonly onEdit: (text: string) => void;
}

interface Row {
  readonly line: PastedLine;
  readonly outcome: LinkOutcomeDto | undefined;
}

/** Shows what became of each line. */
function PasteResults({ lines, outcomes: { created, failed, results }, onEdit }: PasteResultsProps) {
  const byIndex = new Map(results.map((outcome) => [outcome.index, outcome]));
  const rows = lines.map((line, index): Row => ({ line, outcome: byIndex.get(index) }));
  const refused = rows.filter(({ outcome }) => !outcome?.success).map(({ line }) => line.text);
  const addresses = results.flatMap(({ link }) => link?.shortUrl ?? []);
  return (
    <section className="stack" aria-label="Results">
      <div className="section-head" role="status">
        <h2>
          {created} created, {failed} refused
        </h2>
        <span className="actions">
          {addresses.length > 0 && (
            <span className="with-copy">
              All short addresses <CopyButton text={addresses.join('\n')} label="all short addresses" />
            </span>
          )}
          {failed > 0 && <Button onClick={() => onEdit(refused.join('\n'))}>Edit failed lines</Button>}
        </span>
      </div>
      <Table caption="Lines" columns={COLUMNS} rows={rows} keyOf={({ line }) => String(line.number)} />
    </section>
  );
}

const reasonOf = ({ error, details }: LinkOutcomeDto): string => details?.map(fieldSentence).join(' ') || (error ?? '');

const COLUMNS: readonly TableColumn<Row>[] = [
  { header: 'Line', cell: ({ line }) => line.number, isNumber: true },
  {
    header: 'Address',
    cell: ({ line }) => {
      const shown = readableAddress(line.text);
      return (
        <span className="clip" title={shown}>
          {shown}
        </span>
      );
    },
  },
  {
    header: 'Result',
    cell: ({ outcome }) => (outcome?.link ? <Badge tone="good">Created</Badge> : <Badge tone="danger">Refused</Badge>),
  },
  {
    header: 'Short address, or why not',
    cell: ({ outcome }) =>
      outcome?.link ? (
        <span className="with-copy">
          <ReadableAddress raw={outcome.link.shortUrl} />
          <CopyButton text={outcome.link.shortUrl} label={outcome.link.shortUrl} />
        </span>
      ) : (
        <span className="wrap">{outcome && reasonOf(outcome)}</span>
      ),
  },
];

/** The greatest number of lines in one request to the api. */
const MAX_LINES = 1_000;

/** A line that is not empty. */
interface PastedLine {
  /** From 1, empty ones included. */
  readonly number: number;
  readonly text: string;
  readonly link: NewLinkDto;
}

/** The content of pasted text, or why it cannot be taken. */
interface Pasted {
  readonly lines: readonly PastedLine[];
  readonly problem?: string;
}

/** Names that other services give the columns of their exports; compared as letters and digits alone. */
const COLUMN_NAMES = {
  targetUrl: ['targeturl', 'target', 'destination', 'destinationurl', 'long', 'longurl', 'originalurl', 'url', 'link'],
  slug: ['slug', 'short', 'shorturl', 'shortlink', 'bitlink', 'shortcode', 'backhalf', 'keyword', 'alias', 'key'],
  name: ['name', 'title'],
  externalId: ['externalid'],
  tagIds: ['tags', 'tag', 'tagids'],
} as const satisfies Partial<Record<keyof NewLinkDto, readonly string[]>>;

type Field = keyof typeof COLUMN_NAMES;

/** `tagIds`: by name. A table with the names of its columns first, or an address in each line, and perhaps a short name after it. */
function readPasted(text: string, tagIds: ReadonlyMap<string, string>): Pasted {
  const [header, ...rows] = parse<string[]>(text.trim(), { delimitersToGuess: [',', ';', '\t'] }).data;
  const fields = header && header.length > 1 ? header.map(fieldOf) : [];
  const isTable = fields.some((field) => field !== undefined) && !header?.some(isAddress);
  if (!isTable) return readLines(text);
  if (!fields.includes('targetUrl'))
    return { lines: [], problem: 'No column is named “long”, “destination” or “url”.' };
  const isFilled = (row: readonly string[]) => row.some((cell) => cell.trim() !== '');
  return {
    lines: rows.flatMap((row, at) =>
      isFilled(row) ? [{ number: at + 2, text: row.join(' '), link: linkOf(fields, row, tagIds) }] : [],
    ),
  };
}

const fieldOf = (name: string): Field | undefined => {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  return keysOf(COLUMN_NAMES).find((field) => COLUMN_NAMES[field].some((known) => known === plain));
};

const isAddress = (text: string): boolean => /^\s*https?:\/\//i.test(text);

/** The short address of another service gives its end as short name. */
function linkOf(
  fields: readonly (Field | undefined)[],
  row: readonly string[],
  tagIds: ReadonlyMap<string, string>,
): NewLinkDto {
  const cell = (field: Field) => row[fields.indexOf(field)]?.trim() ?? '';
  const targetUrl = cell('targetUrl');
  const externalId = cell('externalId');
  const tags = cell('tagIds')
    .split(/[,;|]/)
    .flatMap((tag) => tag.trim() || []);
  const slug = cell('slug').replace(/\/+$/, '').split('/').at(-1) ?? '';
  return {
    targetUrl,
    name: cell('name') || nameOfAddress(targetUrl),
    ...(slug === '' ? {} : { slug }),
    ...(externalId === '' ? {} : { externalId }),
    ...(tags.length === 0 ? {} : { tagIds: tags.map((tag) => tagIds.get(tag) ?? tag) }), // another one is for the api to refuse
  };
}

/** Reads lines; whether addresses and short names are right is decided by the api. */
function readLines(text: string): Pasted {
  const lines = text.split('\n').flatMap((line, at) => {
    const [targetUrl = '', slug, ...rest] = line.trim().split(/\s+/);
    if (targetUrl === '') return [];
    // further words make a short name that the api refuses
    const slugGiven = slug === undefined ? {} : { slug: [slug, ...rest].join(' ') };
    return [{ number: at + 1, text: line.trim(), link: { targetUrl, name: nameOfAddress(targetUrl), ...slugGiven } }];
  });
  const wrong = lines.find((line) => /.[,;\s]\s*"?https?:\/\//i.test(line.text));
  if (!wrong) return { lines };
  const problem = `Line ${wrong.number} has two addresses. Put the names of the columns into the first line: short,long`;
  return { lines, problem };
}
