import { existsSync } from 'node:fs';
import { parseUrl } from '@ledgerline/contracts/parse-url';

/** Reads typed values from environment variables and collects one sentence for each problem. */
export class Environment {
  readonly problems: string[] = [];

  constructor(private readonly variables: Readonly<NodeJS.ProcessEnv>) {}

  /** An empty variable counts as absent, so that a compose file may pass unset variables. */
  optional(name: string): string | undefined {
    const value = this.variables[name]?.trim();
    return value === '' ? undefined : value;
  }

  required(name: string, what: string): string {
    return this.optional(name) ?? this.wrong(`${name} is missing; it must be ${what}.`, '');
  }

  /** A secret of at least 32 characters; its value never appears in a sentence. */
  secret(name: string): string {
    const value = this.required(name, 'a random string of at least 32 characters');
    if (value !== '' && value.length < 32) this.wrong(`${name} is too short; it must have at least 32 characters.`);
    return value;
  }

  integer<Absent extends number | undefined>(
    name: string,
    fallback: Absent,
    { min, max }: { min: number; max: number },
  ): number | Absent {
    const value = this.optional(name);
    if (value === undefined) return fallback;
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= min && number <= max) return number;
    return this.wrong(`${name} is "${value}"; it must be a whole number from ${min} to ${max}.`, fallback);
  }

  flag(name: string): boolean {
    return this.oneOf(name, ['0', '1', 'false', 'true'], '0') in { '1': 1, true: 1 };
  }

  oneOf<Choice extends string>(name: string, choices: readonly Choice[], fallback: Choice): Choice {
    const value = this.optional(name);
    if (value === undefined) return fallback;
    const choice = choices.find((each) => each === value);
    return choice ?? this.wrong(`${name} is "${value}"; it must be one of ${choices.join(', ')}.`, fallback);
  }

  /** An http(s) address without query, returned without its trailing slash. */
  httpUrl(name: string, fallback: string): string {
    const value = this.optional(name);
    if (value === undefined) return fallback;
    const url = parseUrl(value);
    if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username) {
      return url.href.replace(/\/+$/, '');
    }
    return this.wrong(`${name} is "${value}"; it must be an address such as https://stats.example.com.`, fallback);
  }

  /** An address that may hold a password: its value never appears in a sentence. */
  connection(name: string, value: string, pattern: RegExp, example: string): string {
    if (value !== '' && !(pattern.test(value) && parseUrl(value) !== null)) {
      this.wrong(`${name} is not a connection string such as ${example}.`);
    }
    return value;
  }

  existingFile(name: string): string | undefined {
    const value = this.optional(name);
    if (value !== undefined && !existsSync(value))
      this.wrong(`${name} names the file "${value}", which does not exist.`);
    return value;
  }

  /** Records the problem and returns a placeholder, so that further problems are found too. */
  wrong(sentence: string): void;
  wrong<T>(sentence: string, standIn: T): T;
  wrong<T>(sentence: string, standIn?: T): T | void {
    this.problems.push(sentence);
    return standIn;
  }
}
