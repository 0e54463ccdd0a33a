import { useState } from 'react';
import type { CreateDestinationDto, DestinationDto } from '@ledgerline/client';
import { Checkbox, ChoiceInput, FieldGroup } from '../../components/choices';
import { Input } from '../../components/field';
import { numberFromInput, type Texts } from '../../components/form';
import { useMailWay } from '../../components/mails';
import { FormSection, type FormSectionProps } from '../../components/page-parts';
import { HeadersField, headersIn } from '../../components/sent-headers';
import { type About, AboutFields } from './about-fields';
import { DESTINATION_FORMAT_LABELS, isMailableType, isSigned, type MessageType } from './destination-words';
import { MessageTypes } from './message-types';

/** What the form says of one, new or not. */
interface DestinationSettings extends Pick<
  CreateDestinationDto,
  'name' | 'headers' | 'sends' | 'openToMembers' | keyof About
> {
  /** Absent = it stays. */
  readonly url?: string;
  readonly address?: string;
}

interface DestinationFormProps extends Pick<FormSectionProps, 'change' | 'submit' | 'cancel'> {
  readonly organizationId: string;
  /** Absent for a new one. */
  readonly destination?: DestinationDto;
  /** What a new one is filled in with. */
  readonly preset?: {
    readonly name: string;
    readonly sends: readonly MessageType[];
    readonly monitorIds: readonly string[];
  };
  readonly onSubmit: (
    settings: DestinationSettings,
    format: DestinationDto['format'],
    /** What cannot be changed later. */
    fixed: Pick<CreateDestinationDto, 'kind' | 'format' | 'begin'>,
  ) => void;
}

export function DestinationForm({ organizationId, destination, preset, onSubmit, ...section }: DestinationFormProps) {
  const [format, setFormat] = useState(destination?.format ?? 'json');
  const [sends, setSends] = useState<readonly MessageType[]>(destination?.sends ?? preset?.sends ?? []);
  const [about, setAbout] = useState<About>({
    monitorIds: destination?.monitorIds ?? preset?.monitorIds ?? [],
    linkIds: destination?.linkIds ?? [],
    goalIds: destination?.goalIds ?? [],
    websiteIds: destination?.websiteIds ?? [],
  });
  const isStream = format === 'jsonl';
  const isMail = format === 'text';
  const has = isMail ? isMailableType : () => true;
  const field = isMail ? 'address' : 'url';
  const submit = (texts: Texts) => {
    const { name = '', [field]: address, openToMembers, begin } = texts;
    onSubmit(
      {
        name,
        ...(address && { [field]: address }),
        ...headersIn(texts),
        ...(!isStream && {
          sends: sends.filter(has),
          monitorIds: someOrAll(about.monitorIds),
          linkIds: someOrAll(about.linkIds),
          goalIds: someOrAll(about.goalIds),
          websiteIds: someOrAll(about.websiteIds),
          openToMembers: openToMembers !== undefined,
        }),
      },
      format,
      fixedOf(format, begin),
    );
  };
  return (
    <FormSection title="Settings" variant="primary" onSubmit={submit} {...section}>
      {!destination && <FormatChoice format={format} onChange={setFormat} />}
      <Input label="Name" name="name" required defaultValue={destination?.name ?? preset?.name} />
      <Input
        label="Address"
        name={field}
        type={isMail ? 'email' : 'url'}
        required={!destination}
        placeholder={DESTINATION_FORMAT_LABELS[format].address}
        hint={`${DESTINATION_FORMAT_LABELS[format].hint} Encrypted.${destination ? ` Empty keeps ${destination.url}${isMail ? '' : '/…'}` : ''}`}
      />
      {isSigned(format) && <HeadersField kept={destination?.headerNames} />}
      {!isStream && <MessageTypes has={has} chosen={sends} onChange={setSends} />}
      {!isStream && <AboutFields organizationId={organizationId} sends={sends} about={about} onChange={setAbout} />}
      {!isStream && (
        <Checkbox
          label="Open to members"
          name="openToMembers"
          hint="Members may have alerts sent to it."
          defaultChecked={destination?.openToMembers}
        />
      )}
      {isStream && !destination && (
        <Input label="Begin" name="begin" inputMode="numeric" hint="The position of the first entry; empty for now" />
      )}
    </FormSection>
  );
}

function fixedOf(format: DestinationDto['format'], begin: string | undefined) {
  if (format === 'jsonl') return { kind: 'audit', begin: numberFromInput(begin) } as const;
  return format === 'text' ? ({ kind: 'mail' } as const) : ({ kind: 'webhook', format } as const);
}

/** None chosen means all of them. */
function someOrAll(ids: readonly string[]): string[] | null {
  const given = ids.filter(Boolean);
  return given.length > 0 ? given : null;
}

interface FormatChoiceProps {
  readonly format: DestinationDto['format'];
  readonly onChange: (format: DestinationDto['format']) => void;
}

const FormatChoice = ({ format, onChange }: FormatChoiceProps) => {
  const hasServer = useMailWay() === 'smtp';
  const formats = (Object.keys(DESTINATION_FORMAT_LABELS) as DestinationDto['format'][]).filter(
    (each) => hasServer || each !== 'text',
  );
  return (
    <FieldGroup legend="Kind" field="format">
      {formats.map((each) => (
        <ChoiceInput
          key={each}
          type="radio"
          name="format"
          label={DESTINATION_FORMAT_LABELS[each].name}
          hint={DESTINATION_FORMAT_LABELS[each].means}
          checked={each === format}
          onChange={() => onChange(each)}
        />
      ))}
    </FieldGroup>
  );
};
