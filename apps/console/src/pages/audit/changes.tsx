import type { AuditEntryDto } from '@ledgerline/client';

interface ChangesProps {
  readonly changes: AuditEntryDto['changes'];
}

/** Each field before and after, side by side; what differs is marked. */
export function Changes({ changes }: ChangesProps) {
  const fields = Object.entries(changes);
  if (fields.length === 0) return <p className="soft">No field was changed.</p>;
  return (
    <div className="table" role="region" aria-label="Before and after" tabIndex={0}>
      <table className="changes">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {fields.map(([field, { before, after }]) => (
            <tr key={field}>
              <th scope="row">{field}</th>
              <td>{isNothing(before) ? <Nothing /> : <del>{textOf(before)}</del>}</td>
              <td>{isNothing(after) ? <Nothing /> : <ins>{textOf(after)}</ins>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const Nothing = () => <span className="soft">none</span>;

const isNothing = (value: unknown): boolean => value === null || value === undefined;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 1));
