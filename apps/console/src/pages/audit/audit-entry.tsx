import type { AuditEntryDto } from '@ledgerline/client';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Badge } from '../../components/badge';
import { Facts } from '../../components/facts';
import { Time } from '../../components/time';
import { ACTIONS, PROOFS, TARGET_TYPES } from './audit-words';
import type { AuditSearch } from './audit-search';
import { Changes } from './changes';

interface AuditEntryProps {
  readonly entry: AuditEntryDto;
}

/** One change in a line; opened, with what was before and after. */
export function AuditEntry({ entry }: AuditEntryProps) {
  const [isOpen, setOpen] = useState(false);
  const { occurredAt, actor, action, target, proof } = entry;
  const { word, tone } = PROOFS[proof];
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
      <Facts
        facts={[
          ['By', `${actor.type} ${actor.id}`],
          ['Of', `${TARGET_TYPES[target.type]} ${target.id ?? ''}`],
          ['Proof', PROOFS[proof].means],
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
