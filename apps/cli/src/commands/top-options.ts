/** Flags of `weir top` as commander hands them over. */
export interface TopFlags {
  console: string;
  user: string;
  passwordFile?: string;
  once: boolean;
  json: boolean;
}
