import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivately } from '@ledgerline/platform/config/private-file';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import type { Plan } from '../../traffic/calendar';
import type { Registered } from './register';

/** The content of a kept installation. */
export interface Filled {
  readonly registered: Registered;
  /** The plan of the large website. */
  readonly plan: Plan;
  readonly events: { readonly small: number; readonly large: number };
}

/** The note of what an installation was filled with, in its folder; it has an API key, so only its owner may read it. */
export class KeptFill {
  readonly filled: Filled | undefined;
  private readonly file: string;

  /** @throws StartFailure for a folder with anything but a filled installation */
  constructor(folder: string) {
    this.file = join(folder, 'bench.json');
    if (existsSync(this.file)) this.filled = JSON.parse(readFileSync(this.file, 'utf8')) as Filled;
    else if (existsSync(folder) && readdirSync(folder).length > 0) {
      throw new StartFailure(`${folder} holds no installation that the bench has filled; remove it, or name another.`);
    }
  }

  note(filled: Filled): void {
    writePrivately(this.file, filled);
  }
}
