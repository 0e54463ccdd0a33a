import type { SegmentDto } from '@ledgerline/client';
import type { QueryScope } from '../../../api/figures';
import { Button } from '../../../components/button';
import { Select } from '../../../components/field';
import {
  type ConditionDraft,
  conditionIn,
  conditionDraftOf,
  newCondition,
  newRowId,
} from '../conditions/condition-draft';
import { ConditionEditor } from '../conditions/condition-editor';
import { kindNamed } from '../conditions/condition-kinds';

type Deed = SegmentDto['did'][number];

/** A criterion of what visitors did or did not, as it is edited. */
export interface DeedDraft {
  readonly id: number;
  readonly condition: ConditionDraft;
  readonly within: Deed['within'];
  readonly not: boolean;
}

export const deedDraftOf = ({ condition, within, not = false }: Deed): DeedDraft => ({
  id: newRowId(),
  condition: conditionDraftOf(condition),
  within,
  not,
});

export const deedIn = ({ condition, within, not }: DeedDraft): Deed => ({
  condition: conditionIn(condition),
  within,
  not,
});

const DID = [
  ['did', 'Visitors who did'],
  ['not', 'Visitors who did not'],
] as const;

const WITHIN = [
  ['session', 'in the session'],
  ['range', 'in all of the range'],
] as const;

/** The most that the api takes. */
const MAX_DEEDS = 10;

interface DeedsEditorProps {
  readonly deeds: readonly DeedDraft[];
  /** The scope whose values are suggested. */
  readonly scope: QueryScope;
  readonly onChange: (deeds: readonly DeedDraft[]) => void;
}

/** Shows what visitors of a segment did and did not, all of which must hold. */
export const DeedsEditor = ({ deeds, scope, onChange }: DeedsEditorProps) => (
  <>
    {deeds.map((deed, at) => {
      const change = (parts: Partial<DeedDraft>) => onChange(deeds.with(at, { ...deed, ...parts }));
      return (
        <fieldset key={deed.id}>
          <legend>What they did, {at + 1}</legend>
          <div className="form-row">
            <Select
              label="Who"
              options={DID}
              value={deed.not ? 'not' : 'did'}
              onChange={({ target }) => change({ not: target.value === 'not' })}
            />
            <Select
              label="Where"
              options={WITHIN}
              value={deed.within}
              onChange={({ target }) => change({ within: target.value === 'range' ? 'range' : 'session' })}
            />
          </div>
          <ConditionEditor
            label="How often"
            path={`did[${at}].condition`}
            draft={deed.condition}
            scope={scope}
            onChange={(condition) => change({ condition })}
          />
          <div className="row-actions">
            <Button variant="quiet" onClick={() => onChange(deeds.toSpliced(at, 1))}>
              Remove what they did, {at + 1}
            </Button>
          </div>
        </fieldset>
      );
    })}
    {deeds.length < MAX_DEEDS && (
      <div className="row-actions">
        <Button
          variant="quiet"
          onClick={() => onChange([...deeds, { ...NEW, id: newRowId(), condition: newCondition(kindNamed('page')) }])}
        >
          Add what they did
        </Button>
      </div>
    )}
  </>
);

const NEW = { within: 'session', not: false } as const;
