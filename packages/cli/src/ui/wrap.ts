/** Breaks at blanks; a word that is longer than a line is broken, never cut. In less than eight columns nothing can be read: it takes those. */
export function wrap(text: string, wanted: number): string[] {
  const columns = Math.max(wanted, 8);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    let rest = word;
    if (line !== '' && line.length + 1 + rest.length > columns) {
      lines.push(line);
      line = '';
    }
    while (line === '' && rest.length > columns) {
      lines.push(rest.slice(0, columns));
      rest = rest.slice(columns);
    }
    line = line === '' ? rest : `${line} ${rest}`;
  }
  return line === '' ? lines : [...lines, line];
}
