// Lets Node import a file as text by `?raw`, as the bundler and the test runner do.
import { register } from 'node:module';

register('./raw-text-hooks.mjs', import.meta.url);
