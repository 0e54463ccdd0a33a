const WITHIN_MS = 120_000;
const FEWEST_HOSTS = 5;

/**
 * Knows whether failures may be those of the network that this process is in: checks of more than half of at least five
 * hosts have failed within two minutes.
 */
export class OwnNetwork {
  private readonly last = new Map<string, { readonly at: number; readonly up: boolean }>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Takes the result of a check; true for a failure that what was seen before puts in doubt. */
  isInDoubt(host: string, up: boolean): boolean {
    const now = this.now();
    for (const [each, { at }] of this.last) if (now - at > WITHIN_MS) this.last.delete(each);
    const failed = [...this.last.values()].filter((each) => !each.up).length;
    const isDoubtful = !up && this.last.size >= FEWEST_HOSTS && failed > this.last.size / 2;
    this.last.set(host, { at: now, up });
    return isDoubtful;
  }
}
