interface CsvFile {
  /** The name of the file: the report and the range. */
  readonly name: string;
  readonly text: string;
  /** Why it does not hold all rows; empty if it does. */
  readonly lacks: string;
}

/** Without it spreadsheets read a file as in the encoding of their system. */
const BYTE_ORDER_MARK = '\ufeff';

/** An answer of the api in CSV, as people save it. It imports nothing, so that it is no part of the first load. */
export function csvFile(text: string, headers: Headers): CsvFile {
  const [, name = 'figures.csv'] = /UTF-8''(\S+)/.exec(headers.get('content-disposition') ?? '') ?? [];
  const isWhole = headers.get('x-truncated') === null;
  return {
    name: decodeURIComponent(name),
    text: BYTE_ORDER_MARK + text,
    lacks: isWhole ? '' : (text.trimEnd().split('\r\n').at(-1) ?? '').replace('# ', ''),
  };
}
