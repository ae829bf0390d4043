import vercel from '@petasos/backend-vercel';
import { defineSubject } from '@petasos/core/conformance';

/** What another client of a test opens: the account that the test has told it. */
export const subject = defineSubject({
  backend: vercel,
  hostEnv: JSON.parse(process.env.PETASOS_VERCEL_TEST ?? '{}') as Record<string, string>,
});
