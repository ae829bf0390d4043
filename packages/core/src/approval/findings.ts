import { inPlace } from './reach.js';
import { compareVerdicts, type Finding, type JudgeContext, type Reach, type Span, strictest, type Verdict } from './verdict.js';

/** What is found, before the place has its say. */
export interface Report {
  readonly rule: string;
  readonly reason: string;
  readonly reach: Reach;
  /** `ask` when left out. */
  readonly verdict?: Verdict | undefined;
  readonly alternative?: string | undefined;
  readonly paths?: readonly string[] | undefined;
  readonly durable?: boolean | undefined;
}

export interface Location {
  readonly span: Span;
  readonly argv: readonly string[];
  readonly via: readonly string[];
}

/** A prompt shows a few findings; more than this only costs memory. Stricter ones are never dropped for milder ones. */
const most = 100;

export class Findings {
  readonly #found = new Map<string, Finding>();
  #dropped: Verdict = 'allow';

  constructor(private readonly context: JudgeContext) {}

  add(report: Report, location: Location): void {
    const judged = report.verdict ?? 'ask';
    const severity = inPlace(judged, report.reach, report.paths, this.context);
    const key = `${report.rule}\0${location.span.start}\0${location.span.end}\0${report.paths?.join('\0') ?? ''}`;
    const known = this.#found.get(key);
    if (known && compareVerdicts(known.severity, severity) >= 0) return;
    if (!known && this.#found.size >= most && severity !== 'deny') {
      this.#dropped = strictest(this.#dropped, severity);
      return;
    }
    this.#found.set(key, {
      rule: report.rule,
      severity,
      judged,
      span: location.span,
      argv: location.argv,
      via: location.via,
      reason: report.reason,
      reach: report.reach,
      durable: report.durable ?? true,
      ...(report.alternative === undefined ? {} : { alternative: report.alternative }),
      ...(report.paths?.length ? { paths: report.paths } : {}),
    });
  }

  get all(): Finding[] {
    return [...this.#found.values()].sort((left, right) => compareVerdicts(right.severity, left.severity));
  }

  get verdict(): Verdict {
    let verdict = this.#dropped;
    for (const finding of this.#found.values()) verdict = strictest(verdict, finding.severity);
    return verdict;
  }
}
