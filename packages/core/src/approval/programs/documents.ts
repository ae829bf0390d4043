import type { Program } from '../program.js';
import { runs } from './build-common.js';

export const documents: readonly Program[] = [
  {
    names: [
      'pandoc',
      'magick',
      'convert',
      'identify',
      'mogrify',
      'gs',
      'ghostscript',
      'ffmpeg',
      'pdflatex',
      'xelatex',
      'lualatex',
      'latex',
      'tex',
      'latexmk',
      'm4',
      'dc',
      'wkhtmltopdf',
      'inkscape',
      'exiftool',
      'yt-dlp',
      'youtube-dl',
      'scrot',
      'mpv',
      'vlc',
    ],
    options: {
      values:
        '-o -F -L -i -f -t -D -U -sOutputFile --output --filter --lua-filter --pdf-engine --extract-media --exec --postprocessor-args -shell-escape',
      style: 'words',
    },
    rules: [
      runs({
        option: '-F -L --filter --lua-filter --pdf-engine',
        test: (call) =>
          call.name === 'pandoc' &&
          !/^(?:pandoc-citeproc|pandoc-crossref|pdflatex|xelatex|lualatex|tectonic|weasyprint|wkhtmltopdf|typst)$/.test(
            call.value('-F -L --filter --lua-filter --pdf-engine')?.text ?? '',
          ),
      }),
      runs({ option: '-shell-escape --shell-escape -enable-write18 --enable-write18 -dNOSAFER', test: () => true }),
      runs({ option: '--exec --exec-before-download', test: (call) => /^yt-dlp|youtube-dl$/.test(call.name) }),
      runs({
        test: (call) =>
          /^(?:magick|convert|identify|mogrify)$/.test(call.name) &&
          call.operands.some((operand) => /^(?:msl|ephemeral|mvg|label:@|caption:@|text:|@|https?):?|^\|/.test(operand.text)),
      }),
      runs({ test: (call) => call.name === 'm4' && (call.stdin?.text ?? '').includes('syscmd') }),
      runs({ test: (call) => call.name === 'dc' && /!/.test(call.args.map((arg) => arg.text).join(' ') + (call.stdin?.text ?? '')) }),
    ],
    check: (call) => {
      for (const file of call.values('-o --output -sOutputFile --extract-media'))
        if (/^\|/.test(file.raw) || /^%pipe%/.test(file.raw)) call.shell(file.raw.replace(/^(?:\||%pipe%)/, ''));
        else call.writes(file);
      if (call.name === 'ffmpeg') {
        const target = call.operands[call.operands.length - 1];
        if (target) call.writes(target);
      }
    },
    match: [
      'pandoc -F ./x a.md',
      'pdflatex -shell-escape a.tex',
      'gs -dNOSAFER a.ps',
      'magick msl:x y',
      'pandoc a.md -o ~/.bashrc',
      "yt-dlp --exec 'rm -rf ~/x' http://h.example",
      "echo 'syscmd(id)' | m4",
      'ffmpeg -i a.mp4 -y ~/.profile',
    ],
    not_match: [
      'pandoc a.md -o a.html',
      'pdflatex a.tex',
      'convert a.png b.jpg',
      'ffmpeg -i a.mp4 b.gif',
      'identify a.png',
      'latexmk -pdf a.tex',
    ],
  },
];
