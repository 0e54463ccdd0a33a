import { useState } from 'react';
import type { AnnotationSubject, Happened } from '../../../api/annotations';
import { useCreateRecord, useUpdateRecord } from '../../../api/record-changes';
import { Button } from '../../../components/button';
import { Checkbox } from '../../../components/choices';
import { DeleteButton } from '../../../components/delete-button';
import { Form, FormActions, type RequestState, type Texts } from '../../../components/form';
import { Dialog } from '../../../components/overlays';
import { Badge, Time, type Tone } from '../../../components/page-parts';
import { instantOf, LocalTimeInput, Textarea } from '../../../components/text-fields';

interface AnnotationsProps {
  /** The newest first. */
  readonly shown: readonly Happened[];
}

/** So many are listed at first. */
const LISTED = 10;

/** Shows what happened in the times of a chart. */
export function ChartAnnotations({ shown }: AnnotationsProps) {
  const [isWhole, setWhole] = useState(false);
  return (
    <>
      <ul className="annotations" aria-label="What happened">
        {shown.slice(0, isWhole ? undefined : LISTED).map((happened) => (
          <Annotation key={happened.id} {...happened} />
        ))}
      </ul>
      {!isWhole && shown.length > LISTED && (
        <Button variant="quiet" onClick={() => setWhole(true)}>
          Show all {shown.length}
        </Button>
      )}
    </>
  );
}

/** The name of each kind, and how bad it is; a note needs no name. */
const KINDS: Readonly<Record<Happened['kind'], readonly [name: string, tone: Tone]>> = {
  note: ['', 'neutral'],
  deploy: ['Deploy', 'neutral'],
  link_target_changed: ['Link', 'neutral'],
  flag_changed: ['Flag', 'neutral'],
  website_changed: ['Settings', 'neutral'],
  incident_opened: ['Incident', 'danger'],
  incident_resolved: ['Resolved', 'good'],
  monitor_down: ['Down', 'danger'],
  monitor_up: ['Up', 'good'],
  alert_fired: ['Alert', 'danger'],
};

function Annotation(happened: Happened) {
  const { text, kind, at, until, subject } = happened;
  const [name, tone] = KINDS[kind];
  return (
    <li>
      <span className="soft">
        <Time at={at} />
        {until !== null && (
          <>
            {' '}
            – <Time at={until} />
          </>
        )}
      </span>
      {name && <Badge tone={tone}>{name}</Badge>}
      {subject === null && <span className="soft">everywhere</span>}
      <span className="annotation-text">{text}</span>
      {(kind === 'note' || kind === 'deploy') && <NoteActions {...happened} />}
    </li>
  );
}

function NoteActions(note: Happened) {
  const { id, text } = note;
  const [isChanged, setChanged] = useState(false);
  return (
    <>
      <Button variant="quiet" aria-label={`Edit the note ${text}`} onClick={() => setChanged(true)}>
        Edit
      </Button>
      <DeleteButton
        path="/v1/annotations"
        record={{ id }}
        variant="quiet"
        aria-label={`Delete the note ${text}`}
        title="Delete the note?"
      >
        <p className="annotation-text">{text}</p>
      </DeleteButton>
      {isChanged && <ChangedAnnotation note={note} onClose={() => setChanged(false)} />}
    </>
  );
}

interface NewAnnotationProps {
  readonly about: AnnotationSubject;
  readonly at: Date;
  readonly onClose: () => void;
}

/** The form of one more note. */
export function NewAnnotation({ about, at, onClose }: NewAnnotationProps) {
  const create = useCreateRecord('/v1/annotations');
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

function ChangedAnnotation({ note, onClose }: { readonly note: Happened; readonly onClose: () => void }) {
  const { id, text, at, until } = note;
  const change = useUpdateRecord('/v1/annotations', id);
  return (
    <AnnotationDialog
      title="Edit the note"
      submit="Save"
      change={change}
      text={text}
      at={at}
      to={until}
      onClose={onClose}
      onSubmit={({ settings }) => change.mutate(settings, { onSuccess: onClose })}
    />
  );
}

interface AnnotationDialogProps {
  readonly title: string;
  readonly submit: string;
  readonly change: RequestState;
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
  const begin = instantOf(at);
  const end = instantOf(to);
  const times = end === null ? { at: begin, from: null, to: null } : { at: null, from: begin, to: end };
  return { settings: { text, ...times }, everywhere: everywhere !== undefined };
}
