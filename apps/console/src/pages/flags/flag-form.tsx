import { ApiError, type FlagDto, type WebsiteDto } from '@ledgerline/client';
import { useState, type ReactNode } from 'react';
import { fieldMessage } from '../../api/failure';
import { Form, FormEnd } from '../../components/form';
import { Select } from '../../components/select';
import { EnvironmentsEditor } from './environments-editor';
import { draftOf, rowsIn, type FlagDraft } from './flag-draft';
import { IdentityFields, ValueFields } from './flag-fields';
import { TYPES, type FlagType } from './flag-words';
import { RulesEditor } from './rules-editor';
import { VariantsEditor } from './variants-editor';

interface FlagFormProps {
  /** Absent for a new one. */
  readonly flag?: FlagDto;
  readonly websites: readonly WebsiteDto[];
  readonly error: Error | null;
  readonly onSubmit: (texts: Readonly<Record<string, string>>, draft: FlagDraft) => void;
  readonly children: ReactNode;
}

const FIELDS = [
  ...['name', 'key', 'description', 'environment', 'environments', 'type', 'rollout', 'defaultValue', 'payload'],
  ...['variants', 'rules'],
];

/** What a flag is created with and what is changed of it. */
export function FlagForm({ flag, websites, error: refused, onSubmit, children }: FlagFormProps) {
  const [draft, setDraft] = useState(() => draftOf(flag));
  const [type, setType] = useState<FlagType>(flag?.type ?? 'boolean');
  const [sent, setSent] = useState(draft);
  const [wrong, setWrong] = useState<ApiError>();
  const submit = (texts: Readonly<Record<string, string>>) => {
    setWrong(undefined);
    setSent(draft);
    try {
      onSubmit(texts, draft);
    } catch (found) {
      if (!(found instanceof ApiError)) throw found;
      setWrong(found);
    }
  };
  const error = wrong ?? refused;
  // what a row is refused for is not said of the one that takes its place
  const rows = { error: rowsIn(sent) === rowsIn(draft) ? error : null };
  return (
    <Form onSubmit={submit} error={error} fields={FIELDS}>
      <IdentityFields flag={flag} websites={websites} error={error} />
      <EnvironmentsEditor
        {...rows}
        environments={draft.environments}
        onChange={(environments) => setDraft({ ...draft, environments })}
      />
      <Select
        label="Type"
        name="type"
        options={TYPES}
        value={type}
        error={fieldMessage(error, 'type')}
        onChange={({ target }) => setType(TYPES.find(([each]) => each === target.value)?.[0] ?? type)}
      />
      <ValueFields flag={flag} type={type} error={error} />
      {type === 'multivariant' && (
        <VariantsEditor {...rows} variants={draft.variants} onChange={(variants) => setDraft({ ...draft, variants })} />
      )}
      <RulesEditor {...rows} rules={draft.rules} onChange={(rules) => setDraft({ ...draft, rules })} />
      <FormEnd>{children}</FormEnd>
    </Form>
  );
}
