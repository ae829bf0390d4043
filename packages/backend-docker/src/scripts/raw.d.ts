/** The build and the test runner both load these files as text. */
declare module '*.sh?raw' {
  const text: string;
  export default text;
}
