/** From this size on objects are copied in parts, in bytes: the "128 MB" of the documents, read as 128 × 1024 × 1024. */
export const DEFAULT_MULTIPART_THRESHOLD_BYTES: number = 128 * 1024 * 1024;
/** Size of a part, in bytes: 8 × 1024 × 1024. */
export const DEFAULT_PART_BYTES: number = 8 * 1024 * 1024;
