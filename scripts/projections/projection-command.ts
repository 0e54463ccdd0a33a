/** One command of `npm run projections`, in a file of its own. */
export interface ProjectionCommand {
  readonly name: string;
  /** The words behind it, as the usage shows them; absent = it takes none. */
  readonly takes?: string;
  readonly meaning: string;
  /** By name; others are refused. */
  readonly options?: Readonly<Record<string, ProjectionOption>>;
  /** @throws StartFailure, whose message is all that is printed */
  run(call: ProjectionCall): Promise<void>;
}

interface ProjectionOption {
  readonly type: 'boolean' | 'string';
  readonly meaning: string;
}

/** What was typed behind the command, and the environment. */
export interface ProjectionCall {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  readonly variables: NodeJS.ProcessEnv;
}
