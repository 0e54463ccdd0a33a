import { ApiError, type FlagDto, type WebsiteDto } from '@ledgerline/client';
import { useState, type ReactNode } from 'react';
import { Form } from '../../components/form';
import { FormError } from '../../components/form-error';
import { Select } from '../../components/select';
import { EnvironmentsEditor } from './environments-editor';
import { DraftError, draftOf, type FlagDraft } from './flag-draft';
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

const FIELDS = ['name', 'key', 'description', 'environment', 'percentage', 'payload', 'defaultValue'];

/** What a flag is created with and what is changed of it. */
export function FlagForm({ flag, websites, error, onSubmit, children }: FlagFormProps) {
  const [draft, setDraft] = useState(() => draftOf(flag));
  const [type, setType] = useState<FlagType>(flag?.type ?? 'boolean');
  const [wrong, setWrong] = useState<DraftError>();
  const submit = (texts: Readonly<Record<string, string>>) => {
    setWrong(undefined);
    try {
      onSubmit(texts, draft);
    } catch (found) {
      if (!(found instanceof DraftError)) throw found;
      setWrong(found);
    }
  };
  const below = (list: string) => messagesBelow(error, list);
  const shown = [...FIELDS, ...fieldsBelow(error, ['environments', 'rollout', 'variants', 'rules'])];
  return (
    <Form onSubmit={submit}>
      <FormError error={error} fields={shown} />
      <IdentityFields flag={flag} websites={websites} error={error} />
      <EnvironmentsEditor
        environments={draft.environments}
        messages={below('environments')}
        onChange={(environments) => setDraft({ ...draft, environments })}
      />
      <Select
        label="Type"
        name="type"
        options={TYPES}
        value={type}
        onChange={({ target }) => setType(TYPES.find(([each]) => each === target.value)?.[0] ?? type)}
      />
      <ValueFields flag={flag} type={type} error={error} wrong={wrong} rolloutMessages={below('rollout')} />
      {type === 'multivariant' && (
        <VariantsEditor
          variants={draft.variants}
          messages={below('variants')}
          onChange={(variants) => setDraft({ ...draft, variants })}
        />
      )}
      <RulesEditor rules={draft.rules} messages={below('rules')} onChange={(rules) => setDraft({ ...draft, rules })} />
      <div className="form-actions">{children}</div>
    </Form>
  );
}

const detailsOf = (error: Error | null) => (error instanceof ApiError ? error.details : []);

const isBelow = (field: string, list: string): boolean => /^[^.[]*/.exec(field)?.[0] === list;

const messagesBelow = (error: Error | null, list: string): string[] =>
  detailsOf(error).flatMap(({ field, message }) => (isBelow(field, list) ? [message] : []));

const fieldsBelow = (error: Error | null, lists: readonly string[]): string[] =>
  detailsOf(error).flatMap(({ field }) => (lists.some((list) => isBelow(field, list)) ? [field] : []));
