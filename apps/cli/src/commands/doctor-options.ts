/** Flags of `weir doctor` as commander hands them over. */
export interface DoctorFlags {
  /** Folder of a console on this machine; absent: not looked at. */
  dataDir?: string;
  /** Address and port that a console would listen on; without a port none is looked at. */
  host: string;
  port?: number;
  tlsCert?: string;
  tlsKey?: string;
  /** Folder of an agent on this machine. */
  stateDir?: string;
  /** Addresses of consoles of one group. */
  console?: string[];
  user?: string;
  passwordFile?: string;
  /** Quota stores. */
  store: string[];
  /** A console's database, postgres://… */
  storageUrl?: string;
  s3?: string;
  s3Region: string;
  s3Bucket?: string;
  virtualHosts: boolean;
  json: boolean;
}
