import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { annotationsQuery, type AnnotationSubject } from '../../../api/annotations';
import { bucketAt, bucketStart } from '../format';

const NOBODY: AnnotationSubject = { organizationId: '', websiteId: '' };

/** The annotations of the times of a series, and the points of its chart that they are about; none of nothing. */
export function useAnnotations(about: AnnotationSubject | undefined, labels: readonly string[], timeZone: string) {
  const { data } = useQuery({ ...annotationsQuery(about ?? NOBODY), enabled: about !== undefined });
  return useMemo(() => {
    const [first, last] = [labels[0], labels.at(-1)].map((label) =>
      label ? bucketStart(label, timeZone) : new Date(),
    );
    const found = (data ?? []).flatMap((annotation) => {
      const [begin, end] = [annotation.from ?? annotation.at, annotation.to ?? annotation.at].map(
        (time) => new Date(time ?? ''),
      );
      if (!first || !last || !begin || !end) return [];
      const from = bucketAt(labels, timeZone, begin) ?? (begin < first ? 0 : undefined);
      const to = bucketAt(labels, timeZone, end) ?? (end > last ? labels.length - 1 : undefined);
      return from === undefined || to === undefined ? [] : [{ annotation, mark: { from, to, text: annotation.text } }];
    });
    return { shown: found.map(({ annotation }) => annotation), marks: found.map(({ mark }) => mark) };
  }, [data, labels, timeZone]);
}
