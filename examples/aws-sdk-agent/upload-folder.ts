import { open, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
  type CompletedPart,
  type S3Client,
} from '@aws-sdk/client-s3';

/** Larger files are sent in parts of this size. */
const PART_BYTES = 8 * 1_024 * 1_024;

/** A program as it was before there was a governor: nothing in here knows of one. Returns how many files it uploaded. */
export async function uploadFolder(
  s3: S3Client,
  { folder, bucket, concurrency }: { folder: string; bucket: string; concurrency: number },
  abortSignal: AbortSignal,
): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const left = files.values();
  const worker = async (): Promise<void> => {
    for (const file of left) {
      const key = relative(folder, file).split(sep).join('/');
      await uploadFile(s3, { Bucket: bucket, Key: key }, file, abortSignal);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return files.length;
}

interface ObjectName {
  Bucket: string;
  Key: string;
}

async function uploadFile(s3: S3Client, object: ObjectName, file: string, abortSignal: AbortSignal): Promise<void> {
  await using handle = await open(file);
  const { size } = await handle.stat();
  if (size > PART_BYTES) {
    const readPart = async (index: number): Promise<Buffer> => {
      const part = Buffer.alloc(Math.min(PART_BYTES, size - index * PART_BYTES));
      await handle.read(part, 0, part.length, index * PART_BYTES);
      return part;
    };
    await uploadParts(s3, object, { count: Math.ceil(size / PART_BYTES), read: readPart }, abortSignal);
  } else await s3.send(new PutObjectCommand({ ...object, Body: await handle.readFile() }), { abortSignal });
}

async function uploadParts(
  s3: S3Client,
  object: ObjectName,
  parts: { count: number; read: (index: number) => Promise<Buffer> },
  abortSignal: AbortSignal,
): Promise<void> {
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand(object), { abortSignal });
  const upload = { ...object, UploadId };
  try {
    const send = async (index: number): Promise<CompletedPart> => {
      const part = { PartNumber: index + 1, Body: await parts.read(index) };
      const { ETag } = await s3.send(new UploadPartCommand({ ...upload, ...part }), { abortSignal });
      return { PartNumber: part.PartNumber, ETag };
    };
    const Parts = await Promise.all(Array.from({ length: parts.count }, (_, index) => send(index)));
    await s3.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }), { abortSignal });
  } catch (error) {
    // What is left of an upload costs storage until somebody ends it.
    await s3.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
    throw error;
  }
}
