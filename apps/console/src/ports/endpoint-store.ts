/** An endpoint as it is kept: its secret only encrypted. */
export interface StoredEndpoint {
  endpointId: string;
  name: string;
  url: string;
  region: string;
  pathStyle: boolean;
  accessKeyId: string;
  /** The secret access key, sealed by the secret box and bound to this row. */
  sealedSecret: string;
  createdAtMs: number;
}

/** S3 endpoints. */
export interface EndpointStore {
  /** By name. */
  all(): Promise<StoredEndpoint[]>;
  get(endpointId: string): Promise<StoredEndpoint | undefined>;
  findByName(name: string): Promise<StoredEndpoint | undefined>;
  insert(endpoint: StoredEndpoint): Promise<void>;
  delete(endpointId: string): Promise<void>;
}
