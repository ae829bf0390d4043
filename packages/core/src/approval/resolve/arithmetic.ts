import { hasUnknown } from '../marks.js';
import type { ArithmeticExpression } from '../parse.js';
import type { Expansion } from './expansion.js';

/** The value of an expression where everything in it is a known integer. Walks what it contains in any case. */
export function evaluate(expression: ArithmeticExpression, expansion: Expansion): number | undefined {
  switch (expression.type) {
    case 'ArithmeticBinary': {
      // A long sum leans to the left: its spine is walked in a loop, so that length is no depth.
      const spine = [expression];
      let first: ArithmeticExpression = expression.left;
      for (; first.type === 'ArithmeticBinary'; first = first.left) spine.push(first);
      let value = evaluate(first, expansion);
      for (const node of spine.reverse()) {
        const right = evaluate(node.right, expansion);
        value = value === undefined || right === undefined ? undefined : binary(node.operator, value, right);
      }
      return value;
    }
    case 'ArithmeticUnary': {
      const operand = evaluate(expression.operand, expansion);
      if (operand === undefined) return undefined;
      return expression.operator === '-' ? -operand : expression.operator === '+' ? operand : undefined;
    }
    case 'ArithmeticTernary': {
      const test = evaluate(expression.test, expansion);
      const consequent = evaluate(expression.consequent, expansion);
      const alternate = evaluate(expression.alternate, expansion);
      return test === undefined ? undefined : test !== 0 ? consequent : alternate;
    }
    case 'ArithmeticGroup':
      return evaluate(expression.expression, expansion);
    case 'ArithmeticCommandExpansion':
      return integer(expansion.substitute(expression.script));
    case 'ArithmeticWord': {
      if (!expression.parts) return named(expression.value, expansion);
      const texts = expression.parts.map(
        (part) =>
          expansion
            .pieces(part)[0]
            ?.map((piece) => piece.text)
            .join('') ?? '',
      );
      const text = texts.join('');
      expansion.evaluatedAgain(text);
      return integer(text);
    }
    default: {
      const unknown: never = expression;
      return unknown;
    }
  }
}

function named(text: string, expansion: Expansion): number | undefined {
  const number = integer(text);
  if (number !== undefined) return number;
  const name = /^[A-Za-z_]\w*/.exec(text)?.[0];
  if (text !== name) expansion.evaluatedAgain(text);
  if (!name) return undefined;
  const value = expansion.scope.get(name);
  if (value?.kind !== 'scalar') return undefined;
  for (const alternative of value.alternatives) expansion.evaluatedAgain(alternative);
  return value.alternatives.length === 1 ? integer(value.alternatives[0] as string) : undefined;
}

function integer(text: string): number | undefined {
  if (hasUnknown(text) || !/^\s*[+-]?\d{1,15}\s*$/.test(text)) return undefined;
  return Number(text);
}

function binary(operator: string, left: number, right: number): number | undefined {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return right === 0 ? undefined : Math.trunc(left / right);
    case '%':
      return right === 0 ? undefined : left % right;
    case ',':
      return right;
    default:
      return undefined;
  }
}
