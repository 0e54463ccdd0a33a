import type { MonitorDto } from '@ledgerline/client';
import { fieldMessage } from '../../api/failure';
import { Checkbox } from '../../components/checkbox';
import { numberIn } from '../../components/form';
import { Input } from '../../components/input';
import { Select } from '../../components/select';
import { Textarea } from '../../components/textarea';

type Method = MonitorDto['method'];

const METHODS: readonly (readonly [Method, string])[] = [
  ['GET', 'GET'],
  ['HEAD', 'HEAD'],
  ['POST', 'POST'],
];

/** The fields that show what is wrong with them. */
export const MONITOR_FIELDS = [
  ...['name', 'url', 'method', 'intervalSeconds', 'timeoutSeconds'],
  ...['expectedStatus', 'expectedText', 'unwantedText', 'slowAfterMs', 'certificateDays', 'body', 'headers'],
];

interface MonitorFieldsProps {
  readonly monitor?: MonitorDto;
  readonly error: Error | null;
}

/** What a monitor is created with and what is changed of it. */
export function MonitorFields({ monitor, error }: MonitorFieldsProps) {
  const field = (name: string) => ({ name, error: fieldMessage(error, name) });
  const kept = monitor?.headerNames.join(', ');
  return (
    <>
      <div className="form-row">
        <Input {...field('name')} label="Name" defaultValue={monitor?.name} required />
        <Input
          {...field('url')}
          label="Address"
          type="url"
          defaultValue={monitor?.url}
          required
          hint="A public one: https://example.com/"
        />
      </div>
      <div className="form-row">
        <Select {...field('method')} label="Method" options={METHODS} defaultValue={monitor?.method} />
        <Input
          {...field('intervalSeconds')}
          label="Seconds between checks"
          inputMode="numeric"
          defaultValue={monitor?.intervalSeconds ?? 60}
          hint="30 to 3600"
        />
        <Input
          {...field('timeoutSeconds')}
          label="Seconds a check may take"
          inputMode="numeric"
          defaultValue={monitor?.timeoutSeconds ?? 10}
          hint="1 to 30"
        />
      </div>
      <div className="form-row">
        <Input
          {...field('expectedStatus')}
          label="Expected status"
          inputMode="numeric"
          defaultValue={monitor?.expectedStatus ?? ''}
          hint="Empty: 200 to 299"
        />
        <Input
          {...field('expectedText')}
          label="Expected text"
          defaultValue={monitor?.expectedText ?? ''}
          hint="In the first MiB of the body; empty: any"
        />
        <Input
          {...field('unwantedText')}
          label="Unwanted text"
          defaultValue={monitor?.unwantedText ?? ''}
          hint="A body with it is down; empty: none is"
        />
      </div>
      <div className="form-row">
        <Input
          {...field('slowAfterMs')}
          label="Degraded when slower than, in ms"
          inputMode="numeric"
          defaultValue={monitor?.slowAfterMs ?? ''}
          hint="Empty: never"
        />
        <Input
          {...field('certificateDays')}
          label="Degraded when the certificate ends within days"
          inputMode="numeric"
          defaultValue={monitor?.certificateDays ?? ''}
          hint="Empty: never"
        />
      </div>
      <Checkbox
        label="Ignore TLS errors"
        name="ignoreTlsErrors"
        defaultChecked={monitor?.ignoreTlsErrors ?? false}
        hint="Up also with a certificate that is not trusted: somebody else may answer, and read the headers."
      />
      <Textarea
        {...field('body')}
        label="Body"
        rows={2}
        defaultValue={monitor?.body ?? ''}
        hint="Of a POST, as JSON or a form unless a header says its type. Members see it."
      />
      <Textarea
        {...field('headers')}
        label="Headers"
        placeholder="authorization: Bearer …"
        rows={2}
        hint={`One a line, as name: value. They are encrypted and never shown.${kept ? ` Empty keeps those there are: ${kept}.` : ''}`}
      />
    </>
  );
}

/** What the form says, for the api. */
export const monitorIn = (texts: Readonly<Record<string, string>>) => ({
  name: texts['name'] ?? '',
  url: texts['url'] ?? '',
  method: METHODS.find(([each]) => each === texts['method'])?.[0] ?? null,
  intervalSeconds: numberIn(texts['intervalSeconds']),
  timeoutSeconds: numberIn(texts['timeoutSeconds']),
  expectedStatus: numberIn(texts['expectedStatus']),
  expectedText: texts['expectedText'] || null,
  unwantedText: texts['unwantedText'] || null,
  slowAfterMs: numberIn(texts['slowAfterMs']),
  certificateDays: numberIn(texts['certificateDays']),
  ignoreTlsErrors: texts['ignoreTlsErrors'] !== undefined,
  body: texts['body'] || null,
  ...headersIn(texts['headers'] ?? ''),
});

function headersIn(text: string): { readonly headers?: Readonly<Record<string, string>> } {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) return {};
  const headers = lines.map((line) => {
    const [name = '', ...value] = line.split(':');
    return [name.trim(), value.join(':').trim()];
  });
  return { headers: Object.fromEntries(headers) as Readonly<Record<string, string>> }; // pairs of texts
}
