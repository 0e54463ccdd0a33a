import type { AnnotationDto } from '@ledgerline/client';
import { useState } from 'react';
import { useChangeAnnotation, useCreateAnnotation, useDeleteAnnotation } from '../../../api/annotation-changes';
import { isOfAll, type AnnotationSubject } from '../../../api/annotations';
import { Button } from '../../../components/button';
import { Checkbox } from '../../../components/choices';
import { ConfirmedButton } from '../../../components/confirm-dialog';
import { Form, FormActions, type Change, type Texts } from '../../../components/form';
import { Dialog } from '../../../components/overlays';
import { Badge, Time } from '../../../components/page-parts';
import { instantOf, LocalTimeInput, Textarea } from '../../../components/text-fields';

interface AnnotationsProps {
  readonly shown: readonly AnnotationDto[];
  readonly about: AnnotationSubject;
  /** When the one is that is about to be added. */
  readonly addedAt: Date | undefined;
  readonly onAdded: () => void;
}

/** What is noted about the times of a chart, and the form of one more. */
export const Annotations = ({ shown, about, addedAt, onAdded }: AnnotationsProps) => (
  <>
    {shown.length > 0 && (
      <ul className="annotations" aria-label="Notes">
        {shown.map((annotation) => (
          <Annotation key={annotation.id} annotation={annotation} />
        ))}
      </ul>
    )}
    {addedAt && <NewAnnotation about={about} at={addedAt} onClose={onAdded} />}
  </>
);

function Annotation({ annotation }: { readonly annotation: AnnotationDto }) {
  const { id, text, kind, at, from, to } = annotation;
  const [isChanged, setChanged] = useState(false);
  const deletion = useDeleteAnnotation(id);
  return (
    <li>
      <span className="soft">
        {at !== null && <Time at={at} />}
        {from !== null && to !== null && (
          <>
            <Time at={from} /> – <Time at={to} />
          </>
        )}
      </span>
      {kind && <Badge tone="neutral">{kind}</Badge>}
      {isOfAll(annotation) && <span className="soft">everywhere</span>}
      <span className="annotation-text">{text}</span>
      <Button variant="quiet" aria-label={`Edit the note ${text}`} onClick={() => setChanged(true)}>
        Edit
      </Button>
      <ConfirmedButton
        variant="quiet"
        text="Delete"
        aria-label={`Delete the note ${text}`}
        title="Delete the note?"
        action="Delete"
        change={deletion}
        onConfirm={() => deletion.mutate()}
      >
        <p className="annotation-text">{text}</p>
      </ConfirmedButton>
      {isChanged && <ChangedAnnotation annotation={annotation} onClose={() => setChanged(false)} />}
    </li>
  );
}

interface NewAnnotationProps {
  readonly about: AnnotationSubject;
  readonly at: Date;
  readonly onClose: () => void;
}

function NewAnnotation({ about, at, onClose }: NewAnnotationProps) {
  const create = useCreateAnnotation();
  const { organizationId, ...subject } = about;
  return (
    <AnnotationDialog
      title="Add a note"
      submit="Add"
      change={create}
      at={at.toISOString()}
      onClose={onClose}
      onSubmit={({ everywhere, settings }) =>
        create.mutate({ organizationId, ...(everywhere ? {} : subject), ...settings }, { onSuccess: onClose })
      }
    />
  );
}

function ChangedAnnotation({
  annotation,
  onClose,
}: {
  readonly annotation: AnnotationDto;
  readonly onClose: () => void;
}) {
  const change = useChangeAnnotation(annotation.id);
  const { text, at, from, to } = annotation;
  return (
    <AnnotationDialog
      title="Edit the note"
      submit="Save"
      {...{ change, text, at: at ?? from, to, onClose }}
      onSubmit={({ settings }) => change.mutate(settings, { onSuccess: onClose })}
    />
  );
}

interface AnnotationDialogProps {
  readonly title: string;
  readonly submit: string;
  readonly change: Change;
  readonly text?: string;
  /** When it happened or began. */
  readonly at: string | null;
  /** Absent for a new one, which may be about everything of the organization. */
  readonly to?: string | null;
  readonly onClose: () => void;
  readonly onSubmit: (settings: ReturnType<typeof settingsIn>) => void;
}

const AnnotationDialog = ({ title, submit, change, text, at, to, onClose, onSubmit }: AnnotationDialogProps) => (
  <Dialog title={title} onClose={onClose}>
    <Form onSubmit={(texts) => onSubmit(settingsIn(texts))} change={change}>
      <Textarea label="What happened" name="text" defaultValue={text} maxLength={500} rows={3} required autoFocus />
      <LocalTimeInput label="When" name="at" at={at} />
      <LocalTimeInput label="Until" name="to" at={to ?? null} hint="Empty, unless it lasted." />
      {to === undefined && <Checkbox name="everywhere" label="On the charts of everything in the organization" />}
      <FormActions submit={submit} variant="primary" onCancel={onClose} />
    </Form>
  </Dialog>
);

function settingsIn({ text = '', at, to, everywhere }: Texts) {
  const [begin, end] = [instantOf(at), instantOf(to)];
  const times = end === null ? { at: begin, from: null, to: null } : { at: null, from: begin, to: end };
  return { settings: { text, ...times }, everywhere: everywhere !== undefined };
}
