import type { ApiKeyDto } from '@ledgerline/client';
import { useNavigate } from '@tanstack/react-router';
import { messageOf } from '../../api/failure';
import { useUpdateApiKey } from '../../api/api-keys';
import { Menu, MenuItem } from '../../components/menu';
import { notify } from '../../components/toasts';
import type { KeyQuestion } from './key-dialog';

interface KeyActionsProps {
  readonly apiKey: ApiKeyDto;
  readonly onAsk: (question: KeyQuestion) => void;
}

/** A revoked key can be deleted only. */
export function KeyActions({ apiKey, onAsk }: KeyActionsProps) {
  const { id, name, enabled, organizationId, revokedAt } = apiKey;
  const navigate = useNavigate();
  const updateKey = useUpdateApiKey();
  const edit = () =>
    void navigate({ to: '/organizations/$organizationId/api-keys/$keyId', params: { organizationId, keyId: id } });
  const toggle = () =>
    updateKey.mutate(
      { id, changes: { enabled: !enabled } },
      {
        onSuccess: () => notify(enabled ? `${name} is refused until it is enabled again` : `${name} is accepted again`),
        onError: (error) => notify(messageOf(error)),
      },
    );
  return (
    <Menu label={`Actions of ${name}`} shown="…">
      {revokedAt === null && (
        <>
          <MenuItem onSelect={edit}>Edit</MenuItem>
          <MenuItem onSelect={() => onAsk({ kind: 'rotate', apiKey })}>New secret</MenuItem>
          <MenuItem onSelect={toggle}>{enabled ? 'Disable' : 'Enable'}</MenuItem>
          <MenuItem onSelect={() => onAsk({ kind: 'revoke', apiKey })}>Revoke</MenuItem>
        </>
      )}
      <MenuItem onSelect={() => onAsk({ kind: 'delete', apiKey })}>Delete</MenuItem>
    </Menu>
  );
}
