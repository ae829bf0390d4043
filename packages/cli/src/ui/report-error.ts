import { isPetasosError, type PetasosErrorCode } from '@petasos/core/backend';
import type { Context } from '../session/context.js';
import { CliError } from './errors.js';
import { exitStatus } from './exit-status.js';
import { oneLine } from './text.js';

/** An error in the parts that a person or a program reads. */
export interface ErrorReport {
  readonly code: string;
  readonly message: string;
  readonly backend?: string;
  readonly remedy?: string;
  readonly retryable?: boolean;
  readonly status: number;
}

const statusOfCode: Partial<Record<PetasosErrorCode, number>> = {
  'invalid-request': exitStatus.usage,
  'invalid-options': exitStatus.usage,
  'not-approved': exitStatus.notApproved,
  aborted: exitStatus.interrupted,
  'job-not-found': exitStatus.failed,
  'job-input-closed': exitStatus.failed,
  'sandbox-not-found': exitStatus.failed,
};

export function describeError(error: unknown): ErrorReport {
  if (error instanceof CliError) {
    return {
      code: error.code,
      message: oneLine(error.message),
      status: error.status,
      ...(error.remedy === undefined ? {} : { remedy: error.remedy }),
    };
  }
  if (isPetasosError(error)) {
    return {
      code: error.code,
      message: oneLine(error.message),
      ...(error.backend === undefined ? {} : { backend: error.backend }),
      ...(error.remedy === undefined ? {} : { remedy: oneLine(error.remedy) }),
      retryable: error.retryable,
      status: statusOfCode[error.code] ?? exitStatus.placeFailed,
    };
  }
  return {
    code: 'internal',
    message: oneLine(error instanceof Error ? error.message : String(error)),
    remedy: 'Run it again with --verbose, and report it if it is not a mistake of yours.',
    status: exitStatus.placeFailed,
  };
}

/** `petasos: what failed, in which place. What to do.` */
export function errorLine(report: ErrorReport): string {
  const message = (report.backend === undefined ? report.message : inPlace(report.backend, report.message)).replace(/\.$/, '');
  const remedy = report.remedy === undefined ? '' : `${/[?!]$/.test(message) ? '' : '.'} ${report.remedy}`;
  return `petasos: ${message}${remedy}`;
}

/** The message with the name of its place in front, where it does not begin with that. */
export function inPlace(backend: string, message: string): string {
  return message.startsWith(backend) && /^[:\s]/.test(message.slice(backend.length)) ? message : `${backend}: ${message}`;
}

/** One line for each error below the first, outermost first. */
function causes(error: unknown): string[] {
  const lines: string[] = [];
  const seen = new Set<unknown>([error]);
  let current = error instanceof Error ? error.cause : undefined;
  while (current !== undefined && current !== null && !seen.has(current)) {
    seen.add(current);
    const code = typeof current === 'object' && 'code' in current ? ` [${String(current.code)}]` : '';
    lines.push(`${oneLine(current instanceof Error ? `${current.name}: ${current.message}` : String(current))}${code}`);
    current = current instanceof Error ? current.cause : undefined;
  }
  return lines;
}

/**
 * Tells a person on stderr or, with `--json`, a program on stdout.
 * @returns the exit status
 */
export function reportError(context: Context, error: unknown): number {
  const report = describeError(error);
  if (context.json) {
    const { status, ...shown } = report;
    const chain = context.verbose ? { causes: causes(error) } : {};
    context.stdout.write(`${JSON.stringify({ error: { ...shown, ...chain }, exitStatus: status }, null, 2)}\n`);
    return status;
  }
  context.stderr.write(`${context.style(context.stderr).red(errorLine(report))}\n`);
  if (context.verbose) for (const line of causes(error)) context.stderr.write(`  caused by ${line}\n`);
  return report.status;
}
