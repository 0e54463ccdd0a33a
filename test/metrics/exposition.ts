/** One line of the text format of Prometheus. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** @throws Error for a line that is none */
export const samplesIn = (text: string): readonly Sample[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (name === undefined || Number.isNaN(Number(value))) throw new Error(`This line is no sample: ${line}`);
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text]);
      return { name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) };
    });

/** The metrics that a text declares, by their names. */
export const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name!);
