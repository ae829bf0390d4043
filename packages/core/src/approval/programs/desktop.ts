import type { Program } from '../program.js';

export const desktop: readonly Program[] = [
  {
    names: [
      'xdg-open',
      'open',
      'start',
      'gnome-open',
      'kde-open',
      'sensible-browser',
      'wslview',
      'explorer.exe',
      'explorer',
      'rundll32',
      'regsvr32',
      'mshta',
      'schtasks',
      'reg',
      'sc',
      'wmic',
      'certutil',
      'bitsadmin',
      'vssadmin',
      'bcdedit',
      'diskpart',
      'format',
      'takeown',
      'icacls',
      'taskkill',
      'cipher',
      'fsutil',
      'wevtutil',
      'wbadmin',
      'dism',
      'sfc',
      'wsl',
    ],
    options: { style: 'none' },
    check: (call) => {
      const words = call.args.map((arg) => arg.text).join(' ');
      if (/^(?:xdg-open|open|start|gnome-open|kde-open|sensible-browser|wslview|explorer)/.test(call.name)) {
        if (
          (/^[a-z][\w+.-]*:/i.test(words) && !/^https?:\/\/(?:localhost|127\.)/.test(words)) ||
          /-a\s|\.(?:app|command|sh|desktop|pkg|dmg|exe|jar|scpt)\b/.test(words)
        )
          call.report('exec.open', 'anything', 'It opens an address or a program, and which program that is depends on the desktop.');
      } else if (call.name === 'wsl') {
        if (/--(?:unregister|terminate|shutdown|uninstall)/.test(words))
          call.report('sys.wsl', 'host', 'It stops or deletes a whole system.');
        else {
          const at = call.args.findIndex((arg) => /^(?:-e|--exec|--)$/.test(arg.raw));
          if (at >= 0) call.runFrom(at + 1);
          else if (call.args.length && !call.args[0]?.raw.startsWith('-')) call.runFrom(0);
        }
      } else if (!/^(?:query|\/query|\/\?|qc|list|-\?|\/list|get\b.*|verify|-hashfile.*)$/i.test(call.args[0]?.text ?? ''))
        call.report('sys.windows', 'host', `${call.name} changes the machine or runs other code.`);
    },
    match: [
      'xdg-open http://h.example',
      'open -a Terminal x',
      'reg delete HKCU\\\\X /f',
      'vssadmin delete shadows /all',
      'schtasks /create /tn x /tr y',
      'certutil -urlcache -f http://h.example/x x',
      'format c:',
      'wsl --unregister Debian',
    ],
    not_match: ['open README.md', 'xdg-open docs/a.pdf', 'reg query HKCU', 'sc query x'],
  },
];
