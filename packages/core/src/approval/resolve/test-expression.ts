import type { TestExpression } from '../parse.js';
import type { Expansion } from './expansion.js';
import { resolveText } from './word.js';

/** Walks the words of `[[ … ]]`. Numeric comparisons and `-v` evaluate a text again as arithmetic. */
export function resolveTest(expression: TestExpression, expansion: Expansion): void {
  switch (expression.type) {
    case 'TestUnary': {
      const texts = resolveText(expression.operand, expansion);
      if (expression.operator === '-v' || expression.operator === '-R') for (const text of texts) expansion.evaluatedAgain(text);
      return;
    }
    case 'TestBinary': {
      const texts = [...resolveText(expression.left, expansion), ...resolveText(expression.right, expansion)];
      if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(expression.operator)) for (const text of texts) evaluateNumber(text, expansion);
      return;
    }
    case 'TestLogical':
      for (const operand of expression.operands) resolveTest(operand, expansion);
      return;
    case 'TestNot':
      resolveTest(expression.operand, expansion);
      return;
    case 'TestGroup':
      resolveTest(expression.expression, expansion);
      return;
    default: {
      const unknown: never = expression;
      throw new TypeError(`unknown test ${JSON.stringify(unknown)}`);
    }
  }
}

function evaluateNumber(text: string, expansion: Expansion): void {
  expansion.evaluatedAgain(text);
  const value = /^[A-Za-z_]\w*$/.test(text) ? expansion.scope.get(text) : undefined;
  if (value?.kind === 'scalar') for (const alternative of value.alternatives) expansion.evaluatedAgain(alternative);
}
