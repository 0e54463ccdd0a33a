import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Filter } from '@ledgerline/contracts/definitions';
import { alertSentence } from '@ledgerline/domain/alerts/alert-sentence';
import { goalsQuery } from '../../api/goals';
import { segmentsQuery } from '../../api/segments';
import { Input } from '../../components/field';
import { FormSection, type FormSectionProps } from '../../components/page-parts';
import { AlertDestinations } from './alert-destinations';
import { type AlertDraft, ruleIn } from './alert-draft';
import { ComparisonFields, FigureFields, Filters, FurtherFields, OfWebsiteFields, WebsiteField } from './alert-fields';
import { AlertTrial } from './alert-trial';

interface AlertFormProps extends Pick<FormSectionProps, 'change' | 'submit' | 'cancel'> {
  readonly organizationId: string;
  readonly first: AlertDraft;
  readonly isNew?: boolean;
  readonly onSubmit: (settings: ReturnType<typeof settingsIn>, draft: AlertDraft) => void;
}

/** A rule in words, the sentence that it makes, and when it would have told something. */
export function AlertForm({ organizationId, first, isNew = false, onSubmit, ...section }: AlertFormProps) {
  const [draft, setDraft] = useState(first);
  const change = (more: Partial<AlertDraft>) => setDraft({ ...draft, ...more });
  const names = useNames(draft, organizationId);
  const rule = ruleIn(draft);
  const sentence = alertSentence({ ...rule, filters: rule.filters as Filter[] }, names); // their values are texts
  const fields = { draft, change, organizationId };
  return (
    <FormSection
      title="Tell me when"
      variant="primary"
      onSubmit={() => onSubmit(settingsIn(draft, sentence), draft)}
      {...section}
    >
      <div className="form-row">
        {isNew && draft.linkId === null && <WebsiteField {...fields} />}
        <FigureFields {...fields} />
      </div>
      {draft.websiteId !== null && <OfWebsiteFields {...fields} />}
      <Filters {...fields} />
      <ComparisonFields {...fields} />
      <p className="notice info" role="status">
        {sentence}.
      </p>
      <AlertTrial draft={draft} organizationId={organizationId} />
      <AlertDestinations {...fields} />
      <details className="more">
        <summary>Minimum, pause and quiet hours</summary>
        <FurtherFields {...fields} />
      </details>
      <Input
        label="Name"
        name="name"
        placeholder={nameFrom(sentence)}
        hint="Left empty, it is the sentence above."
        value={draft.name}
        onChange={({ currentTarget: { value } }) => change({ name: value })}
      />
    </FormSection>
  );
}

const MAX_NAME = 100;

/** A name may not be longer. */
const nameFrom = (sentence: string): string =>
  sentence.length <= MAX_NAME ? sentence : `${sentence.slice(0, MAX_NAME - 1)}…`;

const settingsIn = (draft: AlertDraft, sentence: string) => {
  const { filters, ...rule } = ruleIn(draft);
  const name = draft.name.trim() || nameFrom(sentence);
  return { ...rule, name, filters: [...filters], destinationIds: [...draft.destinationIds] };
};

/** Returns the names of what a rule has ids of, once they are known. */
function useNames({ websiteId, goalId, segment }: AlertDraft, organizationId: string) {
  const of = { organizationId, websiteId: websiteId ?? '' };
  const { data: goals = [] } = useQuery({ ...goalsQuery(of), enabled: goalId !== null });
  const { data: segments = [] } = useQuery({ ...segmentsQuery(of), enabled: segment !== null });
  return {
    goal: goals.find(({ id }) => id === goalId)?.name,
    segment: segments.find(({ id }) => id === segment)?.name,
  };
}
