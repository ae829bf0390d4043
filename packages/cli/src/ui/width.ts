/** Columns of the terminal; undefined where there is none, or one that does not know its size and says 0. */
export function widthOf(stream: { readonly columns?: number | undefined }): number | undefined {
  return stream.columns === undefined || stream.columns < 1 ? undefined : stream.columns;
}
