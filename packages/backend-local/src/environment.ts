/** What a program needs to find itself on this machine. Everything else stays out unless somebody names it. */
const inherited = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TMPDIR', 'USER'];

export function baseEnvironment(hostEnv: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of inherited) {
    const value = hostEnv[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}
