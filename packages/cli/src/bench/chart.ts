export interface Bar {
  readonly name: string;
  readonly value: number;
}

const blocks = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** One line a bar, the longest as wide as the terminal allows. */
export function barsText(bars: readonly Bar[], unit: string, columns: number): string {
  const nameWidth = Math.max(...bars.map(({ name }) => name.length));
  const labels = bars.map(({ value }) => `${value.toFixed(2)} ${unit}`);
  const room = Math.max(8, columns - nameWidth - Math.max(...labels.map((label) => label.length)) - 6);
  const most = Math.max(...bars.map(({ value }) => value));
  return bars
    .map(({ name, value }, index) => {
      const eighths = Math.max(1, Math.round((value / most) * room * 8));
      return `  ${name.padEnd(nameWidth)}  ${'█'.repeat(Math.floor(eighths / 8))}${blocks[eighths % 8] ?? ''} ${labels[index] ?? ''}\n`;
    })
    .join('');
}

/** The same as a picture that stands by itself on light and dark pages. */
export function barsSvg(title: string, bars: readonly Bar[], unit: string): string {
  const most = Math.max(...bars.map(({ value }) => value));
  const rows = bars.map(({ name, value }, index) => {
    const y = 48 + index * 28;
    const width = Math.max(2, (value / most) * 340);
    return (
      `  <text x="128" y="${y + 14}" text-anchor="end">${escaped(name)}</text>\n` +
      `  <rect x="136" y="${y}" width="${width.toFixed(1)}" height="20" rx="3" fill="#2f7d6d"/>\n` +
      `  <text x="${(144 + width).toFixed(1)}" y="${y + 14}">${value.toFixed(2)} ${escaped(unit)}</text>\n`
    );
  });
  const height = 60 + bars.length * 28;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="${height}" font-family="system-ui, sans-serif" font-size="13" fill="#24292f">\n` +
    `  <rect width="600" height="${height}" rx="8" fill="#ffffff"/>\n  <text x="16" y="28" font-weight="600">${escaped(title)}</text>\n` +
    `${rows.join('')}</svg>\n`
  );
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
