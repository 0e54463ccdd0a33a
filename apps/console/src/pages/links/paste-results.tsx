import type { LinkOutcomeDto, LinkOutcomesDto } from '@ledgerline/client';
import { Address } from '../../addresses/address';
import { readableAddress } from '../../addresses/readable-host';
import { fieldSentence } from '../../api/failure';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { CopyButton } from '../../components/copy-button';
import { Table, type Column } from '../../components/table';
import type { PastedLine } from './pasted-lines';

interface PasteResultsProps {
  readonly lines: readonly PastedLine[];
  readonly outcomes: LinkOutcomesDto;
  /** Gets the refused lines, to be mended and sent again. */
  readonly onMend: (text: string) => void;
}

interface Row {
  readonly line: PastedLine;
  readonly outcome: LinkOutcomeDto | undefined;
}

/** What became of each line. */
export function PasteResults({ lines, outcomes: { created, failed, results }, onMend }: PasteResultsProps) {
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
          {failed > 0 && <Button onClick={() => onMend(refused.join('\n'))}>Mend the refused lines</Button>}
        </span>
      </div>
      <Table caption="Lines" columns={COLUMNS} rows={rows} keyOf={({ line }) => String(line.number)} />
    </section>
  );
}

const reasonOf = ({ error, details }: LinkOutcomeDto): string => details?.map(fieldSentence).join(' ') || (error ?? '');

const COLUMNS: readonly Column<Row>[] = [
  { header: 'Line', cell: ({ line }) => line.number, isNumber: true },
  {
    header: 'Address',
    cell: ({ line }) => (
      <span className="clip" title={line.text}>
        {readableAddress(line.text)}
      </span>
    ),
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
          <Address raw={outcome.link.shortUrl} />
          <CopyButton text={outcome.link.shortUrl} label={outcome.link.shortUrl} />
        </span>
      ) : (
        <span className="wrap">{outcome && reasonOf(outcome)}</span>
      ),
  },
];
