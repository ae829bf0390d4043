/** Code of the error line that stands for a stream which was cut. */
export const streamLost = 'petasos_stream_lost';

/** A stream on which nothing comes for so long is taken for lost. */
const silenceMs = 120_000;

/**
 * The same lines, each whole: the SDK decodes what arrives piece by piece, and a character that is cut in two would be damaged. A stream
 * that breaks ends in an error line of its own, which the SDK tells as an error; without one it would write to the console.
 */
export function wholeLines(source: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let rest: Uint8Array[] = [];
  let timer: NodeJS.Timeout | undefined;
  const lost = (controller: ReadableStreamDefaultController<Uint8Array>, message: string) => {
    const line = JSON.stringify({ stream: 'error', data: { code: streamLost, message } });
    controller.enqueue(Buffer.from(`${line}\n`));
    controller.close();
  };
  const next = () =>
    Promise.race([
      reader.read(),
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(`silent for ${silenceMs / 1000} s`)), silenceMs);
      }),
    ]).finally(() => clearTimeout(timer));
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        let chunk: Awaited<ReturnType<typeof next>>;
        try {
          chunk = await next();
        } catch (error) {
          reader.cancel().catch(() => {});
          return lost(controller, error instanceof Error ? error.message : String(error));
        }
        if (chunk.done) return rest.length > 0 ? lost(controller, 'the stream ended within a line') : controller.close();
        const end = chunk.value.lastIndexOf(10);
        if (end === -1) {
          rest.push(chunk.value);
          continue;
        }
        controller.enqueue(Buffer.concat([...rest, chunk.value.subarray(0, end + 1)]));
        rest = end + 1 < chunk.value.length ? [chunk.value.subarray(end + 1)] : [];
        return;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
