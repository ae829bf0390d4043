/** The build and the test runner both load these files as text. */
declare module '*.txt?raw' {
  const text: string;
  export default text;
}
