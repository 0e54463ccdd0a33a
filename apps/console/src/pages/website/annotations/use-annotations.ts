import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { annotationsQuery, type AnnotationSubject } from '../../../api/annotations';
import { bucketAt, bucketStart, daysOfLabels } from '../format';

/** Returns what happened in the times of a series, and the points of its chart that it is about; none of nothing. */
export function useAnnotations(about: AnnotationSubject | undefined, labels: readonly string[], timezone: string) {
  const enabled = about !== undefined && labels.length > 0;
  const { data } = useQuery({ ...annotationsQuery(about ?? {}, { ...daysOfLabels(labels), timezone }), enabled });
  return useMemo(() => {
    const first = bucketStart(labels[0] ?? '', timezone);
    const last = bucketStart(labels.at(-1) ?? '', timezone);
    const found = ((enabled && data?.rows) || []).flatMap((row) => {
      const begin = new Date(row.at);
      const end = new Date(row.until ?? row.at);
      const from = bucketAt(labels, timezone, begin) ?? (begin < first ? 0 : undefined);
      const to = bucketAt(labels, timezone, end) ?? (end > last ? labels.length - 1 : undefined);
      const text = row.kind === 'deploy' ? `Deploy: ${row.text}` : row.text;
      return from === undefined || to === undefined ? [] : [{ row, mark: { from, to, text, kind: row.kind } }];
    });
    // none is undefined, so that a chart is not drawn again for it
    const marks = found.length > 0 ? found.map(({ mark }) => mark) : undefined;
    return { shown: found.map(({ row }) => row), marks };
  }, [enabled, data, labels, timezone]);
}
