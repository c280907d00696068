import type { Kysely, Selectable } from 'kysely';
import type { EndpointStore, StoredEndpoint } from '../../ports/endpoint-store.ts';
import type { Tables } from './schema.ts';

/** Endpoints in SQL. */
export function sqlEndpointStore(db: Kysely<Tables>): EndpointStore {
  return {
    async all() {
      const rows = await db.selectFrom('endpoints').selectAll().orderBy('name').execute();
      return rows.map(endpointOf);
    },
    async get(endpointId) {
      const row = await db.selectFrom('endpoints').selectAll().where('endpoint_id', '=', endpointId).executeTakeFirst();
      return row && endpointOf(row);
    },
    async findByName(name) {
      const row = await db.selectFrom('endpoints').selectAll().where('name', '=', name).executeTakeFirst();
      return row && endpointOf(row);
    },
    async insert(endpoint) {
      await db
        .insertInto('endpoints')
        .values({
          endpoint_id: endpoint.endpointId,
          name: endpoint.name,
          url: endpoint.url,
          region: endpoint.region,
          path_style: endpoint.pathStyle ? 1 : 0,
          access_key_id: endpoint.accessKeyId,
          sealed_secret: endpoint.sealedSecret,
          created_at_ms: endpoint.createdAtMs,
        })
        .execute();
    },
    async delete(endpointId) {
      await db.deleteFrom('endpoints').where('endpoint_id', '=', endpointId).execute();
    },
  };
}

function endpointOf(row: Selectable<Tables['endpoints']>): StoredEndpoint {
  return {
    endpointId: row.endpoint_id,
    name: row.name,
    url: row.url,
    region: row.region,
    pathStyle: row.path_style === 1,
    accessKeyId: row.access_key_id,
    sealedSecret: row.sealed_secret,
    createdAtMs: row.created_at_ms,
  };
}
