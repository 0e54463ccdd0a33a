import { FLAG_CODES, flagOf } from 'flags';
import { CircleQuestionMark, CornerDownRight, Monitor, Smartphone, Tablet, type IconNode } from 'lucide';
import { Icon } from '../components/button';
import { BROWSERS, SOURCES, SYSTEMS } from './logos';

interface MarkProps {
  /** The field of filters that the value is of; most have no marks. */
  readonly field: string;
  readonly value: string;
  /** The code of the country, where the row has it. */
  readonly countryCode?: unknown;
}

/** A small picture of a country, program, device or source, before its name. All are files of the console itself. */
export function ValueIcon({ field, value, countryCode }: MarkProps) {
  switch (field) {
    case 'country':
    case 'region':
    case 'city':
      return <Flag code={typeof countryCode === 'string' ? countryCode : codeOf(value)} />;
    case 'browser_name':
      return <Logo address={logoOf(BROWSERS, value)} name={value} />;
    case 'os_name':
      return <Logo address={logoOf(SYSTEMS, value)} name={value} />;
    case 'device_type':
      return <Icon of={DEVICES.get(value.toLowerCase()) ?? CircleQuestionMark} />;
    case 'referrer':
      return value === 'Direct' ? <Icon of={CornerDownRight} /> : <Logo address={SOURCES.get(value)} name={value} />;
    default:
      return null;
  }
}

const DEVICES: ReadonlyMap<string, IconNode> = new Map([
  ['desktop', Monitor],
  ['mobile', Smartphone],
  ['tablet', Tablet],
]);

const Flag = ({ code }: { readonly code: string }) =>
  FLAG_CODES.includes(code) ? (
    <img className="mark flag" src={flagOf(code)} width={18} height={12} alt="" />
  ) : (
    <span className="mark flag" />
  );

/** The mark of a name, or its first letter. */
const Logo = ({ address, name }: { readonly address: string | undefined; readonly name: string }) =>
  address === undefined ? (
    <span className="mark letter" data-letter={/[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase()} />
  ) : (
    <img className="mark logo" src={address} width={16} height={16} alt="" />
  );

/** Returns the logo of the name itself, or of the one that a longer name begins or ends with: `Mobile Safari`. */
function logoOf(logos: ReadonlyMap<string, string>, name: string): string | undefined {
  const words = name.split(' ');
  return logos.get(name) ?? [...logos].find(([each]) => words.includes(each))?.[1];
}

let codes: ReadonlyMap<string, string> | undefined;

/** Returns the code for the English name of a country, which the api answers with; empty for others. */
function codeOf(name: string): string {
  codes ??= codesByName();
  return codes.get(name) ?? '';
}

function codesByName(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'region' });
  return new Map(FLAG_CODES.map((code) => [names.of(code) ?? code, code]));
}
