import { useId, type ReactNode } from 'react';
import { CopyButton } from './button';
import { Form, FormActions, type RequestState, type Texts } from './form';

interface SectionProps {
  readonly title: string;
  readonly description?: ReactNode;
  /** Buttons that act on it. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page with a heading of its own. */
export function Section({ title, description, actions, children }: SectionProps) {
  const id = useId();
  return (
    <section className="section" aria-labelledby={id}>
      <header>
        <div>
          <h2 id={id}>{title}</h2>
          {description !== undefined && <p className="soft">{description}</p>}
        </div>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

export interface FormSectionProps extends Pick<SectionProps, 'title' | 'description' | 'children'> {
  /** The change that the form sends. */
  readonly change: RequestState;
  readonly onSubmit: (texts: Texts) => void;
  /** The text of its button. */
  readonly submit: string;
  readonly variant?: 'primary';
  /** A link that leads away from it. */
  readonly cancel?: ReactNode;
}

/** A part of a page that is a form. */
export const FormSection = ({ change, onSubmit, submit, variant, cancel, children, ...section }: FormSectionProps) => (
  <Section {...section}>
    <Form onSubmit={onSubmit} change={change}>
      {children}
      <FormActions submit={submit} variant={variant}>
        {cancel}
      </FormActions>
    </Form>
  </Section>
);

export interface FactsProps {
  /** The facts, each with its name and value; those without one are left out. */
  readonly facts: readonly (readonly [name: string, value: ReactNode])[];
}

/** Names with their values, one below the other. */
export const DescriptionList = ({ facts }: FactsProps) => (
  <dl className="facts">
    {facts
      .filter(([, value]) => value !== null && value !== undefined && value !== '')
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);

export type Tone = 'good' | 'warning' | 'danger' | 'neutral';

/** A state in one word; the colour only repeats it. */
export const Badge = ({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) => (
  <span className={`badge ${tone}`}>{children}</span>
);

const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

interface TimeProps {
  /** ISO 8601. */
  readonly at: string;
  /** Without the time of the day, where there is little room. */
  readonly isDay?: boolean;
}

/** A moment in the time zone of the browser; pointing at it shows it in UTC. */
export const Time = ({ at, isDay = false }: TimeProps) => (
  <time dateTime={at} title={at}>
    {(isDay ? DAY : MOMENT).format(new Date(at))}
  </time>
);

/** When something expires, or that it has; `isDay` as of `Time`. */
export const Expiry = ({ at, isDay = false }: { readonly at: string | null; readonly isDay?: boolean }) => {
  if (at === null) return <span className="soft">Never</span>;
  return new Date(at) > new Date() ? <Time at={at} isDay={isDay} /> : <Badge tone="warning">Expired</Badge>;
};

interface CodeBlockProps {
  readonly text: string;
  /** The name of what is copied: `the script`. */
  readonly label: string;
}

/** Text to be copied elsewhere, which wraps instead of being cut off. */
export const CodeBlock = ({ text, label }: CodeBlockProps) => (
  <div className="code-block">
    <pre>
      <code>{text}</code>
    </pre>
    <CopyButton text={text} label={label} />
  </div>
);
