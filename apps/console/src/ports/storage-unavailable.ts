/** The database does not answer now. Nothing is lost but what was asked for; the next call may find it back. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}
