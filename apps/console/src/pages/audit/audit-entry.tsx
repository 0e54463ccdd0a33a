import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { AuditEntryDto } from '@ledgerline/client';
import { Badge, DescriptionList, Time } from '../../components/page-parts';
import type { AuditSearch } from './audit-search';
import { ACTIONS, PROOF_STATE_LABELS, TARGET_TYPES } from './audit-words';

interface AuditEntryProps {
  readonly entry: AuditEntryDto;
}

/** One change in a line; opened, with what was before and after. */
export function AuditEntry({ entry }: AuditEntryProps) {
  const [isOpen, setOpen] = useState(false);
  const { occurredAt, actor, action, target, proof } = entry;
  const { word, tone } = PROOF_STATE_LABELS[proof];
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <Time at={occurredAt} />
          <span className="trail-what">
            <strong>{nameOf(actor)}</strong> {ACTIONS[action]}
            {target.name !== null && <> “{target.name}”</>}
          </span>
          <span className="trail-fields soft">{Object.keys(entry.changes).join(', ')}</span>
          <Badge tone={tone}>{word}</Badge>
        </summary>
        {isOpen && <Opened entry={entry} />}
      </details>
    </li>
  );
}

function Opened({ entry }: AuditEntryProps) {
  const { id, position, hash, proof, actor, target, recordedAt, requestId, ip, userAgent, correlationId } = entry;
  return (
    <div className="trail-opened">
      <Changes changes={entry.changes} />
      <p className="actions">
        <Narrow search={{ actorId: actor.id }} text={`Only by ${nameOf(actor)}`} />
        {target.id !== null && (
          <Narrow search={{ targetType: target.type, targetId: target.id }} text="Only the history of this" />
        )}
      </p>
      <DescriptionList
        facts={[
          ['By', `${actor.type} ${actor.id}`],
          ['Of', `${TARGET_TYPES[target.type]} ${target.id ?? ''}`],
          ['Proof', PROOF_STATE_LABELS[proof].means],
          ['Place and hash in the chain', hash === null ? null : <code>{`${position ?? ''} ${hash}`}</code>],
          ['Event', <code>{id}</code>],
          ['Stored at', <Time at={recordedAt} />],
          ['Address', ip],
          ['User agent', userAgent],
          ['Request', requestId],
          ['Correlation', correlationId],
          ...Object.entries(entry.metadata),
        ]}
      />
    </div>
  );
}

const route = getRouteApi('/signed-in/organizations/$organizationId/audit');

interface NarrowProps {
  readonly search: AuditSearch;
  readonly text: string;
}

function Narrow({ search, text }: NarrowProps) {
  const { organizationId } = route.useParams();
  return (
    <Link className="button" to="/organizations/$organizationId/audit" params={{ organizationId }} search={search}>
      {text}
    </Link>
  );
}

/** Names of erased people are gone; what is left is the id. */
const nameOf = ({ type, id, name }: AuditEntryDto['actor']): string => {
  if (type === 'system') return 'The system';
  return name ?? (type === 'api_key' ? `Key ${id}` : `An erased person (${id})`);
};

interface ChangesProps {
  readonly changes: AuditEntryDto['changes'];
}

/** Each field before and after, side by side; what differs is marked. */
function Changes({ changes }: ChangesProps) {
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
