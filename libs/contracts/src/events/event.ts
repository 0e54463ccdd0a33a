/** An event, named as a past sentence. Its `type` is stored as written here. */
export interface Event<Type extends string, Data extends object> {
  readonly type: Type;
  readonly data: Data;
}

/**
 * The values that the fields of an event held before it; their new values are the event's own fields. So an event is
 * complete without its history, and what it changed can be read from it alone.
 */
export interface BeforeValues<Fields extends object> {
  readonly before: Partial<Fields>;
}

/** The fields of a thing when it was deleted; events of earlier versions have its name alone. */
export type LastValues<Fields extends object> = Partial<Fields>;
