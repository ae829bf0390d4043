import { importImage, need } from '@petasos/testbed';
import { placeOn } from './engine-place.js';

export const testbed = await need('docker');

export const { engine, subjectWith } = await placeOn(testbed);

/** An image with settings that a sandbox must cope with, made from the file system of another. */
export async function imageWith(reference: string, tar: string, changes: readonly string[]): Promise<string> {
  if ((await engine.image(reference)) === undefined) await importImage(testbed.socket, tar, reference, changes);
  return reference;
}
