import { useState } from 'react';
import type { WebsiteDto } from '@ledgerline/client';
import type { QueryScope } from '../../../api/figures';
import { Input, Select } from '../../../components/field';
import type { Texts } from '../../../components/form';
import { FormSection, type FormSectionProps } from '../../../components/page-parts';
import { changedIn } from '../conditions/condition-draft';
import {
  FOLLOWED,
  FUNNEL_ORDER_OPTIONS,
  funnelRowKeys,
  settingsIn,
  WINDOW_UNITS,
  type FunnelDraft,
  type FunnelInput,
} from './funnel-draft';
import { FunnelPreview } from './funnel-preview';
import { StepsEditor } from './steps-editor';

interface FunnelFormProps extends Pick<FormSectionProps, 'change' | 'submit' | 'cancel'> {
  /** The draft that it begins with, and what was saved of it; nothing of a new one. */
  readonly first: FunnelDraft;
  readonly saved?: FunnelDraft;
  /** The scope whose values are suggested. */
  readonly scope: QueryScope;
  readonly identity: WebsiteDto['visitorIdentity'];
  /** With all settings, and those that differ from what was saved. */
  readonly onSubmit: (settings: FunnelInput, changed: Partial<FunnelInput>) => void;
}

/** Shows what a funnel is created with and what is changed of it. */
export function FunnelForm({ first, saved = first, scope, identity, change, onSubmit, ...section }: FunnelFormProps) {
  const [draft, setDraft] = useState(first);
  const [sent, setSent] = useState(draft);
  const update = (changes: Partial<FunnelDraft>) => setDraft({ ...draft, ...changes });
  const submit = ({ name = '' }: Texts) => {
    setSent(draft);
    const settings = settingsIn({ ...draft, name });
    onSubmit(settings, changedIn(settingsIn(saved), settings));
  };
  const error = funnelRowKeys(sent) === funnelRowKeys(draft) ? change.error : null;
  return (
    <FormSection title="Settings" variant="primary" change={{ ...change, error }} onSubmit={submit} {...section}>
      <Input label="Name" name="name" defaultValue={first.name} required />
      <StepsEditor steps={draft.steps} error={error} scope={scope} onChange={(steps) => update({ steps })} />
      <div className="form-row">
        <Select
          label="What is followed"
          name="per"
          options={FOLLOWED}
          value={draft.per}
          onChange={({ target }) => update({ per: chosen(FOLLOWED, target.value, draft.per) })}
        />
        <Select
          label="Between steps"
          name="order"
          options={FUNNEL_ORDER_OPTIONS}
          value={draft.order}
          onChange={({ target }) => update({ order: chosen(FUNNEL_ORDER_OPTIONS, target.value, draft.order) })}
        />
      </div>
      <div className="form-row">
        <Input
          label="Conversion window"
          name="window"
          inputMode="numeric"
          value={draft.count}
          placeholder={identity === 'daily' ? '1' : '7'}
          hint={hintOf(identity, draft.per)}
          onChange={({ target }) => update({ count: target.value })}
        />
        <Select
          label="Unit"
          name="unit"
          options={WINDOW_UNITS}
          value={draft.unit}
          onChange={({ target }) => update({ unit: chosen(WINDOW_UNITS, target.value, draft.unit) })}
        />
      </div>
      <FunnelPreview draft={draft} scope={scope} />
    </FormSection>
  );
}

/** The option that was chosen. */
const chosen = <Name extends string>(options: readonly (readonly [Name, string])[], name: string, before: Name): Name =>
  options.find(([each]) => each === name)?.[0] ?? before;

/** Returns what the ids of visitors can know, which the api says of an answer. */
function hintOf(identity: WebsiteDto['visitorIdentity'], per: FunnelDraft['per']): string {
  const usual = `Empty: ${identity === 'daily' ? '1 day' : '7 days'}, counted from the first step.`;
  if (per === 'session' || identity === 'stable') return usual;
  const [unit, longest] = identity === 'daily' ? ['day', '1 day'] : ['month', '31 days'];
  return `${usual} At most ${longest}, as ids of visitors of this website end with the ${unit}.`;
}
