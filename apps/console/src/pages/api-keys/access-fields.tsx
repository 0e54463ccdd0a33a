import { useState } from 'react';
import type { ApiKeyDto, WebsiteDto } from '@ledgerline/client';
import { keysOf } from '@ledgerline/contracts/json';
import { readableHost } from '../../addresses/readable-address';
import { ChoiceInput, FieldGroup } from '../../components/choices';
import { Notice } from '../../components/states';

export type ApiKeyScope = ApiKeyDto['scopes'][number];

/** The words for what each scope allows. */
export const SCOPE_LABELS: Readonly<Record<ApiKeyScope, { readonly name: string; readonly allows: string }>> = {
  'read:data': {
    name: 'Read',
    allows: 'Ask for statistics, and see websites, links, monitors and status pages.',
  },
  'track:events': {
    name: 'Send events',
    allows: 'Record page views and events from a server. What was recorded cannot be changed with it.',
  },
  'write:data': {
    name: 'Change',
    allows: 'Create, change and delete websites, links, monitors and status pages.',
  },
  'manage:flags': {
    name: 'Feature flags',
    allows: 'See, create, change and delete feature flags.',
  },
  'read:audit': {
    name: 'Audit',
    allows: 'Read, verify and export the audit log, with the names and addresses in it. Needs access to everything.',
  },
};

const SCOPE_NAMES = keysOf(SCOPE_LABELS);

interface ScopeFieldsProps {
  readonly scopes: readonly ApiKeyScope[];
  readonly onChange: (scopes: readonly ApiKeyScope[]) => void;
}

export const ScopeFields = ({ scopes, onChange }: ScopeFieldsProps) => (
  <FieldGroup legend="Permissions" field="scopes">
    {SCOPE_NAMES.map((scope) => (
      <ChoiceInput
        key={scope}
        type="checkbox"
        label={`${SCOPE_LABELS[scope].name} (${scope})`}
        hint={SCOPE_LABELS[scope].allows}
        checked={scopes.includes(scope)}
        onChange={({ target }) =>
          onChange(target.checked ? [...scopes, scope] : scopes.filter((each) => each !== scope))
        }
      />
    ))}
  </FieldGroup>
);

interface ResourceFieldsProps {
  readonly resources: ApiKeyDto['resources'];
  readonly websites: readonly WebsiteDto[];
  /** A chosen scope is about the organization as a whole. */
  readonly needsEverything: boolean;
  readonly onChange: (resources: ApiKeyDto['resources']) => void;
}

/** Everything of the organization, or chosen websites. */
export function ResourceFields({ resources, websites, needsEverything, onChange }: ResourceFieldsProps) {
  const [chosen, setChosen] = useState(resources ?? {}); // also while everything is chosen
  const [given] = useState(chosen);
  const toggle = (name: string, isChosen: boolean) => {
    const { [name]: _, ...others } = chosen;
    const next = isChosen ? { ...others, [name]: given[name] ?? [] } : others;
    setChosen(next);
    onChange(next);
  };
  return (
    <FieldGroup legend="Resources" field="resources">
      <ChoiceInput
        type="radio"
        name="access"
        label="Everything of the organization"
        hint="All websites, also later ones, and links, flags, monitors and status pages."
        checked={resources === null}
        onChange={() => onChange(null)}
      />
      <ChoiceInput
        type="radio"
        name="access"
        label="Only these websites"
        hint="And nothing of links or of the organization as a whole."
        checked={resources !== null}
        onChange={() => onChange(chosen)}
      />
      {resources !== null && (
        <div className="indented">
          {websites.map(({ id, name, domain }) => (
            <ChoiceInput
              key={id}
              type="checkbox"
              label={`${name} (${readableHost(domain)})`}
              title={domain}
              checked={`website:${id}` in chosen}
              onChange={({ target }) => toggle(`website:${id}`, target.checked)}
            />
          ))}
          {websites.length === 0 && <p className="hint">There are no websites yet.</p>}
          <OwnScopes resources={resources} />
          {needsEverything && (
            <Notice tone="warning">The scope for the audit log has no effect on chosen websites.</Notice>
          )}
        </div>
      )}
    </FieldGroup>
  );
}

/** The api can give a resource scopes of its own, which stay unless the resource is unticked. */
function OwnScopes({ resources }: { readonly resources: NonNullable<ApiKeyDto['resources']> }) {
  const own = Object.entries(resources).filter(([name, scopes]) => name === 'global' || scopes.length > 0);
  if (own.length === 0) return null;
  const shown = own.map(([name, scopes]) => `${name}: ${scopes.join(', ') || 'the scopes above'}`);
  return <p className="hint">The key also has scopes by resource, which stay as they are: {shown.join('; ')}.</p>;
}
