interface Limits {
  readonly $tb?: number;
  readonly $maxCount?: number;
}

const METADATA_STREAM = '$$';

/**
 * Knows what the metadata of streams hides, as it was appended to `$$<stream>`: the events stay in `$all`, and the
 * stream is not empty, so that an append which expects no stream is refused.
 */
export class StreamLimits {
  private readonly limits = new Map<string, Limits>();

  see(stream: string, { data }: { readonly data: Uint8Array }): void {
    if (!stream.startsWith(METADATA_STREAM)) return;
    this.limits.set(stream.slice(METADATA_STREAM.length), JSON.parse(Buffer.from(data).toString()) as Limits);
  }

  shown<Event extends { readonly revision: number }>(stream: string, events: readonly Event[]): Event[] {
    const { $tb = 0, $maxCount = events.length } = this.limits.get(stream) ?? {};
    return events.filter(({ revision }, at) => revision >= $tb && at >= events.length - $maxCount);
  }

  copy(other: StreamLimits): void {
    for (const [stream, limits] of other.limits) this.limits.set(stream, limits);
  }
}
