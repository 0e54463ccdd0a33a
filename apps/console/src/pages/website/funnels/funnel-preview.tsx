import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { messageOf } from '../../../api/failure';
import { figuresQuery, type QueryScope } from '../../../api/figures';
import { formatFigure } from '../format';
import { isCompleteDraft, settingsIn, type FunnelDraft } from './funnel-draft';

interface FunnelPreviewProps {
  readonly draft: FunnelDraft;
  readonly scope: QueryScope;
}

const PAUSE_MS = 500;

/** Shows what the funnel counts in the range as it is now, before it is saved; nothing while a value is missing. */
export function FunnelPreview({ draft, scope }: FunnelPreviewProps) {
  const [asked, setAsked] = useState(draft);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(draft), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft]);
  const { name: _, steps, ...others } = settingsIn(asked);
  const funnel = { ...others, steps: steps.map(({ condition }) => ({ condition })) };
  const query = figuresQuery(scope, { name: 'funnel', funnel });
  const { data, error } = useQuery({ ...query, enabled: isCompleteDraft(asked), retry: false });
  if (!isCompleteDraft(asked)) return <p className="hint">What it counts is shown here once every step has a value.</p>;
  if (error) return <p className="hint">{messageOf(error)}</p>;
  const whom = draft.per === 'session' ? 'sessions' : 'visitors';
  const counts = data?.rows.map(({ reached }) => formatFigure('count', reached)).join(' → ') ?? '…';
  return (
    <p className="hint">
      In the range, {whom} by step: <b>{counts}</b>
    </p>
  );
}
